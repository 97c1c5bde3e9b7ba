"""The written format of bundles is enough to read one: a reader made from it agrees with Holdfast about everything."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from holdfast.testing.driver import everything
from holdfast.testing.threads.thread_moves import RICH, rich
from tests.docs.bundle_reader import Bundle
from tests.docs.format_reader import unpacked
from tests.transfer.showing import live


def agrees(store: Store, bundle: Bundle, thread_id: str, namespace: str) -> None:
    found = bundle.checkpoints[thread_id].get(namespace, {})
    codec = store._calls.engine.codec
    for point in everything(store.thread(thread_id, namespace)):
        one = found.pop(point.seq)
        assert (one["id"], one["label"], one["status"], one["digest"].hex()) == (
            point.id, point.label, point.status, point.digest,
        )  # fmt: skip
        assert one["parent_id"] == point.parent_id
        assert one["state"] == {name: unpacked(codec.encode(value, "")) for name, value in point.state.items()}
        writes = {(w.task_id, w.index): (w.channel, unpacked(codec.encode(w.value, ""))) for w in point.pending_writes}
        assert one["writes"] == writes
    assert found == {}


@pytest.mark.parametrize("seed", range(3))
def test_a_reader_made_from_the_page_agrees_with_holdfast(tmp_path: Path, seed: int) -> None:
    with holdfast.open("memory:") as store:
        rich(store)
        live(store, f"page{seed}", 60)
        store.export(None, tmp_path / "x.bundle")
        bundle = Bundle(tmp_path / "x.bundle")
        assert bundle.ended
        threads = [info.id for info in store.threads(limit=None)]
        assert sorted(bundle.checkpoints) == sorted(threads)
        assert set(RICH) <= set(threads)
        for thread_id in threads:
            for namespace in ("", "in", "sub"):
                agrees(store, bundle, thread_id, namespace)
            entries = {one.seq: (one.kind, one.key) for one in store.thread(thread_id).journal.read(limit=None)}
            assert {seq: tuple(one[:2]) for seq, one in bundle.journals[thread_id].items()} == entries

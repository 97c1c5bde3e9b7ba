"""`max_value`: how large the encoding of one value may be, checked when it is saved and when it is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import InvalidArgument, TooLarge
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.codec.codec import MAX_VALUE
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.values import manifest

LARGE = "x" * 3000
MOST = 2000


def small_store() -> holdfast.Store:
    return holdfast.open("memory:", max_value=MOST)


def test_the_default_is_256_mib() -> None:
    with holdfast.open("memory:") as store:
        assert store._calls.engine.codec.max_value == MAX_VALUE == 256 << 20


@pytest.mark.parametrize("value", [0, 1023, -1, 1 << 32, 1.5, "1 GiB", None, True])
def test_a_bound_that_makes_no_sense_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgument, match="max_value"):
        holdfast.open("memory:", max_value=value)


def test_the_error_is_one_of_the_call() -> None:
    assert issubclass(TooLarge, holdfast.FixTheCall)
    assert not issubclass(TooLarge, holdfast.LookAtTheStorage)


def test_a_value_that_is_too_large_is_not_saved() -> None:
    with small_store() as store:
        thread = store.thread("t")
        with pytest.raises(TooLarge, match=r"state\['doc'\] has 3003 bytes, and max_value is 2000"):
            thread.save({"n": 1, "doc": LARGE})
        assert thread.latest() is None


def test_many_values_may_be_larger_together() -> None:
    with small_store() as store:
        state = {str(number): "x" * 1500 for number in range(10)}
        store.thread("t").save(state)
        assert store.thread("t").latest().state == state  # type: ignore[union-attr]


def test_a_list_that_grows_beyond_the_bound_is_not_saved() -> None:
    with small_store() as store:
        thread = store.thread("t")
        thread.save({"items": ["x" * 900]})
        thread.update({"items": ["y" * 900]}, reduce={"items": holdfast.extend})
        with pytest.raises(TooLarge, match="max_value is 2000"):
            thread.update({"items": ["z" * 900]}, reduce={"items": holdfast.extend})
        assert thread.latest().state == {"items": ["x" * 900, "y" * 900]}  # type: ignore[union-attr]


def test_metadata_writes_and_the_journal_have_the_same_bound() -> None:
    with small_store() as store:
        thread = store.thread("t")
        saved = thread.save({"n": 1})
        for call in (
            lambda: thread.save({"n": 2}, metadata={"note": LARGE}),
            lambda: thread.put_writes(saved.id, [("n", LARGE)], task_id="task"),
            lambda: thread.journal.append("event", LARGE),
            lambda: store.thread("other", metadata={"note": LARGE}).save({"n": 1}),
        ):
            with pytest.raises(TooLarge, match="max_value"):
                call()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with one value of 3,000 bytes that hardly compresses, and two small ones."""
    url = str(tmp_path / "agents.db")
    with holdfast.open(url) as store:
        thread = store.thread("t")
        thread.save({"doc": "".join(map(str, range(800))), "n": 1})
        thread.save({"doc": "short", "n": 2})
    return url


def test_a_value_that_is_too_large_is_not_loaded(url: str) -> None:
    with holdfast.open(url, max_value=MOST) as store:
        thread = store.thread("t")
        first = thread.history()[-1]
        with pytest.raises(TooLarge, match="larger max_value"):
            thread.load(first.id)
        assert thread.load(first.id, channels=["n"]).state == {"n": 1}  # type: ignore[union-attr]
        assert thread.latest().state == {"doc": "short", "n": 2}  # type: ignore[union-attr]
    with holdfast.open(url, max_value=4000) as store:
        assert store.thread("t").load(first.id).state["n"] == 1  # type: ignore[union-attr]


def test_a_value_that_is_too_large_is_not_a_fault(url: str) -> None:
    with holdfast.open(url, max_value=1024) as store:
        report = store.verify()
        assert report.ok
        assert store.repair(report).mended == ()


def test_the_async_facade_has_the_same_bound(url: str) -> None:
    async def use() -> None:
        async with holdfast.aopen(url, max_value=MOST) as store:
            with pytest.raises(TooLarge):
                await store.thread("t").save({"doc": LARGE})

    asyncio.run(use())


def test_a_saver_passes_the_bound_on(tmp_path: Path) -> None:
    with HoldfastSaver.from_url(tmp_path / "agents.db", max_value=MOST) as saver:
        assert saver.store._calls.engine.codec.max_value == saver._calls.port.codec.max_value == MOST
    with small_store() as store:
        assert HoldfastSaver(store)._calls.port.codec.max_value == MOST
        narrow = HoldfastSaver(store, types=[]).with_allowlist([("a", "B")])
        assert narrow._calls.port.codec.max_value == MOST


def test_references_to_one_value_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest of a few kilobytes may lead to the same value hundreds of times."""
    with small_store() as store:
        thread = store.thread("t")
        large, small = {"a": "x" * 1500}, {"n": "y" * 50}
        repeat = dict.fromkeys(map(str, range(20)), "a")
        with hostile_manifest(monkeypatch, repeat):
            thread.save(large | small)
        with pytest.raises(TooLarge, match="share"):
            thread.latest()
        assert thread.latest(channels=["a", "1"]).state == {"a": large["a"], "1": large["a"]}  # type: ignore[union-attr]


@contextmanager
def hostile_manifest(monkeypatch: pytest.MonkeyPatch, repeat: dict[str, str]) -> Iterator[None]:
    """Manifests get more channels, which have the values of others."""
    pack = manifest.pack

    def packing(plain: manifest.Manifest) -> bytes:
        more = {name: plain.channels[other] for name, other in repeat.items()}
        return pack(plain._replace(channels=plain.channels | more))

    with monkeypatch.context() as patch:
        patch.setattr(manifest, "pack", packing)
        yield


def test_references_of_settled_writes_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    with small_store() as store:
        thread = store.thread("t")
        before = thread.save({"a": 1})
        for number in range(20):
            thread.put_writes(before.id, [("a", "x" * 1500)], task_id=f"task {number}")
        thread.save({"a": "x" * 1500})
        with pytest.raises(TooLarge, match="tasks of a step wrote"):
            thread.load(before.id)


@pytest.mark.parametrize("column", [{"next": b"\xc1"}, {"next": b"\x91\x01"}, {"created_at": 1 << 62}])
def test_columns_that_make_no_sense_are_corrupt(column: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with small_store() as store:
        thread = store.thread("t")
        real = hydrate._decoded_fields
        monkeypatch.setattr(
            hydrate, "_decoded_fields", lambda handle, row, *rest: real(handle, row._replace(**column), *rest)
        )
        with pytest.raises(holdfast.Corrupt, match="can't be read"):
            thread.save({"a": 1})

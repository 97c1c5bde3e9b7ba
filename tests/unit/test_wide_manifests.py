"""Manifests in value logs: their form, and that nothing stored in them is believed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import holdfast
from holdfast import Corrupt, Store, TooLarge
from holdfast._drive import run
from holdfast.backends.rows import CheckpointRow, ChunkRow, with_checksum
from holdfast.engine.values import loader, log_writer, manifest, manifest_log
from holdfast.engine.values.digests import encoding_digest
from holdfast.engine.values.manifest import Header, Inline, Manifest, Ref
from holdfast.engine.values.value_log import LogSettings
from holdfast.testing.checkpoints.wide_states import header_of, save_wide, wide
from holdfast.testing.maintenance.verified_stores import rows_of, swap
from holdfast.testing.rows.row_samples import checkpoint_row

encode = msgspec.msgpack.encode
SETTINGS = LogSettings(1, (64, 16))
MOST = 1 << 20


def ref(number: int, frozen: bool = False) -> Ref:
    return Ref(1000 + number, number, encoding_digest(str(number).encode()), frozen)


def many(count: int = 100, frozen: bool = False) -> Manifest:
    return Manifest({f"c{number}": ref(number, frozen) for number in range(count)}, Inline(b"\x01"), ("o1", "o2"))


def written(new: Manifest, before: Manifest | None = None) -> tuple[Manifest, int, Manifest]:
    """A manifest as it is stored after another, how many bytes that takes, and how it is read again."""
    base, old = Manifest({}), None
    if before is not None:
        base, first = manifest_log.write(SETTINGS, MOST, base, None, before)
        old = None if first is None else first.version
        if all(entry.frozen for entry in new.channels.values() if isinstance(entry, Ref)):
            base = manifest.frozen(base)
    stored, rows = manifest_log.write(SETTINGS, MOST, base, old, new)
    assert rows is not None
    assert rows.version is not None
    header = manifest.unpack(manifest.pack(stored))
    assert isinstance(header, Header)
    return stored, rows.bytes, manifest_log.read(header, rows.version.parts.enc)


def test_a_manifest_is_read_as_it_was_written() -> None:
    for frozen in (False, True):
        new = many(frozen=frozen)
        _, _, again = written(new)
        assert again[:3] == new[:3]
        assert list(again.channels) == list(new.channels)


def test_one_changed_channel_is_one_item() -> None:
    before = many(2000)
    new = before._replace(channels=before.channels | {"c700": ref(3)})
    _, size, again = written(new, before)
    assert again[:3] == new[:3]
    assert size < 60


def test_freezing_all_of_them_takes_a_number_in_the_header() -> None:
    before = many(2000)
    new = manifest.frozen(before)
    stored, size, again = written(new, before)
    assert again[:3] == new[:3]
    assert size < 10
    assert stored.logged is not None
    assert stored.logged.series == 2


def test_freezing_one_of_them_is_one_item() -> None:
    before = many(2000)
    new = before._replace(channels=before.channels | {"c700": ref(700, frozen=True)})
    stored, size, again = written(new, before)
    assert again[:3] == new[:3]
    assert size < 60
    assert stored.logged is not None
    assert stored.logged.series == 1


def test_a_channel_in_between_and_one_less_are_two_items() -> None:
    before = many(2000)
    channels: dict[str, Any] = {}
    for name, entry in before.channels.items():
        if name == "c100":
            channels["before c100"] = ref(7)
        if name != "c1500":
            channels[name] = entry
    _, size, again = written(before._replace(channels=channels), before)
    assert list(again.channels.items()) == list(channels.items())
    assert size < 120


def test_a_channel_that_is_open_has_no_value() -> None:
    twice = many()._replace(open=("c1", "o1", "o1"))
    _, _, again = written(twice)
    assert again.open == ("o1",)


def test_a_list_of_channels_may_be_as_large_as_a_value() -> None:
    with pytest.raises(TooLarge, match="the list of 100 channels"):
        manifest_log.write(SETTINGS, 1000, Manifest({}), None, many())


@pytest.mark.parametrize(
    "items",
    [
        b"",
        encode({"a": 1}),
        encode(["a"]),
        encode([[]]),
        encode([[1]]),
        encode([["a", 1]]),
        encode([["a", 1, 2]]),
        encode([["a", 1, 2, b"short"]]),
        encode([["a", 1, 2, b"d" * 16, True]]),
        encode([["a", 1, 2, b"d" * 16, 1, 1]]),
        encode([["a", -1, 2, b"d" * 16]]),
        encode([["a", 1 << 63, 2, b"d" * 16]]),
        encode([["a", b"\x01", 0, b"d" * 16]]),
        encode([["a", b"\x01"], ["a", b"\x02"]]),
        encode([["a", b"\x01"], ["a"]]),
        encode([["a"], ["b", b"\x01"]]),
        encode([["a"], ["a"]]),
        encode([["a", b"\x01"]]) + b"\x00",
    ],
)
def test_what_is_no_list_of_channels_is_corrupt(items: bytes) -> None:
    header = Header(Ref(1, 0, b"d" * 16), 1, None)
    row = checkpoint_row(id="a")
    with pytest.raises(Corrupt, match="manifest"):
        loader.read_logged(row, header, items)


# ------------------------------------------------------------------------------------------------ hostile stores


def log_of(store: Store, row: CheckpointRow, channel: str) -> Ref:
    engine = store._calls.engine

    async def entry() -> Any:
        return (await loader.manifest_of(engine, row)).channels[channel]

    found: Ref = run(entry)
    engine.cache.clear()
    return found


def every_reader_refuses(store: Store, row: CheckpointRow, tmp_path: Path) -> None:
    thread = store.thread("main")
    readers: list[Callable[[], object]] = [
        thread.latest,
        lambda: thread.load(row.id),
        lambda: thread.update({"n": 1}),
        lambda: thread.save({"n": 1}),
        lambda: thread.fork(edits={"n": 1}),
        lambda: thread.diff(row.id, row.id),
        lambda: store.export(["main"], tmp_path / "out.hfb"),
        lambda: store.export(["main"], tmp_path / "out.jsonl", json=True),
        lambda: holdfast.copy(store, holdfast.open("memory:"), ["main"]),
    ]
    for read in readers:
        with pytest.raises(Corrupt):
            read()
    before = sorted(rows_of(store, ChunkRow))
    thread.label(row.id, "still there")
    assert len(store.collect().skipped) == 1
    assert sorted(rows_of(store, ChunkRow)) == before
    plan = store.verify()
    assert row.id in {fault.checkpoint_id for fault in plan.faults}
    assert row.id in {lost.checkpoint_id for lost in store.repair(plan).lost}
    assert store.verify().faults == ()


HEADERS: list[Callable[[Header, Ref], Any]] = [
    lambda header, other: [[header.ref.log, 99, header.ref.digest, 1], None],
    lambda header, other: [[header.ref.log + 1, 0, header.ref.digest, 1], None],
    lambda header, other: [[header.ref.log, 0, b"?" * 16, 1], None],
    lambda header, other: [[other.log, other.pos, other.digest, 1], None],
    lambda header, other: [[header.ref.log, "0", header.ref.digest, 1], None],
    lambda header, other: [[1 << 63, 0, header.ref.digest, 1], None],
    lambda header, other: [[header.ref.log, -1, header.ref.digest, 1], None],
    lambda header, other: [[header.ref.log, 0, header.ref.digest, 0], None],
    lambda header, other: [[header.ref.log, 0, header.ref.digest], None],
    lambda header, other: [[header.ref.log, 0, header.ref.digest, 1], [1, 2]],
    lambda header, other: [[header.ref.log, 0, header.ref.digest, 1]],
    lambda header, other: [[], None],
]


@pytest.mark.parametrize("change", HEADERS)
def test_a_header_that_leads_elsewhere_is_corrupt(tmp_path: Path, change: Callable[[Header, Ref], Any]) -> None:
    with holdfast.open("memory:") as store:
        store.thread("main").save(wide(0) | {"list": ["a channel", "with a log " * 9]})
        (row,) = rows_of(store, CheckpointRow)
        header = header_of(row)
        assert header is not None
        body = encode(change(header, log_of(store, row, "list")))
        row = with_checksum(row._replace(manifest=body))
        swap(store, [row], [row])
        every_reader_refuses(store, row, tmp_path)


def test_the_digest_in_the_header_counts_also_if_the_list_is_cached() -> None:
    with holdfast.open("memory:") as store:
        thread = store.thread("main")
        thread.save(wide(0))
        (row,) = rows_of(store, CheckpointRow)
        header = header_of(row)
        assert header is not None
        version = store._calls.engine.cache.get(header.ref[:2])
        forged = encode([[header.ref.log, 0, b"?" * 16, 1], None])
        swap(store, [row], [with_checksum(row._replace(manifest=forged))])
        store._calls.engine.cache.put(header.ref[:2], version, 1)
        with pytest.raises(Corrupt, match="digest"):
            thread.load(row.id)


def test_a_list_that_names_no_channels_is_corrupt_although_its_digest_is_right(tmp_path: Path) -> None:
    with holdfast.open("memory:") as store:
        store.thread("main").save(wide(0))
        (row,) = rows_of(store, CheckpointRow)
        forged = log_writer.write(SETTINGS._replace(tree=row.tree), encode([["a", 1, 2]] * 20), None, None)
        assert isinstance(forged.entry, Ref)
        row = with_checksum(row._replace(manifest=encode([[*forged.entry[:3], 1], None])))
        swap(store, [row], [row, *forged.rows])
        every_reader_refuses(store, row, tmp_path)


def test_a_list_that_is_too_large_is_not_decoded() -> None:
    with holdfast.open("memory:", max_value=2000) as store:
        thread = store.thread("main")
        save_wide(thread, 2)
        assert thread.latest() is not None
        row = max(rows_of(store, CheckpointRow), key=lambda row: row.seq)
        settings = SETTINGS._replace(tree=row.tree)
        forged = log_writer.write(settings, encode([[f"{n:08}"] for n in range(200_000)]), None, None)
        assert isinstance(forged.entry, Ref)
        row = with_checksum(row._replace(manifest=encode([[*forged.entry[:3], 1], None])))
        before = sorted(rows_of(store, ChunkRow))
        swap(store, [row], [row, *forged.rows])
        with pytest.raises(TooLarge):
            thread.latest()
        thread.delete_checkpoints([thread.history()[-1].id])
        assert ["max_value" in why for why in store.collect().skipped] == [True]
        report = store.verify()
        assert (report.faults, report.too_large) == ((), 1)
        assert {*before} <= {*rows_of(store, ChunkRow)}


# ------------------------------------------------------------------------------------------------ processes

WRITER = """
import sys, holdfast
from holdfast.testing.checkpoints.wide_states import wide
with holdfast.open(sys.argv[1]) as store:
    for number in range(20):
        store.thread("t").update({f"channel {number}": "by the other process " * 3})
"""


@pytest.mark.parametrize("kind", ["sqlite", "file"])
def test_two_processes_change_other_channels_of_one_state(tmp_path: Path, kind: str) -> None:
    url = f"{kind}:{tmp_path / 'agents'}"
    with holdfast.open(url) as store:
        thread = store.thread("t")
        thread.save(wide(0))
        other = subprocess.Popen([sys.executable, "-c", WRITER, url])
        for number in range(30, 50):
            thread.update({f"channel {number}": "by this process " * 3})
        assert other.wait(60) == 0
        theirs = {f"channel {number}": "by the other process " * 3 for number in range(20)}
        ours = {f"channel {number}": "by this process " * 3 for number in range(30, 50)}
        found = thread.latest()
        assert found is not None
        assert found.state == wide(0) | theirs | ours
        assert len(thread.history(limit=None)) == 41
        assert store.verify().faults == ()

"""Bundles as files: damaged at any byte, cut anywhere, put together wrongly. Nothing of it gets into a store."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

import holdfast
from holdfast import Corrupt, InvalidArgument, LookAtTheStorage, NewerFormat, StorageFailed, Store
from holdfast.transfer import bundle_file, wire_records
from holdfast.transfer.target import commit_buffer
from tests.transfer.showing import live, shown, thread_shown

DAMAGES = 60


@pytest.fixture
def source() -> Iterator[Store]:
    with holdfast.open("memory:") as store:
        live(store, "bundle", 80)
        yield store


@pytest.fixture
def path(source: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bundle_file, "_BLOCK", 2000)  # many blocks
    found = tmp_path / "all.bundle"
    source.export(None, found)
    return found


@pytest.mark.parametrize("json", [False, True])
def test_the_folder_is_synced_after_an_export_got_its_name(
    source: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, json: bool
) -> None:
    path = tmp_path / "out"
    sync, synced = os.fsync, list[tuple[bool, bool]]()

    def noted(fd: int) -> None:
        synced.append((os.path.samestat(os.fstat(fd), os.stat(tmp_path)), path.exists()))
        sync(fd)

    monkeypatch.setattr(os, "fsync", noted)
    source.export(None, path, json=json)
    assert synced == [(False, False), (True, True)], "first the file, and once it has its name, the folder"


def test_a_bundle_damaged_at_any_byte_is_refused_and_what_came_before_is_whole(source: Store, path: Path) -> None:
    whole = path.read_bytes()
    rng = random.Random(7)
    said = 0
    for _ in range(DAMAGES):
        at = rng.randrange(len(whole))
        how = rng.choice(["flip", "cut", "drop", "swap"])
        path.write_bytes(damaged(whole, at, how, rng))
        if path.read_bytes() == whole:
            continue
        with holdfast.open("memory:") as other:
            with pytest.raises(LookAtTheStorage) as caught:
                other.import_(path)
            said += "byte" in str(caught.value)
            for info in other.threads(limit=None):
                assert thread_shown(other, info.id) == thread_shown(source, info.id)
            path.write_bytes(whole)
            other.import_(path)
            assert shown(other) == shown(source)
    assert said > DAMAGES * 0.9  # all but those that hit the first line


def damaged(whole: bytes, at: int, how: str, rng: random.Random) -> bytes:
    if how == "flip":
        return whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :]
    if how == "cut":
        return whole[:at]
    if how == "drop":
        return whole[:at] + whole[at + 1 + rng.randrange(50) :]
    other = rng.randrange(len(whole))
    low, high = min(at, other), max(at, other)
    return whole[:low] + whole[high : high + 1] + whole[low + 1 : high] + whole[low : low + 1] + whole[high + 1 :]


def rewritten(path: Path, change: Callable[[wire_records.Record], list[wire_records.Record]]) -> None:
    """The same bundle with some records changed, in blocks that have the right digests."""
    found = [record for _, record in bundle_file.read(path)]
    with bundle_file.Writer(path) as writer:
        for record in found:
            for one in change(record):
                writer.write(one)


def test_a_changed_value_does_not_match_its_digest(path: Path) -> None:
    def change(record: wire_records.Record) -> list[wire_records.Record]:
        if isinstance(record, wire_records.Checkpoint) and record.channels and isinstance(record.channels[0][1], bytes):
            name, _ = record.channels[0]
            return [msgspec.structs.replace(record, channels=[(name, b"\x01"), *record.channels[1:]])]
        return [record]

    rewritten(path, change)
    with holdfast.open("memory:") as other, pytest.raises(Corrupt, match=r"byte .* does not match its digest"):
        other.import_(path)


def test_a_missing_checkpoint_is_noticed(path: Path) -> None:
    """Also one that nothing else names."""
    last = [record for _, record in bundle_file.read(path) if isinstance(record, wire_records.Checkpoint)][-1]
    rewritten(path, lambda record: [] if record == last else [record])
    with holdfast.open("memory:") as other, pytest.raises(Corrupt, match="byte"):
        other.import_(path)


def test_a_newer_format_is_refused(path: Path) -> None:
    path.write_bytes(b"holdfast bundle 2\n" + path.read_bytes()[18:])
    with holdfast.open("memory:") as other, pytest.raises(NewerFormat):
        other.import_(path)


def test_a_file_that_can_not_be_written_or_read_says_so(source: Store, tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="nowhere"):
        source.export(None, tmp_path / "nowhere" / "x.bundle")
    with pytest.raises(StorageFailed, match="nowhere"):
        source.import_(tmp_path / "nowhere")


@pytest.mark.parametrize("json", [False, True])
def test_an_export_to_a_folder_that_does_not_exist_names_the_folder(source: Store, tmp_path: Path, json: bool) -> None:
    with pytest.raises(StorageFailed, match=r"the folder '.*missing' does not exist; create it first"):
        source.export(None, tmp_path / "missing" / "all", json=json)
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_the_old_file_and_nothing_else(source: Store, path: Path) -> None:
    before = path.read_bytes()

    def listen(_: object) -> None:
        raise KeyError("stop")

    with pytest.raises(KeyError):
        source.export(None, path, progress=listen)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_thread_shows_only_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers do not see it while it comes, or after the import was stopped; the next import resumes it."""
    monkeypatch.setattr(commit_buffer, "_BATCH_ROWS", 10)
    monkeypatch.setattr("holdfast.transfer.report._CHECKPOINTS_PER_CALL", 10)
    with holdfast.open("memory:") as source, holdfast.open(tmp_path / "target.db") as other:
        for n in range(60):
            source.thread("t").save({"n": n})

        def listen(now: holdfast.TransferProgress) -> None:
            assert other.threads() == []
            assert other.thread("t").latest() is None
            if now.checkpoints >= 40:
                raise KeyError("stop")

        with pytest.raises(KeyError):
            holdfast.copy(source, other, progress=listen)
        assert other.threads() == []
        assert holdfast.copy(source, other).checkpoints <= 30
        assert thread_shown(other, "t") == thread_shown(source, "t")


def test_what_was_begun_and_is_something_else_now_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_buffer, "_BATCH_ROWS", 10)
    monkeypatch.setattr("holdfast.transfer.report._CHECKPOINTS_PER_CALL", 10)
    with holdfast.open("memory:") as source, holdfast.open(tmp_path / "target.db") as other:
        saved = [source.thread("t").save({"n": n}) for n in range(60)]

        def listen(now: holdfast.TransferProgress) -> None:
            if now.checkpoints >= 40:
                raise KeyError("stop")

        with pytest.raises(KeyError):
            holdfast.copy(source, other, progress=listen)
        source.thread("t").delete_checkpoints([saved[5].id])
        holdfast.copy(source, other)
        assert thread_shown(other, "t") == thread_shown(source, "t")
        assert other.thread("t").load(saved[5].id) is None


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("path", ["", ".", "/", "a\0b"])
def test_a_path_that_names_no_file_is_refused(path: str, json: bool) -> None:
    with holdfast.open("memory:") as store:
        store.thread("t").save({"n": 1})
        with pytest.raises(InvalidArgument, match="does not name a file"):
            store.export(None, path, json=json)
        with pytest.raises(InvalidArgument, match="does not name a file"):
            store.import_(path)

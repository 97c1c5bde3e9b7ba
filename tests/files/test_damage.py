"""Torn ends are cut off and reported; damaged bytes cost what was in them, and never give wrong data."""

from __future__ import annotations

import random
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from holdfast import Corrupt, HoldfastError, NewerFormat, Store
from tests.files.stores import backend_of, copied, folder_of, grown, latest, name_at, open_files, rows_of, state

COUNT = 12


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "agents"


def cut(path: Path, length: int) -> None:
    with path.open("r+b") as file:
        file.truncate(length)


def test_a_file_torn_at_any_byte_of_its_last_record_has_all_records_before(root: Path) -> None:
    *_, before, whole = grown(root, "t", 4)
    path, data = rows_of(root, "t"), rows_of(root, "t").read_bytes()
    assert len(data) == whole
    for length in range(before, whole):
        path.write_bytes(data[:length])
        with open_files(root) as reader:
            assert latest(reader, "t") == state(2), length
            assert path.read_bytes() == data[:length], "a reader changes nothing"
        if length % 7 == 1:
            with open_files(root) as writer:
                writer.thread("t").save(state(9))
                assert latest(writer, "t") == state(9)
                torn = backend_of(writer).torn_writes
                assert [one[1:] for one in torn] == ([(before, length - before)] if length > before else [])
            with open_files(root) as reader:
                assert [one.seq for one in reader.thread("t").history()] == [4, 3, 2, 1]


def test_zeros_and_noise_after_the_last_record_are_a_torn_end(root: Path) -> None:
    grown(root, "t", 3)
    path, data = rows_of(root, "t"), rows_of(root, "t").read_bytes()
    for tail in (bytes(4096), random.Random(1).randbytes(700), b"\xf1REC", b"\xf1REC" + b"\xff" * 8 + bytes(50)):
        path.write_bytes(data + tail)
        with open_files(root) as store:
            assert latest(store, "t") == state(2)
            store.thread("t").save(state(3), id="c3")
            assert latest(store, "t") == state(3)
        path.write_bytes(data)


def test_a_torn_end_is_reported(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    *_, before, whole = grown(root, "t", 3)
    path = rows_of(root, "t")
    cut(path, whole - 5)
    with open_files(root) as store:
        assert latest(store, "t") == state(1)
        assert not caplog.records
        store.thread("t").save(state(2))
        assert backend_of(store).torn_writes == [(path, before, whole - 5 - before)]
    assert str(path) in caplog.text
    assert f"offset {before}" in caplog.text


@pytest.mark.parametrize("change", ["create", "fork", "delete", "label of the head's status"])
def test_a_batch_in_two_files_is_seen_in_both_or_in_none(root: Path, change: str) -> None:
    """The directory's record is the commit, cut at every byte: the tree's file is not believed without it."""
    grown(root, "t", 3)
    directory = root / "directory.hfs"
    before = directory.stat().st_size
    with open_files(root) as store:
        seen = everything(store)
        if change == "create":
            store.thread("new").save(state(0))
        elif change == "fork":
            store.thread("t").fork(to="new", edits={"n": "edited"})
        elif change == "delete":
            kept = copied(root, "kept")
            store.thread("t").delete()
        else:
            store.thread("t").save(state(3), status="completed")
        after = everything(store)
        assert after != seen
    if change == "delete":  # the folder goes after the commit; a crash before that leaves it
        shutil.copytree(folder_of(kept, "t"), root / "threads" / folder_of(kept, "t").name)
    data = directory.read_bytes()
    again = copied(root, "again")
    for length in (*range(before, len(data), 1 if change == "fork" else 5), len(data)):
        (again / "directory.hfs").write_bytes(data[:length])
        with open_files(again) as store:
            assert everything(store) == (after if length == len(data) else seen), length
    for length in (before, before + 1, (before + len(data)) // 2, len(data) - 1):
        again = copied(root, "again")
        (again / "directory.hfs").write_bytes(data[:length])
        with open_files(again) as store:
            store.thread("afterwards").save(state(1))
            assert [info.id for info in store.threads()] == ["afterwards", "t"]
        assert sorted(folder.name.split("~")[0] for folder in (again / "threads").iterdir()) == ["afterwards", "t"]
    with open_files(root) as store:
        assert everything(store) == after
        store.thread("afterwards").save(state(1))
    if change == "delete":
        assert [one.name.split("~")[0] for one in (root / "threads").iterdir()] == ["afterwards"]


def everything(store: Store) -> Any:
    found = []
    for info in store.threads():
        thread = store.thread(info.id)
        found.append((info, [thread.load(one.id) for one in thread.history()]))
    return found


# ------------------------------------------------------------------------------------------------ damage


@pytest.fixture
def store_of_three(root: Path) -> Path:
    for thread_id in ("a", "b", "c"):
        grown(root, thread_id, COUNT)
    return root


def read_all(root: Path, thread_id: str) -> list[Any]:
    """The states that can be read, and None for those that are refused; anything else fails."""
    found: list[Any] = []
    with open_files(root) as store:
        for n in range(COUNT):
            try:
                one = store.thread(thread_id).load(f"c{n}")
                assert one is None or one.state == state(n), f"c{n} is silently wrong"
                found.append(one and one.state)
            except HoldfastError:
                found.append(None)
    return found


@pytest.mark.parametrize("seed", range(24))
def test_damage_in_the_middle_is_reported_and_left_alone(store_of_three: Path, seed: int) -> None:
    root, rng = store_of_three, random.Random(seed)
    path = rows_of(root, "b")
    data = bytearray(path.read_bytes())
    start = rng.randrange(len(data) * 3 // 4)
    length = rng.choice([1, 8, 64, 300])
    noise = rng.randbytes(length) if seed % 2 else bytes(length)
    if data[start : start + length] == noise:
        noise = bytes(255 - byte for byte in noise)
    data[start : start + length] = noise
    path.write_bytes(data)
    with open_files(root) as store:
        assert [info.id for info in store.threads()] == ["a", "b", "c"], "a damaged thread does not stop the list"
        for thread_id in ("a", "c"):
            assert latest(store, thread_id) == state(COUNT - 1)
        with pytest.raises(Corrupt, match="restore") as refused:
            history(store, "b")
        assert str(path) in str(refused.value)
        store.thread("a").save(state(0))
    assert read_all(root, "c") == [state(n) for n in range(COUNT)]
    read_all(root, "b")
    assert path.read_bytes() == data, "a damaged file is left as it is"


def history(store: Store, thread_id: str) -> None:
    thread = store.thread(thread_id)
    for info in thread.history(limit=None):
        thread.load(info.id)


def test_what_was_saved_after_the_damage_can_be_read_and_continued(root: Path) -> None:
    """Each of these states stands alone, so that none needs a lost one."""
    with open_files(root) as store:
        lengths = []
        for n in range(8):
            store.thread("t").save({str(n): "x" * 300}, id=f"c{n}", parent=None)
            lengths.append(rows_of(root, "t").stat().st_size)
    path = rows_of(root, "t")
    data = bytearray(path.read_bytes())
    data[lengths[2] + 20 : lengths[2] + 40] = bytes(20)
    path.write_bytes(data)
    with open_files(root) as store:
        thread = store.thread("t")
        assert latest(store, "t") == {"7": "x" * 300}
        assert [info.id for info in thread.history(limit=4)] == ["c7", "c6", "c5", "c4"]
        with pytest.raises(Corrupt, match=f"bytes {lengths[2]} to {lengths[3]}"):
            thread.history(limit=None)
        thread.save({"8": "new"}, id="c8")
        assert latest(store, "t") == {"8": "new"}
    with open_files(root) as store:
        assert latest(store, "t") == {"8": "new"}


def test_a_line_whose_last_row_may_be_lost_is_refused(root: Path) -> None:
    """The fork saved last, so that the damage hides the original's newest state, and not the fork's."""
    grown(root, "t", 3)
    with open_files(root) as store:
        fork = store.thread("t").fork(to="fork")
        fork.save({"first": 1})
        before = rows_of(root, "t").stat().st_size
        store.thread("t").save(state(99))
        after = rows_of(root, "t").stat().st_size
        fork.save({"second": 2})
    path = rows_of(root, "t")
    data = bytearray(path.read_bytes())
    data[before:after] = bytes(after - before)
    path.write_bytes(data)
    with open_files(root) as store:
        assert latest(store, "fork") == {"second": 2}
        with pytest.raises(Corrupt, match=f"bytes {before} to {after}"):
            latest(store, "t")
        with pytest.raises(Corrupt):
            store.thread("t").save(state(100))
        assert len(store.threads()) == 2


def test_two_bad_records_at_the_end_are_damage_and_not_a_torn_end(root: Path) -> None:
    *_, before, middle, _ = grown(root, "t", 6)
    path = rows_of(root, "t")
    data = bytearray(path.read_bytes())
    for start in (before, middle):
        data[start + 30] ^= 255
    path.write_bytes(data)
    with open_files(root) as store, pytest.raises(Corrupt, match=str(before)):
        latest(store, "t")
    assert path.read_bytes() == data


def test_a_damaged_directory_still_leads_to_what_it_names(store_of_three: Path) -> None:
    root = store_of_three
    directory = root / "directory.hfs"
    data = bytearray(directory.read_bytes())
    at = name_at(root, "b")
    data[at : at + 2] = b"xx"
    directory.write_bytes(data)
    with open_files(root) as store:
        assert {info.id for info in store.threads()} == {"a", "c"}
        assert latest(store, "a") == state(COUNT - 1)
        store.thread("c").save(state(7))
        for unknown in ("b", "new"):
            with pytest.raises(Corrupt, match=r"directory\.hfs"):
                store.thread(unknown).save(state(0))
    assert folder_of(root, "b").is_dir(), "a folder that the directory lost is not removed as a leftover"


@pytest.mark.parametrize("repaired", [True, False])
@pytest.mark.parametrize("how", ["cut", "flipped"])
def test_a_directory_that_lost_its_last_record_uses_no_number_twice(root: Path, how: str, repaired: bool) -> None:
    """The tree's file has carried over what that record said; what is saved afterwards must not be taken for it."""
    directory = root / "directory.hfs"
    with open_files(root) as store:
        for n in range(3):
            store.thread("t").save(state(n))
        before = directory.stat().st_size
        store.thread("t").fork(to="lost")
        store.thread("t").save(state(3))
        data = bytearray(directory.read_bytes())
    data[-5] ^= 1
    directory.write_bytes(data[:before] if how == "cut" else data)
    with open_files(root) as store:
        report = store.verify()
        assert any("directory.hfs" in fault.message and "lost" in fault.message for fault in report.faults)
        if repaired:
            assert not store.repair(report).unrepaired
        store.thread("t").save(state(4), status="completed")
        with open_files(root) as other:
            assert latest(other, "t") == state(4)
        store.thread("t").save(state(5), status="running")
        store.thread("t").save(state(6))
    with open_files(root) as store:
        assert latest(store, "t") == state(6)
        assert not store.verify().faults


def test_a_directory_that_lost_its_last_record_is_reported_even_if_the_store_was_not_closed(root: Path) -> None:
    directory = root / "directory.hfs"
    with open_files(root) as store:
        store.thread("t").save(state(0))
        before = directory.stat().st_size
        store.thread("t").fork(to="lost")
        store.thread("t").save(state(1))
        left = copied(root, "left")
    cut(left / "directory.hfs", before)
    with open_files(left) as store:
        report = store.verify()
        assert any("the records in between are lost" in fault.message for fault in report.faults)
        assert not store.repair(report).unrepaired
        assert store.verify().ok


def test_a_file_of_another_tree_is_refused(store_of_three: Path) -> None:
    root = store_of_three
    shutil.copy(rows_of(root, "a"), rows_of(root, "b"))
    with open_files(root) as store:
        with pytest.raises(Corrupt):
            latest(store, "b")
        assert latest(store, "a") == state(COUNT - 1)


@pytest.mark.parametrize("content", [b"", b"\x89HFS\r\n\x1a\n", bytes(5000), b"noise" * 100])
def test_a_file_that_was_replaced_as_a_whole_is_refused_and_left_alone(store_of_three: Path, content: bytes) -> None:
    root = store_of_three
    rows_of(root, "b").write_bytes(content)
    for _ in range(2):
        with open_files(root) as store:
            assert [info.id for info in store.threads()] == ["a", "b", "c"]
            for call in (lambda: latest(store, "b"), lambda: store.thread("b").save(state(0))):
                with pytest.raises(Corrupt, match="restore"):
                    call()
            store.thread("a").save(state(0))
    assert rows_of(root, "b").read_bytes() == content


def test_a_stored_value_that_looks_like_a_record_is_not_read_as_one(root: Path) -> None:
    """Not even where damage makes the reader look for records among the bytes."""
    with open_files(root) as store:
        for n in range(2):
            store.thread("other").save({"noise": random.Random(n).randbytes(3000)})
        foreign = rows_of(root, "other").read_bytes()[16:]
        store.thread("t").save({"n": 0})
        at = rows_of(root, "t").stat().st_size
        store.thread("t").save({"n": 1, "evil": foreign})
        assert foreign[:1000] in rows_of(root, "t").read_bytes()[at + 12 :], (
            "stored as it is, mark and checksum and all"
        )
        store.thread("t").save({"n": 2})
    path = rows_of(root, "t")
    data = bytearray(path.read_bytes())
    data[at + 5] ^= 255
    path.write_bytes(data)
    with open_files(root) as store:
        assert [info.id for info in store.threads()] == ["other", "t"]
        with pytest.raises(Corrupt):
            history(store, "t")


@pytest.mark.parametrize("name", ["directory.hfs", "rows.hfs"])
def test_a_newer_format_is_refused(root: Path, name: str) -> None:
    grown(root, "t", 3)
    path = root / name if name == "directory.hfs" else rows_of(root, "t")
    start = b"\x89HFS\r\n\x1a\n" + struct.pack("<HH", 2, 2)
    path.write_bytes(start + struct.pack("<I", zlib.crc32(start)) + path.read_bytes()[16:])
    with pytest.raises(NewerFormat, match="format 2"), open_files(root) as store:
        latest(store, "t")

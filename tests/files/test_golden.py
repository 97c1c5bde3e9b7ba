"""The golden folder of format 1 is read, verified and continued; earlier and later formats are refused."""

from __future__ import annotations

import json
import os
import shutil
import struct
import zlib
from pathlib import Path

import pytest

from holdfast import NewerFormat, NotAStore
from holdfast._drive import run as drive
from holdfast.backends.files.logs import record_format
from holdfast.backends.files.logs.record_format import Format
from holdfast.backends.rows import KEYS, table_name
from tests.crash import files_reader
from tests.data.golden import check_continued, contents, graph_contents
from tests.files.stores import backend_of, folder_of, latest, open_files, rows_of

GOLDEN = Path(__file__).parents[1] / "data" / "files-1"
HELD = json.loads(GOLDEN.with_suffix(".json").read_text())
MAGIC = b"\x89HFS\r\n\x1a\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GOLDEN, tmp_path / "agents"))


def bytes_of(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def set_header(path: Path, magic: bytes, numbers: bytes) -> None:
    start = magic + numbers
    path.write_bytes(start + struct.pack("<I", zlib.crc32(start)) + path.read_bytes()[16:])


def format_of(path: Path) -> tuple[int, int]:
    reader, writer = struct.unpack_from("<HH", path.read_bytes(), 8)
    return reader, writer


# ------------------------------------------------------------------------------------------------ format 1


def test_it_uses_every_table() -> None:
    rows = files_reader.read(GOLDEN)
    assert [table_name(kind) for kind in KEYS if not rows[kind]] == []


def test_it_reads_back_equal(root: Path) -> None:
    with open_files(root) as store:
        assert contents(store) == HELD["threads"]
        assert graph_contents(store) == HELD["graph"]
        assert [kept.table for kept in store.quarantined()] == ["run"]
    assert bytes_of(root) == bytes_of(GOLDEN), "reading changes nothing"


def test_it_is_sound(root: Path) -> None:
    with open_files(root) as store:
        assert store.verify().faults == ()


def test_it_is_continued(root: Path) -> None:
    with open_files(root) as store:
        check_continued(store)
        store.thread("new").save({"n": 1})
        assert store.verify().ok
    with open_files(root) as store:
        assert latest(store, "new") == {"n": 1}
        assert store.verify().ok


# ------------------------------------------------------------------------------------------------ earlier formats


def test_a_folder_of_a_development_version_is_refused_and_left_alone(root: Path) -> None:
    for path in root.rglob("*.hfs"):
        set_header(path, b"HOLDFAST", struct.pack("<I", 1))
    (root / "copied").write_text("a backup")
    before = bytes_of(root)
    with pytest.raises(NotAStore, match=r"was made by a development version of Holdfast before 0\.1\.0") as refused:
        open_files(root)
    assert str(root) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert bytes_of(root) == before


# ------------------------------------------------------------------------------------------------ a made-up format 2


@pytest.fixture
def newer(root: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A store that code of a later format has written to, once: to `done` and to a new thread."""
    with monkeypatch.context() as patch:
        patch.setattr(record_format, "KNOWN", 2)
        patch.setattr(record_format, "WRITTEN", request.param)
        with open_files(root) as store:
            assert contents(store) == HELD["threads"], "it reads the earlier format"
            store.thread("done").save({"answer": 43})
            store.thread("new").save({"n": 1})
            assert latest(store, "done") == {"answer": 43}
            assert store.verify().ok
        with open_files(root) as store:
            assert latest(store, "done") == {"answer": 43}
            assert latest(store, "new") == {"n": 1}
            assert latest(store, "long") is not None
    return root


@pytest.mark.parametrize("newer", [Format(2, 2)], indirect=True)
def test_files_get_the_new_format_when_they_are_written_to(newer: Path) -> None:
    assert format_of(newer / "directory.hfs") == (2, 2)
    assert format_of(rows_of(newer, "done")) == (2, 2)
    assert format_of(rows_of(newer, "new")) == (2, 2)
    assert format_of(rows_of(newer, "long")) == (1, 1)


@pytest.mark.parametrize("newer", [Format(2, 2)], indirect=True)
def test_a_reader_that_does_not_know_the_format_refuses_the_folder(newer: Path) -> None:
    before = bytes_of(newer)
    with pytest.raises(NewerFormat, match=r"directory\.hfs: reading it needs format 2, .* up to 1; install a newer"):
        open_files(newer)
    assert bytes_of(newer) == before


@pytest.mark.parametrize("newer", [Format(1, 2)], indirect=True)
def test_a_format_for_writers_only_can_be_read_and_not_written(newer: Path) -> None:
    assert format_of(newer / "directory.hfs") == (1, 2)
    (newer / "lock").unlink()
    before = bytes_of(newer)
    with open_files(newer) as store:
        assert latest(store, "done") == {"answer": 43}
        assert latest(store, "new") == {"n": 1}
        for call in (
            lambda: store.thread("long").save({"n": 2}),
            lambda: store.thread("newer").save({"n": 2}),
            lambda: drive(backend_of(store).give_back),
            lambda: drive(backend_of(store).scrub),
            lambda: drive(backend_of(store).mend),
        ):
            with pytest.raises(NewerFormat, match="writing to it needs format 2"):
                call()
        assert latest(store, "long") is not None
    after = bytes_of(newer)
    after.pop("lock")
    assert after == before


@pytest.mark.parametrize("newer", [Format(2, 2)], indirect=True)
def test_repair_leaves_a_tree_of_a_newer_format_alone(newer: Path) -> None:
    """As in a folder whose directory was restored from a backup, and some of its threads not."""
    shutil.copy(GOLDEN / "directory.hfs", newer / "directory.hfs")
    before = rows_of(newer, "done").read_bytes()
    with open_files(newer) as store:
        with pytest.raises(NewerFormat):
            latest(store, "done")
        with pytest.raises(NewerFormat):
            store.repair(store.verify())
    assert rows_of(newer, "done").read_bytes() == before
    assert sorted(os.listdir(folder_of(newer, "done"))) == ["info.json", "rows.hfs"]

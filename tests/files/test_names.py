"""Folder names: people recognise the thread, and no two threads share a name on any file system."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Corrupt
from holdfast.backends.files import folder_names
from tests.files.stores import open_files

IDS = [
    "a/b", "a_b", "A_B", "a.b", "A.B", "../x", "..", ".", "/etc/passwd", "CON", "con", "con.txt", "nul", "x.", "x ",
    " x", "x", "X", "x..", "~", "~1", "a~b", "%41", "=a", "+", "a+", "-rf", "größe", "GRÖSSE", "gro\u0308sse", "日本",
    "\U0001f600", "a\nb", "a\\b", "C:\\x", "ß", "SS", "ss", "ﬀ", "İ", "i", "ı", "x" * 1024, "x" * 1023 + "y",
    "X" * 1024, "é" * 1024, "\U0001f600" * 1024, '<>:"|?*', "a\tb", "\x7f",
]  # fmt: skip


@pytest.mark.parametrize("thread_id", IDS, ids=ascii)
def test_a_name_is_legal_everywhere(thread_id: str) -> None:
    name = folder_names.folder_name(thread_id, (1 << 63) - 1)
    assert len(name.encode()) <= 143, "encrypted file systems allow no more"
    assert name == name.lower()
    assert name.isascii()
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-=%+~")
    assert not name.startswith("-")
    assert "." not in name, "neither hidden, nor reserved with an extension, nor a way out"
    assert name not in ("con", "nul", "prn", "aux")


@pytest.mark.parametrize("thread_id", IDS, ids=ascii)
def test_a_name_tells_the_id_unless_it_is_too_long(thread_id: str) -> None:
    found = folder_names.thread_id(folder_names.folder_name(thread_id, 77))
    assert found == thread_id if len(thread_id) < 1000 else found is None


@given(st.text(st.characters(), min_size=1, max_size=60))
def test_any_text_comes_back(thread_id: str) -> None:
    name = folder_names.folder_name(thread_id, 5)
    assert folder_names.thread_id(name) == (thread_id if "+" not in name else None)
    assert folder_names.checked_name(name) == name


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_two_ids_have_two_names_also_without_their_trees(one: str, other: str) -> None:
    names_of = {folder_names.folder_name(thread_id, 5) for thread_id in (one, other)}
    assert len(names_of) == len({one, other}) or all("+" in name for name in names_of)


@pytest.mark.parametrize("name", ["..", "../x", "a/b~1", "~", "a", "A~1", "a~1/..", "a~g", ".~1", "a~1\n", "", 7, None])
def test_a_name_that_was_read_leads_nowhere_else(name: object) -> None:
    with pytest.raises(Corrupt):
        folder_names.checked_name(name)


def test_all_threads_get_folders_that_differ_where_case_does_not_count(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    with open_files(root) as store:
        for n, thread_id in enumerate(IDS):
            store.thread(thread_id).save({"n": n})
        assert sorted(info.id for info in store.threads(limit=None)) == sorted(IDS)
    found = [folder.name for folder in (root / "threads").iterdir()]
    assert len(found) == len({name.lower() for name in found}) == len(IDS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["agents"], "nothing was made beside the folder"
    with open_files(root) as store:
        assert [store.thread(thread_id).latest().state for thread_id in IDS] == [{"n": n} for n in range(len(IDS))]  # type: ignore[union-attr]


def test_info_has_the_whole_of_a_long_id(tmp_path: Path) -> None:
    thread_id = "long/" * 200
    with open_files(tmp_path / "agents") as store:
        store.thread(thread_id).save({"n": 0})
        store.thread(thread_id).fork(to="the fork")
    (folder,) = (tmp_path / "agents" / "threads").iterdir()
    info = json.loads((folder / "info.json").read_text())
    assert [(one["id"], one.get("forked_from")) for one in info["threads"]] == [
        (thread_id, None), ("the fork", thread_id),
    ]  # fmt: skip
    assert info["checkpoints"] == 1


def test_info_is_not_trusted(tmp_path: Path) -> None:
    with open_files(tmp_path / "agents") as store:
        store.thread("t").save({"n": 0})
    (info,) = (tmp_path / "agents" / "threads").glob("*/info.json")
    info.write_text('{"threads": [{"id": "other"}], "checkpoints": 77}')
    with open_files(tmp_path / "agents") as store:
        assert [found.id for found in store.threads()] == ["t"]
        info.unlink()
        store.thread("t").save({"n": 1})
        assert len(store.thread("t").history()) == 2
    assert json.loads(info.read_text())["threads"][0]["checkpoints"] == 2

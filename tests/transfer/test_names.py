"""Ids and paths that would make two things one."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast import Conflict, InvalidArgument, Store


@pytest.fixture
def source() -> Store:
    store = holdfast.open("memory:")
    for name in ("a", "b"):
        for n in range(3):
            store.thread(name).save({"who": name, "n": n})
    return store


@pytest.mark.parametrize("names", [{"a": "b"}, {"a": "z", "b": "z"}])
def test_two_threads_never_become_one(source: Store, names: dict[str, str], tmp_path: Path):
    with holdfast.open("memory:") as other:
        with pytest.raises(InvalidArgument, match="would both be"):
            holdfast.copy(source, other, as_=names)
        assert other.threads() == []


def test_nor_do_they_in_an_import(source: Store, tmp_path: Path):
    source.export(None, tmp_path / "x.bundle")
    with holdfast.open("memory:") as other:
        with pytest.raises(Conflict, match="would be 'b' here, as"):
            other.import_(tmp_path / "x.bundle", as_={"a": "b"})
        (found,) = other.threads()
        assert (found.id, found.checkpoints) == ("b", 3)
        with pytest.raises(InvalidArgument, match="would both be"):
            other.import_(tmp_path / "x.bundle", as_={"a": "z", "b": "z"})


def test_two_threads_may_change_places(source: Store):
    with holdfast.open("memory:") as other:
        holdfast.copy(source, other, as_={"a": "b", "b": "a"})
        assert [one.state["who"] for name in "ab" if (one := other.thread(name).latest())] == ["b", "a"]


@pytest.mark.parametrize("json", [False, True])
def test_an_export_is_never_written_over_a_store(tmp_path: Path, json: bool):
    with holdfast.open(tmp_path / "a.db") as store, holdfast.open(f"file:{tmp_path / 'f'}") as files:
        store.thread("a").save({"n": 1})
        files.thread("a").save({"n": 1})
        segments = [one for one in (tmp_path / "f").rglob("*.hfs") if one.is_file()]
        for path in (tmp_path / "a.db", tmp_path / "f", *segments):
            with pytest.raises(Conflict, match="is not overwritten"):
                store.export(None, path, json=json)
        store.thread("a").save({"n": 2})
        assert [one.state for each in (store, files) if (one := each.thread("a").latest())] == [{"n": 2}, {"n": 1}]
        for _ in range(2):  # an earlier export is
            store.export(None, tmp_path / "x", json=json)

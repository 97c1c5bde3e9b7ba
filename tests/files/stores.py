"""Stores of files for tests: where things are, and copies to damage."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import holdfast
from holdfast import Store
from holdfast.backends.files import FilesBackend


def open_files(root: Path) -> Store:
    return holdfast.open(f"file:{root}")


def backend_of(store: Store) -> FilesBackend:
    found = store._calls.engine.backend
    assert isinstance(found, FilesBackend)
    return found


def folder_of(root: Path, thread_id: str) -> Path:
    """The folder of a thread whose id needs no encoding."""
    (found,) = (root / "threads").glob(f"{thread_id}~*")
    return found


def name_at(root: Path, thread_id: str) -> int:
    """Where the directory names the thread's folder: the whole name, since random ids may hold its start."""
    return (root / "directory.hfs").read_bytes().index(folder_of(root, thread_id).name.encode())


def rows_of(root: Path, thread_id: str) -> Path:
    return folder_of(root, thread_id) / "rows.hfs"


def copied(root: Path, name: str) -> Path:
    """A copy beside it, replacing an earlier one."""
    target = root.with_name(name)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root, target)
    return target


def state(n: int) -> dict[str, Any]:
    return {"n": n, "text": f"state {n} " * 20}


def grown(root: Path, thread_id: str, count: int) -> list[int]:
    """Save `count` states; returns the length of the thread's file after each."""
    lengths = []
    with open_files(root) as store:
        for n in range(count):
            store.thread(thread_id).save(state(n), id=f"c{n}")
            lengths.append(rows_of(root, thread_id).stat().st_size)
    return lengths


def latest(store: Store, thread_id: str) -> Any:
    found = store.thread(thread_id).latest()
    return None if found is None else found.state

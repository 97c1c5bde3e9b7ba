"""Stores of files to look into and to break: what is where, and copies to break again and again."""

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


def rows_of(root: Path, thread_id: str) -> Path:
    return folder_of(root, thread_id) / "rows.hfs"


def copied(root: Path, name: str) -> Path:
    """A copy beside it, in place of an earlier one."""
    target = root.with_name(name)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root, target)
    return target


def state(n: int) -> dict[str, Any]:
    return {"n": n, "text": f"state {n} " * 20}


def grown(root: Path, thread_id: str, count: int) -> list[int]:
    """Save so many states; says how long the thread's file was before each."""
    lengths = []
    with open_files(root) as store:
        for n in range(count):
            store.thread(thread_id).save(state(n), id=f"c{n}")
            lengths.append(rows_of(root, thread_id).stat().st_size)
    return lengths


def latest(store: Store, thread_id: str) -> Any:
    found = store.thread(thread_id).latest()
    return None if found is None else found.state

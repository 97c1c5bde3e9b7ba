"""A short use of a store, the same each time, for tests in which every single call to the disk fails once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import holdfast
from holdfast import StorageFailed, StorageFull, Store
from holdfast.backends.files import committer
from tests.crash.nursery import tell
from tests.crash.operations import Operation, perform
from tests.crash.shim import calls_so_far, end_of_trouble

LANE = "s/"
A, B, C = "s/a", "s/b", "s/c"
OPERATIONS: list[Operation] = [
    {"do": "save", "thread": A, "recipe": [1, 3, 0], "id": "a1"},
    {"do": "save", "thread": A, "recipe": [1, 4, 0], "id": "a2", "run_id": "r"},
    {"do": "append", "thread": A, "kind": "note", "data": "one", "key": "k"},
    {"do": "put_writes", "thread": A, "id": "a2", "task": "t", "writes": [["c", "x", 0], ["c", "y", 1]]},
    {"do": "fork", "thread": A, "at": "a1", "to": B, "edits": {"count": 9}, "history": True},
    {"do": "checkpoint"},
    {"do": "update", "thread": A, "recipe": [1, 4, 0]},
    {"do": "label", "thread": A, "id": "a1", "text": "good"},
    {"do": "copy", "thread": A, "to": C},
    {"do": "delete_checkpoints", "thread": A, "ids": ["a2"]},
    {"do": "save", "thread": "s/alone", "recipe": [2, 30, 0], "id": "d1"},
    {"do": "delete", "thread": "s/alone"},
    {"do": "delete", "thread": C},
    {"do": "collect"},
    {"do": "save", "thread": A, "recipe": [1, 5, 1], "id": "a4"},
]


def play(url: str, heal_after: int = 0) -> None:
    """Everything, from a new file to closing it. What fails is tried once more when the trouble has ended."""
    if url.startswith("file:"):  # every file is rewritten as soon as it has some garbage
        committer._LARGE = committer._FULL_DIRECTORY = committer._FULL_AT_CLOSE = 1000  # type: ignore[misc]
    failures = 0
    while True:
        try:
            store = holdfast.open(url)
            break
        except (StorageFailed, StorageFull) as error:
            tell(failed=type(error).__name__, about="open")
            failures += 1
            if failures == heal_after:
                end_of_trouble()
    tell(opened=url)
    for op in OPERATIONS:
        while not _tried(store, url, op):
            failures += 1
            if failures == heal_after:
                end_of_trouble()
    store.close()
    tell(closed=url, calls=calls_so_far())


def _tried(store: Store, url: str, op: Operation) -> bool:
    if op["do"] == "checkpoint":
        if not url.startswith("file:"):
            _move_into_the_file(url)
        return True
    tell(about=op)
    try:
        tell(done=perform(store, op))
        return True
    except (StorageFailed, StorageFull) as error:
        tell(failed=type(error).__name__)
        return False


def _move_into_the_file(url: str) -> None:
    """What SQLite does by itself every 1000 pages: move the log into the database."""
    try:
        with closing(sqlite3.connect(url)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError:
        pass


def said(lines: list[dict[str, Any]], key: str) -> list[Any]:
    return [line[key] for line in lines if key in line]

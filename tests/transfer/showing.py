"""Stores with a bit of everything, and all that can be seen of a store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from holdfast import Store
from holdfast.testing.driver import everything
from tests.crash.operations import Chooser, perform

NAMESPACES = ("", "sub")
REMOVALS = ("delete", "delete_checkpoints", "delete_run")
LANE = "x/"


def live(store: Store, seed: str, operations: int, *, removing: bool = True) -> None:
    """A random life: saves, branches, forks of forks, copies, labels, writes, journal entries, and removals."""
    chooser = Chooser(store, LANE, seed)
    for _ in range(operations):
        op = chooser.next()
        if removing or op["do"] not in REMOVALS:
            perform(store, op)


def thread_shown(store: Store, thread_id: str, namespaces: tuple[str, ...] = NAMESPACES) -> dict[str, Any]:
    """Everything that the public interface shows of a thread, but for how many bytes it takes in this store."""
    handle = store.thread(thread_id)
    info = handle.info()
    lines = {}
    for name in namespaces:
        one = store.thread(thread_id, name)
        found = everything(one)
        lineages = {point.id: [info.id for info in one.lineage(point.id)] for point in found}
        lines[name] = found, lineages, one.latest()
    return {
        "info": None if info is None else replace(info, size=0),
        "lines": lines,
        "journal": handle.journal.read(limit=None),
    }


def shown(store: Store, namespaces: tuple[str, ...] = NAMESPACES) -> dict[str, Any]:
    threads = [info.id for info in store.threads(limit=None)]
    by_status = {
        status: [info.id for info in store.threads(where={"status": status}, limit=None)]
        for status in ("running", "completed", "interrupted")
    }
    return {"status": by_status, **{one: thread_shown(store, one, namespaces) for one in threads}}

"""Stores that have much of one thing: checkpoints, namespaces, forks, labels, pending writes, channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdfast import Store, Thread

Shape = Callable[[Store, int], Thread[dict[str, Any]]]
"""Fills a store with n of something, and returns the thread that has or sees them."""


def _state(step: int) -> dict[str, Any]:
    return {"notes": [f"note {n}" for n in range(step % 20)], "n": step}


def checkpoints(store: Store, count: int) -> Thread[dict[str, Any]]:
    thread = store.thread("t")
    for step in range(count):
        thread.save(_state(step))
    return thread


def changes(store: Store, count: int) -> Thread[dict[str, Any]]:
    """A list that grows with each checkpoint: all of them refer to one value log."""
    thread = store.thread("t")
    for step in range(count):
        thread.save({"notes": [f"note {n}" for n in range(step)]})
    return thread


def namespaces(store: Store, count: int) -> Thread[dict[str, Any]]:
    thread = store.thread("t")
    thread.save({"n": 0})
    for number in range(count):
        inner = store.thread("t", f"tool:{number}")
        inner.save({"n": 1})
        inner.save({"n": 2})
    return thread


def fork_chain(store: Store, count: int) -> Thread[dict[str, Any]]:
    """Each a fork of the one before, with a checkpoint of its own."""
    thread = store.thread("t0")
    thread.save(_state(0))
    for number in range(count):
        thread = thread.fork(to=f"t{number + 1}")
        thread.save(_state(number))
    return thread


def forks(store: Store, count: int) -> Thread[dict[str, Any]]:
    """All of one thread."""
    thread = store.thread("t")
    for step in range(4):
        thread.save(_state(step))
    for number in range(count):
        thread.fork(to=f"fork {number}").save({"n": number})
    return thread


def labels(store: Store, count: int) -> Thread[dict[str, Any]]:
    thread = store.thread("t")
    for step in range(count):
        thread.label(thread.save(_state(step)).id, f"label {step}")
    return thread


def pending_writes(store: Store, count: int) -> Thread[dict[str, Any]]:
    thread = store.thread("t")
    head = thread.save({"notes": []})
    for number in range(count):
        thread.put_writes(head.id, [("notes", [f"note {number} " + "x" * 50])], task_id=f"task {number}")
    return thread


def settled_writes(store: Store, count: int) -> Thread[dict[str, Any]]:
    """The same after the save that takes them up."""
    thread = pending_writes(store, count)
    thread.save({"notes": [f"note {number} " + "x" * 50 for number in range(count)]})
    return thread


def journal(store: Store, count: int) -> Thread[dict[str, Any]]:
    thread = store.thread("t")
    for number in range(count):
        thread.journal.append("event", {"n": number})
        thread.save({"n": number})
    return thread


def calls(store: Store, count: int) -> Thread[dict[str, Any]]:
    """Each checkpoint of the root calls a tool, which has a namespace of its own."""
    thread = store.thread("t")
    for number in range(count):
        thread.save({"n": number})
        store.thread("t", f"tool:{number}").save({"n": number})
    return thread

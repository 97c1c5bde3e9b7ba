"""What the killed processes do: announce an operation, do it, and acknowledge it."""

from __future__ import annotations

import time

import holdfast
from tests.crash.nursery import tell
from tests.crash.operations import Chooser, perform


def operate(url: str, lane: str, seed: str, count: int) -> None:
    """A random sequence of operations on the threads of one lane."""
    store = holdfast.open(url)
    tell(opened=url, lane=lane)
    chooser = Chooser(store, lane, seed)
    for _ in range(count):
        op = chooser.next()
        tell(about=op)
        tell(done=perform(store, op))
    store.close()


def grow(url: str, thread: str, count: int) -> None:
    """One long thread."""
    with holdfast.open(url) as store:
        for n in range(count):
            op = {"do": "save", "thread": thread, "recipe": [0, n, 0], "id": f"long-{n}"}
            tell(about=op)
            tell(done=perform(store, op))


def open_and_save(url: str, thread: str, at: float = 0.0) -> None:
    """Open a store, at a given moment so that others do it at the same one, and save to it."""
    time.sleep(max(at - time.time(), 0))
    tell(opening=url)
    with holdfast.open(url) as store:
        tell(opened=url)
        store.thread(thread).save({"count": 1})
        tell(saved=thread)

"""Processes that prune, expire, collect, erase, delete a run, repair and back up, and report how far they are."""

from __future__ import annotations

from typing import Any

import holdfast
from holdfast import Retention, Store
from tests.crash.nursery import tell

LEAN = Retention(keep_last=3)
SUBJECT = {"mail": "ada@example.org"}
RUN = "the run"


def keep(what: str, url: str, path: str = "") -> None:
    with holdfast.open(url) as store:
        tell(opened=url)
        _KEEP[what](store, path)
        tell(done=what)


def tend(url: str, thread: str, state: dict[str, Any]) -> None:
    """Keep saving to a thread that is pruned at the same time."""
    with holdfast.open(url, retention=LEAN) as store:
        tell(opened=url)
        while True:
            store.thread(thread).journal.append("step", {})
            tell(saved=store.thread(thread).save(state).id)


def _listen(done: int, known: int) -> None:
    tell(looked_at=done, of=known)


def _repair(store: Store, path: str) -> None:
    store.repair(store.verify(_listen))


_KEEP = {
    "prune": lambda store, path: store.prune(LEAN, progress=_listen),
    "expire": lambda store, path: store.expire(progress=_listen),
    "collect": lambda store, path: store.collect(progress=_listen),
    "erase": lambda store, path: store.erase(SUBJECT, progress=_listen),
    "delete_run": lambda store, path: store.delete_run(RUN),
    "backup": lambda store, path: store.backup(path, progress=_listen),
    "repair": _repair,
}

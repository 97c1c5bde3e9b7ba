"""Processes that prune, expire, collect, erase, delete a run, repair and back up, and report how far they are."""

from __future__ import annotations

from typing import Any

import holdfast
from holdfast import Retention, Store
from holdfast.backends.files import committer
from holdfast.transfer.target import commit_buffer
from tests.crash.nursery import tell

LEAN = Retention(keep_last=3)
SUBJECT = {"mail": "ada@example.org"}
RUN = "the run"


def keep(what: str, url: str, path: str = "", often: bool = False) -> None:
    """With `often`, files are rewritten as soon as they have some garbage."""
    commit_buffer._BATCH_ROWS = 15  # type: ignore[misc]
    if often:
        committer._LARGE = committer._FULL_DIRECTORY = committer._FULL_AT_CLOSE = 1000  # type: ignore[misc]
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
    "import": lambda store, path: store.import_(path),
    "delete_run": lambda store, path: store.delete_run(RUN),
    "backup": lambda store, path: store.backup(path, progress=_listen),
    "repair": _repair,
}

"""A closed store refuses every call."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from holdfast import Closed, Store
from holdfast.testing.driver import AnyThread, StoreTests

CALLS: Final[dict[str, Callable[[Store, AnyThread], Any]]] = {
    "thread": lambda store, thread: store.thread("other"),
    "threads": lambda store, thread: store.threads(),
    "copy_thread": lambda store, thread: store.copy_thread("main", "other"),
    "store.delete_run": lambda store, thread: store.delete_run("r"),
    "bytes_stored": lambda store, thread: store.bytes_stored(),
    "save": lambda store, thread: thread.save({}),
    "save with an id": lambda store, thread: thread.save({"n": 1}, id="a"),
    "update": lambda store, thread: thread.update({"n": 1}),
    "latest": lambda store, thread: thread.latest(),
    "load": lambda store, thread: thread.load("a"),
    "at": lambda store, thread: thread.at(step=0),
    "history": lambda store, thread: thread.history(),
    "lineage": lambda store, thread: thread.lineage("a"),
    "diff": lambda store, thread: thread.diff("a", "a"),
    "info": lambda store, thread: thread.info(),
    "fork": lambda store, thread: thread.fork(),
    "label": lambda store, thread: thread.label("a", "x"),
    "put_writes": lambda store, thread: thread.put_writes("a", [("w", 1)], task_id="t"),
    "delete": lambda store, thread: thread.delete(),
    "delete_checkpoints": lambda store, thread: thread.delete_checkpoints(["a"]),
    "delete_run": lambda store, thread: thread.delete_run("r"),
}


class ClosedStores(StoreTests):
    @pytest.mark.parametrize("call", list(CALLS))
    def test_every_call_on_a_closed_store_is_refused(self, store: Store, thread: AnyThread, call: str) -> None:
        thread.save({"n": 1}, id="a")
        store.close()
        with pytest.raises(Closed):
            CALLS[call](store, thread)

    def test_closing_twice_is_fine(self, store: Store) -> None:
        store.close()
        store.close()

    def test_leaving_a_with_block_closes(self, store: Store) -> None:
        with store as entered:
            entered.thread("t").save({})
        with pytest.raises(Closed):
            store.threads()

    def test_an_error_in_a_with_block_closes_and_passes(self, store: Store) -> None:
        with pytest.raises(ZeroDivisionError), store:
            raise ZeroDivisionError
        with pytest.raises(Closed):
            store.threads()

    def test_a_store_reports_its_size(self, store: Store, thread: AnyThread) -> None:
        before = store.bytes_stored()
        thread.save({"noise": random.Random(7).randbytes(500_000)})
        assert store.bytes_stored() > before + 200_000

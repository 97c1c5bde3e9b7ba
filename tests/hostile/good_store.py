"""A small store with something of every kind of row, and its rows: what the hostile ones are made from."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import holdfast
from holdfast import Retention, Store, ids
from holdfast._drive import run as drive
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.base import Backend, Batch
from holdfast.backends.rows import (
    KEYS,
    NO_LIMIT,
    OF_DIRECTORY,
    OF_TREES,
    QuarantineRow,
    Row,
    with_checksum,
)
from holdfast.codec.packer import pack

NAMES = ("chat", "chat/copy", "chat/fork", "held", "long", "policy", "waits", "wide")
GONE = "gone"
EARLY: Any = {"configurable": {"thread_id": "chat", "checkpoint_ns": "", "checkpoint_id": "ffffffff-ffff-6fff-8fff"}}
MAX_VALUE = 1 << 20


def make(path: Path) -> list[Row]:
    """Fill a SQLite store at this path; returns all its rows, with the same numbers each time."""
    numbers = SimpleNamespace(urandom=Random(1).randbytes)
    with patch.object(ids, "os", numbers), holdfast.open(path, max_value=MAX_VALUE) as store:
        _fill_chat(store)
        _fill_long(store)
        _fill_wide(store)
        _fill_others(store)
        # The rows are those of a worker that died: it holds the lease, and a step has no result.
        with store.thread("held").run(input={"n": 0}, worker="w") as run:
            run.step("call", lambda: 1)
            rows = all_rows(backend_of(store))
    return rows


def _fill_chat(store: Store) -> None:
    chat = store.thread("chat", metadata={"user": "ada", "tier": 2})
    messages = [f"message {n}: {n * n * 7919} and some more text" for n in range(6)]
    for n in range(6):
        chat.save({"messages": messages[:n], "count": n, "doc": {"a": "text " * 20, "n": n}}, id=f"c{n}", run_id="r1")
        chat.put_writes(f"c{n}", [("messages", [messages[n]]), ("count", n + 1)], task_id="t1")
        chat.journal.append("said", {"n": n}, key=f"k{n}" if n % 2 else None)
    chat.put_writes("c5", [("control", "stop", -1)], task_id="t1")
    chat.label("c1", "approved")
    chat.delete_checkpoints(["c2"])
    chat.save({"messages": [], "count": -1}, parent="c3", id="branch", status="completed")
    fork = chat.fork("c4", to="chat/fork")
    fork.save({"messages": messages, "count": 100}, id="f1", next=("a", "b"))
    fork.fork(to="chat/fork/2").save({"messages": messages, "count": 101}, id="f2")
    chat.fork("c3", to="chat/fresh", history=False)
    inner = store.thread("chat", "sub")
    for n in range(2):
        inner.save({"plan": [f"step {n}"] * (n + 1)}, id=f"s{n}", extra={"n": n})
    store.copy_thread("chat", "chat/copy")
    HoldfastSaver(store).put_writes(EARLY, [("lines", ["early"])], "task")


def _fill_long(store: Store) -> None:
    """A frame, single changes after it, and a fork in the middle of the frame."""
    long = store.thread("long")
    for n in range(20):
        message = {"role": "user", "content": f"message {n}: {n * 7919 * 7919}"}
        long.update({"messages": [message]}, reduce={"messages": holdfast.extend})
    long.fork(long.history(limit=None)[10].id, to="long/fork")
    store.thread("long/fork").update({"messages": [{"content": "on"}]}, reduce={"messages": holdfast.extend})


def _fill_wide(store: Store) -> None:
    """A manifest that is a version of a log."""
    wide = store.thread("wide")
    state = {f"c{n}": "x" * n for n in range(70)}
    for n in range(3):
        wide.save({**state, "c1": f"text {n} " * 10}, id=f"w{n}", extra={"n": n})
    wide.fork("w1", to="wide/fork").update({"c2": "y" * 50})


def _fill_others(store: Store) -> None:
    """A run that waits, a policy, a tombstone, and a row in the quarantine."""
    with store.thread("waits").run(input={"n": 0}) as run:
        run.step("pay", lambda: "receipt", key="payment")
        run.interrupt({"ok": "?"})
    kept = Retention(keep_last=3, keep_terminal=True)
    policy = store.thread("policy", ttl=timedelta(days=36_500), refresh=True, retention=kept)
    policy.save({"n": 1}, id="p1")
    store.thread(GONE).save({"secret": "x" * 100})
    store.thread(GONE).delete()
    set_aside = QuarantineRow(1, "run", pack(["r", 1, 2, 3]), "made for these tests", 1)
    assert drive(backend_of(store).commit, Batch([], [with_checksum(set_aside)]))


def backend_of(store: Store) -> Backend:
    return store._calls.engine.backend


def all_rows(backend: Backend) -> list[Row]:
    async def collected() -> list[Row]:
        found: list[Row] = []
        for kind in OF_DIRECTORY:
            found += await backend.scan(kind, None, (), NO_LIMIT)
        for tree in await backend.trees(-1, NO_LIMIT):
            for kind in OF_TREES:
                found += await backend.scan(kind, tree, (), NO_LIMIT)
        return found

    rows = drive(collected)
    assert {type(row) for row in rows} == set(KEYS)
    return rows

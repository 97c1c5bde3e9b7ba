"""What the golden stores hold: content that uses every table, and everything that can be read of it as JSON."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Any, TypedDict

from langgraph.channels.delta import DeltaChannel
from langgraph.graph import StateGraph

import holdfast
from holdfast import Retention, Store, Thread
from holdfast._drive import run as drive
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.base import Batch
from holdfast.backends.rows import QuarantineRow, with_checksum

NAMESPACES = ("", "sub")
GRAPH: Any = {"configurable": {"thread_id": "graph", "checkpoint_ns": ""}}
LATER_CHECKPOINT = "ffffffff-ffff-6fff-8fff-ffffffffffff"


def fill(store: Store) -> None:
    """One group of threads for each part of the format."""
    _fill_chat(store)
    _fill_long_log(store)
    _fill_runs(store)
    _fill_policies(store)
    _fill_graph(store)
    store.thread("gone").save({"secret": "x" * 100})
    store.thread("gone").delete()
    set_aside = QuarantineRow(1, "run", b"\x90", "made for the golden store", 1)
    assert drive(store._calls.engine.backend.commit, Batch([], [with_checksum(set_aside)]))


def _fill_chat(store: Store) -> None:
    """Forks, a copy, an inner namespace, labels, removals, pending writes, and settled ones."""
    chat = store.thread("chat", metadata={"user": "ada", "tier": 2})
    messages = [f"message {n}: {n * n * 7919}" for n in range(70)]
    for n in range(70):
        chat.save({"messages": messages[:n], "count": n}, id=f"c{n}", node="talk", run_id=f"run-{n // 30}")
    chat.put_writes("c69", [("answer", "yes"), ("answer", "no")], task_id="t1")
    chat.put_writes("c69", [("control", "stop", -1)], task_id="t1")
    chat.label("c10", "approved")
    chat.delete_checkpoints(["c20", "c21"])
    chat.fork("c69", to="chat/fork")
    fork = store.thread("chat/fork")
    fork.save({"messages": messages, "count": 1000}, id="f1", next=("a", "b"))
    fork.put_writes("f1", [("messages", [messages[0]]), ("small", 1)], task_id="t2", task_path="p")
    fork.save({"messages": [*messages, messages[0]], "count": 1001}, id="f2")
    chat.fork("c40", to="chat/edited", edits={"count": -1})
    chat.fork("c30", to="chat/fresh", history=False)
    inner = store.thread("chat", "sub")
    for n in range(3):
        inner.save({"plan": [f"step {n}"] * (n + 1)}, id=f"s{n}", extra={"n": n})
    store.copy_thread("chat", "chat/copy")
    store.thread("done").save({"answer": 42}, status="completed", label="final", metadata={"cost": 1})


def _fill_long_log(store: Store) -> None:
    """Several frames, a fork in the middle of one, and a log that continues another."""
    long = store.thread("long")
    for n in range(150):
        message = {"role": "user", "content": f"message {n}: " + " ".join(str(n * m * 7919) for m in range(30))}
        long.update({"messages": [message]}, reduce={"messages": holdfast.extend})
    long.fork(long.history(limit=None)[50].id, to="long/fork")
    store.thread("long/fork").update({"messages": [{"content": "on"}]}, reduce={"messages": holdfast.extend})


def _fill_runs(store: Store) -> None:
    """Journal entries with and without keys, a run that ended, and one that waits."""
    store.thread("long").journal.append("note", {"n": 1}, key="first")
    store.thread("long").journal.append("note", {"n": 2})
    with store.thread("worked").run(input={"n": 0}) as run:
        run.save({"n": run.step("one", lambda: 1)})
    with store.thread("waits").run(input={"n": 0}) as run:
        run.step("pay", lambda: "receipt", key="payment")
        run.interrupt({"ok": "?"})


def _fill_policies(store: Store) -> None:
    kept = Retention(keep_last=3, keep_terminal=True)
    pruned = store.thread("policy", ttl=timedelta(days=36_500), refresh=True, retention=kept)
    for n in range(6):
        pruned.save({"n": n}, id=f"p{n}")


def _extend(state: list[str], writes: Any) -> list[str]:
    return [*state, *(line for write in writes for line in write)]


class _Lines(TypedDict, total=False):
    lines: Annotated[list[str], DeltaChannel(_extend, snapshot_frequency=3)]


def _graph(store: Store) -> Any:
    builder = StateGraph(_Lines)
    builder.add_node("add", lambda state: {"lines": [f"after {len(state['lines'])}"]})
    builder.set_entry_point("add")
    return builder.compile(checkpointer=HoldfastSaver(store))


def _fill_graph(store: Store) -> None:
    """A LangGraph thread with a delta channel, and a write whose checkpoint was never saved."""
    graph = _graph(store)
    for n in range(4):
        graph.invoke({"lines": [f"turn {n}"]}, GRAPH)
    early: Any = {"configurable": {**GRAPH["configurable"], "checkpoint_id": LATER_CHECKPOINT}}
    HoldfastSaver(store).put_writes(early, [("lines", ["early"])], "task")


# ------------------------------------------------------------------------------------------------ reading


def contents(store: Store, prefix: str = "") -> dict[str, Any]:
    """What can be read of the threads of this prefix, as JSON; but for the LangGraph thread, see `graph_contents`."""
    found: dict[str, Any] = {}
    for info in store.threads(prefix, limit=None):
        if info.id != "graph":
            lines = {name: _line(store.thread(info.id, name)) for name in NAMESPACES}
            origin = info.forked_from and [info.forked_from.thread_id, info.forked_from.checkpoint_id]
            found[info.id] = {
                "metadata": dict(info.metadata), "status": info.status, "head": info.head, "forked_from": origin,
                "lines": lines, "journal": _journal(store.thread(info.id)),
            }  # fmt: skip
    return as_json(found)


def graph_contents(store: Store) -> list[Any]:
    """Every state of the LangGraph thread, newest first."""
    found = as_json(
        [[one.config, one.values, one.next, one.metadata] for one in _graph(store).get_state_history(GRAPH)]
    )
    assert isinstance(found, list)
    return found


def check_continued(store: Store) -> None:
    """New code adds to threads that the store had, and resumes the run that waits in it."""
    for name in ("chat", "chat/fork", "chat/copy", "long", "long/fork", "policy"):
        thread = store.thread(name)
        before = thread.latest()
        assert before is not None
        thread.update({"more": ["x" * 100]}, reduce={"more": holdfast.extend})
        after = thread.latest()
        assert after is not None
        assert after.state == {**before.state, "more": ["x" * 100]}
    with store.thread("waits").run(resume="yes") as run:
        assert run.step("pay", lambda: "again", key="payment") == "receipt"
        assert run.interrupt({"ok": "?"}) == "yes"


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _line(thread: Thread[dict[str, Any]]) -> list[Any]:
    loaded = [thread.load(info.id) for info in thread.history(limit=None)]
    return [_checkpoint(one) for one in loaded if one is not None]


def _checkpoint(one: holdfast.Checkpoint[dict[str, Any]]) -> list[Any]:
    writes = [[write.task_id, write.index, write.channel, write.value] for write in one.pending_writes]
    return [
        one.id, one.seq, one.parent_id, one.parent_thread_id, one.step, one.source, one.node, list(one.next),
        one.run_id, one.status, one.label, dict(one.metadata), one.created_at.isoformat(), one.digest,
        _hash(one.state), one.extra, writes, one.journal_seq,
    ]  # fmt: skip


def _journal(thread: Thread[dict[str, Any]]) -> list[Any]:
    entries = thread.journal.read(limit=None)
    return [[entry.seq, entry.kind, entry.key, entry.created_at.isoformat(), entry.data] for entry in entries]


def _hash(state: dict[str, Any]) -> str:
    return sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()[:16]

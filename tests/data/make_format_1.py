"""Made `format-1.db` and `format-1.json`: a store as Holdfast wrote it before there was a journal, and what it held.

Run once, with the code of commit 9daf3a4, and kept for reference; the files are data now and are not made again::

    PYTHONPATH=<that tree>/src python tests/data/make_format_1.py tests/data
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import holdfast


def fill(store: holdfast.Store) -> None:
    chat = store.thread("chat", metadata={"user": "ada", "tier": 2})
    messages = [f"message {n}: {n * n * 7919}" for n in range(70)]
    for n in range(70):
        chat.save({"messages": messages[:n], "count": n}, id=f"c{n}", node="talk", run_id=f"run-{n // 30}")
    chat.put_writes("c69", [("answer", "yes"), ("answer", "no")], task_id="t1")
    chat.put_writes("c69", [("control", "stop", -1)], task_id="t1")
    chat.label("c10", "approved")
    chat.delete_checkpoints(["c20", "c21"])
    chat.fork("c69", to="chat/fork")
    store.thread("chat/fork").save({"messages": messages, "count": 1000}, id="f1", next=("a", "b"))
    chat.fork("c40", to="chat/edited", edits={"count": -1})
    chat.fork("c30", to="chat/fresh", history=False)
    inner = store.thread("chat", "sub")
    for n in range(3):
        inner.save({"plan": [f"step {n}"] * (n + 1)}, id=f"s{n}", extra={"n": n})
    store.copy_thread("chat", "chat/copy")
    store.thread("gone").save({"secret": "x" * 100})
    store.thread("gone").delete()
    store.thread("done").save({"answer": 42}, status="completed", label="final", metadata={"cost": 1})


def contents(store: holdfast.Store, prefix: str = "") -> dict[str, Any]:
    """Everything that can be read, in plain JSON."""
    found: dict[str, Any] = {}
    for info in store.threads(prefix, limit=None):
        lines = {name: _line(store.thread(info.id, name)) for name in ("", "sub")}
        found[info.id] = {"metadata": dict(info.metadata), "status": info.status, "head": info.head, "lines": lines}
    return found


def _line(thread: holdfast.Thread[dict[str, Any]]) -> list[Any]:
    loaded = [thread.load(info.id) for info in thread.history(limit=None)]
    return [_checkpoint(one) for one in loaded if one is not None]


def _checkpoint(one: holdfast.Checkpoint[dict[str, Any]]) -> list[Any]:
    writes = [[write.task_id, write.index, write.channel, write.value] for write in one.pending_writes]
    return [
        one.id, one.seq, one.parent_id, one.parent_thread_id, one.step, one.source, one.node, list(one.next),
        one.run_id, one.status, one.label, dict(one.metadata), one.created_at.isoformat(), one.digest,
        _hash(one.state), one.extra, writes,
    ]  # fmt: skip


def _hash(state: dict[str, Any]) -> str:
    return sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()[:16]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with holdfast.open(folder / "format-1.db") as made:
        fill(made)
        (folder / "format-1.json").write_text(json.dumps(contents(made)) + "\n")

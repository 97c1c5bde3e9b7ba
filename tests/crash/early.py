"""Processes that send what tasks wrote before the checkpoint that it belongs to, as LangGraph does; and what must then
be stored: each write waits, or belongs to its checkpoint, and never both or neither."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.rows import EarlyWriteRow
from holdfast.engine.writes.write_format import decode_write
from tests.crash.backends import Where
from tests.crash.nursery import tell

THREADS = ("one", "two")
TASKS = ("task-1", "task-2")
_WEIGHTS = {"write": 6, "put": 4, "delete": 1}


def send(url: str, seed: str, count: int, waiting: dict[str, list[str]]) -> None:
    """Writes for a checkpoint, and later the checkpoint; now and then all of a thread is deleted. `waiting` has the
    checkpoints of each thread that have writes and did not come yet."""
    rng = random.Random(seed)
    with holdfast.open(url) as store:
        saver = HoldfastSaver(store)
        tell(opened=url)
        for _ in range(count):
            op = _chosen(rng, waiting)
            tell(about=op)
            perform(saver, op)
            tell(done=op["do"])


def _chosen(rng: random.Random, waiting: dict[str, list[str]]) -> dict[str, Any]:
    thread = rng.choice(THREADS)
    do = rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
    if do == "delete":
        waiting[thread] = []
        return {"do": do, "thread": thread}
    if do == "put" and waiting[thread]:
        # Ids of LangGraph grow with time: one that is left behind does not come any more.
        return {"do": do, "thread": thread, "id": waiting[thread].pop()}
    if not waiting[thread] or rng.random() < 0.6:
        waiting[thread].append(empty_checkpoint()["id"])
    writes = [["channel", rng.getrandbits(30)] for _ in range(rng.randint(1, 3))]
    return {"do": "write", "thread": thread, "id": waiting[thread][-1], "task": rng.choice(TASKS), "writes": writes}


def perform(saver: HoldfastSaver, op: dict[str, Any]) -> None:
    config: Any = {"configurable": {"thread_id": op["thread"], "checkpoint_ns": ""}}
    if op["do"] == "delete":
        saver.delete_thread(op["thread"])
    elif op["do"] == "write":
        config["configurable"]["checkpoint_id"] = op["id"]
        saver.put_writes(config, [tuple(write) for write in op["writes"]], op["task"])
    else:
        checkpoint = {**empty_checkpoint(), "id": op["id"], "channel_values": {"n": 1}, "channel_versions": {"n": 1}}
        saver.put(config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {"n": 1})  # type: ignore[arg-type]


Writes = dict[tuple[str, int], Any]
"""(task, index) to a value."""


@dataclass
class Book:
    """What was acknowledged."""

    writes: dict[tuple[str, str], Writes] = field(default_factory=dict)  # by thread and checkpoint
    there: set[tuple[str, str]] = field(default_factory=set)  # checkpoints
    about: dict[str, Any] | None = None
    acknowledged: int = 0
    taken_over: int = 0

    def hear(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if "about" in line:
                self.about = line["about"]
            elif "done" in line and self.about is not None:
                self.apply(self.about)
                self.about = None
                self.acknowledged += 1

    def apply(self, op: dict[str, Any]) -> None:
        if op["do"] == "delete":
            self.writes = {key: writes for key, writes in self.writes.items() if key[0] != op["thread"]}
            self.there = {key for key in self.there if key[0] != op["thread"]}
            return
        key = (op["thread"], op["id"])
        if op["do"] == "put":
            self.taken_over += bool(self.writes.get(key))
            self.there.add(key)
            return
        known = self.writes.setdefault(key, {})
        for index, (_, value) in enumerate(op["writes"]):
            known.setdefault((op["task"], index), value)

    @property
    def waiting(self) -> dict[str, list[str]]:
        """The last checkpoint of each thread that may still come."""
        newest = {thread: max([key[1] for key in self.there if key[0] == thread], default="") for thread in THREADS}
        return {
            thread: sorted(key[1] for key in self.writes if key[0] == thread and key[1] > newest[thread])
            for thread in THREADS
        }

    def check(self, where: Where) -> None:
        """The store holds this, with the operation in flight or without it."""
        found = stored(where)
        if self.about is not None and found != self.expected():
            self.apply(self.about)
        self.about = None
        for what, wanted, there in zip(("waits", "belongs to a checkpoint"), self.expected(), found, strict=True):
            assert there == wanted, f"what {what}"

    def expected(self) -> tuple[dict[tuple[str, str], Writes], dict[tuple[str, str], Writes]]:
        """What waits, and what belongs to a checkpoint."""
        early = {key: writes for key, writes in self.writes.items() if key not in self.there and writes}
        return early, {key: self.writes.get(key, {}) for key in self.there}


def stored(where: Where) -> tuple[dict[tuple[str, str], Writes], dict[tuple[str, str], Writes]]:
    early: dict[tuple[str, str], Writes] = {}
    taken: dict[tuple[str, str], Writes] = {}
    with holdfast.open(where.url) as store:
        assert store.verify().faults == ()
        decode = store._calls.engine.codec.decode
        for row in where.rows()[EarlyWriteRow]:
            value = decode(decode_write(row.body)[1])
            early.setdefault((row.thread, row.checkpoint), {})[row.task_id, row.idx] = value
        for name in THREADS:
            for info in store.thread(name).history(limit=None):
                point = store.thread(name).load(info.id)
                assert point is not None
                taken[name, info.id] = {(one.task_id, one.index): one.value for one in point.pending_writes}
    return early, taken

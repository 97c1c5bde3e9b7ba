"""The operations that a worker performs: plain dicts, so that they can be announced, done, and done to the model."""

from __future__ import annotations

import random
from typing import Any

import holdfast
from holdfast import Store, Thread
from tests.crash import states

Operation = dict[str, Any]
NAMESPACES = ("", "sub")


def perform(store: Store, op: Operation) -> dict[str, Any]:
    """Do it; returns the id and digest that the store gave."""
    return _PERFORM[op["do"]](store, op)


def _thread(store: Store, op: Operation) -> Thread[dict[str, Any]]:
    return store.thread(op["thread"], op.get("namespace", ""), reuse=op.get("reuse", False))


def _save(store: Store, op: Operation) -> dict[str, Any]:
    info = _thread(store, op).save(
        states.state(op["recipe"]), id=op["id"], parent=op.get("parent"), run_id=op.get("run_id")
    )
    return {"id": info.id, "digest": info.digest}


def _update(store: Store, op: Operation) -> dict[str, Any]:
    info = _thread(store, op).update(states.growth(op["recipe"]), reduce={"messages": holdfast.extend})
    return {"id": info.id, "digest": info.digest}


def _put_writes(store: Store, op: Operation) -> dict[str, Any]:
    _thread(store, op).put_writes(op["id"], op["writes"], task_id=op["task"])
    return {}


def _label(store: Store, op: Operation) -> dict[str, Any]:
    _thread(store, op).label(op["id"], op["text"])
    return {}


def _fork(store: Store, op: Operation) -> dict[str, Any]:
    fork = _thread(store, op).fork(op["at"], edits=op["edits"], to=op["to"], history=op["history"])
    return {"id": fork.history(limit=1)[0].id}


def _copy(store: Store, op: Operation) -> dict[str, Any]:
    assert store.copy_thread(op["thread"], op["to"])
    return {}


def _delete(store: Store, op: Operation) -> dict[str, Any]:
    _thread(store, op).delete()
    return {}


def _delete_checkpoints(store: Store, op: Operation) -> dict[str, Any]:
    assert _thread(store, op).delete_checkpoints(op["ids"]) == len(op["ids"])
    return {}


def _delete_run(store: Store, op: Operation) -> dict[str, Any]:
    store.delete_run(op["run_id"])
    return {}


def _collect(store: Store, op: Operation) -> dict[str, Any]:
    # A tree that the other process changes in the meantime is skipped, and is collected the next time.
    for _ in range(5):
        skipped = store.collect().skipped
        if not skipped:
            return {}
    raise AssertionError(skipped)


def _append(store: Store, op: Operation) -> dict[str, Any]:
    return {"seq": _thread(store, op).journal.append(op["kind"], op["data"], key=op["key"])}


_PERFORM = {
    "save": _save, "update": _update, "put_writes": _put_writes, "label": _label, "fork": _fork, "copy": _copy,
    "delete": _delete, "delete_checkpoints": _delete_checkpoints, "delete_run": _delete_run, "append": _append,
    "collect": _collect,
}  # fmt: skip


# ------------------------------------------------------------------------------------------------ choosing

_WEIGHTS = {
    "grow": 30, "edit": 12, "branch": 4, "update": 10, "start": 5, "put_writes": 10, "label": 6, "fork": 6, "copy": 2,
    "delete": 3, "delete_checkpoints": 4, "delete_run": 2, "append": 8,
    "collect": 5,
}  # fmt: skip
_MOST_THREADS = 8
_INNER = "inner"
"""Threads with this in their id have an inner namespace. Checkpoints of their root are not removed: what becomes of an
inner namespace then is not what a crash test is about."""


class Chooser:
    """Picks operations that make sense for what the store holds now. Only threads whose ids start with `lane` count."""

    def __init__(self, store: Store, lane: str, seed: str) -> None:
        self._store = store
        self._lane = lane
        self._rng = random.Random(seed)
        self._seed = seed
        self._made = 0
        self._deleted: list[str] = []

    def next(self) -> Operation:
        threads = [info.id for info in self._store.threads(prefix=self._lane, limit=None)]
        what = self._rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        if not threads:
            what = "start"
        elif len(threads) > _MOST_THREADS and what in ("start", "fork", "copy"):
            what = "delete"
        if what == "start":
            return self._start(threads)
        thread = threads[0] if self._rng.random() < 0.4 else self._rng.choice(threads)
        if what == "delete" and thread == threads[0]:
            what = "grow"  # one thread lives long, so that its logs get frames and new keys
        namespace = "sub" if _INNER in thread and self._rng.random() < 0.4 else ""
        if _INNER in thread and not namespace and what == "delete_checkpoints":
            what = "label"
        history = self._store.thread(thread, namespace).history(limit=12)
        if not history:
            return self._grow({"thread": thread, "namespace": namespace}, [self._rng.getrandbits(20), 1, 0])
        return self._about(what, thread, namespace, [info.id for info in history])

    def _about(self, what: str, thread: str, namespace: str, ids: list[str]) -> Operation:
        rng = self._rng
        op: Operation = {"do": what, "thread": thread, "namespace": namespace}
        if what in ("grow", "edit", "branch", "update"):
            head = self._store.thread(thread, namespace).latest(channels=["recipe"])
            assert head is not None
            recipe = head.state["recipe"]
            if what == "update":
                return {**op, "recipe": recipe}
            if what == "branch" and not namespace:
                op["parent"] = rng.choice(ids)
            return self._grow(op, states.edited(recipe) if what == "edit" else states.grown(recipe))
        if what == "put_writes":
            writes = [["answers", self._new(), place] for place in rng.sample(range(-2, 6), rng.randint(1, 4))]
            return {**op, "id": rng.choice(ids[:3]), "task": rng.choice("ab"), "writes": writes}
        if what == "label":
            return {**op, "id": rng.choice(ids), "text": rng.choice(["", "good", self._new()])}
        if what == "delete_checkpoints":
            return {**op, "ids": rng.sample(ids, min(len(ids) - 1, rng.randint(1, 3)))} if ids[1:] else self._append(op)
        if what == "collect":
            return {"do": what}
        if what == "delete_run":
            return {"do": what, "run_id": self._run_id()}
        if what == "append":
            return self._append(op)
        if namespace:
            ids = [info.id for info in self._store.thread(thread).history(limit=12)]
        if what == "fork" and ids:
            edits = rng.choice([None, None, {"count": -1, "files": {"file-0": self._new()}}])
            return {
                **op, "namespace": "", "at": rng.choice(ids), "to": self._name(thread), "edits": edits,
                "history": rng.random() < 0.8,
            }  # fmt: skip
        if what == "copy":
            return {"do": what, "thread": thread, "to": self._name(thread)}
        self._deleted.append(thread)
        return {"do": "delete", "thread": thread}

    def _start(self, threads: list[str]) -> Operation:
        again = [one for one in self._deleted if one not in threads]
        if again and self._rng.random() < 0.5:
            return self._grow({"thread": self._rng.choice(again), "reuse": True}, [self._rng.getrandbits(20), 1, 0])
        kind = _INNER if self._rng.random() < 0.3 else ""
        return self._grow({"thread": self._name(kind)}, [self._rng.getrandbits(20), self._rng.randint(0, 40), 0])

    def _grow(self, op: Operation, recipe: states.Recipe) -> Operation:
        run_id = self._run_id() if self._rng.random() < 0.3 and _INNER not in op["thread"] else None
        return {**op, "do": "save", "recipe": recipe, "id": self._new(), "run_id": run_id}

    def _append(self, op: Operation) -> Operation:
        key = self._new() if self._rng.random() < 0.5 else None
        return {**op, "do": "append", "namespace": "", "kind": "note", "data": self._new(), "key": key}

    def _run_id(self) -> str:
        return f"{self._lane}{self._rng.randrange(3)}"

    def _name(self, like: str) -> str:
        return self._lane + self._new() + (_INNER if _INNER in like else "")

    def _new(self) -> str:
        self._made += 1
        return f"{self._seed}.{self._made}"

"""What a store must hold: every acknowledged operation, done to a model.

The model is the one of the stateful tests, which copies wherever the store shares; the journal is kept beside it. An
operation that was announced and not acknowledged may have happened or not: both are computed, and the store has to
agree with one of them as a whole.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from holdfast import Checkpoint, Store
from tests.crash import states
from tests.crash.operations import NAMESPACES, Operation
from tests.stateful.model import Handle, Model, Point

Seen = dict[tuple[str, str], Any]
"""(thread, namespace) to its checkpoints, and (thread, "journal") to its entries. What does not exist is not in it."""


@dataclass
class Ledger:
    """One lane of threads, which one worker at a time writes to."""

    lane: str
    model: Model = field(default_factory=Model)
    journals: dict[str, list[tuple[str, str | None, Any]]] = field(default_factory=dict)
    covered: dict[tuple[str, str, str], int] = field(default_factory=dict)  # journal_seq of a checkpoint
    digests: dict[tuple[str, str, str], str] = field(default_factory=dict)
    in_flight: Operation | None = None
    acknowledged: int = 0

    def hear(self, lines: list[dict[str, Any]]) -> None:
        """Record what a worker reported."""
        for line in lines:
            if "about" in line:
                self.in_flight = line["about"]
            elif "done" in line and self.in_flight is not None:
                self.apply(self.in_flight, line["done"])
                self.in_flight = None
                self.acknowledged += 1

    def apply(self, op: Operation, result: dict[str, Any]) -> None:
        _APPLY[op["do"]](self, op, result)
        if "digest" in result:
            self.digests[op["thread"], op.get("namespace", ""), result["id"]] = result["digest"]

    # ---------------------------------------------------------------- comparing

    def check(self, store: Store) -> None:
        """The store holds this, with the operation in flight or without it."""
        digests: dict[tuple[str, str, str], str] = {}
        seen = observe(store, self.lane, [*self.model.threads], digests)
        before = self.expected()
        if self.in_flight is None:
            assert_same(before, seen, "every acknowledged operation")
        elif seen != before:
            self._adopt(self.in_flight, before, seen)
        self.in_flight = None
        changed = [key for key in self.digests.keys() & digests.keys() if self.digests[key] != digests[key]]
        assert not changed, f"other digests than were acknowledged: {changed}"
        self._check_graves(store)

    def _adopt(self, op: Operation, before: Seen, seen: Seen) -> None:
        """It happened: from here on it counts as acknowledged."""
        after = copy.deepcopy(self)
        after.apply(op, {"id": _new_id(op, before, seen)})
        wanted = after.expected()
        if op["do"] == "delete_run":  # one commit for each thread and namespace
            wanted = {
                part: now if now in (before.get(part), wanted.get(part)) else wanted[part] for part, now in seen.items()
            }
        assert_same(wanted, seen, f"every acknowledged operation, and {op} either whole or not at all")
        if after.expected() == seen:
            self.__dict__.update(after.__dict__)
        else:
            self._adopt_parts(seen)

    def _adopt_parts(self, seen: Seen) -> None:
        for (thread, namespace), points in seen.items():
            if namespace != "journal":
                line = self.model.threads[thread].line(namespace)
                line.remove([one for one in line.points if one not in {point[0] for point in points}])

    def expected(self) -> Seen:
        found: Seen = {}
        for name, thread in self.model.threads.items():
            for namespace in NAMESPACES:
                points = thread.line(namespace).newest_first()
                found[name, namespace] = [_expected(point, self.covered[name, namespace, point.id]) for point in points]
            found[name, "journal"] = self.journals.get(name, [])
        return found

    def _check_graves(self, store: Store) -> None:
        for thread in self.model.graves.keys() - self.model.threads.keys():
            assert store.thread(thread).info() is None, f"{thread} was deleted"

    # ---------------------------------------------------------------- the operations

    def _save(self, op: Operation, result: dict[str, Any]) -> None:
        passed = {name: op[name] for name in ("id", "parent", "run_id", "label") if op.get(name)}
        self._cover(op, self.model.save(_handle(op), op["id"], states.state(op["recipe"]), passed))

    def _update(self, op: Operation, result: dict[str, Any]) -> None:
        how = {"messages": "extend"}
        point = self.model.update(_handle(op), result["id"], states.growth(op["recipe"]), how, {})
        line = (op["thread"], op.get("namespace", ""))
        self.covered[*line, point.id] = self.covered[*line, point.parent or ""]  # it changes no more than the state

    def _cover(self, op: Operation, point: Point) -> None:
        self.covered[op["thread"], op.get("namespace", ""), point.id] = len(self.journals.get(op["thread"], []))

    def _put_writes(self, op: Operation, result: dict[str, Any]) -> None:
        writes = [(channel, value, index) for channel, value, index in op["writes"]]
        self.model.put_writes(_handle(op), op["id"], writes, op["task"])

    def _label(self, op: Operation, result: dict[str, Any]) -> None:
        self.model.label(_handle(op), op["id"], op["text"])

    def _fork(self, op: Operation, result: dict[str, Any]) -> None:
        source, to = op["thread"], op["to"]
        self.model.fork(_handle(op), op["at"], op["edits"], to, op["history"], result["id"])
        known = self.covered[source, "", op["at"]] if op["history"] else 0
        self.journals[to] = self.journals.get(source, [])[:known]
        self._inherit_cover(source, to)
        if op["edits"] or not op["history"]:
            self.covered[to, "", result["id"]] = known

    def _copy(self, op: Operation, result: dict[str, Any]) -> None:
        assert self.model.copy_thread(op["thread"], op["to"])
        self.journals[op["to"]] = list(self.journals.get(op["thread"], []))
        self._inherit_cover(op["thread"], op["to"])

    def _inherit_cover(self, source: str, to: str) -> None:
        for namespace in NAMESPACES:
            for point in self.model.threads[to].line(namespace).points:
                if (source, namespace, point) in self.covered:
                    self.covered[to, namespace, point] = self.covered[source, namespace, point]

    def _delete(self, op: Operation, result: dict[str, Any]) -> None:
        self.model.delete(_handle(op))
        self.journals.pop(op["thread"], None)

    def _delete_checkpoints(self, op: Operation, result: dict[str, Any]) -> None:
        self.model.delete_checkpoints(_handle(op), op["ids"])

    def _delete_run(self, op: Operation, result: dict[str, Any]) -> None:
        self.model.delete_run_everywhere(op["run_id"])

    def _collect(self, op: Operation, result: dict[str, Any]) -> None:
        """Readers see no difference."""

    def _append(self, op: Operation, result: dict[str, Any]) -> None:
        journal = self.journals.setdefault(op["thread"], [])
        journal.append((op["kind"], op["key"], op["data"]))
        assert result.get("seq") in (None, len(journal)), f"{op} got the number {result['seq']}"


_APPLY = {
    "save": Ledger._save, "update": Ledger._update, "put_writes": Ledger._put_writes, "label": Ledger._label,
    "fork": Ledger._fork, "copy": Ledger._copy, "delete": Ledger._delete, "append": Ledger._append,
    "delete_checkpoints": Ledger._delete_checkpoints, "delete_run": Ledger._delete_run,
    "collect": Ledger._collect,
}  # fmt: skip


def _handle(op: Operation) -> Handle:
    return Handle(op["thread"], op.get("namespace", ""), reuse=op.get("reuse", False))


def _new_id(op: Operation, before: Seen, seen: Seen) -> str:
    """The id that the store chose for the operation in flight."""
    where = (op.get("to") or op.get("thread", ""), op.get("namespace", ""))
    known = {point[0] for point in before.get(where, [])}
    found = [point[0] for point in seen.get(where, []) if point[0] not in known]
    return found[0] if found else "nothing new"


# ------------------------------------------------------------------------------------------------ looking


def observe(store: Store, lane: str, also: list[str], digests: dict[tuple[str, str, str], str]) -> Seen:
    """Everything that a lane's threads hold; every checkpoint is loaded with all its channels."""
    names = {info.id for info in store.threads(prefix=lane, limit=None)}
    found: Seen = {}
    for name in names | {one for one in also if store.thread(one).info() is not None}:
        for namespace in NAMESPACES:
            thread = store.thread(name, namespace)
            loaded = [thread.load(info.id) for info in thread.history(limit=None)]
            found[name, namespace] = [_seen(one) for one in loaded if one is not None]
            digests.update({(name, namespace, one.id): one.digest for one in loaded if one is not None})
        entries = store.thread(name).journal.read(limit=None)
        assert [one.seq for one in entries] == list(range(1, len(entries) + 1)), "a journal without gaps"
        found[name, "journal"] = [(one.kind, one.key, one.data) for one in entries]
    return found


def _seen(one: Checkpoint[dict[str, Any]]) -> tuple[Any, ...]:
    writes = {(write.task_id, write.index): (write.channel, write.value) for write in one.pending_writes}
    return (
        one.id,
        one.seq,
        one.parent_id,
        one.step,
        one.source,
        one.run_id,
        one.label,
        one.journal_seq,
        one.state,
        writes,
    )


def _expected(one: Point, covered: int) -> tuple[Any, ...]:
    writes = {key: (channel, value) for key, (channel, value, _) in one.writes.items()}
    return (one.id, one.seq, one.parent, one.step, one.source, one.run_id, one.label, covered, one.state, writes)


def assert_same(wanted: Seen, seen: Seen, what: str) -> None:
    parts = [part for part in sorted(wanted.keys() | seen.keys()) if wanted.get(part) != seen.get(part)]
    differences = "".join(_difference(part, wanted.get(part), seen.get(part)) for part in parts)
    assert not parts, f"the store should hold {what}{differences}"


def _difference(part: tuple[str, str], wanted: list[Any] | None, found: list[Any] | None) -> str:
    if wanted is None or found is None:
        return f"\n{part} is {'there, and should not be' if wanted is None else 'not there'}"
    missing = [one for one in wanted if one not in found]
    surplus = [one for one in found if one not in wanted]
    return f"\n{part}: of {len(wanted)}\n  wanted {_short(missing)}\n  found  {_short(surplus)}"


def _short(points: list[Any]) -> str:
    return "; ".join(str([str(column)[:60] for column in point]) for point in points)[:2000]

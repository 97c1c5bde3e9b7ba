"""What a store should do, in plain dicts and lists, with a full copy wherever the store shares.

Written from the documented semantics, not from the engine: a fork copies every checkpoint it sees, a removal rewrites
parents at once, and nothing is ever shared between two threads. Slow, and easy to check by eye.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast import ROOT, Conflict, Deleted, HoldfastError, InvalidArgument, NotFound, Retention

_numbers = itertools.count(1)
ENDS = ("completed", "failed", "cancelled", "terminal")


class Refused(Exception):
    """The model's way to say that a call must raise one of these."""

    def __init__(self, *kinds: type[HoldfastError]) -> None:
        super().__init__(", ".join(kind.__name__ for kind in kinds))
        self.kinds = kinds


@dataclass
class Point:
    """One checkpoint as one thread sees it."""

    id: str
    seq: int
    parent: str | None
    step: int
    source: str
    node: str
    next: tuple[str, ...]
    run_id: str | None
    status: str
    label: str
    metadata: dict[str, Any]
    origin: str | None
    state: dict[str, Any]
    extra: Any
    writes: dict[tuple[str, int], tuple[str, Any, str]] = field(default_factory=dict)
    saved_by: int = 0  # the number of the thread that it was saved to
    passed: dict[str, Any] | None = None  # what the save that made it said, to say it again


def _parent(points: Mapping[str, Point], point: Point) -> Point | None:
    """If it exists. A fork may name one that it does not see, and have another under the same id later."""
    found = points.get(point.parent) if point.parent is not None else None
    return found if found is not None and found.seq < point.seq else None


@dataclass
class Line:
    """One namespace of one thread."""

    seq: int = 0
    points: dict[str, Point] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)  # ids that were here once

    @property
    def head(self) -> Point | None:
        return max(self.points.values(), key=lambda point: point.seq, default=None)

    def newest_first(self) -> list[Point]:
        return sorted(self.points.values(), key=lambda point: -point.seq)

    def lineage(self, point_id: str) -> list[Point]:
        found = []
        current = self.points.get(point_id)
        while current is not None:
            found.append(current)
            current = _parent(self.points, current)
        return found

    @property
    def parents(self) -> set[str]:
        """Those that another came from."""
        return {parent.id for point in self.points.values() if (parent := _parent(self.points, point)) is not None}

    def remove(self, ids: Iterable[str]) -> int:
        """Survivors are re-parented to their nearest surviving ancestor."""
        before = dict(self.points)
        gone = {one: self.points.pop(one) for one in set(ids) if one in self.points}
        for point in self.points.values():
            parent = _parent(before, point)
            if parent is not None and parent.id in gone:
                while parent is not None and parent.id in gone:
                    parent = _parent(before, parent)
                point.parent = parent.id if parent is not None else None
        self.removed |= set(gone)
        return len(gone)


@dataclass
class Thread:
    generation: int
    metadata: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    came_from: tuple[str, str] | None = None
    number: int = field(default_factory=lambda: next(_numbers))  # of all threads that ever were, its own
    forked_from: int = 0  # the number of the thread that it, or what it is a copy of, was forked from
    made_of: frozenset[int] = frozenset()  # the threads whose past it shares
    ancestors: frozenset[int] = frozenset()  # and those that left no trace in it but values

    def line(self, namespace: str) -> Line:
        return self.lines.get(namespace, Line())

    @property
    def empty(self) -> bool:
        return not any(line.points for line in self.lines.values())


@dataclass
class Handle:
    """A caller's handle: its first use fixes which generation of the thread it means."""

    thread_id: str
    namespace: str = ""
    metadata: dict[str, Any] | None = None
    reuse: bool = False
    generation: int | None = None


def enclosing(namespace: str) -> str:
    return namespace.rpartition("|")[0]


class Model:
    def __init__(self) -> None:
        self.threads: dict[str, Thread] = {}
        self.graves: dict[str, int] = {}

    # ---------------------------------------------------------------- finding

    def touch(self, handle: Handle) -> Thread | None:
        """The thread that a handle means, if it lives."""
        thread = self.threads.get(handle.thread_id)
        if thread is None:
            return None
        if handle.generation is None:
            handle.generation = thread.generation
        if handle.generation != thread.generation:
            raise Refused(Deleted)
        return thread

    def _for_writing(self, handle: Handle) -> Thread:
        """The thread, or what it would be if it were started now."""
        thread = self.touch(handle)
        if thread is not None:
            return thread
        buried = self.graves.get(handle.thread_id, 0)
        if handle.generation is not None or (buried and not handle.reuse):
            raise Refused(Deleted)
        return Thread(buried + 1)

    def _existing(self, handle: Handle, checkpoint_id: str) -> Point:
        thread = self.touch(handle)
        if thread is None:
            deleted = handle.thread_id in self.graves or handle.generation is not None
            raise Refused(Deleted if deleted else NotFound)
        point = thread.line(handle.namespace).points.get(checkpoint_id)
        if point is None:
            raise Refused(NotFound)
        return point

    # ---------------------------------------------------------------- writing

    def save(self, handle: Handle, new_id: str, state: Mapping[str, Any], passed: Mapping[str, Any]) -> Point:
        """`passed` are the keyword arguments of the call; `new_id` the id if none is among them."""
        thread = self._for_writing(handle)
        line = thread.line(handle.namespace)
        wanted = passed.get("id")
        if wanted is not None and wanted in line.points:
            return self._again(line.points[wanted], state, passed)
        self._check_head(line, passed)
        parent = self._parent(line, passed.get("parent"))
        point = Point(
            id=wanted or new_id,
            seq=line.seq + 1,
            parent=parent.id if parent else None,
            step=passed["step"] if passed.get("step") is not None else (parent.step + 1 if parent else 0),
            source=passed.get("source", "loop"),
            node=passed.get("node", ""),
            next=tuple(passed.get("next", ())),
            run_id=passed.get("run_id"),
            status=passed.get("status", "running"),
            label=passed.get("label", ""),
            metadata=dict(passed.get("metadata") or {}),
            origin=self._origin(thread, handle, passed),
            state=copy.deepcopy(dict(state)),
            extra=copy.deepcopy(passed.get("extra")),
            passed=dict(passed),
        )
        return self._add(handle, thread, point)

    def update(
        self, handle: Handle, new_id: str, updates: Mapping[str, Any], how: Mapping[str, str], passed: Mapping[str, Any]
    ) -> Point:
        thread = self._for_writing(handle)
        head = thread.line(handle.namespace).head
        state = copy.deepcopy(head.state) if head else {}
        for name, new in updates.items():
            state[name] = _reduced(how.get(name, "replace"), state[name], new) if name in state else new
        point = Point(
            id=new_id,
            seq=thread.line(handle.namespace).seq + 1,
            parent=head.id if head else None,
            step=head.step + 1 if head else 0,
            source="update",
            node=passed.get("node", ""),
            next=_or_else(passed.get("next"), head.next if head else ()),
            run_id=_or_else(passed.get("run_id"), head.run_id if head else None),
            status=_or_else(passed.get("status"), head.status if head else "running"),
            label=passed.get("label", ""),
            metadata=dict(passed.get("metadata") or {}),
            origin=self._origin(thread, handle, {}),
            state=copy.deepcopy(state),
            extra=copy.deepcopy(head.extra) if head else None,
        )
        return self._add(handle, thread, point)

    def _again(self, first: Point, state: Mapping[str, Any], passed: Mapping[str, Any]) -> Point:
        """Only calls that say what the first one said, or that differ in the state, are compared here."""
        if first.passed is None or dict(state) != first.state:
            raise Refused(Conflict)
        return first

    def _check_head(self, line: Line, passed: Mapping[str, Any]) -> None:
        expected = passed.get("expect_head")
        if expected is not None and expected != (line.head.id if line.head else ""):
            raise Refused(Conflict)

    def _parent(self, line: Line, parent: Any) -> Point | None:
        if parent is ROOT:
            return None
        if parent is None:
            return line.head
        if parent not in line.points:
            raise Refused(NotFound)
        return line.points[parent]

    def _origin(self, thread: Thread, handle: Handle, passed: Mapping[str, Any]) -> str | None:
        if passed.get("origin") is not None or not handle.namespace:
            return passed.get("origin")
        outer = thread.line(enclosing(handle.namespace)).head
        return outer.id if outer else None

    def _add(self, handle: Handle, thread: Thread, point: Point) -> Point:
        self.threads[handle.thread_id] = thread
        handle.generation = thread.generation
        thread.metadata.update(handle.metadata or {})
        line = thread.lines.setdefault(handle.namespace, Line())
        line.seq = point.seq
        line.points[point.id] = point
        line.removed.discard(point.id)
        point.saved_by = thread.number
        return point

    def put_writes(self, handle: Handle, checkpoint_id: str, writes: list[tuple[str, Any, int]], task: str) -> None:
        point = self._existing(handle, checkpoint_id)
        for channel, value, index in writes:
            if index < 0 or (task, index) not in point.writes:
                point.writes[task, index] = (channel, copy.deepcopy(value), "")

    def label(self, handle: Handle, checkpoint_id: str, text: str) -> None:
        self._existing(handle, checkpoint_id).label = text

    # ---------------------------------------------------------------- forking

    def fork(
        self, handle: Handle, at: str | None, edits: Mapping[str, Any] | None, target: str, history: bool, new_id: str
    ) -> None:
        if handle.namespace:
            raise Refused(InvalidArgument)
        thread = self.touch(handle)
        if thread is None and (handle.thread_id in self.graves or handle.generation is not None):
            raise Refused(NotFound, Deleted)
        if thread is None or thread.line("").head is None:
            raise Refused(NotFound)
        root = thread.line("")
        point = root.head if at is None else root.points.get(at)
        if point is None:
            raise Refused(NotFound)
        self._check_free(target)
        made = Thread(1, dict(thread.metadata), {}, (handle.thread_id, point.id), forked_from=thread.number)
        made.ancestors = thread.ancestors | {thread.number}
        if history:
            made.made_of = thread.made_of | {thread.number}
            self._inherit(thread, made, point)
        if edits or not history:
            _start_fork(made, point, edits or {}, new_id)
        self.threads[target] = made

    def _check_free(self, target: str) -> None:
        if target in self.threads:
            raise Refused(Conflict)
        if target in self.graves:
            raise Refused(Deleted, Conflict)

    def _inherit(self, thread: Thread, made: Thread, point: Point) -> None:
        """The fork point with its ancestors, and of each inner namespace the newest checkpoint whose origin is seen,
        with its ancestors."""
        made.lines[""] = _copied(thread.line("").lineage(point.id))
        for namespace in sorted(thread.lines, key=lambda name: (name.count("|"), name)):
            if not namespace:
                continue
            seen = made.line(enclosing(namespace)).points
            line = thread.lines[namespace]
            under = [one for one in line.newest_first() if one.origin is None or one.origin in seen]
            if under:
                made.lines[namespace] = _copied(line.lineage(under[0].id))

    def copy_thread(self, source: str, target: str) -> bool:
        thread = self.threads.get(source)
        if thread is None or thread.empty:
            return False
        self._check_free(target)
        made = self.threads[target] = copy.deepcopy(thread)
        made.generation, made.number = 1, next(_numbers)
        made.made_of, made.ancestors = thread.made_of | {thread.number}, thread.ancestors | {thread.number}
        for line in self.threads[target].lines.values():
            line.removed.clear()
        return True

    # ---------------------------------------------------------------- removing

    def delete(self, handle: Handle) -> None:
        thread = self.touch(handle)
        if thread is not None:
            self.graves[handle.thread_id] = thread.generation
            del self.threads[handle.thread_id]

    def erased(self, where: Mapping[str, Any]) -> set[str]:
        """The threads that an erasure removes, once nothing is stored that no thread sees."""
        points = {
            name: [point for line in thread.lines.values() for point in line.points.values()]
            for name, thread in self.threads.items()
        }
        named = [point for found in points.values() for point in found if where.items() <= point.metadata.items()]
        savers = {point.saved_by for point in named}
        going = {
            name
            for name, thread in self.threads.items()
            if where.items() <= thread.metadata.items()
            or thread.number in savers
            or any(point in named for point in points[name])
        }
        return self._with_descendants(going)

    def _with_descendants(self, going: set[str]) -> set[str]:
        while True:
            numbers = {self.threads[name].number for name in going}
            found = {
                name
                for name, thread in self.threads.items()
                if name in going or thread.forked_from in numbers or thread.made_of & numbers
            }
            if found == going:
                return going
            going = found

    def descended(self, names: set[str]) -> set[str]:
        """These and all that was ever made of them, through threads that are gone as well."""
        numbers = {self.threads[name].number for name in names}
        return {name for name, thread in self.threads.items() if name in names or thread.ancestors & numbers}

    def delete_checkpoints(self, handle: Handle, ids: Iterable[str]) -> int:
        thread = self.touch(handle)
        return thread.line(handle.namespace).remove(ids) if thread else 0

    def delete_run(self, handle: Handle, run_id: str) -> int:
        thread = self.touch(handle)
        return _without_run(thread, run_id) if thread else 0

    def prune(self, handle: Handle, retention: Retention) -> tuple[int, int]:
        """How many were removed, and how many stayed."""
        thread = self.touch(handle)
        gone: dict[str, set[str]] = {}
        for name, line in sorted(thread.lines.items()) if thread else ():
            removed = _not_kept(line, retention)
            origins = {point.origin for point in line.points.values()}
            if ":" in name and len(origins) == 1 and origins <= gone.get(enclosing(name), set()):
                removed = set(line.points) - _open(line)
            gone[name] = removed
            line.remove(removed)
        left = sum(len(line.points) for line in thread.lines.values()) if thread else 0
        return sum(map(len, gone.values())), left

    def delete_run_everywhere(self, run_id: str) -> int:
        return sum(_without_run(thread, run_id) for thread in self.threads.values())


def _not_kept(line: Line, retention: Retention) -> set[str]:
    head = line.head
    if head is None:
        return set()
    lineage = [point.id for point in line.lineage(head.id)]
    parents = line.parents
    kept = {head.id, *(lineage[: retention.keep_last] if retention.keep_last else ()), *_resumed(line)}
    kept |= set(lineage) if retention.keep_lineage else set()
    for point in line.points.values():
        waits = point.status == "interrupted" and point.id not in parents
        if point.label or waits or (retention.keep_terminal and point.status in ENDS):
            kept.add(point.id)
    return set(line.points) - kept


def _resumed(line: Line) -> set[str]:
    """The last step before where the head's run stopped, or before an external update."""
    lineage = line.lineage(line.head.id) if line.head is not None else []
    stops = ("interrupted", "failed")
    return {point.id for point in [one for one in lineage if one.source != "update" and one.status not in stops][:1]}


def _open(line: Line) -> set[str]:
    """What stays even if the call that it belongs to is removed."""
    parents = line.parents
    waiting = {point.id for point in line.points.values() if point.status == "interrupted" and point.id not in parents}
    labelled = {point.id for point in line.points.values() if point.label}
    return labelled | waiting | (_resumed(line) if line.head is not None and line.head.id in waiting else set())


def _without_run(thread: Thread, run_id: str) -> int:
    return sum(
        line.remove([point.id for point in line.points.values() if point.run_id == run_id])
        for line in thread.lines.values()
    )


def _copied(lineage: list[Point]) -> Line:
    points = copy.deepcopy(lineage)
    return Line(points[0].seq, {point.id: point for point in points})


def _start_fork(made: Thread, point: Point, edits: Mapping[str, Any], new_id: str) -> None:
    """The one checkpoint of a fork with edits, or without history."""
    line = made.lines.setdefault("", Line())
    line.seq += 1
    line.points[new_id] = Point(
        id=new_id,
        seq=line.seq,
        parent=point.id,
        step=point.step,
        source="fork",
        node=point.node,
        next=point.next,
        run_id=point.run_id,
        status=point.status,
        label="",
        metadata=dict(point.metadata),
        origin=None,
        state=copy.deepcopy({**point.state, **edits}),
        extra=copy.deepcopy(point.extra),
        saved_by=made.number,
    )


def _reduced(how: str, old: Any, new: Any) -> Any:
    if how == "extend":
        return [*old, *new]
    if how == "merge":
        return {**old, **new}
    return new


def _or_else(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value

"""One backend under test: its stores, and the names under which the machine knows the ids that a store chose."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import holdfast
from holdfast import CheckpointInfo, EraseCertificate, HoldfastError, Store, Thread
from tests.stateful.model import Handle, Model, Point, Refused
from tests.support.postgres import schemas

YEAR = 365 * 24 * 3600.0  # after which threads expire, if no test makes time pass


class World:
    """A backend with one or two stores open on it."""

    def __init__(self, name: str, url: str, handles: int) -> None:
        self.name = name
        self.url = url
        self.stores = [holdfast.open(url, ttl=YEAR) for _ in range(handles)]
        self.real: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.kept: dict[int, Thread[Any]] = {}

    def store(self, via: int) -> Store:
        return self.stores[via % len(self.stores)]

    def thread(self, handle: Handle, via: int) -> Thread[Any]:
        return self.store(via).thread(handle.thread_id, handle.namespace, metadata=handle.metadata, reuse=handle.reuse)

    def learn(self, name: str, real: str) -> None:
        """From now on `name` is what this world calls `real`."""
        self.real[name] = real
        self.known[real] = name

    def id(self, name: str) -> str:
        return self.real.get(name, name)

    def name_of(self, real: str | None) -> str | None:
        return None if real is None else self.known.get(real, real)

    def reopen(self, via: int) -> None:
        """Close one of the stores and open it again; what is only in memory has nothing to come back to."""
        if self.url == "memory:":
            return
        place = via % len(self.stores)
        self.stores[place].close()
        self.stores[place] = holdfast.open(self.url, ttl=YEAR)
        self.kept.clear()

    def close(self) -> None:
        for store in self.stores:
            store.close()

    @contextmanager
    def moved(self, via: int, bundle: Path | None) -> Iterator[World]:
        """Another world, to which everything was moved, directly or through a file."""
        twin = World(f"{self.name}, moved", "memory:", 1)
        twin.real, twin.known = self.real, self.known
        if bundle is None:
            holdfast.copy(self.store(via), twin.store(0))
        else:
            self.store(via).export(None, bundle)
            twin.store(0).import_(bundle)
        yield twin
        twin.close()

    def erase(self, where: dict[str, Any], via: int) -> frozenset[str]:
        """The ids of the erased threads. The trial run counts the same, and nothing is left to erase or collect."""
        store = self.store(via)
        planned, done = store.erase(where, dry_run=True), store.erase(where)
        assert _counts(planned) == _counts(done), f"{self.name}: another number than the trial run said"
        assert done.skipped == ()
        assert store.erase(where).rows == 0, f"{self.name}: not all of {where} was erased"
        assert store.collect().rows == 0, f"{self.name}: what an erasure leaves is not garbage"
        return frozenset(done.thread_ids)

    # ---------------------------------------------------------------- what is seen

    def seen(self, info: CheckpointInfo) -> tuple[Any, ...]:
        return (
            self.name_of(info.id), info.seq, self.name_of(info.parent_id), info.step, info.source, info.label,
            info.status, info.run_id, info.node, info.next, dict(info.metadata), self.name_of(info.origin),
        )  # fmt: skip

    def checkpoint(self, found: Any) -> Any:
        if found is None:
            return None
        writes = {(one.task_id, one.index): (one.channel, one.value, one.task_path) for one in found.pending_writes}
        assert len(writes) == len(found.pending_writes)
        return self.seen(found), found.state, writes, found.extra


def _counts(certificate: EraseCertificate) -> tuple[Any, ...]:
    one = certificate
    return one.thread_ids, one.checkpoints, one.writes, one.journal, one.values, one.index, one.quarantined, one.rows


def expected_info(point: Point) -> tuple[Any, ...]:
    return (
        point.id, point.seq, point.parent, point.step, point.source, point.label, point.status, point.run_id,
        point.node, point.next, point.metadata, point.origin,
    )  # fmt: skip


def expected_checkpoint(point: Point | None) -> Any:
    return None if point is None else (expected_info(point), point.state, point.writes, point.extra)


def open_worlds(folder: tempfile.TemporaryDirectory[str], *, postgres: bool) -> list[World]:
    """Every backend that runs here; a new one joins with a line."""
    path = Path(folder.name)
    return [
        World("memory", "memory:", 1),
        World("sqlite", str(path / "agents.db"), 2),
        World("files", f"file:{path / 'agents'}", 2),
        *([World("postgresql", schemas.url(path), 2)] if postgres else []),
    ]


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """A call's result, or the kind of its refusal. Anything but a `HoldfastError` is a fault of the store."""
    try:
        return "ok", call()
    except HoldfastError as error:
        return "refused", type(error)


def wished(call: Callable[[], Any]) -> tuple[str, Any]:
    """What the model says to the same call: its result, or the kinds of refusal that are accepted."""
    try:
        return "ok", call()
    except Refused as refusal:
        return "refused", refusal.kinds


def compare(worlds: list[World], model: Model, namespaces: list[str], ids: list[str], tick: int) -> None:
    """Everything that can be seen, in each world, against the model."""
    for world in worlds:
        _compare_lists(world, model, tick)
        for number, thread_id in enumerate(ids):
            for namespace in namespaces:
                _compare_line(world, model, thread_id, namespace, tick + number)


def _compare_lists(world: World, model: Model, tick: int) -> None:
    found = [
        (one.id, one.status, world.name_of(one.head), one.step, one.checkpoints, dict(one.metadata))
        for one in world.store(tick).threads(limit=None)
    ]
    wanted = []
    for thread_id in sorted(model.threads):
        thread = model.threads[thread_id]
        head = thread.line("").head
        if not thread.empty:
            wanted.append((
                thread_id, head.status if head else "", head.id if head else None, head.step if head else None,
                len(thread.line("").points), thread.metadata,
            ))  # fmt: skip
    assert found == wanted, f"{world.name}: threads()"
    for status in {row[1] for row in wanted}:
        tagged = [one.id for one in world.store(tick).threads(where={"status": status}, limit=None)]
        if status:
            assert tagged == [row[0] for row in wanted if row[1] == status], f"{world.name}: threads(status)"


def _compare_line(world: World, model: Model, thread_id: str, namespace: str, tick: int) -> None:
    where = f"{world.name}: {thread_id!r}, {namespace!r}"
    thread = world.store(tick).thread(thread_id, namespace)
    line = model.threads[thread_id].line(namespace) if thread_id in model.threads else None
    points = line.newest_first() if line else []
    history = [world.seen(info) for info in thread.history(limit=None)]
    assert history == [expected_info(point) for point in points], f"{where}: history()"
    head = expected_checkpoint(points[0] if points else None)
    assert world.checkpoint(thread.latest()) == head, f"{where}: latest()"
    if line is None or not points:
        return
    one = points[tick % len(points)]
    assert world.checkpoint(thread.load(world.id(one.id))) == expected_checkpoint(one), f"{where}: load({one.id})"
    lineage = [world.seen(info) for info in thread.lineage(world.id(one.id))]
    assert lineage == [expected_info(point) for point in line.lineage(one.id)], f"{where}: lineage({one.id})"

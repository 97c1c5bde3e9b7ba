"""One game of the fuzzer: sessions that continue as LangGraph's loops do, and everything that may happen in between."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import holdfast
from tests.adapters.langgraph.driver import Twin, checkpoint, config
from tests.adapters.langgraph.fuzz_board import CACHES, NAMESPACES, THREADS, Board
from tests.adapters.langgraph.fuzz_values import CHANNELS, change
from tests.adapters.langgraph.oracle import Place

RUNS: Final = ["r1", "r2", "r3", None]
SPECIAL: Final = ["__error__", "__interrupt__", "__resume__"]
MOVES: Final = 50
LONG: Final = 200  # moves of a game in which little but steps happens, so that logs get long


@dataclass
class Session:
    """A checkpoint as a running graph holds it: with values that it continues to change."""

    id: str | None = None
    values: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, Any] = field(default_factory=dict)


class Game(Board):
    def __init__(self, seed: str, folder: Path) -> None:
        super().__init__(seed, folder)
        self.sessions: dict[Place, Session] = {}
        self.loop = asyncio.Runner()
        self.is_long = self.rng.random() < 0.1
        self.has_numbers = self.rng.random() < 0.3  # for versions of channels, as some savers have them

    def __enter__(self) -> Game:
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.close()
        self.close()

    # ---------------------------------------------------------------- playing

    def play(self) -> None:
        moves: list[tuple[Callable[[], None], int]] = [
            (self.step, 50), (self.write, 10), (self.write_early, 4), (self.travel, 8), (self.load, 6),
            (self.copy_checkpoint, 3), (self.put_again, 3), (self.put_late, 3), (self.put_orphan, 2),
            (self.delete, 1), (self.copy_thread, 2), (self.fork, 2), (self.prune, 1), (self.delete_run, 2),
            (self.reopen, 4), (self.collect, 2),
        ]  # fmt: skip
        if self.is_long:
            moves = [(self.step, 50), (self.write, 2), (self.travel, 1), (self.fork, 1), (self.reopen, 2)]
        names, weights = [move for move, _ in moves], [weight for _, weight in moves]
        for number in range(LONG if self.is_long else MOVES):
            self.rng.choices(names, weights)[0]()
            if number % (70 if self.is_long else 5) == 4:
                self.compare()
        self.touched.update(THREADS)
        self.compare()

    def do(self, thread: str, what: str, call: Callable[[Any], Any], refused: bool = False) -> None:
        """Call the oracle, then every other saver; those must refuse writes to an earlier generation of a thread."""
        via, loop = self.rng.randrange(2), self.rng.choice([None, None, self.loop])
        self.touched.add(thread)
        self.calls.append(f"{what} via {via}{', refused' if refused else ''}")
        if not refused:
            call(self.oracle)
        for world in self.worlds:
            if refused:
                try:
                    call(Twin(world.saver(via), loop))
                except holdfast.Deleted:
                    continue
                raise AssertionError(f"{world.url} took {what}, which comes too late")
            call(Twin(world.saver(via), loop))

    def place(self) -> Place:
        if self.is_long:
            return Place(self.rng.choice(["t", "t", "t", "u"]), "")
        thread = self.rng.choice(THREADS[:2] if self.rng.random() < 0.8 else THREADS)
        return Place(thread, "" if thread in self.forked else self.rng.choice(NAMESPACES))

    def known(self, place: Place) -> str | None:
        """Mostly one of the latest checkpoints."""
        ids = self.oracle.ids(place)
        if not ids:
            return None
        return self.rng.choice(ids[-3:] if self.rng.random() < 0.6 else ids)

    def number(self) -> int:
        self.count += 1
        return self.count

    def new_id(self) -> str:
        return f"{self.number():06d}"

    def new_version(self) -> Any:
        return self.number() if self.has_numbers else f"{self.number():032}.{self.rng.random()}"

    # ---------------------------------------------------------------- putting

    def step(self) -> None:
        """What a loop does: tasks write, and the checkpoint after them has it all."""
        place = self.place()
        session = self.sessions.setdefault(place, Session())
        after, new, added = self.changed(session)
        if session.id is not None and self.rng.random() < 0.7:
            self.tasks(place, session.id, added)
        self.put(place, self.new_id(), session.id, after, new)
        self.sessions[place] = after

    def changed(self, session: Session) -> tuple[Session, dict[str, Any], list[tuple[str, Any]]]:
        """The next values, the versions that are new, and what tasks may have written to get there."""
        after = Session(session.id, dict(session.values), dict(session.versions))
        if session.id is not None and not self.is_there(session.id):
            after.versions.pop("delta", None)  # its value went with the checkpoints that were removed
        new: dict[str, Any] = {}
        added: list[tuple[str, Any]] = []
        for name in self.rng.sample(CHANNELS, self.rng.randint(1, 3)):
            written = change(self.rng, name, after.values)
            added += [(name, one) for one in written]
            new[name] = after.versions[name] = self.new_version()
        return after, new, added

    def is_there(self, id: str) -> bool:
        return any(id in stored and (thread, name, id) not in self.oracle.hidden
                   for thread, names in self.oracle.storage.items() for name, stored in names.items())  # fmt: skip

    def tasks(self, place: Place, id: str, added: list[tuple[str, Any]]) -> None:
        """What was added, by one task or by several at once, and something besides."""
        count = self.rng.randint(1, 3)
        shares: list[list[tuple[str, Any]]] = [[] for _ in range(count)]
        for one in added:
            self.rng.choice(shares).append(one)
        for number, share in enumerate(shares):
            if self.rng.random() < 0.2:
                share.insert(0, ("branch:to:x", None))
            if share:
                self.put_writes(place, id, share, self.task(number))
            if self.rng.random() < 0.04:  # what comes later is not seen there
                self.rng.choice([self.fork, self.copy_thread])(place.thread)

    def task(self, number: int) -> str:
        return str(UUID(int=number + 7)) if self.rng.random() < 0.8 else f"task-{number}"

    def put(self, place: Place, id: str, parent: str | None, session: Session, new: dict[str, Any]) -> None:
        outer = self.known(Place(place.thread, "")) if place.namespace else None
        run_id = self.rng.choice(RUNS)
        metadata: dict[str, Any] = {"source": self.rng.choice(["loop", "input"]), "step": self.count}
        metadata |= {"parents": {"": outer} if outer else {}, "odd": self.count % 2}
        metadata |= {"run_id": run_id} if run_id else {}
        if "delta" in session.versions and "delta" not in session.values:  # as LangGraph counts what was added
            metadata["counters_since_delta_snapshot"] = {"delta": (1, 1)}
        new = {**new, **self.unknown(place, session)}
        made = checkpoint(session.values, id, channel_versions=session.versions, ts=str(self.count))
        made["versions_seen"] = {"node": dict(session.versions)} if self.rng.random() < 0.5 else {}

        def call(saver: Any) -> None:
            given = {**made, "channel_values": dict(made["channel_values"])}
            saver.put(config(place.thread, parent, place.namespace), given, metadata, dict(new))

        late = self.oracle.refuses(place.thread, [id, parent, outer])
        self.do(place.thread, f"put {place} {id} after {parent}: {sorted(new)}", call, late)
        session.id = None if late else id
        if late:
            self.sessions.pop(place, None)
        session.values.pop("delta", None)  # a snapshot is said once, and holds until the version changes

    def unknown(self, place: Place, session: Session) -> dict[str, Any]:
        """Values of a deleted thread, which a graph still has."""
        versions = {name: session.versions[name] for name in session.values}
        return {name: version for name, version in versions.items() if (*place, name, version) not in self.oracle.blobs}

    # ---------------------------------------------------------------- writing

    def put_writes(self, place: Place, id: str, writes: list[tuple[str, Any]], task: str) -> None:
        path = self.rng.choice(["", "~a", "~b"]) if self.rng.random() < 0.3 else ""
        asked = config(place.thread, id, place.namespace)
        late = id not in self.oracle.ids(place) and self.oracle.refuses(place.thread, [id])
        what = f"writes {place} {id} {task} {[name for name, _ in writes]}"
        self.do(place.thread, what, lambda saver: saver.put_writes(asked, writes, task, path), late)

    def write(self) -> None:
        """To any checkpoint, by any task, once more or for the first time."""
        place = self.place()
        id = self.known(place)
        if id is not None:
            self.put_writes(place, id, self.some_writes(), self.task(self.rng.randrange(4)))

    def some_writes(self) -> list[tuple[str, Any]]:
        kind = self.rng.random()
        if kind < 0.3:
            return [(self.rng.choice(SPECIAL), self.number())]
        names = self.rng.choices(CHANNELS, k=self.rng.randint(1, 3))
        found: list[tuple[str, Any]] = [(name, "x" * self.rng.choice([3, 60]) + str(self.number())) for name in names]
        return [*found, (SPECIAL[1], self.number())] if kind < 0.4 else found

    def write_early(self) -> None:
        """Before the checkpoint exists."""
        place = self.place()
        session = self.sessions.setdefault(place, Session())
        id = self.new_id()
        self.put_writes(place, id, self.some_writes(), self.task(0))
        if self.rng.random() < 0.3:
            self.reopen()
        if self.rng.random() < 0.8:
            after, new, _ = self.changed(session)
            self.put(place, id, session.id, after, new)
            self.sessions[place] = after

    # ---------------------------------------------------------------- other ways to put

    def loaded(self, place: Place, id: str) -> Session:
        """As a graph starts: from what a saver gives."""
        saver = self.rng.choice([self.oracle, *(world.saver(0) for world in self.worlds)])
        found = saver.get_tuple(config(place.thread, id, place.namespace))
        assert found is not None, f"no {id} in {place}"
        values = copy.deepcopy(found.checkpoint["channel_values"])
        values.pop("delta", None)
        return Session(id, values, dict(found.checkpoint["channel_versions"]))

    def travel(self) -> None:
        place = self.place()
        id = self.known(place)
        if id is not None:
            self.calls.append(f"travel {place} {id}")
            self.sessions[place] = self.loaded(place, id)

    def load(self) -> None:
        place = self.place()
        ids = self.oracle.ids(place)
        if ids:
            self.sessions[place] = self.loaded(place, ids[-1])

    def copy_checkpoint(self) -> None:
        """What `update_state` does as `__copy__`: the same values after the same parent."""
        place = self.place()
        id = self.known(place)
        if id is None:
            return
        session = self.loaded(place, id)
        self.put(place, self.new_id(), self.oracle.parent(place, id), session, {})
        self.sessions[place] = session

    def put_again(self) -> None:
        place = self.place()
        id = self.known(place)
        if id is None:
            return
        after, new, _ = self.changed(self.loaded(place, id))
        self.put(place, id, self.oracle.parent(place, id), after, new)
        self.sessions.pop(place, None)

    def put_late(self) -> None:
        """An id from between others."""
        place = self.place()
        id = self.known(place)
        if id is None:
            return
        session = self.loaded(place, id)
        after, new, _ = self.changed(session)
        self.put(place, f"{self.rng.randrange(self.count + 1):06d}.{self.number()}", id, after, new)
        self.sessions.pop(place, None)

    def put_orphan(self) -> None:
        """After a parent that was never saved."""
        place = self.place()
        session = self.sessions.setdefault(place, Session())
        after, new, _ = self.changed(session)
        parent = self.rng.choice([None, self.new_id()])
        if self.rng.random() < 0.5:
            new |= {name: version for name, version in after.versions.items() if name in after.values}
        self.put(place, self.new_id(), parent, after, new)
        self.sessions[place] = after

    # ---------------------------------------------------------------- threads

    def forget(self, thread: str) -> None:
        for place in [place for place in self.sessions if place.thread == thread]:
            del self.sessions[place]

    def delete(self) -> None:
        thread = self.rng.choice(THREADS)
        self.do(thread, f"delete {thread}", lambda saver: saver.delete_thread(thread))
        self.forked.discard(thread)
        if self.rng.random() < 0.5:
            self.forget(thread)  # or a graph is still running

    def free(self) -> str | None:
        free = [one for one in THREADS if not self.oracle.namespaces(one)]
        return self.rng.choice(free) if free else None

    def copy_thread(self, source: str | None = None) -> None:
        source, target = source or self.rng.choice(THREADS), self.free()
        if target is None or not any(self.oracle.ids(Place(source, name)) for name in self.oracle.namespaces(source)):
            return
        self.do(target, f"copy {source} to {target}", lambda saver: saver.copy_thread(source, target))
        self.forget(target)
        if source in self.forked:
            self.forked.add(target)

    def fork(self, source: str | None = None) -> None:
        source, target = source or self.rng.choice(THREADS), self.free()
        id = self.known(Place(source, ""))
        if target is None or id is None or Place(source, "") in self.oracle.late or target in self.oracle.graves:
            return
        if id != max(self.oracle.lineage(Place(source, ""), id)):
            return  # the fork starts at this checkpoint, also if its parent has a higher id

        def call(saver: Any) -> None:
            if saver is self.oracle:
                self.oracle.fork(source, id, target)
            else:
                saver.target.store.thread(source).fork(id, to=target)

        self.do(target, f"fork {source} at {id} to {target}", call)
        self.forget(target)
        self.forked.add(target)

    def prune(self) -> None:
        thread = self.rng.choice(THREADS)
        if not self.oracle.asks_in_a_call(thread):  # test_prune_calls.py has those
            self.do(thread, f"prune {thread}", lambda saver: saver.prune([thread]))

    def delete_run(self) -> None:
        run_id = self.rng.choice(RUNS[:3])
        self.do("", f"delete run {run_id}", lambda saver: saver.delete_for_runs([str(run_id)]))
        self.touched.update(THREADS)

    def collect(self) -> None:
        via = self.rng.randrange(2)
        self.calls.append(f"collect via {via}")
        for world in self.worlds:
            assert world.saver(via).store.collect().skipped == ()
        self.touched.update(THREADS)

    def reopen(self) -> None:
        via, cache = self.rng.randrange(2), self.rng.choice(CACHES)
        self.calls.append(f"reopen {via} with a cache of {cache}")
        for world in self.worlds:
            world.reopen(via, cache)

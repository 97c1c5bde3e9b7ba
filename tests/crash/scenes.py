"""Long operations that are cut off once, at any moment of their work: what a store holds before, right after, and when
the operation has been run again to its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import holdfast
from holdfast import Store
from holdfast._drive import run
from holdfast.backends.base import Batch, DropRow
from holdfast.backends.rows import CheckpointRow, TagRow
from tests.crash.backends import Where
from tests.crash.keepers import RUN, SUBJECT

SUBJECTS = [f"of-ada-{number}" for number in range(5)]
OTHERS = [f"of-bob-{number}" for number in range(2)]
NAMESPACES = ("", "inner")
TRACES = (b"of-ada-", b"ada@example.org", b"ada's own words")
"""What an erasure leaves nowhere: an id, metadata, a journal entry. Values are compressed, and found by their rows."""

Shown = dict[str, list[tuple[Any, ...]]]


def fill(store: Store) -> None:
    for name in (*SUBJECTS, *OTHERS):
        whose = SUBJECT if name in SUBJECTS else {"mail": "bob@example.org"}
        for n in range(5):
            for namespace in NAMESPACES:
                thread = store.thread(name, namespace, metadata=whose)
                saved = thread.save({"n": n, "log": [f"{name} {n}"] * n}, run_id=RUN if n % 2 else None)
                thread.put_writes(saved.id, [("n", n)], task_id="task")
            store.thread(name).journal.append("event", "ada's own words" if name in SUBJECTS else "other words")
        store.thread(name).fork(to=f"{name}/fork").save({"n": -1})


def shown(store: Store, name: str) -> Shown:
    """What a thread shows, by namespace; empty if it does not exist."""
    if store.thread(name).info() is None:
        return {}
    found: Shown = {}
    for namespace in NAMESPACES:
        thread = store.thread(name, namespace)
        points = [thread.load(info.id) for info in thread.history(limit=None)]
        found[namespace] = [
            (one.id, one.run_id, one.state, [(write.task_id, write.value) for write in one.pending_writes])
            for one in points
            if one is not None
        ]
    found["journal"] = [(entry.seq, entry.kind, entry.data) for entry in store.thread(name).journal.read(limit=None)]
    return found


@dataclass
class Scene:
    """One operation on a filled store. `what` is its name in keepers.py."""

    what: ClassVar[str]
    before: dict[str, Shown] = field(default_factory=dict)
    path: str = ""  # of a file that the operation reads

    def prepare(self, where: Where, folder: Path) -> None:
        """`folder` is for files that the operation needs."""
        with holdfast.open(where.url) as store:
            fill(store)
            self.before = {info.id: shown(store, info.id) for info in store.threads(limit=None)}
            self.damage(store)

    def damage(self, store: Store) -> None:
        """What the operation has to work on, besides threads."""

    def check(self, where: Where, *, acknowledged: bool) -> None:
        """Right after the cut: the store opens, is sound, and each thread is as it was or as it will be."""
        with holdfast.open(where.url) as store:
            self.is_sound(store)
            found = {name: shown(store, name) for name in self.before}
            for name, before in self.before.items():
                after = self.after(name, before)
                if acknowledged or name.split("/")[0] in OTHERS:
                    assert found[name] == after, f"{name}, after {self.what}"
                else:
                    self.is_between(name, found[name], before, after)
        self.check_rows(where, acknowledged=acknowledged)

    def after(self, name: str, before: Shown) -> Shown:
        """What a thread shows when the operation has ended."""
        return before

    def is_between(self, name: str, found: Shown, before: Shown, after: Shown) -> None:
        assert found in (before, after), f"{name}: neither as it was nor as it will be"

    def is_sound(self, store: Store) -> None:
        assert store.verify().faults == ()

    def check_rows(self, where: Where, *, acknowledged: bool) -> None:
        where.check_all()


class Erasure(Scene):
    what = "erase"

    def prepare(self, where: Where, folder: Path) -> None:
        super().prepare(where, folder)
        assert self.traces(where) == {*TRACES}, "what is looked for later is there to be found"

    def after(self, name: str, before: Shown) -> Shown:
        return before if name.split("/")[0] in OTHERS else {}

    def check(self, where: Where, *, acknowledged: bool) -> None:
        """The bytes first: to open a store may change its files."""
        if acknowledged:
            assert self.traces(where) == set()
        super().check(where, acknowledged=acknowledged)

    def traces(self, where: Where) -> set[bytes]:
        """In the bytes of the files; of a server, whose files are its own, in the rows."""
        if where.folder is None:
            data = [repr(row).encode() for rows in where.rows().values() for row in rows]
        else:
            data = [path.read_bytes() + path.name.encode() for path in where.folder.rglob("*") if path.is_file()]
            data += [path.name.encode() for path in where.folder.rglob("*")]
        return {trace for trace in TRACES if any(trace in one for one in data)}


class RunDeletion(Scene):
    what = "delete_run"

    def after(self, name: str, before: Shown) -> Shown:
        left = {namespace: [point for point in before[namespace] if point[1] != RUN] for namespace in NAMESPACES}
        return {**before, **left}

    def check(self, where: Where, *, acknowledged: bool) -> None:
        with holdfast.open(where.url) as store:
            self.is_sound(store)
            for name, before in self.before.items():
                self.is_between(name, shown(store, name), before, self.after(name, before))
                if acknowledged:
                    assert shown(store, name) == self.after(name, before)
        self.check_rows(where, acknowledged=acknowledged)

    def is_between(self, name: str, found: Shown, before: Shown, after: Shown) -> None:
        """One commit for each namespace."""
        for part in before:
            assert found[part] in (before[part], after[part]), f"{name}, {part}: neither as it was nor as it will be"


class Repair(Scene):
    """Of threads that lost a checkpoint each, and of an index that lost entries."""

    what = "repair"

    def damage(self, store: Store) -> None:
        backend = store._calls.engine.backend
        self.lost = {name: self._row(store, name) for name in SUBJECTS[:3]}
        drops = [DropRow(CheckpointRow, row[:3]) for row in self.lost.values()]
        for drop in drops:
            assert run(backend.commit, Batch([], [], [drop]))
        for name in SUBJECTS[3:]:
            assert run(backend.commit, Batch([], [], [DropRow(TagRow, ("status", "running", name))]))
        assert len(store.verify().faults) >= 5

    def _row(self, store: Store, name: str) -> CheckpointRow:
        backend = store._calls.engine.backend
        place = run(backend.find, name, "", b"")
        assert place.root is not None
        (row,) = run(backend.by_id, place.root.tree, [place.root.line], store.thread(name).history(limit=None)[2].id)
        assert isinstance(row, CheckpointRow)
        return row

    def after(self, name: str, before: Shown) -> Shown:
        lost = self.lost.get(name.split("/")[0])
        if lost is None:
            return before
        return {**before, "": [point for point in before[""] if point[0] != lost.id]}

    def check(self, where: Where, *, acknowledged: bool) -> None:
        """A damaged thread may be unreadable until it is repaired."""
        with holdfast.open(where.url) as store:
            if acknowledged:
                assert store.verify().faults == ()
            for name, before in self.before.items():
                if acknowledged or name.split("/")[0] not in self.lost:
                    assert shown(store, name) == self.after(name, before), name
        where.rows()  # each matches its checksum; the numbers of what was lost stay free


class Import(Scene):
    """Of a bundle with new threads, into a store that has some."""

    what = "import"

    def prepare(self, where: Where, folder: Path) -> None:
        super().prepare(where, folder)
        self.path = str(folder / "some.bundle")
        with holdfast.open("memory:") as source:
            for name in ("new", "newer"):
                for n in range(12):
                    source.thread(name).save({"n": n, "log": [f"{name} {n}"] * n})
                    source.thread(name).journal.append("event", n)
                source.thread(name).fork(to=f"{name}/fork").save({"n": -1})
            self.new = {info.id: shown(source, info.id) for info in source.threads(limit=None)}
            source.export(None, self.path)
        self.before |= {name: {} for name in self.new}

    def after(self, name: str, before: Shown) -> Shown:
        return self.new.get(name, before)


SCENES: dict[str, Callable[[], Scene]] = {scene.what: scene for scene in (Erasure, RunDeletion, Repair, Import)}

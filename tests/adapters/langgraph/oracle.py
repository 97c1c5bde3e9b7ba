"""LangGraph's saver in memory, with the verbs it lacks: what the fuzzer compares every other saver with.

Removed checkpoints are hidden, not dropped, while others may depend on them: a delta channel is made of what was
written to removed checkpoints too.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver

from tests.adapters.langgraph.driver import config


class Place(NamedTuple):
    thread: str
    namespace: str


class Key(NamedTuple):
    thread: str
    namespace: str
    id: str


class _Copies:
    """A serializer that forgets nothing and changes nothing. What it gives back must not be changed."""

    def dumps_typed(self, value: Any) -> Any:
        return "copy", copy.deepcopy(value)

    def loads_typed(self, data: Any) -> Any:
        return data[1]


class Oracle(InMemorySaver):
    def __init__(self) -> None:
        super().__init__(serde=_Copies())
        self.hidden: set[Key] = set()
        self.buried: dict[Key, Any] = {}  # what was written to checkpoints before they were hidden
        self.last: dict[str, str] = {}  # the highest id that a deleted thread had
        self.lost: set[Key] = set()  # whose parent was not there when they came
        self.late: set[Place] = set()  # where a parent came after its child, or again: who descends from it is open
        self.graves: set[str] = set()

    # ---------------------------------------------------------------- looking

    def stored(self, place: Place) -> dict[str, Any]:
        return self.storage[place.thread][place.namespace] if place.thread in self.storage else {}

    def namespaces(self, thread: str) -> list[str]:
        return [name for name, stored in self.storage.get(thread, {}).items() if stored]

    def ids(self, place: Place) -> list[str]:
        """Those that exist, lowest first."""
        return sorted(one for one in self.stored(place) if Key(*place, one) not in self.hidden)

    def seen(self, place: Place) -> list[CheckpointTuple]:
        """Highest id first."""
        return [self.one(place, id) for id in reversed(self.ids(place))]

    def one(self, place: Place, id: str) -> CheckpointTuple:
        found = self.get_tuple(config(place.thread, id, place.namespace))
        assert found is not None
        parent = self.parent(place, id)
        parent_config = None if parent is None else config(place.thread, parent, place.namespace)
        return found._replace(config=config(place.thread, id, place.namespace), parent_config=parent_config)

    def parent(self, place: Place, id: str) -> str | None:
        """The nearest ancestor that exists; a parent that never existed is returned as it was named."""
        parent: str | None = self.stored(place)[id][2]
        while Key(*place, id) not in self.lost and parent is not None and Key(*place, parent) in self.hidden:
            id, parent = parent, self.stored(place)[parent][2]
            if Key(*place, id) in self.lost:
                return None
        return parent

    def lineage(self, place: Place, id: str) -> Iterator[str]:
        """A checkpoint and its ancestors, hidden ones included."""
        one: str | None = id
        while one is not None:
            yield one
            one = None if Key(*place, one) in self.lost else self.stored(place)[one][2]

    def refuses(self, thread: str, names: Sequence[str | None]) -> bool:
        """Whether a write that names these belongs to an earlier generation of the thread: it names a checkpoint
        that no longer exists, and that is not newer than the end of that generation."""
        here = {id for stored in self.storage.get(thread, {}).values() for id in stored}
        return any(name is not None and name <= self.last.get(thread, "") and name not in here for name in names)

    def get_delta_channel_history(self, *, config: Any, channels: Sequence[str]) -> Any:
        place = Place(config["configurable"]["thread_id"], config["configurable"]["checkpoint_ns"])
        return {name: self._delta(place, config["configurable"]["checkpoint_id"], name) for name in channels}

    def _delta(self, place: Place, id: str, name: str) -> Any:
        steps: list[list[Any]] = []
        found: dict[str, Any] = {}
        for one in list(self.lineage(place, id))[1:]:
            key = Key(*place, one)
            written = self.buried[key] if key in self.hidden else self.writes.get(key, {})
            order = sorted(written, key=lambda place: (written[place][3], *place))
            steps.append(
                [(task, name, written[task, idx][2][1]) for task, idx in order if written[task, idx][1] == name]
            )
            version = self.serde.loads_typed(self.stored(place)[one][0])["channel_versions"].get(name)
            kind, value = self.blobs.get((*place, name, version), ("empty", None))
            if kind != "empty":
                found["seed"] = value
                break
        return {"writes": [one for step in reversed(steps) for one in step], **found}

    # ---------------------------------------------------------------- writing

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        place = Place(config["configurable"]["thread_id"], config["configurable"]["checkpoint_ns"])
        known, parent = self.ids(place), config["configurable"].get("checkpoint_id")
        self.lost.discard(Key(*place, checkpoint["id"]))
        if parent not in known:
            self.lost.add(Key(*place, checkpoint["id"]))
        if checkpoint["id"] not in known and any(one[2] == checkpoint["id"] for one in self.stored(place).values()):
            self.late.add(place)
        if checkpoint["id"] in self.stored(place):
            self.late.add(place)
        if Key(*place, checkpoint["id"]) in self.hidden:
            self.hidden.discard(Key(*place, checkpoint["id"]))
            self.buried.pop(Key(*place, checkpoint["id"]), None)
        return super().put(config, checkpoint, metadata, new_versions)

    # ---------------------------------------------------------------- removing

    def delete_thread(self, thread_id: str) -> None:
        ids = [one for stored in self.storage.get(thread_id, {}).values() for one in stored]
        if ids:
            self.last[thread_id] = max([*ids, self.last.get(thread_id, "")])
            self.graves.add(thread_id)
        super().delete_thread(thread_id)
        self.hidden = {key for key in self.hidden if key.thread != thread_id}
        self.buried = {key: found for key, found in self.buried.items() if key.thread != thread_id}
        self.lost = {key for key in self.lost if key.thread != thread_id}
        self.late = {place for place in self.late if place.thread != thread_id}

    def hide(self, place: Place, id: str) -> None:
        key = Key(*place, id)
        self.hidden.add(key)
        self.buried[key] = self.writes.pop(key, {})

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        for thread in list(self.storage):
            for place in (Place(thread, name) for name in self.namespaces(thread)):
                for id in self.ids(place):
                    if self.one(place, id).metadata.get("run_id") in run_ids:
                        self.hide(place, id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            removed: dict[str, set[str]] = {}
            for place in (Place(thread, name) for name in sorted(self.namespaces(thread))):
                gone = self.ids(place)[:-1]
                gone += [id for id in self.ids(place)[-1:] if self._is_call_from(place, id, removed)]
                removed[place.namespace] = {*gone}
                for id in gone:
                    self.hide(place, id)

    def asks_in_a_call(self, thread: str) -> bool:
        """Whether the head of a single call has a question or an answer. If the question is open, a prune keeps it;
        which it is depends on the order of the writes, which is not kept here."""
        calls = (Place(thread, name) for name in self.namespaces(thread) if ":" in name.rpartition("|")[2])
        heads = (Key(*place, id) for place in calls for id in self.ids(place)[-1:])
        written = (write for key in heads for write in self.writes.get(key, {}).values())
        return any(write[1] in ("__interrupt__", "__resume__") for write in written)

    def _is_call_from(self, place: Place, id: str, removed: dict[str, set[str]]) -> bool:
        """Whether a checkpoint is of a single call that started from one of the removed checkpoints."""
        enclosing, _, own = place.namespace.rpartition("|")
        parent = self.one(place, id).metadata.get("parents", {}).get(enclosing)
        return ":" in own and parent in removed.get(enclosing, set())

    # ---------------------------------------------------------------- copying

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        for name in self.namespaces(source_thread_id):
            self._copy(
                Place(source_thread_id, name), target_thread_id, list(self.stored(Place(source_thread_id, name)))
            )

    def fork(self, thread: str, id: str, to: str) -> None:
        self._copy(Place(thread, ""), to, list(self.lineage(Place(thread, ""), id)))

    def _copy(self, place: Place, to: str, ids: Sequence[str]) -> None:
        for id in ids:
            here, there = Key(*place, id), Key(to, place.namespace, id)
            self.storage[to][place.namespace][id] = self.stored(place)[id]
            if here in self.writes and here not in self.hidden:
                self.writes[there] = dict(self.writes[here])
            if here in self.lost:
                self.lost.add(there)
            if here in self.hidden:
                self.hidden.add(there)
                self.buried[there] = self.buried[here]
        if place in self.late:
            self.late.add(Place(to, place.namespace))
        for key in [key for key in self.blobs if key[:2] == place]:
            self.blobs[to, key[1], key[2], key[3]] = self.blobs[key]

"""The savers of a game beside the oracle, and all that can be compared between them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from langgraph.checkpoint.base import CheckpointTuple

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import config
from tests.adapters.langgraph.fuzz_values import full_text
from tests.adapters.langgraph.oracle import Oracle, Place

THREADS: Final = ["t", "u", "v", "w", "x", "y"]
NAMESPACES: Final = ["", "", "", "sub:1", "sub:1|in:2"]
CACHES: Final = [0, 20_000, 64_000_000]


class World:
    """One backend, with a saver or two on it."""

    def __init__(self, url: str, caches: Sequence[int]) -> None:
        self.url = url
        self.savers = [self._opened(cache) for cache in caches]

    def _opened(self, cache: int) -> HoldfastSaver:
        return HoldfastSaver(holdfast.open(self.url, cache=cache))

    def reopen(self, via: int, cache: int) -> None:
        if self.url != "memory:":
            self.saver(via).store.close()
            self.savers[via % len(self.savers)] = self._opened(cache)

    def saver(self, via: int) -> HoldfastSaver:
        return self.savers[via % len(self.savers)]

    def close(self) -> None:
        for saver in self.savers:
            saver.store.close()


class Board:
    """An oracle, and the worlds that have to return the same."""

    def __init__(self, seed: str, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.oracle = Oracle()
        caches = [self.rng.choice(CACHES) for _ in range(self.rng.randint(1, 2))]
        self.worlds = [World("memory:", caches[:1]), World(f"sqlite:{folder / 'agents.db'}", caches)]
        self.forked: set[str] = set()  # their inner namespaces are seen through rules of their own
        self.touched: set[str] = set()  # threads that something was done to since they were compared
        self.count = 0
        self.calls: list[str] = []
        self._texts: dict[int, tuple[Any, str]] = {}  # of the oracle's values, which stay as they are

    def close(self) -> None:
        for world in self.worlds:
            world.close()

    def compare(self) -> None:
        via = self.rng.randrange(2)
        self.calls.append(f"compare via {via}")
        for world in self.worlds:
            for thread in sorted(self.touched.intersection(THREADS)):
                self.compare_thread(world.saver(via), thread, world.url)
        self.touched.clear()

    def compare_thread(self, saver: HoldfastSaver, thread: str, name: str) -> None:
        for namespace in [""] if thread in self.forked else list(dict.fromkeys(NAMESPACES)):
            self.compare_place(saver, Place(thread, namespace), name)
        if thread not in self.forked:
            places = [Place(thread, name) for name in self.oracle.namespaces(thread)]
            wanted = sorted((one for place in places for one in self.oracle.seen(place)), key=_id, reverse=True)
            limit = self.rng.choice([None, 1, 3, 21])
            self.same(saver.list(config(thread), limit=limit), wanted[:limit], f"{name}: all of {thread}")

    def compare_place(self, saver: HoldfastSaver, place: Place, name: str) -> None:
        wanted = self.oracle.seen(place)
        asked = config(place.thread, ns=place.namespace)
        self.same(saver.list(asked), wanted, f"{name}: list {place}")
        latest = saver.get_tuple(asked)
        self.same([latest] if latest else [], wanted[:1], f"{name}: latest of {place}")
        if not wanted:
            return
        one = self.rng.choice(wanted)
        found = saver.get_tuple(config(place.thread, _id(one), place.namespace))
        self.same([found] if found else [], [one], f"{name}: one of {place}")
        self.compare_filtered(saver, place, name, wanted)
        is_made_of_writes = (
            "delta" in one.checkpoint["channel_versions"].keys() - one.checkpoint["channel_values"].keys()
        )
        if place not in self.oracle.late and is_made_of_writes:  # LangGraph asks for no other
            self.compare_delta(saver, place, name, _id(one))

    def compare_filtered(self, saver: HoldfastSaver, place: Place, name: str, wanted: list[CheckpointTuple]) -> None:
        before = self.rng.choice([None, _id(self.rng.choice(wanted)), f"{self.rng.randrange(self.count + 1):06d}"])
        where = self.rng.choice([None, {"odd": 1}, {"run_id": "r1"}, {"odd": 0, "run_id": "r2"}, {"none": "x"}])
        limit = self.rng.choice([None, 0, 1, 2, 5])
        some = [one for one in wanted if before is None or _id(one) < before]
        some = [one for one in some if all(one.metadata.get(key) == value for key, value in (where or {}).items())]
        asked = config(place.thread, ns=place.namespace)
        until = None if before is None else config(place.thread, before, place.namespace)
        found = saver.list(asked, before=until, filter=where, limit=limit)
        self.same(found, some[:limit], f"{name}: list {place} before {before} where {where} limit {limit}")

    def compare_delta(self, saver: HoldfastSaver, place: Place, name: str, id: str) -> None:
        asked = config(place.thread, id, place.namespace)
        found = saver.get_delta_channel_history(config=asked, channels=["delta"])
        wanted = self.oracle.get_delta_channel_history(config=asked, channels=["delta"])
        assert full_text(dict(found)) == full_text(dict(wanted)), f"{name}: delta history of {place} {id}"

    def same(self, found: Any, wanted: Sequence[CheckpointTuple], what: str) -> None:
        ours, theirs = list(found), list(wanted)
        assert [_id(one) for one in ours] == [_id(one) for one in theirs], what
        for one, other in zip(ours, theirs, strict=True):
            our_parts, their_parts = _parts(one, full_text), _parts(other, self.text)
            if self.is_open(other):
                our_parts["parent_config"] = their_parts["parent_config"]
            assert our_parts == their_parts, f"{what}: {_id(one)}"

    def is_open(self, found: CheckpointTuple) -> bool:
        """Whether its parent was removed, where others were saved late or again: the order is undefined then."""
        asked = found.config["configurable"]
        place = Place(asked["thread_id"], asked["checkpoint_ns"])
        return (
            place in self.oracle.late
            and self.oracle.parent(place, _id(found)) != self.oracle.stored(place)[_id(found)][2]
        )

    def text(self, value: Any) -> str:
        """The text of an oracle's value, computed once."""
        if id(value) not in self._texts:
            self._texts[id(value)] = value, full_text(value)
        return self._texts[id(value)][1]


def _parts(found: CheckpointTuple, channel: Callable[[Any], str]) -> dict[str, str]:
    """All of a tuple as texts. The order of the channels says nothing."""
    parts = {name: full_text(value) for name, value in found._asdict().items() if name != "checkpoint"}
    values = {f"channel {name}": channel(value) for name, value in found.checkpoint["channel_values"].items()}
    rest = {name: full_text(value) for name, value in found.checkpoint.items() if name != "channel_values"}
    return {**parts, **values, **rest}


def _id(found: CheckpointTuple) -> str:
    return str(found.config["configurable"]["checkpoint_id"])

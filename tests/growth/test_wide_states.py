"""A save of one changed channel writes what changed, however many channels the state has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6

import holdfast
from holdfast import Store, Thread
from holdfast.adapters.langgraph import HoldfastSaver
from tests.growth.counting import Work, asked
from tests.support.postgres import schemas

MOST = 4096  # bytes of rows that one save writes
URLS: dict[str, Callable[[Path], str]] = {
    "memory": lambda _: "memory:",
    "sqlite": lambda folder: str(folder / "agents.db"),
    "files": lambda folder: f"file:{folder / 'agents'}",
    "postgres": schemas.url,
}

State = dict[str, Any]


def wide(channels: int) -> State:
    return {f"channel {number}": f"the value of channel {number}, which has a log" for number in range(channels)}


def changed(state: State, number: int) -> State:
    """The state with another value in one channel."""
    state[f"channel {number}"] = f"changed: {number}, {len(state)}, and longer than a reference"
    return state


SIZES = [("memory", 250), ("memory", 4000), ("sqlite", 2000), ("files", 1000), ("postgres", 500)]


@pytest.fixture(params=SIZES)
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Thread[State], State]]:
    """A store with one checkpoint of a wide state."""
    name, channels = request.param
    state = wide(channels)
    with holdfast.open(URLS[name](tmp_path)) as store:
        thread = store.thread("t")
        thread.save(state)
        yield store, thread, state


def written(store: Store, call: Callable[[], object]) -> int:
    return asked(store, call).written


def test_one_changed_channel_takes_a_few_hundred_bytes(filled: tuple[Store, Thread[State], State]) -> None:
    store, thread, state = filled
    assert written(store, lambda: thread.save(changed(state, 3))) < MOST / 8
    assert written(store, lambda: thread.update({"channel 4": "updated, and longer than a reference to it"})) < MOST / 8
    thread.update({"channel 4": state["channel 4"]})
    fork = thread.fork(to="fork")
    assert written(store, lambda: fork.save(changed(state, 5))) < MOST / 8
    store._calls.engine.cache.clear()
    assert written(store, lambda: fork.save(changed(state, 6))) < MOST / 8
    assert written(store, lambda: fork.fork(edits={"channel 7": "edited, and longer than a reference"})) < MOST / 4
    assert fork.load(fork.history()[0].id).state == state  # type: ignore[union-attr]


def test_no_save_of_many_writes_more(tmp_path: Path) -> None:
    """Every 64th of them stores a frame."""
    state = wide(250)
    with holdfast.open("memory:") as store:
        thread = store.thread("t")
        thread.save(state)
        each = [written(store, lambda n=n: thread.save(changed(state, n))) for n in range(130)]  # type: ignore[misc]
    assert max(each) < MOST
    assert sum(each) / len(each) < MOST / 8


def put(saver: HoldfastSaver, config: Any, values: State, step: int, new: dict[str, Any]) -> Any:
    versions: dict[str, Any] = dict.fromkeys(values, 1) | new
    changed_fields = {"id": str(uuid6()), "channel_values": values, "channel_versions": versions}
    checkpoint: Any = {**empty_checkpoint(), **changed_fields}
    metadata: Any = {"source": "loop", "step": step, "parents": {}}
    return saver.put(config, checkpoint, metadata, new or versions)


def test_so_does_a_put_of_langgraph(filled: tuple[Store, Thread[State], State]) -> None:
    store, _, state = filled
    saver = HoldfastSaver(store)
    first = put(saver, {"configurable": {"thread_id": "graph", "checkpoint_ns": ""}}, state, 0, {})
    config = first
    for step in (2, 3):
        new = {f"channel {step}": step}

        def next_put(new: dict[str, int] = new, step: int = step) -> None:
            nonlocal config
            config = put(saver, config, changed(state, step), step, new)

        assert written(store, next_put) < MOST / 4
        store._calls.engine.cache.clear()
    stored = saver.get_tuple(config)
    assert stored is not None
    assert stored.checkpoint["channel_values"] == state


def test_a_warm_save_reads_nothing_and_a_cold_load_asks_once_more(tmp_path: Path) -> None:
    found: dict[int, tuple[Work, Work]] = {}
    for channels in (60, 250):
        with holdfast.open(str(tmp_path / f"{channels}.db")) as store:
            thread, state = store.thread("t"), wide(channels)
            thread.save(state)
            save = asked(store, lambda thread=thread, state=state: thread.save(changed(state, 1)))  # type: ignore[misc]
            store._calls.engine.cache.clear()
            found[channels] = save, asked(store, thread.latest)
    (narrow_save, narrow_load), (wide_save, wide_load) = found[60], found[250]
    assert wide_save.calls == narrow_save.calls == 1
    assert wide_load.calls == narrow_load.calls + 1

"""Savers and graphs for the tests: opened by URL, and called through the sync or the async half of their interface."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.base.id import uuid6
from langgraph.graph import START, StateGraph

from holdfast.adapters.langgraph import HoldfastSaver

T = TypeVar("T")
PATIENCE: Final = 60.0  # seconds, after which a call is taken to hang

SIDES: Final = ["sync", "async"]


def open_saver(url: str, **options: Any) -> HoldfastSaver:
    return HoldfastSaver.from_url(url, **options)


class Twin:
    """A graph's or saver's verbs by their sync names, whichever half answers. What would be iterated is a list."""

    def __init__(self, target: Any, loop: asyncio.Runner | None) -> None:
        self.target = target
        self._loop = loop

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        loop = self._loop
        if loop is None:
            return lambda *args, **options: collected(getattr(self.target, verb)(*args, **options))
        return lambda *args, **options: loop.run(awaited(getattr(self.target, "a" + verb)(*args, **options)))


def collected(found: Any) -> Any:
    return list(found) if isinstance(found, Iterator) else found


async def awaited(found: Any) -> Any:
    return [one async for one in found] if isinstance(found, AsyncIterator) else await found


class Side:
    """One saver, used through one half of its interface. A context manager that ends its event loop."""

    def __init__(self, saver: BaseCheckpointSaver[Any], name: str) -> None:
        self.saver = saver
        self.name = name
        self._loop = asyncio.Runner() if name == "async" else None
        self.calls = Twin(saver, self._loop)

    def graph(self, builder: Any, **options: Any) -> Twin:
        return self.on(builder.compile(checkpointer=self.saver, **options))

    def on(self, compiled: Any) -> Twin:
        return Twin(compiled, self._loop)

    def each(self, graph: Twin, *given: Any, **options: Any) -> list[tuple[Any, dict[str, Any]]]:
        """Invoke with each input in turn; returns each answer, and everything that can be read after it."""
        return [(graph.invoke(one, config(), **options), self.seen(graph)) for one in given]

    def seen(self, graph: Twin, thread_id: Any = "t") -> dict[str, Any]:
        """Everything that can be read of a thread: through the graph, and through the saver in every namespace."""
        asked = {"configurable": {"thread_id": thread_id}}
        return {
            "state": graph.get_state(asked, subgraphs=True),
            "history": graph.get_state_history(asked),
            "stored": sorted(self.calls.list(asked), key=lambda found: found.checkpoint["id"]),
        }

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None:
            self._loop.close()


def chain(state: Any, *nodes: Any) -> Any:
    """A builder with the nodes one after the other, under their functions' names."""
    builder = StateGraph(state)
    names = [node.__name__ for node in nodes]
    for name, node in zip(names, nodes, strict=True):
        builder.add_node(name, node)
    for one, other in zip([START, *names], names, strict=False):
        builder.add_edge(one, other)
    return builder


class Stored:
    """Knows which pending writes the saver has, for a node that continues, or fails, only after its siblings wrote."""

    def __init__(self, saver: Any) -> None:
        self._values: list[Any] = []
        self._changed = threading.Condition()
        put_writes, aput_writes = saver.put_writes, saver.aput_writes

        def seen_put_writes(config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            put_writes(config, writes, task_id, task_path)
            self._see(writes)

        async def seen_aput_writes(config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            await aput_writes(config, writes, task_id, task_path)
            self._see(writes)

        saver.put_writes, saver.aput_writes = seen_put_writes, seen_aput_writes

    def _see(self, writes: Any) -> None:
        with self._changed:
            self._values += [value for _, value in writes]
            self._changed.notify_all()

    def wait(self, *values: Any) -> None:
        """Wait until each of these was written, to any channel."""
        with self._changed:
            assert self._changed.wait_for(lambda: all(one in self._values for one in values), PATIENCE)


def config(thread_id: Any = "t", checkpoint_id: str | None = None, ns: str | None = None, **more: Any) -> Any:
    """The config that a caller of a graph passes; `ns` and `checkpoint_id` only if given."""
    place: dict[str, Any] = {"thread_id": thread_id, **more}
    if ns is not None:
        place["checkpoint_ns"] = ns
    if checkpoint_id is not None:
        place["checkpoint_id"] = checkpoint_id
    return {"configurable": place}


def checkpoint(values: dict[str, Any] | None = None, id: str | None = None, **fields: Any) -> Any:
    """A checkpoint as LangGraph 1.2 makes them; every channel is at version 1 by default."""
    values = values or {}
    return {
        "v": 4,
        "id": id or new_id(),
        "ts": datetime.now(UTC).isoformat(),
        "channel_values": values,
        "channel_versions": dict.fromkeys(values, 1),
        "versions_seen": {},
        "updated_channels": None,
        **fields,
    }


def new_id() -> str:
    """Ids sort by the time they were made, within a process."""
    return str(uuid6(clock_seq=-1))


def put(
    calls: Twin,
    values: dict[str, Any] | None = None,
    *,
    id: str | None = None,
    thread_id: Any = "t",
    ns: str = "",
    parent: str | None = None,
    metadata: dict[str, Any] | None = None,
    versions: dict[str, Any] | None = None,
    new: dict[str, Any] | None = None,
    **fields: Any,
) -> str:
    """Store one checkpoint and give its id. All channels are new unless `new` says which."""
    made = checkpoint(values, id, **fields)
    if versions is not None:
        made["channel_versions"] = versions
    given = made["channel_versions"] if new is None else new
    noted = {"source": "loop", "step": 0, "parents": {}} if metadata is None else metadata
    stored = calls.put(config(thread_id, parent, ns), made, noted, given)
    place = {**stored["configurable"], "thread_id": str(stored["configurable"]["thread_id"])}
    assert place == {"thread_id": str(thread_id), "checkpoint_ns": ns, "checkpoint_id": made["id"]}
    return str(made["id"])


def get(calls: Twin, id: str | None = None, *, thread_id: Any = "t", ns: str = "") -> Any:
    found = calls.get_tuple(config(thread_id, id, ns))
    assert found is not None, f"no checkpoint {id} in {thread_id!r}, namespace {ns!r}"
    return found


def values(calls: Twin, id: str | None = None, **place: Any) -> Any:
    return get(calls, id, **place).checkpoint["channel_values"]


def ids(found: list[Any]) -> list[str]:
    return [one.config["configurable"]["checkpoint_id"] for one in found]


def finishes(work: Callable[[], T]) -> T:
    """What it returns; a call that never does is a failure, and does not stop the other tests."""
    answers: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), f"still not done after {PATIENCE} s: something waits for a lock that is not released"
    if errors:
        raise errors[0]
    return answers[0]

"""`HoldfastSaver` beside LangGraph's own `SqliteSaver`: each on a file, as it comes, in one process and in turns.

The thread is one run of a graph with `add_messages` whose only node adds a message of 1 KB a step, a thousand times.
That run is made once, with a saver that only notes what LangGraph asks of it: `put_writes` with what the task wrote,
then `put` with the checkpoint, and so on. The same calls are then made on both savers and timed one by one, so that
what is measured are the savers, called exactly as LangGraph calls them, and not LangGraph. Only the history is read
through a compiled graph, as an application reads it; what LangGraph itself does for each entry is in both times.

Both use SQLite in WAL mode with `synchronous=FULL`: what a call has returned from is on disk.

"Cold" is a saver that was just opened, as in a process that was just started; opening it is not counted. A put that
continues the one before finds its messages in memory; the one after a `get_tuple` has only what it read, and is what
the first step of each turn of a chat costs.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph

from bench.report import Row
from bench.speed import timed
from bench.texts import Texts
from holdfast.adapters.langgraph import HoldfastSaver

STEPS = 1000
ENTRIES = 600  # of the history that is read
FORKS = 100
THIRD = 0.333

Saver = BaseCheckpointSaver[Any]
Config = RunnableConfig
Paths = tuple[Path, Path]
THREAD: Config = {"configurable": {"thread_id": "bench", "checkpoint_ns": ""}}
Opener = Callable[[str], AbstractContextManager[Saver]]
OPENERS: tuple[Opener, Opener] = (HoldfastSaver.from_url, SqliteSaver.from_conn_string)  # ours, and theirs


class Times(NamedTuple):
    """Milliseconds."""

    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def note(self) -> str:
        return f"{self.ours:.2f} ms, SqliteSaver {self.theirs:.2f} ms"


# ------------------------------------------------------------------------------------------------ the calls


class Call(NamedTuple):
    verb: str
    arguments: tuple[Any, ...]


class Noting(BaseCheckpointSaver[str]):
    """Stores nothing, and notes what it is asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def get_tuple(self, config: Any) -> None:
        return None

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        self.calls.append(Call("put", (config, checkpoint, dict(metadata), new_versions)))
        place = {**config["configurable"], "checkpoint_id": checkpoint["id"]}
        return {"configurable": place}

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        self.calls.append(Call("put_writes", (config, list(writes), task_id, task_path)))

    get_next_version = SqliteSaver.get_next_version


def graph(texts: Texts, saver: Saver, steps: int = STEPS) -> Any:
    """Adds a message a step."""

    def turn(state: MessagesState) -> dict[str, list[AnyMessage]]:
        return {"messages": [message(texts, len(state["messages"]))]}

    def upcoming(state: MessagesState) -> str:
        return "turn" if len(state["messages"]) < steps else END

    builder = StateGraph(MessagesState)
    builder.add_node(turn)
    builder.add_edge(START, "turn")
    builder.add_conditional_edges("turn", upcoming, ["turn", END])
    return builder.compile(checkpointer=saver)


def message(texts: Texts, number: int) -> AnyMessage:
    identity = str(UUID(bytes=texts.noise(16), version=4))
    return (HumanMessage, AIMessage)[number % 2](texts.prose(1024), id=identity)


def noted(steps: int = STEPS) -> list[Call]:
    saver = Noting()
    config: Config = {**THREAD, "recursion_limit": steps + 2}
    graph(Texts(), saver, steps).invoke({"messages": []}, config, durability="sync")
    verbs = [call.verb for call in saver.calls]
    assert Counter(verbs) == {"put": steps + 2, "put_writes": steps + 1}
    return in_turn(saver.calls)


def in_turn(calls: list[Call]) -> list[Call]:
    """Each put before the writes to its checkpoint. LangGraph's threads make them in any order."""
    puts = [call for call in calls if call.verb == "put"]
    order = {call.arguments[1]["id"]: number for number, call in enumerate(puts)}

    def position(call: Call) -> tuple[int, bool]:
        is_put = call.verb == "put"
        checkpoint_id = call.arguments[1]["id"] if is_put else call.arguments[0]["configurable"]["checkpoint_id"]
        return order[checkpoint_id], not is_put

    return sorted(calls, key=position)


def config_at(calls: list[Call], step: int) -> Config:
    found = next(call.arguments for call in calls if call.verb == "put" and call.arguments[2]["step"] == step)
    return {"configurable": {**THREAD["configurable"], "checkpoint_id": found[1]["id"]}}


def messages(calls: list[Call]) -> list[AnyMessage]:
    found: list[AnyMessage] = calls[-1].arguments[1]["channel_values"]["messages"]
    assert len(found) == STEPS
    return found


# ------------------------------------------------------------------------------------------------ the rows


def rows() -> Iterator[Row]:
    calls = noted()
    with TemporaryDirectory() as folder, _set_aside():
        paths = (Path(folder, "ours.db"), Path(folder, "theirs.db"))
        yield from _putting(paths, calls)
        raw = sum(len(one.model_dump_json()) for one in messages(calls))
        ours, theirs = (path.stat().st_size / raw for path in paths)
        yield Row("1,000 messages of 1 KB: file / JSON", ours, "x", 1.0, f"SqliteSaver {theirs:.0f} x")
        yield from _reading(paths, config_at(calls, ENTRIES - 1))
        yield from _forking(paths[0])
        yield from _going_on(paths)


@contextmanager
def _set_aside() -> Iterator[None]:
    """The garbage collector should not look through the notes while something is timed."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def _opened(stack: ExitStack, paths: Paths) -> list[Saver]:
    return [stack.enter_context(opener(str(path))) for opener, path in zip(OPENERS, paths, strict=True)]


def _putting(paths: Paths, calls: list[Call]) -> Iterator[Row]:
    times: dict[str, tuple[list[float], list[float]]] = {"put": ([], []), "put_writes": ([], [])}
    with ExitStack() as stack:
        savers = _opened(stack, paths)
        for verb, arguments in calls:
            for saver, taken in zip(savers, times[verb], strict=True):
                taken.append(timed(getattr(saver, verb), *arguments))
    late = Times(*(median(taken[-50:]) for taken in times["put"]))
    yield Row("put at step 1,000 / SqliteSaver", late.ratio, "x", 0.1, late.note)
    early = median(times["put"][0][5:25])
    yield Row("put at step 1,000 / put at step 10", late.ours / early, "x", 4.0, f"{early:.2f} ms at step 10")
    writes = Times(*map(median, times["put_writes"]))
    yield Row("put_writes of one message / SqliteSaver", writes.ratio, "x", None, writes.note)
    run = Times(*(sum(puts) + sum(others) for puts, others in zip(*times.values(), strict=True)))
    yield Row("all calls of the run / SqliteSaver", run.ratio, "x", None, run.note)


def _reading(paths: Paths, end: Config) -> Iterator[Row]:
    taken = _cold(paths, 15, lambda saver: saver.get_tuple(THREAD))
    yield Row("get_tuple of the latest, cold / SqliteSaver", taken.ratio, "x", THIRD, taken.note)
    taken = _cold(paths, 15, lambda saver: saver.get_tuple(THREAD), before=lambda saver: saver.get_tuple(THREAD))
    yield Row("the same, a second time / SqliteSaver", taken.ratio, "x", THIRD, taken.note)
    taken = _cold(paths, 9, lambda saver: list(saver.list(THREAD, limit=20)))
    yield Row("list(limit=20), cold / SqliteSaver", taken.ratio, "x", THIRD, taken.note)
    taken = _cold(paths, 3, lambda saver: _history(saver, end))
    yield Row(f"get_state_history of {ENTRIES}, cold / SqliteSaver", taken.ratio, "x", THIRD, taken.note)


def _history(saver: Saver, end: Config) -> None:
    """The first entries, as if the thread had ended there. LangGraph holds all of them in memory at once."""
    found = graph(Texts(), saver).get_state_history(THREAD, before=end)
    assert sum(1 for _ in found) == ENTRIES


def _cold(
    paths: Paths, rounds: int, call: Callable[[Saver], Any], before: Callable[[Saver], Any] = lambda saver: None
) -> Times:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for opener, path, taken in zip(OPENERS, paths, times, strict=True):
            gc.collect()
            with opener(str(path)) as saver:
                before(saver)
                taken.append(timed(call, saver))
    return Times(*map(median, times))


def _forking(path: Path) -> Iterator[Row]:
    before, times = path.stat().st_size, []
    for number in range(FORKS):
        with HoldfastSaver.from_url(path) as saver:
            thread = saver.store.thread("bench")
            times.append(timed(partial(thread.fork, to=f"fork/{number:04}")))
    yield Row("fork of the thread, cold", median(times), "ms", None, "SqliteSaver has none")
    yield Row("the same, on disk", (path.stat().st_size - before) / FORKS, "bytes", 1024)


def _going_on(paths: Paths) -> Iterator[Row]:
    texts = Texts(2)
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(15):
        fresh = message(texts, number)
        for opener, path, taken in zip(OPENERS, paths, times, strict=True):
            gc.collect()
            with opener(str(path)) as saver:
                taken.append(timed(saver.put, *_next_turn(saver, fresh)))
    first = Times(*map(median, times))
    yield Row("put after a cold get_tuple / SqliteSaver", first.ratio, "x", None, first.note)


def _next_turn(saver: Saver, fresh: AnyMessage) -> tuple[Any, ...]:
    """What LangGraph puts when a run starts from the latest checkpoint and adds a message."""
    latest = saver.get_tuple(THREAD)
    assert latest is not None
    values, versions = latest.checkpoint["channel_values"], latest.checkpoint["channel_versions"]
    version = saver.get_next_version(versions["messages"], None)
    step = latest.metadata["step"] + 1
    checkpoint = {
        **latest.checkpoint,
        "id": str(uuid6(clock_seq=step)),
        "channel_values": {**values, "messages": [*values["messages"], fresh]},
        "channel_versions": {**versions, "messages": version},
    }
    return latest.config, checkpoint, {**latest.metadata, "step": step}, {"messages": version}

"""The functional API: entrypoints, tasks whose results are kept, what the last run left. As in memory."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from langgraph.func import entrypoint, task
from langgraph.types import Command, RetryPolicy, interrupt

from tests.adapters.langgraph.driver import Side, Stored, config


def previous_result(side: Side) -> Any:
    @entrypoint(checkpointer=side.saver)
    def total(given: int, *, previous: int | None = None) -> int:
        return given + (previous or 0)

    flow = side.on(total)
    result = [flow.invoke(n, config()) for n in (1, 2, 3)]
    assert result == [1, 3, 6]
    assert flow.invoke(10, config("other")) == 10
    return result, side.seen(flow)


def saved_apart_from_returned(side: Side) -> Any:
    """entrypoint.final: one value for the caller, another for the next run."""

    @entrypoint(checkpointer=side.saver)
    def swap(given: Any, *, previous: Any = None) -> Any:
        return entrypoint.final(value=previous, save={"kept": given})

    flow = side.on(swap)
    result = [flow.invoke(n, config()) for n in ("a", ["b"], 0)]
    assert result == [None, {"kept": "a"}, {"kept": ["b"]}]
    return result, side.seen(flow)


def tasks_side_by_side(side: Side) -> Any:
    @task
    def square(n: int) -> int:
        return n * n

    @entrypoint(checkpointer=side.saver)
    def squares(given: list[int]) -> int:
        started = [square(n) for n in given]
        return sum(one.result() for one in started)

    flow = side.on(squares)
    result = flow.invoke([1, 2, 3, 4], config())
    assert result == 30
    return result, side.seen(flow)


def results_are_kept_over_a_failure(side: Side) -> Any:
    """Going on after a failure does not call again the tasks that were done."""
    stored = Stored(side.saver)
    called: Counter[str] = Counter()

    @task
    def costly(name: str) -> str:
        called[name] += 1
        return f"{name} done"

    @task
    def shaky() -> str:
        called["shaky"] += 1
        if called["shaky"] == 1:
            stored.wait("work done", "work! done")
            raise RuntimeError("not yet")
        return "at last"

    @entrypoint(checkpointer=side.saver)
    def flow(given: str) -> list[str]:
        return [costly(given).result(), costly(given + "!").result(), shaky().result()]

    twin = side.on(flow)
    with pytest.raises(RuntimeError, match="not yet"):
        twin.invoke("work", config())
    failed = side.seen(twin)
    result = twin.invoke(None, config())
    assert result == ["work done", "work! done", "at last"]
    assert called == {"work": 1, "work!": 1, "shaky": 2}
    return failed, result, side.seen(twin)


def asks_between_tasks(side: Side) -> Any:
    called: Counter[str] = Counter()

    @task
    def draft(topic: str) -> str:
        called["draft"] += 1
        return f"about {topic}"

    @task
    def approve(text: str) -> Any:
        called["approve"] += 1
        return interrupt({"draft": text})

    @entrypoint(checkpointer=side.saver)
    def write(topic: str) -> Any:
        text = draft(topic).result()
        first = interrupt("go on?")
        return {"text": text, "first": first, "second": approve(text).result()}

    flow = side.on(write)
    steps = side.each(flow, "cats", Command(resume="yes"), Command(resume=["approved"]))
    assert steps[-1][0] == {"text": "about cats", "first": "yes", "second": ["approved"]}
    assert called == {"draft": 1, "approve": 2}
    return steps


def retried_task(side: Side) -> Any:
    called: Counter[str] = Counter()

    retried: Any = task(retry_policy=RetryPolicy(initial_interval=0, jitter=False, retry_on=RuntimeError))

    @retried
    def shaky() -> int:
        called["shaky"] += 1
        if called["shaky"] < 3:
            raise RuntimeError
        return called["shaky"]

    @entrypoint(checkpointer=side.saver)
    def flow(given: Any) -> Any:
        return shaky().result()

    twin = side.on(flow)
    result = twin.invoke({}, config())
    assert result == 3
    return result, side.seen(twin)


def streamed(side: Side) -> Any:
    @task
    def step(n: int) -> int:
        return n + 1

    @entrypoint(checkpointer=side.saver)
    def flow(given: int) -> int:
        return step(step(given).result()).result()

    twin = side.on(flow)
    chunks = [twin.stream(1, config(mode), stream_mode=mode) for mode in ("updates", "values", "tasks", "checkpoints")]
    assert chunks[0] == [{"step": 2}, {"step": 3}, {"flow": 3}]
    return chunks, side.seen(twin, "updates")


def all_durabilities(side: Side) -> Any:
    @task
    def step(n: int) -> int:
        return n + 1

    @entrypoint(checkpointer=side.saver)
    def flow(given: int, *, previous: Any = None) -> Any:
        return [step(given).result(), previous]

    twin = side.on(flow)
    result = [twin.invoke(n, config(), durability=mode) for n, mode in enumerate(("sync", "async", "exit", "sync"))]
    assert result == [[1, None], [2, result[0]], [3, result[1]], [4, result[2]]]
    return result, side.seen(twin)


@pytest.mark.parametrize(
    "scenario",
    [
        previous_result,
        saved_apart_from_returned,
        tasks_side_by_side,
        results_are_kept_over_a_failure,
        asks_between_tasks,
        retried_task,
        streamed,
        all_durabilities,
    ],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)

"""What a type checker sees; mypy checks these `assert_type`s in `make types`, pytest that they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict, assert_type

import holdfast


@dataclass
class Plan:
    goal: str
    steps: list[str]


class Chat(TypedDict):
    messages: list[str]


def test_a_thread_is_typed_by_its_state_class() -> None:
    with holdfast.open("memory:") as store:
        thread = store.thread("t", state=Plan)
        assert_type(thread, holdfast.Thread[Plan])
        thread.save(Plan("ship", ["build"]))
        latest = thread.latest()
        assert_type(latest, holdfast.Checkpoint[Plan] | None)
        assert latest is not None
        assert_type(latest.state.steps, list[str])
        assert latest.state == Plan("ship", ["build"])


def test_a_fork_keeps_the_type() -> None:
    with holdfast.open("memory:") as store:
        thread = store.thread("t", state=Chat)
        thread.save({"messages": ["hello"]})
        fork = thread.fork(to="u")
        assert_type(fork, holdfast.Thread[Chat])
        latest = fork.latest()
        assert latest is not None
        assert_type(latest.state["messages"], list[str])
        assert latest.state["messages"] == ["hello"]


def test_without_a_class_a_state_is_a_dict() -> None:
    with holdfast.open("memory:") as store:
        thread = store.thread("t")
        assert_type(thread, holdfast.Thread[dict[str, Any]])
        assert thread.latest() is None


async def _async_types(store: holdfast.AsyncStore) -> None:
    thread = store.thread("t", state=Plan)
    assert_type(thread, holdfast.AsyncThread[Plan])
    assert_type(await thread.latest(), holdfast.Checkpoint[Plan] | None)
    assert_type(await thread.fork(), holdfast.AsyncThread[Plan])
    assert_type(await thread.history(), list[holdfast.CheckpointInfo])

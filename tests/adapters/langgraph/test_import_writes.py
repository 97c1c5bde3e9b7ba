"""Writes are put so that each gets the index that it had."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from langgraph.checkpoint.base import WRITES_IDX_MAP
from langgraph.checkpoint.memory import InMemorySaver

from holdfast.adapters.langgraph.importer.sources.checkpoint_parts import Write
from holdfast.adapters.langgraph.importer.write_calls import calls
from tests.adapters.langgraph.test_import_samples import at

Key = tuple[str, str, int]


def stored(saver: InMemorySaver) -> list[Write]:
    """What a saver has, with the indices that it gave."""
    found = [
        Write(path, task, idx, channel, saver.serde.loads_typed(value))
        for writes in saver.writes.values()
        for (_, idx), (task, channel, value, path) in writes.items()
    ]
    return sorted(found, key=lambda write: (write.task_path, write.task_id, write.idx))


def put_again(writes: Sequence[Write]) -> list[Write]:
    target = InMemorySaver()
    for call in calls(writes):
        target.put_writes(at("t", checkpoint_ns="", checkpoint_id="1"), *call)
    return stored(target)


def made(*tasks: tuple[str, str, list[str]]) -> list[Write]:
    """What a saver stores of tasks that write to these channels."""
    saver = InMemorySaver()
    for path, task, channels in tasks:
        values = [(channel, f"{task} {number}") for number, channel in enumerate(channels)]
        saver.put_writes(at("t", checkpoint_ns="", checkpoint_id="1"), values, task, path)
    return stored(saver)


@pytest.mark.parametrize(
    "channels",
    [
        ["a"],
        ["a", "a", "b"],
        ["__interrupt__"],
        ["__error__", "__resume__"],
        ["__resume__", "a", "b"],
        ["a", "__resume__", "b"],
        ["__resume__", "__resume__", "__interrupt__", "a"],
        ["a", "b", "__interrupt__"],
    ],
)
def test_a_task_gets_its_indices_back(channels):
    writes = made(("~pull", "task", channels))
    assert put_again(writes) == writes


def test_tasks_are_kept_apart():
    writes = made(("~b", "1", ["a", "b"]), ("~a", "2", ["a"]), ("", "0", ["__resume__"]), ("~b", "0", ["c"]))
    assert put_again(writes) == writes


def test_any_mixture_of_tasks_gets_its_indices_back():
    random.seed(7)
    channels = [*WRITES_IDX_MAP, *"abcdef"]
    for _ in range(200):
        tasks = [
            (random.choice(["", "~p", "~q"]), str(task), random.choices(channels, k=random.randrange(6)))
            for task in range(random.randrange(5))
        ]
        writes = made(*tasks)
        assert put_again(writes) == writes


@pytest.mark.parametrize("indices", [[3], [0, 2], [1_000_000_000], [-9, 0]])
def test_a_gap_that_nothing_explains_is_closed_and_the_order_kept(indices):
    writes = [Write("", "task", idx, "a", idx) for idx in indices]
    found = put_again(writes)
    assert [write.value for write in found] == indices
    assert [write.idx for write in found] == list(range(len(indices)))


def test_a_huge_gap_is_closed_even_with_something_to_fill_it():
    special: Any = Write("", "task", WRITES_IDX_MAP["__resume__"], "__resume__", "yes")
    found = put_again([special, Write("", "task", 1_000_000_000, "a", 1)])
    assert [(write.idx, write.channel) for write in found] == [(-4, "__resume__"), (0, "a")]

"""What concerns one checkpoint or one page does the same whatever else there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Store, Thread
from tests.growth import shapes
from tests.growth.counting import Work, work

Operation = Callable[[Store, Thread[Any]], object]


def save(store: Store, thread: Thread[Any]) -> object:
    return thread.save({"n": -1})


def latest(store: Store, thread: Thread[Any]) -> object:
    return thread.latest()


def history(store: Store, thread: Thread[Any]) -> object:
    return thread.history(20)


def fork(store: Store, thread: Thread[Any]) -> object:
    return thread.fork(to="a new fork")


def label(store: Store, thread: Thread[Any]) -> object:
    thread.label(thread.history(1)[0].id, "marked")
    return thread


def threads(store: Store, thread: Thread[Any]) -> object:
    return store.threads(limit=20)


WARM: list[Operation] = [save, latest, history, fork, label, threads]
COLD: list[Operation] = [save, latest, history, label, threads]
"""A fork counts what it shows of a thread, for which it reads all overlays once."""

SHAPES: dict[shapes.Shape, int] = {
    shapes.checkpoints: 160, shapes.namespaces: 40, shapes.fork_chain: 100, shapes.forks: 40, shapes.labels: 160,
    shapes.journal: 40,
}  # fmt: skip
"""With the least n: above the sizes of pages, of which each operation reads one or two."""


def measured(url: Callable[[int], str], shape: shapes.Shape, least: int, operation: Operation) -> list[Work]:
    found = []
    for count in (least, 2 * least, 4 * least):
        with holdfast.open(url(count)) as store:
            thread = shape(store, count)
            found.append(work(store, lambda thread=thread, store=store: operation(store, thread)))  # type: ignore[misc]
    return found


def assert_flat(found: list[Work]) -> None:
    least, _, most = found
    assert most.calls <= least.calls, found
    # A page may begin anywhere in a block of 64 overlays.
    assert most.rows <= least.rows + 64, found
    assert most.written <= least.written + 50, found
    assert most.lines <= 1.1 * least.lines + 600, found


@pytest.mark.parametrize("operation", WARM)
@pytest.mark.parametrize("shape", SHAPES)
def test_one_checkpoint_or_page_costs_the_same(shape: shapes.Shape, operation: Operation) -> None:
    assert_flat(measured(lambda _: "memory:", shape, SHAPES[shape], operation))


@pytest.mark.parametrize("operation", COLD)
@pytest.mark.parametrize("shape", SHAPES)
def test_so_it_does_in_a_process_that_has_cached_nothing(
    tmp_path: Path, shape: shapes.Shape, operation: Operation
) -> None:
    def cold(store: Store, thread: Thread[Any]) -> object:
        store._calls.engine.cache.clear()
        return operation(store, thread)

    assert_flat(measured(lambda count: str(tmp_path / f"{count}.db"), shape, SHAPES[shape], cold))


@pytest.mark.parametrize("shape", [shapes.labels, shapes.fork_chain])
def test_the_save_after_a_label_costs_the_same(shape: shapes.Shape) -> None:
    def label_and_save(store: Store, thread: Thread[Any]) -> object:
        label(store, thread)
        return save(store, thread)

    assert_flat(measured(lambda _: "memory:", shape, SHAPES[shape], label_and_save))

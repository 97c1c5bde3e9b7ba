"""What goes through a whole store or thread does at most twice as much for twice the data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Retention, Store, Thread
from tests.growth import shapes
from tests.growth.counting import Work, growth, work

KEEP = Retention(keep_last=2)
MOST = 2.3
"""How much more the second doubling may add than the first. It is 2 for n, 2.2 for n log n with these n, 4 for n²."""

AnyStore = Callable[[str], Store]
Operation = Callable[[Store, Thread[Any]], object]


def prune(store: Store, thread: Thread[Any]) -> object:
    return thread.prune(KEEP)


def prune_dry(store: Store, thread: Thread[Any]) -> object:
    return thread.prune(KEEP, dry_run=True)


def prune_by_lineage(store: Store, thread: Thread[Any]) -> object:
    return thread.prune(Retention(keep_lineage=True))


def verify(store: Store, thread: Thread[Any]) -> object:
    report = store.verify()
    assert report.faults == ()
    return report


def collect(store: Store, thread: Thread[Any]) -> object:
    report = store.collect()
    assert report.skipped == ()
    return report


def stats(store: Store, thread: Thread[Any]) -> object:
    return store.stats()


def save(store: Store, thread: Thread[Any]) -> object:
    return thread.save({"notes": ["the next"]})


def latest(store: Store, thread: Thread[Any]) -> object:
    store._calls.engine.cache.clear()
    return thread.latest()


def history(store: Store, thread: Thread[Any]) -> object:
    return thread.history()


@pytest.fixture(params=["memory", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AnyStore:
    urls: dict[str, Callable[[str], str]] = {
        "memory": lambda _: "memory:",
        "sqlite": lambda name: str(tmp_path / f"{name}.db"),
    }
    return lambda name: holdfast.open(urls[request.param](name))


def measured(
    opened: AnyStore, shape: shapes.Shape, operation: Operation, least: int, before: Operation | None = None
) -> list[Work]:
    """What the operation does with n, 2n and 4n of something."""
    found = []
    for count in (least, 2 * least, 4 * least):
        with opened(f"with {count}") as store:
            thread = shape(store, count)
            if before is not None:
                before(store, thread)
            found.append(work(store, lambda thread=thread, store=store: operation(store, thread)))  # type: ignore[misc]
    return found


SHAPES: dict[shapes.Shape, int] = {
    shapes.checkpoints: 40, shapes.changes: 64, shapes.namespaces: 20, shapes.calls: 20, shapes.fork_chain: 20,
    shapes.forks: 20, shapes.labels: 40, shapes.pending_writes: 40, shapes.settled_writes: 40, shapes.journal: 20,
}  # fmt: skip
"""With the least n. Changes of one value become frames at certain numbers, so for these it is a power of two."""


@pytest.mark.parametrize("operation", [verify, prune_dry, prune, prune_by_lineage, stats])
@pytest.mark.parametrize("shape", SHAPES)
def test_it_grows_with_the_data(opened: AnyStore, shape: shapes.Shape, operation: Operation) -> None:
    found = measured(opened, shape, operation, SHAPES[shape])
    assert all(value <= MOST for value in growth(*found).values()), found


@pytest.mark.parametrize("shape", SHAPES)
def test_a_collect_grows_with_what_was_pruned(opened: AnyStore, shape: shapes.Shape) -> None:
    found = measured(opened, shape, collect, SHAPES[shape], before=prune)
    assert all(value <= MOST for value in growth(*found).values()), found


@pytest.mark.parametrize("operation", [save, latest])
@pytest.mark.parametrize("shape", [shapes.pending_writes, shapes.settled_writes])
def test_a_step_grows_with_its_writes(opened: AnyStore, shape: shapes.Shape, operation: Operation) -> None:
    found = measured(opened, shape, operation, SHAPES[shape])
    assert all(value <= MOST for value in growth(*found).values()), found


@pytest.mark.parametrize("shape", [shapes.fork_chain, shapes.labels, shapes.checkpoints])
def test_a_whole_history_grows_with_its_length(opened: AnyStore, shape: shapes.Shape) -> None:
    found = measured(opened, shape, history, SHAPES[shape])
    assert all(value <= MOST for value in growth(*found).values()), found


@pytest.mark.parametrize("shape", [shapes.fork_chain, shapes.forks, shapes.calls])
def test_a_folder_of_files_behaves_the_same(tmp_path: Path, shape: shapes.Shape) -> None:
    """Its tables are those of a store in memory; what it appends to its files grows with what is dropped."""

    def opened(name: str) -> Store:
        return holdfast.open(f"file:{tmp_path / name}")

    found = measured(opened, shape, collect, SHAPES[shape], before=prune)
    assert all(value <= MOST for value in growth(*found).values()), found


def test_growth_tells_a_line_from_a_square() -> None:
    def squared(count: int) -> Work:
        return Work(rows=count * count, lines=1000 + 7 * count)

    assert growth(squared(100), squared(200), squared(400)) == {"rows": 4.0, "lines": 2.0}

"""A random store, moved: everything that the public interface shows is equal on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from tests.transfer.showing import live, shown, thread_shown

SEEDS = range(4)


@pytest.fixture
def source() -> Iterator[Store]:
    with holdfast.open("memory:") as store:
        yield store


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Store]:
    with holdfast.open(tmp_path / "target.db") as store:
        yield store


@pytest.mark.parametrize("seed", SEEDS)
def test_a_copied_store_shows_what_the_source_shows(source: Store, target: Store, seed: int) -> None:
    live(source, f"s{seed}", 150)
    holdfast.copy(source, target)
    before = shown(target)
    assert before == shown(source)
    again = holdfast.copy(source, target)
    assert (again.unchanged, again.checkpoints, again.writes, again.entries) == (again.threads, 0, 0, 0)
    assert shown(target) == before


@pytest.mark.parametrize("seed", SEEDS)
def test_a_store_that_continues_is_followed(source: Store, target: Store, seed: int) -> None:
    live(source, f"s{seed}", 80)
    for turn in range(4):
        holdfast.copy(source, target)
        assert shown(target) == shown(source)
        live(source, f"s{seed}.{turn}", 25, removing=False)
    holdfast.copy(source, target)
    assert shown(target) == shown(source)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bundle_has_what_the_source_shows(source: Store, target: Store, tmp_path: Path, seed: int) -> None:
    live(source, f"s{seed}", 150)
    source.export(None, tmp_path / "all.bundle")
    target.import_(tmp_path / "all.bundle")
    assert shown(target) == shown(source)
    again = target.import_(tmp_path / "all.bundle")
    assert (again.unchanged, again.checkpoints, again.writes, again.entries) == (again.threads, 0, 0, 0)
    assert shown(target) == shown(source)


@pytest.mark.parametrize("seed", SEEDS)
def test_threads_are_moved_one_by_one_too(source: Store, target: Store, tmp_path: Path, seed: int) -> None:
    """A fork then comes with all that it sees."""
    live(source, f"s{seed}", 100)
    for number, info in enumerate(source.threads(limit=None)):
        holdfast.copy(source, target, [info.id])
        assert thread_shown(target, info.id) == thread_shown(source, info.id)
        path = tmp_path / f"{number}.bundle"
        source.export([info.id], path)
        with holdfast.open("memory:") as other:
            other.import_(path)
            assert thread_shown(other, info.id) == thread_shown(source, info.id)
    assert shown(target) == shown(source)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_goes_there_and_back_is_the_same(source: Store, target: Store, seed: int) -> None:
    """Pull, continue there, push: the first store has what the second did."""
    live(source, f"s{seed}", 60)
    holdfast.copy(source, target)
    live(target, f"t{seed}", 40, removing=False)
    holdfast.copy(target, source)
    assert shown(source) == shown(target)

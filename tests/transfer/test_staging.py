"""A copy that was killed half way: the store is sound; what was begun is gone on with, erased, or freed in the end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from holdfast._drive import run
from holdfast.backends.base import Batch, LineAt
from holdfast.backends.rows import LineRow, with_checksum
from holdfast.engine.threads.staged_thread import is_staged
from tests.support.urls import URLS


class Killed(Exception):
    pass


@pytest.fixture
def source() -> Iterator[Store]:
    with holdfast.open("memory:") as store:
        thread = store.thread("ada", metadata={"user": "ada"})
        for n in range(300):
            thread.save({"noise": random.Random(n).randbytes(30_000)})
        yield store


@pytest.fixture(params=URLS)
def target(request: pytest.FixtureRequest, tmp_path: Path, source: Store) -> Iterator[Store]:
    """Has another thread, and the first part of the one that comes."""
    with holdfast.open(URLS[request.param](tmp_path)) as store:
        store.thread("other").save({"n": 1})

        def stop(progress: holdfast.TransferProgress) -> None:
            raise Killed

        with pytest.raises(Killed):
            holdfast.copy(source, store, progress=stop)
        assert staged(store)
        yield store


def staged(store: Store) -> list[LineRow]:
    backend = store._calls.engine.backend
    lines = [row for tree in run(backend.trees, 0, 100) for row in run(backend.scan, LineRow, tree, (), 100)]
    return [row for row in lines if is_staged(row)]


def test_it_is_not_a_fault_and_nothing_to_repair(target: Store):
    assert target.verify().faults == ()
    assert target.repair(target.verify()).mended == ()
    assert [one.id for one in target.threads()] == ["other"]
    report = target.collect()
    assert (report.skipped, len(staged(target))) == ((), 1)


def test_it_is_gone_on_with(target: Store, source: Store):
    done = holdfast.copy(source, target)
    assert 0 < done.checkpoints < 300
    assert staged(target) == []
    assert target.verify().faults == ()
    assert {one.id: one.checkpoints for one in target.threads()} == {"ada": 300, "other": 1}
    target.thread("ada").save({"n": 1})
    with target.thread("ada").run(input={}):
        pass


def test_erasing_takes_it_along(target: Store):
    certificate = target.erase({"user": "ada"})
    assert (certificate.complete, certificate.skipped) == (True, ())
    assert staged(target) == []
    assert [one.id for one in target.threads()] == ["other"]


def test_it_is_freed_after_a_day_without_a_transfer(target: Store):
    backend = target._calls.engine.backend
    (root,) = staged(target)
    old = with_checksum(root._replace(lease_at=root.lease_at - 25 * 3600 * 1_000_000, version=root.version + 1))
    assert run(backend.commit, Batch([LineAt(root.tree, root.line, root.version)], [old]))
    target.collect()
    assert staged(target) == []
    assert target.verify().faults == ()
    assert [one.id for one in target.threads()] == ["other"]

"""What another caller changes between two reads of one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Contended, Deleted, Store
from tests.support.urls import LASTING, URLS


@pytest.fixture(params=LASTING)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two stores on the same data; the first remembers nothing."""
    url = URLS[request.param](tmp_path)
    with holdfast.open(url, cache=0) as one, holdfast.open(url) as other:
        yield one, other


@contextmanager
def before(store: Store, verb: str, action: Callable[[], object]) -> Iterator[None]:
    """Something happens just before the store's backend is asked this for the first time."""
    backend: Any = store._calls.engine.backend
    ask = getattr(backend, verb)
    left = [action]

    async def asking(*arguments: Any, **named: Any) -> Any:
        if left:
            left.pop()()
        return await ask(*arguments, **named)

    setattr(backend, verb, asking)
    try:
        yield
    finally:
        delattr(backend, verb)
    assert not left


def filled(store: Store) -> None:
    store.thread("t", metadata={"user": "ada"}).save({"xs": ["x" * 300]})
    store.thread("t").save({"xs": ["x" * 300, "y" * 300]})


def test_a_save_that_comes_while_the_thread_is_copied_stays(pair: tuple[Store, Store]):
    one, other = pair
    filled(other)
    with before(one, "namespaces", lambda: other.thread("t").save({"xs": ["acknowledged"]})):
        assert one.copy_thread("t", "c")
    for store in pair:
        assert [found.state for name in "tc" if (found := store.thread(name).latest())] == [
            {"xs": ["acknowledged"]}
        ] * 2
    assert other.thread("t").save({"n": 1}).seq == 4
    assert one.verify().faults == ()


def test_a_save_that_comes_while_the_thread_is_deleted_leaves_nothing_in_the_index(pair: tuple[Store, Store]):
    one, other = pair
    filled(other)
    with before(one, "namespaces", lambda: other.thread("t").save({"n": 1}, status="completed")):
        one.thread("t").delete()
    assert one.verify().faults == ()
    other.thread("t", reuse=True).save({"n": 2})
    assert other.threads(where={"status": "completed"}) == other.threads(where={"user": "ada"}) == []


@pytest.mark.parametrize("verb", ["latest", "load", "history"])
def test_a_thread_that_is_deleted_while_it_is_read_is_gone_and_not_damaged(pair: tuple[Store, Store], verb: str):
    one, other = pair
    filled(other)
    last = other.thread("t").history()[0].id
    thread = one.thread("t")
    asked = "checkpoints" if verb == "history" else "chunks"
    with before(one, asked, lambda: other.thread("t").delete()):
        assert not (thread.load(last) if verb == "load" else getattr(thread, verb)())


def test_a_thread_that_is_deleted_while_it_is_written_is_deleted(pair: tuple[Store, Store]):
    one, other = pair
    filled(other)
    with (
        before(one, "chunks", lambda: other.thread("t").delete()),
        pytest.raises(Deleted),
    ):
        one.thread("t").update({"xs": ["z"]}, reduce={"xs": holdfast.extend})
    assert one.verify().faults == ()


@pytest.mark.parametrize("asked", ["chunks", "namespaces", "find"])
def test_an_export_is_whole_or_says_that_it_is_not(pair: tuple[Store, Store], asked: str, tmp_path: Path):
    one, other = pair
    filled(other)
    other.thread("u").save({"n": 1})

    def again() -> None:
        other.thread("t").delete()
        other.thread("t", reuse=True).save({"xs": ["new"]})

    with before(one, asked, again):
        try:
            one.export(None, tmp_path / "x.bundle")
        except Contended:
            one.export(None, tmp_path / "x.bundle")
    with holdfast.open("memory:") as third:
        third.import_(tmp_path / "x.bundle")
        assert {"u"} <= {info.id for info in third.threads()}

"""A single text where a list of ids or names belongs is refused: its letters could be the ids of other threads.

`CALLS` has every public call that takes such a list; a test compares it with the signatures.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import holdfast
from holdfast import InvalidArgument, Store, aio
from holdfast import store as sync

LISTS: Final = re.compile(r"^(Iterable|Sequence|Collection|list)\[")


def _within_a_run(store: Store, bad: Any) -> None:
    with store.thread("t").run() as run:
        run.save({"n": 2}, next=bad)


CALLS: Final[dict[tuple[str, str], Callable[[Store, Any], Any]]] = {
    ("copy", "thread_ids"): lambda store, bad: holdfast.copy(store, holdfast.open("memory:"), bad),
    ("export", "thread_ids"): lambda store, bad: store.export(bad, "out.bundle"),
    ("save", "next"): lambda store, bad: store.thread("t").save({"n": 2}, next=bad),
    ("update", "next"): lambda store, bad: store.thread("t").update({"n": 2}, next=bad),
    ("latest", "channels"): lambda store, bad: store.thread("t").latest(bad),
    ("load", "channels"): lambda store, bad: store.thread("t").load(_head(store), bad),
    ("put_writes", "writes"): lambda store, bad: store.thread("t").put_writes(_head(store), bad, task_id="a"),
    ("delete_checkpoints", "ids"): lambda store, bad: store.thread("t").delete_checkpoints(bad),
}


def _head(store: Store) -> str:
    found = store.thread("t").latest()
    assert found is not None
    return found.id


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.chdir(tmp_path)
    with holdfast.open("memory:") as opened:
        for name in ("t", "a", "b"):
            opened.thread(name).save({"a": 1, "b": 2}, id=f"{name}1")
        yield opened


def _calls_that_take_lists(module: Any) -> Iterator[tuple[str, str]]:
    found = [(name, one) for name, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__]
    methods = [item for _, cls in found if inspect.isclass(cls) for item in vars(cls).items()]
    for name, call in [*found, *methods]:
        if inspect.isfunction(call) and not name.startswith("_"):
            for parameter in inspect.signature(call).parameters.values():
                if LISTS.match(str(parameter.annotation)):
                    yield name, parameter.name


@pytest.mark.parametrize("module", [sync, aio], ids=["sync", "async"])
def test_every_call_that_takes_a_list_is_tried(module: Any) -> None:
    assert {(name.replace("acopy", "copy"), what) for name, what in _calls_that_take_lists(module)} == CALLS.keys()


@pytest.mark.parametrize("bad", ["ab", b"ab", {"a": 1}, 5], ids=repr)
@pytest.mark.parametrize("call", list(CALLS), ids=lambda call: f"{call[0]}-{call[1]}")
def test_what_is_not_a_list_is_refused(store: Store, call: tuple[str, str], bad: Any) -> None:
    before = [(info.id, info.updated_at) for info in store.threads()]
    with pytest.raises(InvalidArgument, match=f"{call[1]} is a list; for one item, write "):
        CALLS[call](store, bad)
    assert [(info.id, info.updated_at) for info in store.threads()] == before


def test_within_a_run_too(store: Store) -> None:
    with pytest.raises(InvalidArgument, match="next is a list"):
        _within_a_run(store, "ab")


def test_in_async_code_too(store: Store, tmp_path: Path) -> None:
    async def tried() -> None:
        thread = store.aio.thread("t")
        for call in (
            lambda: thread.delete_checkpoints("t1"),
            lambda: store.aio.export("ab", tmp_path / "out.bundle"),
            lambda: holdfast.acopy(store.aio, store.aio, "ab"),
        ):
            with pytest.raises(InvalidArgument, match="is a list"):
                await call()

    asyncio.run(tried())

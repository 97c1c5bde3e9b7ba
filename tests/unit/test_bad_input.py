"""What can't be right: ids, values, arguments, files and disks. Each is refused with an error that says what is wrong,
nothing that was stored before is touched, and the store keeps working."""

from __future__ import annotations

import asyncio
import datetime
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import (
    Closed,
    Corrupt,
    EncodeError,
    HoldfastError,
    InvalidArgument,
    InvalidId,
    NewerFormat,
    NotAStore,
    NotFound,
    StorageFailed,
    StorageFull,
    Store,
    Thread,
)
from holdfast.backends.sqlite import database
from tests.unit.prose import prose

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"}


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with holdfast.open("memory:" if request.param == "memory" else tmp_path / "agents.db") as opened:
        yield opened


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )


# ------------------------------------------------------------------------------------------------ ids

BAD_IDS: dict[str, Any] = {
    "empty": "", "with a NUL": "a\0b", "too long": "x" * 1025, "bytes": b"abc", "a number": 5, "None": None,
    "a list": ["a"], "half a surrogate pair": "a\ud800b", "a path": Path("a"),
}  # fmt: skip


@pytest.mark.parametrize("bad", list(BAD_IDS))
def test_a_bad_thread_id_is_refused(store: Store, bad: str) -> None:
    with pytest.raises(InvalidId, match="thread"):
        store.thread(BAD_IDS[bad])


@pytest.mark.parametrize("bad", [name for name in BAD_IDS if name not in ("None", "empty")])
def test_a_bad_namespace_is_refused(store: Store, bad: str) -> None:
    with pytest.raises(InvalidId, match="namespace"):
        store.thread("t", BAD_IDS[bad])


@pytest.mark.parametrize("bad", list(BAD_IDS))
@pytest.mark.parametrize("call", ["load", "lineage", "diff", "label", "put_writes", "delete_checkpoints"])
def test_a_bad_checkpoint_id_is_refused(store: Store, bad: str, call: str) -> None:
    thread = store.thread("t")
    good = thread.save({"n": 1})
    calls: dict[str, Callable[[Any], Any]] = {
        "load": thread.load,
        "lineage": thread.lineage,
        "diff": lambda one: thread.diff(good.id, one),
        "label": lambda one: thread.label(one, "x"),
        "put_writes": lambda one: thread.put_writes(one, [("n", 1)], task_id="t"),
        "delete_checkpoints": lambda one: thread.delete_checkpoints([one]),
    }
    with pytest.raises(InvalidId):
        calls[call](BAD_IDS[bad])


BAD_IN_A_SAVE = [
    (argument, bad)
    for argument in ("id", "parent", "origin", "expect_head")
    for bad in BAD_IDS
    if bad != "None" and (argument, bad) != ("expect_head", "empty")  # which mean "not given" and "nothing yet"
]


@pytest.mark.parametrize(("argument", "bad"), BAD_IN_A_SAVE)
def test_a_bad_id_in_a_save_is_refused_and_stores_nothing(store: Store, bad: str, argument: str) -> None:
    thread = store.thread("t")
    with pytest.raises(InvalidId):
        thread.save({"n": 1}, **{argument: BAD_IDS[bad]})
    assert store.threads() == []


@pytest.mark.parametrize("bad", [name for name in BAD_IDS if name != "None"])
def test_a_bad_target_of_a_fork_or_copy_is_refused(store: Store, bad: str) -> None:
    store.thread("t").save({"n": 1})
    with pytest.raises(InvalidId):
        store.thread("t").fork(to=BAD_IDS[bad])
    with pytest.raises(InvalidId):
        store.copy_thread("t", BAD_IDS[bad])
    assert [one.id for one in store.threads()] == ["t"]


def test_ids_that_only_look_alike_are_different_threads(store: Store) -> None:
    ids = ["a/b", "a_b", "A_B", "../x", "a b", "a", "A", "é", "e\u0301", " a", "a ", "%00", "x" * 1024, "'; --", "\n"]
    for number, name in enumerate(ids):
        store.thread(name, name).save({"n": number}, id=name)
        store.thread(name).save({"n": -number})
    for number, name in enumerate(ids):
        found = store.thread(name, name).load(name)
        assert found is not None
        assert found.state == {"n": number}
    assert [one.id for one in store.threads()] == sorted(ids)


# ------------------------------------------------------------------------------------------------ values


class Unknown:
    __slots__ = ()


UNSTORABLE: dict[str, tuple[Any, str]] = {
    "a function": (lambda: 1, "state['plan']"),
    "deep inside": ({"steps": [1, {"run": Unknown.__subclasshook__}]}, "state['plan']['steps'][1]['run']"),
    "a generator": ((n for n in range(3)), "state['plan']"),
    "an open file": ([sys.stdin], "state['plan'][0]"),
    "a module": (sys, "state['plan']"),
    "a lock": ({"a": __import__("threading").Lock()}, "state['plan']['a']"),
}


@pytest.mark.parametrize("what", list(UNSTORABLE))
def test_a_value_that_cant_be_stored_names_its_place_and_stores_nothing(store: Store, what: str) -> None:
    value, path = UNSTORABLE[what]
    thread = store.thread("t")
    with pytest.raises(EncodeError) as refused:
        thread.save({"fine": 1, "plan": value})
    assert refused.value.path == path
    assert path in str(refused.value)
    assert store.threads() == []
    assert thread.save({"fine": 1}).seq == 1


def cycle() -> Any:
    value: list[Any] = [1]
    value.append({"again": value})
    return value


def nested(depth: int) -> Any:
    value: Any = 0
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


@pytest.mark.parametrize("make", [cycle, lambda: nested(100_000)], ids=["a cycle", "100,000 levels"])
def test_endless_values_are_refused(store: Store, make: Callable[[], Any]) -> None:
    thread = store.thread("t")
    thread.save({"n": 1})
    calls: list[Callable[[Any], Any]] = [
        lambda value: thread.save({"v": value}),
        lambda value: thread.update({"v": value}),
        lambda value: thread.update({"v": [value]}, reduce={"v": holdfast.extend}),
        lambda value: thread.put_writes(str(thread.history()[0].id), [("v", value)], task_id="t"),
        lambda value: thread.save({"n": 1}, extra=value),
        lambda value: thread.save({"n": 1}, metadata={"v": value}),
        lambda value: thread.fork(edits={"v": value}),
    ]
    value = make()
    for call in calls:
        with pytest.raises(EncodeError):
            call(value)
    assert len(thread.history()) == 1
    assert len(store.threads()) == 1
    _take_apart(value)


def _take_apart(value: Any) -> None:
    """Level by level: freeing 100,000 at once would need as deep a stack."""
    while isinstance(value, list | dict) and value:
        inner = value.pop() if isinstance(value, list) else value.popitem()[1]
        value = inner


def test_what_can_be_saved_can_be_loaded_at_any_depth(store: Store) -> None:
    thread = store.thread("t")
    for depth in (10, 60, 64, 65, 100, 200, 400, 500, 900):
        try:
            saved = thread.save({"v": nested(depth)})
        except EncodeError:
            continue
        store._calls.engine.cache.clear()
        found = thread.load(saved.id)
        assert found is not None
        assert found.state["v"] == nested(depth)
        assert thread.save({"v": nested(depth), "n": 1}).seq == saved.seq + 1


def test_an_unstorable_write_stores_none_of_the_writes_with_it(store: Store) -> None:
    thread = store.thread("t")
    head = thread.save({"n": 1})
    with pytest.raises(EncodeError, match=r"writes\[1\]"):
        thread.put_writes(head.id, [("a", 1), ("b", lambda: 1)], task_id="t")
    latest = thread.latest()
    assert latest is not None
    assert latest.pending_writes == ()


def test_a_reducer_that_raises_stores_nothing(store: Store) -> None:
    thread = store.thread("t")
    thread.save({"n": 1})

    def failing(old: Any, new: Any) -> Any:
        raise ZeroDivisionError("in the reducer")

    with pytest.raises(ZeroDivisionError, match="in the reducer"):
        thread.update({"n": 2}, reduce={"n": failing})
    assert len(thread.history()) == 1
    assert thread.update({"n": 2}).seq == 2


def test_a_value_that_changes_while_it_is_encoded_stores_all_or_nothing(store: Store) -> None:
    class Growing(dict):
        def items(self) -> Any:
            self[len(self)] = "more"
            return super().items()

    thread = store.thread("t")
    try:
        thread.save({"v": Growing(a=1)})
    except HoldfastError:
        assert store.threads() == []
    assert thread.save({"n": 1}).seq in (1, 2)


def test_a_missing_parent_is_refused(store: Store) -> None:
    with pytest.raises(NotFound, match="nobody"):
        store.thread("t").save({"n": 1}, parent="nobody")
    assert store.threads() == []


# ------------------------------------------------------------------------------------------------ arguments


def _calls_with_bad_arguments() -> dict[str, tuple[Callable[[Store, Thread[Any]], Any], str]]:
    now = datetime.datetime.now(datetime.UTC)
    return {
        "threads prefix": (lambda s, t: s.threads(prefix=5), "prefix"),  # type: ignore[arg-type]
        "threads prefix None": (lambda s, t: s.threads(prefix=None), "prefix"),  # type: ignore[arg-type]
        "threads prefix surrogate": (lambda s, t: s.threads(prefix="\ud800"), "prefix"),
        "threads where text": (lambda s, t: s.threads(where="status"), "where"),  # type: ignore[arg-type]
        "threads where keys": (lambda s, t: s.threads(where={1: 2}), "where"),  # type: ignore[dict-item]
        "threads where status": (lambda s, t: s.threads(where={"status": 1}), "status"),
        "threads limit negative": (lambda s, t: s.threads(limit=-1), "limit"),
        "threads limit text": (lambda s, t: s.threads(limit="5"), "limit"),  # type: ignore[arg-type]
        "threads limit float": (lambda s, t: s.threads(limit=1.5), "limit"),  # type: ignore[arg-type]
        "threads limit huge": (lambda s, t: s.threads(limit=1 << 70), "limit"),
        "threads after": (lambda s, t: s.threads(after=5), "after"),  # type: ignore[arg-type]
        "threads after surrogate": (lambda s, t: s.threads(after="\ud800"), "after"),
        "store delete_run": (lambda s, t: s.delete_run(5), "run_id"),  # type: ignore[arg-type]
        "store delete_run surrogate": (lambda s, t: s.delete_run("\ud800"), "run_id"),
        "thread metadata": (lambda s, t: s.thread("x", metadata=[1]), "metadata"),  # type: ignore[call-overload]
        "thread metadata keys": (lambda s, t: s.thread("x", metadata={1: 2}), "metadata"),  # type: ignore[dict-item]
        "save state list": (lambda s, t: t.save([1, 2]), "state"),
        "save state None": (lambda s, t: t.save(None), "state"),
        "save state text": (lambda s, t: t.save("state"), "state"),
        "save channel number": (lambda s, t: t.save({5: 1}), "channel"),
        "save channel surrogate": (lambda s, t: t.save({"\ud800": 1}), "channel"),
        "save node": (lambda s, t: t.save({}, node=5), "node"),  # type: ignore[arg-type]
        "save node None": (lambda s, t: t.save({}, node=None), "node"),  # type: ignore[arg-type]
        "save node NUL": (lambda s, t: t.save({}, node="a\0"), "node"),
        "save next text": (lambda s, t: t.save({}, next="plan"), "next"),
        "save next number": (lambda s, t: t.save({}, next=5), "next"),  # type: ignore[arg-type]
        "save next numbers": (lambda s, t: t.save({}, next=[5]), "next"),  # type: ignore[list-item]
        "save next None": (lambda s, t: t.save({}, next=None), "next"),  # type: ignore[arg-type]
        "save step text": (lambda s, t: t.save({}, step="5"), "step"),  # type: ignore[arg-type]
        "save step bool": (lambda s, t: t.save({}, step=True), "step"),
        "save step float": (lambda s, t: t.save({}, step=1.5), "step"),  # type: ignore[arg-type]
        "save step huge": (lambda s, t: t.save({}, step=1 << 80), "step"),
        "save source": (lambda s, t: t.save({}, source="magic"), "source"),
        "save source list": (lambda s, t: t.save({}, source=["loop"]), "source"),  # type: ignore[arg-type]
        "save run_id": (lambda s, t: t.save({}, run_id=5), "run_id"),  # type: ignore[arg-type]
        "save status": (lambda s, t: t.save({}, status=None), "status"),  # type: ignore[arg-type]
        "save label": (lambda s, t: t.save({}, label=None), "label"),  # type: ignore[arg-type]
        "save metadata": (lambda s, t: t.save({}, metadata="x"), "metadata"),  # type: ignore[arg-type]
        "save journal_seq": (lambda s, t: t.save({}, journal_seq=-1), "journal_seq"),
        "update list": (lambda s, t: t.update([1]), "update"),  # type: ignore[arg-type]
        "update reduce unknown": (lambda s, t: t.update({"a": 1}, reduce={"b": holdfast.extend}), "reduce"),
        "update reduce list": (lambda s, t: t.update({"a": 1}, reduce=["a"]), "reduce"),  # type: ignore[arg-type]
        "update reduce no function": (lambda s, t: t.update({"n": 1}, reduce={"n": "extend"}), "reduce"),  # type: ignore[dict-item]
        "update next text": (lambda s, t: t.update({}, next="plan"), "next"),
        "latest channels text": (lambda s, t: t.latest("n"), "channels"),
        "latest channels number": (lambda s, t: t.latest(5), "channels"),  # type: ignore[arg-type]
        "load channels number": (lambda s, t: t.load("x", 5), "channels"),  # type: ignore[arg-type]
        "at nothing": (lambda s, t: t.at(), "exactly one"),
        "at two": (lambda s, t: t.at(step=1, journal_seq=1), "exactly one"),
        "at three": (lambda s, t: t.at(step=1, time=now, journal_seq=1), "exactly one"),
        "at step text": (lambda s, t: t.at(step="1"), "step"),  # type: ignore[arg-type]
        "at step huge": (lambda s, t: t.at(step=1 << 70), "step"),
        "at time text": (lambda s, t: t.at(time="now"), "time"),  # type: ignore[arg-type]
        "at time number": (lambda s, t: t.at(time=5), "time"),  # type: ignore[arg-type]
        "at journal_seq text": (lambda s, t: t.at(journal_seq="1"), "journal_seq"),  # type: ignore[arg-type]
        "history limit negative": (lambda s, t: t.history(-1), "limit"),
        "history limit text": (lambda s, t: t.history("5"), "limit"),  # type: ignore[arg-type]
        "history limit huge": (lambda s, t: t.history(1 << 70), "limit"),
        "history where text": (lambda s, t: t.history(where="x"), "where"),  # type: ignore[arg-type]
        "history where run_id": (lambda s, t: t.history(where={"run_id": 5}), "run_id"),
        "history where status surrogate": (lambda s, t: t.history(where={"status": "\ud800"}), "status"),
        "fork edits list": (lambda s, t: t.fork(edits=[1]), "edits"),  # type: ignore[arg-type]
        "fork edits channel": (lambda s, t: t.fork(edits={5: 1}), "channel"),  # type: ignore[dict-item]
        "label text": (lambda s, t: t.label(t.history()[0].id, 5), "label"),  # type: ignore[arg-type]
        "label None": (lambda s, t: t.label(t.history()[0].id, None), "label"),  # type: ignore[arg-type]
        "put_writes short": (lambda s, t: t.put_writes("x", [("a",)], task_id="t"), r"writes\[0\]"),
        "put_writes long": (lambda s, t: t.put_writes("x", [("a", 1, 2, 3)], task_id="t"), r"writes\[0\]"),
        "put_writes text": (lambda s, t: t.put_writes("x", ["ab"], task_id="t"), r"writes\[0\]"),
        "put_writes index": (lambda s, t: t.put_writes("x", [("a", 1, "0")], task_id="t"), r"writes\[0\]"),
        "put_writes channel": (lambda s, t: t.put_writes("x", [(5, 1)], task_id="t"), "channel"),
        "put_writes no list": (lambda s, t: t.put_writes("x", 5, task_id="t"), "writes"),  # type: ignore[arg-type]
        "put_writes task": (lambda s, t: t.put_writes("x", [("a", 1)], task_id=5), "task_id"),  # type: ignore[arg-type]
        "put_writes path": (lambda s, t: t.put_writes("x", [("a", 1)], task_id="t", task_path=5), "task_path"),  # type: ignore[arg-type]
        "delete_checkpoints text": (lambda s, t: t.delete_checkpoints("abc"), "list"),
        "load channels text": (lambda s, t: t.load(t.history()[0].id, channels="n"), "list"),
        "export text": (lambda s, t: s.export("t", "never.bundle"), "list"),
        "export number": (lambda s, t: s.export(5, "never.bundle"), "list"),  # type: ignore[arg-type]
        "copy text": (lambda s, t: holdfast.copy(s, s, thread_ids="t"), "list"),
        "copy number": (lambda s, t: holdfast.copy(s, s, thread_ids=5), "list"),  # type: ignore[arg-type]
        "erase text": (lambda s, t: s.erase("t"), "where"),  # type: ignore[arg-type]
        "delete_checkpoints number": (lambda s, t: t.delete_checkpoints(5), "ids"),  # type: ignore[arg-type]
        "thread delete_run": (lambda s, t: t.delete_run(None), "run_id"),  # type: ignore[arg-type]
        "open durability": (lambda s, t: holdfast.open("memory:", durability="maybe"), "durability"),  # type: ignore[arg-type]
        "open durability list": (lambda s, t: holdfast.open("memory:", durability=[]), "durability"),  # type: ignore[arg-type]
        "open cache negative": (lambda s, t: holdfast.open("memory:", cache=-1), "cache"),
        "open cache text": (lambda s, t: holdfast.open("memory:", cache="big"), "cache"),  # type: ignore[arg-type]
        "open types": (lambda s, t: holdfast.open("memory:", types=5), "types"),  # type: ignore[arg-type]
        "open types instances": (lambda s, t: holdfast.open("memory:", types=[5]), "types"),  # type: ignore[list-item]
        "open number": (lambda s, t: holdfast.open(5), "path or URL"),  # type: ignore[arg-type]
        "open bytes": (lambda s, t: holdfast.open(b"x.db"), "path or URL"),  # type: ignore[arg-type]
        "open None": (lambda s, t: holdfast.open(None), "path or URL"),  # type: ignore[arg-type]
        "open empty": (lambda s, t: holdfast.open(""), "path or URL"),
        "open NUL": (lambda s, t: holdfast.open("a\0b"), "path or URL"),
        "open scheme": (lambda s, t: holdfast.open("mongodb://x"), "mongodb"),
        "open memory rest": (lambda s, t: holdfast.open("memory:x"), "memory"),
        "open sqlite nothing": (lambda s, t: holdfast.open("sqlite:"), "sqlite"),
    }  # fmt: skip


BAD_ARGUMENTS = _calls_with_bad_arguments()


@pytest.mark.parametrize("name", list(BAD_ARGUMENTS))
def test_a_bad_argument_is_refused_by_name_and_changes_nothing(store: Store, name: str) -> None:
    call, named = BAD_ARGUMENTS[name]
    thread = store.thread("t")
    thread.save({"n": 1})
    with pytest.raises((InvalidArgument, InvalidId), match=named):
        call(store, thread)
    assert [one.id for one in store.threads()] == ["t"]
    assert len(thread.history()) == 1


# ------------------------------------------------------------------------------------------------ closed stores


NOTHING_FOUND = holdfast.VerifyReport(faults=(), threads=0, checkpoints=0, values=0, rows=0, bytes=0, orphans=0)


def _calls_on_a_closed_store() -> dict[str, Callable[[Store, Thread[Any], str], Any]]:
    return {
        "thread": lambda s, t, c: s.thread("x"),
        "threads": lambda s, t, c: s.threads(),
        "copy_thread": lambda s, t, c: s.copy_thread("t", "u"),
        "store delete_run": lambda s, t, c: s.delete_run("r"),
        "bytes_stored": lambda s, t, c: s.bytes_stored(),
        "within": lambda s, t, c: s.within(None),
        "collect": lambda s, t, c: s.collect(),
        "backup": lambda s, t, c: s.backup("never"),
        "stats": lambda s, t, c: s.stats(),
        "expire": lambda s, t, c: s.expire(),
        "erase": lambda s, t, c: s.erase({"user": "u1"}),
        "export": lambda s, t, c: s.export(None, "never"),
        "import_": lambda s, t, c: s.import_("never"),
        "verify": lambda s, t, c: s.verify(),
        "repair": lambda s, t, c: s.repair(NOTHING_FOUND),
        "quarantined": lambda s, t, c: s.quarantined(),
        "save": lambda s, t, c: t.save({"n": 2}),
        "save with an id": lambda s, t, c: t.save({"n": 1}, id=c),
        "update": lambda s, t, c: t.update({"n": 2}),
        "latest": lambda s, t, c: t.latest(),
        "load": lambda s, t, c: t.load(c),
        "at": lambda s, t, c: t.at(step=0),
        "history": lambda s, t, c: t.history(),
        "lineage": lambda s, t, c: t.lineage(c),
        "diff": lambda s, t, c: t.diff(c, c),
        "info": lambda s, t, c: t.info(),
        "fork": lambda s, t, c: t.fork(),
        "label": lambda s, t, c: t.label(c, "x"),
        "put_writes": lambda s, t, c: t.put_writes(c, [("n", 1)], task_id="t"),
        "put_writes of nothing": lambda s, t, c: t.put_writes(c, [], task_id="t"),
        "delete": lambda s, t, c: t.delete(),
        "delete_checkpoints": lambda s, t, c: t.delete_checkpoints([c]),
        "delete_checkpoints of nothing": lambda s, t, c: t.delete_checkpoints([]),
        "thread delete_run": lambda s, t, c: t.delete_run("r"),
        "thread prune": lambda s, t, c: t.prune(holdfast.Retention(keep_last=1)),
        "resumable": lambda s, t, c: s.resumable(),
        "journal append": lambda s, t, c: t.journal.append("event", 1),
        "journal read": lambda s, t, c: t.journal.read(),
        "journal": lambda s, t, c: t.journal.latest(),
        "run": lambda s, t, c: t.run(input={}).__enter__(),
        "recover": lambda s, t, c: t.recover(),
        "resolve": lambda s, t, c: t.resolve(1, retry=True),
        "effects_after": lambda s, t, c: t.effects_after(c),
        "async latest": lambda s, t, c: asyncio.run(_async_latest(s)),
    }


async def _async_latest(store: Store) -> None:
    await store.aio.thread("t").latest()


@pytest.mark.parametrize("call", list(_calls_on_a_closed_store()))
def test_every_call_on_a_closed_store_says_so(store: Store, call: str) -> None:
    thread = store.thread("t")
    saved = thread.save({"n": 1})
    store.close()
    with pytest.raises(Closed):
        _calls_on_a_closed_store()[call](store, thread, saved.id)


def test_every_public_method_is_tried_on_a_closed_store() -> None:
    public = {name for kind in (Store, Thread) for name in vars(kind) if not name.startswith("_")}
    without_io = {"aio", "url", "close", "id", "namespace"}
    tried = {name.removeprefix("store ").removeprefix("thread ") for name in _calls_on_a_closed_store()}
    assert public - without_io - tried == set()


def test_closing_twice_is_fine(store: Store) -> None:
    store.close()
    store.close()


# ------------------------------------------------------------------------------------------------ files


def filled(path: Path, threads: int = 6, steps: int = 12) -> dict[str, list[Any]]:
    """A store with some of everything; the states by thread, oldest first."""
    rng = random.Random(4)
    states: dict[str, list[Any]] = {}
    with holdfast.open(path) as store:
        for number in range(threads):
            thread = store.thread(f"t{number}", metadata={"n": number})
            log: list[str] = []
            states[thread.id] = []
            for step in range(steps):
                log = [*log, prose(rng, 400)]
                saved = thread.save({"log": log, "n": step}, run_id="r")
                states[thread.id].append({"log": log, "n": step})
            thread.put_writes(saved.id, [("log", "x")], task_id="t")
            thread.label(saved.id, "last")
    return states


def test_a_store_cut_off_anywhere_gives_an_error_or_the_truth(tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    states = filled(whole)
    data = whole.read_bytes()
    rng = random.Random(11)
    cuts = {1, 15, 16, 99, 100, 511, 512, 2047, 2048, 4096, len(data) - 1}
    cuts |= {rng.randrange(1, len(data)) for _ in range(80)}
    cuts |= {rng.randrange(1, len(data) // 2048) * 2048 for _ in range(40)}
    cuts |= {len(data) - rng.randrange(1, 2048) for _ in range(20)}  # within the last page
    refused = 0
    for cut in sorted(cuts):
        path = tmp_path / f"cut-{cut}.db"
        path.write_bytes(data[:cut])
        refused += _truth_or_error(path, states)
        for leftover in tmp_path.glob(f"{path.name}*"):
            leftover.unlink()
    assert refused > len(cuts) // 2


def _truth_or_error(path: Path, states: dict[str, list[Any]]) -> bool:
    """Every answer is the truth, or one of our errors; says whether there was an error."""
    try:
        store = holdfast.open(path)
    except HoldfastError:
        return True
    refused = False
    with store:
        for thread_id, wanted in states.items():
            for call in (_check_latest, _check_history, _check_every_state):
                try:
                    call(store.thread(thread_id), wanted)
                except HoldfastError:
                    refused = True
        try:
            assert [one.id for one in store.threads()] == sorted(states)
        except HoldfastError:
            refused = True
    return refused


def _check_latest(thread: Thread[Any], wanted: list[Any]) -> None:
    latest = thread.latest()
    assert latest is not None
    assert latest.state == wanted[-1]
    assert latest.label == "last"
    assert len(latest.pending_writes) == 1


def _check_history(thread: Thread[Any], wanted: list[Any]) -> None:
    assert [info.step for info in thread.history(limit=None)] == list(range(len(wanted) - 1, -1, -1))


def _check_every_state(thread: Thread[Any], wanted: list[Any]) -> None:
    for info in thread.history(limit=None):
        found = thread.load(info.id)
        assert found is not None
        assert found.state == wanted[info.step]


def test_bytes_flipped_anywhere_in_the_file_give_our_error_or_no_false_state(tmp_path: Path) -> None:
    """SQLite's own indexes have no checksum, so that a row may not be found; but what is found is the truth."""
    whole = tmp_path / "whole.db"
    states = filled(whole, threads=3, steps=6)
    data = whole.read_bytes()
    rng = random.Random(12)
    for _ in range(300):
        path = tmp_path / "flip.db"
        damaged = bytearray(data)
        place = rng.randrange(100, len(data))  # the first hundred bytes are SQLite's own, and hold no data
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            _nothing_false(path, states)
        except Exception as error:
            pytest.fail(f"with a flipped bit at {place}: {error!r}")
        for leftover in tmp_path.glob(f"{path.name}*"):
            leftover.unlink()


def _nothing_false(path: Path, states: dict[str, list[Any]]) -> None:
    try:
        store = holdfast.open(path)
    except HoldfastError:
        return
    with store:
        for thread_id, wanted in states.items():
            try:
                thread = store.thread(thread_id)
                found = [thread.latest(), *(thread.load(info.id) for info in thread.history(limit=None))]
                for one in found:
                    assert one is None or one.state == wanted[one.step]
            except HoldfastError:
                continue


def unchanged(path: Path, call: Callable[[], Any], kind: type[HoldfastError], match: str | None = None) -> None:
    before = path.read_bytes()
    with pytest.raises(kind, match=match):
        call()
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name], "no file was left beside it"


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("CREATE TABLE thread (id, text)")
    connection.execute("INSERT INTO thread VALUES (1, 'theirs')")
    connection.commit()
    connection.close()
    unchanged(path, lambda: holdfast.open(path), NotAStore, "other.db")


def test_an_empty_database_that_another_program_marked_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA application_id = 12345")
    connection.execute("CREATE TABLE x (y)")
    connection.execute("DROP TABLE x")
    connection.commit()
    connection.close()
    unchanged(path, lambda: holdfast.open(path), NotAStore)


@pytest.mark.parametrize("content", [b"hello", b"{}", b"SQLite", b"SQLite format 3", b"\0" * 5000, b"SQLite format 3\0 but not really" * 60])  # fmt: skip  # noqa: E501
def test_a_file_that_is_not_a_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    unchanged(path, lambda: holdfast.open(path), HoldfastError, "notes.txt")


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    path.touch()
    with holdfast.open(path) as store:
        assert store.thread("t").save({"n": 1}).seq == 1


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="folder"):
        holdfast.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(HoldfastError, match="does not exist"):
        holdfast.open(tmp_path / "missing" / "agents.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(HoldfastError):
        holdfast.open(tmp_path / "file" / "agents.db")


def test_a_newer_format_is_refused_with_both_numbers(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    filled(path, 1, 2)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {(7 << 16) | 7}")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    unchanged(path, lambda: holdfast.open(path), NewerFormat, r"\b7\b.*\b1\b")


def test_an_older_reader_is_let_in_when_the_newer_format_says_so(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    states = filled(path, 1, 2)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {(1 << 16) | 7}")
    connection.close()
    with holdfast.open(path) as store:
        latest = store.thread("t0").latest()
        assert latest is not None
        assert latest.state == states["t0"][-1]


@pytest.mark.parametrize("missing", ["checkpoint", "chunk", "line", "thread", "pending", "overlay"])
def test_a_store_without_one_of_its_tables_gives_our_errors(tmp_path: Path, missing: str) -> None:
    path = tmp_path / "holes.db"
    filled(path, 1, 3)
    connection = sqlite3.connect(path)
    connection.execute(f"DROP TABLE {missing}")
    connection.close()
    with pytest.raises(HoldfastError):
        _look_around(path)


def _look_around(path: Path) -> None:
    with holdfast.open(path) as store:
        store.threads()
        store.thread("t0").latest()


# ------------------------------------------------------------------------------------------------ damaged rows


def damage(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    (tree,) = connection.execute("SELECT tree FROM thread WHERE id = 't1'").fetchone()
    assert connection.execute(sql, {"tree": tree}).rowcount >= 1, "the damage was done"
    connection.commit()
    connection.close()


DAMAGE: dict[str, tuple[str, str | None]] = {
    "a chunk's body": ("UPDATE chunk SET body = CAST(substr(body, 1, 5) || x'ff' || substr(body, 7) AS BLOB) WHERE tree = :tree", "chunk"),  # noqa: E501
    "a chunk cut short": ("UPDATE chunk SET body = substr(body, 1, 9) WHERE tree = :tree", "chunk"),
    "an empty chunk": ("UPDATE chunk SET body = x'' WHERE tree = :tree", "chunk"),
    "a chunk's kind": ("UPDATE chunk SET kind = 1 WHERE kind = 0 AND tree = :tree", "chunk|log"),
    "a missing chunk": ("DELETE FROM chunk WHERE kind = 0 AND tree = :tree", "log"),
    "chunks swapped": ("UPDATE chunk SET body = (SELECT body FROM chunk AS other WHERE other.tree = chunk.tree AND other.lo > 0 ORDER BY lo LIMIT 1) WHERE kind = 0 AND tree = :tree", "chunk"),  # noqa: E501
    "a checkpoint's manifest": ("UPDATE checkpoint SET manifest = x'00' WHERE tree = :tree", "checkpoint"),
    "a checkpoint's step": ("UPDATE checkpoint SET step = step + 1 WHERE tree = :tree", "checkpoint"),
    "a checkpoint's status": ("UPDATE checkpoint SET status = 'completed' WHERE tree = :tree", "checkpoint"),
    "a checkpoint's text": ("UPDATE checkpoint SET node = CAST(x'ff' AS TEXT) WHERE tree = :tree", "checkpoint|UTF-8"),
    "a checkpoint's digest": ("UPDATE checkpoint SET digest = x'00' WHERE tree = :tree", "checkpoint"),
    "a checkpoint's type": ("UPDATE checkpoint SET step = 'many' WHERE tree = :tree", "checkpoint"),
    "a missing head": ("DELETE FROM checkpoint WHERE tree = :tree AND seq = (SELECT max(seq) FROM checkpoint AS c WHERE c.tree = :tree)", None),  # noqa: E501
    "a line's head": ("UPDATE line SET head_seq = head_seq - 1 WHERE tree = :tree", "line"),
    "a line's version": ("UPDATE line SET version = version + 1 WHERE tree = :tree", "line"),
    "a missing line": ("DELETE FROM line WHERE tree = :tree", None),
    "a thread's metadata": ("UPDATE thread SET metadata = x'80' WHERE id = 't1'", "thread"),
    "a thread's generation": ("UPDATE thread SET generation = 9 WHERE id = 't1'", "thread"),
    "a pending write": ("UPDATE pending SET body = x'00' WHERE tree = :tree", "pending"),
    "a label": ("UPDATE overlay SET label = 'forged' WHERE tree = :tree", "overlay"),
    "a hidden mark": ("UPDATE overlay SET hidden = 1 WHERE tree = :tree", "overlay"),
}  # fmt: skip


@pytest.mark.parametrize("what", list(DAMAGE))
def test_a_damaged_row_is_named_and_other_threads_stay_readable(tmp_path: Path, what: str) -> None:
    path = tmp_path / "damaged.db"
    states = filled(path, 3, 6)
    sql, named = DAMAGE[what]
    damage(path, sql)
    with holdfast.open(path) as store:
        with pytest.raises(Corrupt, match=named):
            store.thread("t1").latest()
        for other in ("t0", "t2"):
            for call in (_check_latest, _check_history, _check_every_state):
                call(store.thread(other), states[other])


@pytest.mark.parametrize("what", ["a checkpoint's step", "a line's head", "a thread's metadata", "a missing line"])
def test_one_damaged_thread_does_not_hide_the_others_from_a_list(tmp_path: Path, what: str) -> None:
    """The damaged one may be refused by name; what must not happen is that it is left out in silence."""
    path = tmp_path / "damaged.db"
    filled(path, 3, 3)
    damage(path, DAMAGE[what][0])
    with holdfast.open(path) as store:
        try:
            found = [one.id for one in store.threads()]
        except Corrupt:
            return
        assert found == ["t0", "t1", "t2"]


@pytest.mark.parametrize("what", ["a checkpoint's step", "a line's head", "a chunk's body", "a missing head"])
def test_a_save_onto_a_damaged_thread_is_refused(tmp_path: Path, what: str) -> None:
    path = tmp_path / "damaged.db"
    states = filled(path, 2, 3)
    damage(path, DAMAGE[what][0])
    with holdfast.open(path) as store, pytest.raises(Corrupt):
        store.thread("t1").save({**states["t1"][-1], "log": [*states["t1"][-1]["log"], "more"]})


# ------------------------------------------------------------------------------------------------ rights


@pytest.fixture
def open_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that another user can reach and write to, with the library's own path readable as it is."""
    folder = Path("/tmp") / f"holdfast-rights-{os.getpid()}-{random.randrange(1 << 30)}"  # noqa: S108
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


TRY = """
    import os, sys, holdfast
    import holdfast.backends.sqlite
    holdfast.open("memory:").thread("t").save({"n": 1})  # everything is imported before the rights are given up
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    try:
        store = holdfast.open(sys.argv[1])
        latest = store.thread("t0").latest()
        print("read", latest is not None and latest.state["n"])
        store.thread("t0").save({"n": 99})
        print("saved")
    except holdfast.HoldfastError as error:
        print(type(error).__name__, error)
"""


def attempt(path: Path) -> list[str]:
    """What a user without special rights gets to see."""
    done = run(TRY, path)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_read_only_file_is_refused_or_read_and_never_changed(open_folder: Path) -> None:
    path = open_folder / "agents.db"
    filled(path, 1, 2)
    before = path.read_bytes()
    path.chmod(0o444)
    lines = attempt(path)
    assert lines[-1].startswith("ReadOnly"), lines
    assert lines[:-1] in ([], ["read 1"])
    assert path.read_bytes() == before


def test_a_read_only_folder_is_refused_or_read_and_never_changed(open_folder: Path) -> None:
    path = open_folder / "agents.db"
    filled(path, 1, 2)
    before = path.read_bytes()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    lines = attempt(path)
    assert lines[-1].startswith("ReadOnly"), lines
    assert lines[:-1] in ([], ["read 1"])
    assert path.read_bytes() == before


def test_a_new_store_in_a_read_only_folder_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    lines = attempt(open_folder / "agents.db")
    assert lines[-1].startswith("ReadOnly"), lines


def test_a_file_that_may_not_be_read_is_refused(open_folder: Path) -> None:
    path = open_folder / "agents.db"
    filled(path, 1, 2)
    path.chmod(0o000)
    lines = attempt(path)
    assert lines[-1].startswith("ReadOnly"), lines


# ------------------------------------------------------------------------------------------------ full disks


def test_a_full_database_keeps_what_was_acknowledged_and_continues_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "full.db"
    opened: list[sqlite3.Connection] = []
    connect = database.connect

    def noted(path: Path) -> sqlite3.Connection:
        opened.append(connect(path))
        return opened[-1]

    monkeypatch.setattr(database, "connect", noted)
    rng = random.Random(1)
    saved: list[tuple[str, Any]] = []
    with holdfast.open(path) as store:
        thread = store.thread("t")
        thread.save({"v": rng.randbytes(1000)}, id="first")
        writer = opened[0]
        (pages,) = writer.execute("PRAGMA page_count").fetchone()
        writer.execute(f"PRAGMA max_page_count = {pages + 40}")
        with pytest.raises((StorageFull, StorageFailed)):
            _save_many(thread, rng, saved)
        assert saved
        assert len(saved) < 200
        for checkpoint_id, state in saved:
            found = thread.load(checkpoint_id)
            assert found is not None
            assert found.state == state
        writer.execute("PRAGMA max_page_count = 1000000")
        assert thread.save({"v": 1}).seq == len(saved) + 2


def _save_many(thread: Thread[Any], rng: random.Random, saved: list[tuple[str, Any]]) -> None:
    for _ in range(200):
        state = {"v": rng.randbytes(3000)}
        saved.append((thread.save(state).id, state))


FULL = """
    import resource, sys, holdfast
    path, limit = sys.argv[1], int(sys.argv[2])
    import random
    rng = random.Random(1)
    store = holdfast.open(path)
    thread = store.thread("t")
    thread.save({"n": -1})
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for n in range(500):
        try:
            thread.save({"n": n, "v": rng.randbytes(3000)}, id=str(n))
            print("saved", n, flush=True)
        except (holdfast.StorageFull, holdfast.StorageFailed) as error:
            print("refused", flush=True)
            break
    print("read", thread.latest().state["n"], flush=True)
"""


@pytest.mark.parametrize("limit", [60_000, 150_000, 400_000])
def test_a_full_disk_keeps_what_was_acknowledged(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "full.db"
    done = run(FULL, path, limit)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "refused" in lines
    acknowledged = [int(line.split()[1]) for line in lines if line.startswith("saved")]
    assert lines[-1] == f"read {acknowledged[-1] if acknowledged else -1}"
    rng = random.Random(1)
    with holdfast.open(path) as store:
        thread = store.thread("t")
        for n in acknowledged:
            found = thread.load(str(n))
            assert found is not None
            assert found.state == {"n": n, "v": rng.randbytes(3000)}
        assert len(thread.history(limit=None)) in (len(acknowledged) + 1, len(acknowledged) + 2)
        thread.save({"n": 1000})

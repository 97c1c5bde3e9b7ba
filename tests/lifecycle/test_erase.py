"""After `erase` no byte of the subject is left: in no file, page, log or index, compressed or not."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import string
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Busy, Corrupt, Retention, Store, _zstd
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.rows import KEYS, OF_TREES, table_name
from tests.support.postgres import schemas

SUBJECT = "Xq7Ada"  # is part of every text of hers
ADA = {"user": f"{SUBJECT}-user"}
zstd: Any = vars(_zstd)["zstd"]  # of the standard library, or of a package
ZSTD = b"\x28\xb5\x2f\xfd"
URLS = {"sqlite": lambda folder: str(folder / "agents.db"), "files": lambda folder: f"file:{folder / 'agents'}"}


@pytest.fixture(params=URLS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / request.param).mkdir()
    return tmp_path / request.param


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with holdfast.open(URLS[folder.name](folder)) as opened:
        yield opened


def noise(seed: int, length: int) -> str:
    """Text that does not compress."""
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=length))


def fill(store: Store, name: str, whose: str, **options: Any) -> Any:
    """A thread with a text of its own wherever text can be."""
    thread = store.thread(name, **options)
    messages: list[str] = []
    for number in range(30):
        messages.append(f"{whose} says {number} " + noise(number, 200))
        saved = thread.save(
            {"messages": list(messages), "page": f"{whose} repeats " * 400, "noise": noise(number, 3000) + whose},
            id=f"{whose}-c{number:02}", run_id=f"{whose}-run{number // 9}", node=f"{whose}-node",
            next=[f"{whose}-next"], metadata={"said": f"{whose}-metadata"}, extra={"extra": whose},
        )  # fmt: skip
        store.thread(name, f"{whose}-inner").save({"inner": f"{whose} inside {number}"})
        thread.journal.append("note", f"{whose} noted {number}", key=f"{whose}-key{number}")
    thread.put_writes(saved.id, [(f"{whose}-channel", f"{whose} wrote")], task_id=f"{whose}-task", task_path=whose)
    thread.label(saved.id, f"{whose}-label")
    return thread


def found(folder: Path, text: str = SUBJECT) -> list[str]:
    """Where the text is, in any file or name below; also inside everything that was compressed."""
    places = [str(one) for one in folder.rglob("*") if text.lower() in one.name.lower().replace("=", "")]
    for file in folder.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            places += [str(file)] * (text.encode() in data)
            places += [f"{file}, compressed" for piece in unpacked(data) if text.encode() in piece]
    return places


def unpacked(data: bytes) -> Iterator[bytes]:
    """Every frame that starts anywhere, up to where it can be read."""
    at = data.find(ZSTD)
    while at >= 0:
        with suppress(zstd.ZstdError):
            yield zstd.ZstdDecompressor().decompress(data[at:])
        at = data.find(ZSTD, at + 1)


def in_rows(store: Store, text: str = SUBJECT) -> list[Any]:
    """The rows that have the text, values taken out of their compression: in a file they may lie in several pages."""
    backend = store._calls.engine.backend
    trees = asyncio.run(backend.trees(0, 1000))
    rows: list[Any] = []
    for kind in KEYS:
        for tree in trees if kind in OF_TREES else [None]:
            rows += asyncio.run(backend.scan(kind, tree, (), 100_000))
    assert len(rows) > 100
    return [row for row in rows if text in str(row) or _holds(row, text.encode())]


def _holds(row: Any, text: bytes) -> bool:
    bodies = [column for column in row if isinstance(column, bytes)]
    return any(text in piece for body in bodies for piece in (body, *unpacked(body)))


def test_nothing_is_left(store: Store, folder: Path) -> None:
    fill(store, "others", "another person")
    thread = fill(store, f"{SUBJECT}/thread", SUBJECT, metadata=ADA)
    thread.fork(to=f"{SUBJECT}/fork").save({"messages": [f"{SUBJECT} forked"]})
    thread.delete_checkpoints([f"{SUBJECT}-c03"])
    assert found(folder)
    kinds = {table_name(type(row)) for row in in_rows(store)}
    assert kinds >= {"thread", "tag", "line", "checkpoint", "overlay", "chunk", "pending", "journal", "run"}
    certificate = store.erase(ADA)
    assert (certificate.threads, certificate.complete) == (2, True)
    assert found(folder) == in_rows(store) == []
    assert len(store.thread("others").history(limit=None)) == 30
    store.close()
    assert found(folder) == []


def test_what_was_removed_earlier_goes_too(store: Store, folder: Path) -> None:
    thread = fill(store, "t", SUBJECT, metadata=ADA)
    thread.prune(Retention(keep_last=2))
    store.collect()
    fill(store, "deleted", SUBJECT).delete()
    store.erase(ADA)
    assert found(folder) == []


def test_others_may_have_the_store_open(store: Store, folder: Path) -> None:
    with holdfast.open(URLS[folder.name](folder)) as other:
        fill(other, "others", "another person")
        fill(other, "t", SUBJECT, metadata=ADA)
        assert store.thread("t").latest() is not None
        store.erase(ADA)
        assert found(folder) == []
        assert other.thread("t").latest() is None
        with pytest.raises(holdfast.Deleted):
            other.thread("t").save({"messages": [SUBJECT]})
        other.thread("others").save({"n": 1})
    assert found(folder) == []


def test_what_a_fork_shared_with_one_that_stays(store: Store, folder: Path) -> None:
    origin = fill(store, "origin", "another person")
    fork = origin.fork(to=f"{SUBJECT}-fork")
    for number in range(20):
        state = fork.latest().state
        page = f"{SUBJECT} page {number} " * 300
        fork.save({**state, "messages": [*state["messages"], f"{SUBJECT} {number}"], "page": page}, metadata=ADA)
    before = [origin.load(one.id) for one in origin.history(limit=None)]
    assert found(folder)
    assert store.erase(ADA).complete
    assert found(folder) == in_rows(store) == []
    assert [origin.load(one.id) for one in origin.history(limit=None)] == before
    assert store.verify().ok


def test_writes_that_wait_for_a_checkpoint(store: Store, folder: Path) -> None:
    saver = HoldfastSaver(store)
    fill(store, f"{SUBJECT}-thread", SUBJECT, metadata=ADA)
    config: Any = {"configurable": {"thread_id": f"{SUBJECT}-thread", "checkpoint_ns": "", "checkpoint_id": "zzzz"}}
    saver.put_writes(config, [("channel", f"{SUBJECT} waits")], task_id="task")
    store.erase(ADA)
    assert found(folder) == []


def test_the_quarantine_is_gone_through(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "agents.db") as store:
        fill(store, "t", SUBJECT, metadata=ADA)
        fill(store, "others", "another person")
    with closing(sqlite3.connect(tmp_path / "agents.db")) as file, file:
        file.execute("UPDATE journal SET kind = 'changed' WHERE seq = 3")
    with holdfast.open(tmp_path / "agents.db") as mended:
        mended.repair(mended.verify())
        assert len(mended.quarantined()) == 2
        certificate = mended.erase(ADA)
        assert (certificate.quarantined, len(mended.quarantined())) == (1, 1)
        assert any("quarantine" in place for place in certificate.remains)
        assert found(tmp_path) == []


def test_what_is_damaged_is_not_said_to_be_gone(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "agents.db") as store:
        fill(store, "t", SUBJECT, metadata=ADA)
        store.thread("fine", metadata=ADA).save({})
    with closing(sqlite3.connect(tmp_path / "agents.db")) as file, file:
        file.execute("UPDATE line SET seq = seq + 1 WHERE namespace = '' AND checkpoints = 30")
    with holdfast.open(tmp_path / "agents.db") as store:
        certificate = store.erase(ADA)
        assert (certificate.thread_ids, certificate.complete) == (("fine",), False)
        assert "'t'" in certificate.skipped[0]
        with pytest.raises(Corrupt):
            store.thread("t").latest()


def test_a_reader_that_does_not_end_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.backends.sqlite.database.BUSY_SECONDS", 0.2)
    with holdfast.open(tmp_path / "agents.db") as store, closing(sqlite3.connect(tmp_path / "agents.db")) as reader:
        fill(store, "t", SUBJECT, metadata=ADA)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM journal").fetchone()
        with pytest.raises(Busy, match="try again"):
            store.erase(ADA)
        reader.execute("ROLLBACK")
        assert store.erase(ADA).threads == 0
        assert found(tmp_path) == []


def test_no_row_of_postgresql_has_it(tmp_path: Path) -> None:
    with holdfast.open(schemas.url(tmp_path)) as store:
        fill(store, "others", "another person")
        fill(store, f"{SUBJECT}/thread", SUBJECT, metadata=ADA).fork(to=f"{SUBJECT}/fork").save({"n": SUBJECT})
        assert in_rows(store)
        certificate = store.erase(ADA)
        assert (certificate.threads, certificate.complete) == (2, True)
        assert any("write-ahead log" in place for place in certificate.remains)
        assert in_rows(store) == []

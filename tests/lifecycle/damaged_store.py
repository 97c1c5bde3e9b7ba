"""A store with something of every kind, everything that can be read from it, and ways to damage it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from holdfast import HoldfastError, Store
from holdfast._drive import run
from holdfast.backends.base import Backend, Batch, DropRow
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    Row,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
)

NAMESPACES = ("", "inner")
OF_DIRECTORY: tuple[Any, ...] = (ThreadRow, TombstoneRow, TagRow, RunRow, EarlyWriteRow)
OF_TREES: tuple[Any, ...] = (LineRow, CheckpointRow, OverlayRow, LogRow, ChunkRow, PendingRow, SettledRow, JournalRow)


def message(n: int) -> dict[str, Any]:
    return {"role": "user", "content": f"message {n} " * 12}


def fill(store: Store) -> None:
    """Chains, branches, forks of forks, a copy, removed and labelled checkpoints, writes, journals, two namespaces, and
    states with so many channels that their manifests are in logs."""
    main = store.thread("main", metadata={"user": "u1", "tier": 3})
    saved = []
    for n in range(24):
        state = {"log": [message(i) for i in range(n)], "doc": {f"k{i}": "text " * 20 for i in range(n % 7)}, "n": n}
        saved.append(main.save(state, run_id=f"r{n // 10}", node="work", label="first" if n == 0 else ""))
        main.put_writes(saved[-1].id, [("log", [message(n)]), ("n", n + 1)], task_id="task")
        main.journal.append("said", {"n": n, "text": "entry " * 10}, key=f"k{n}" if n % 3 == 0 else None)
        if n % 8 == 3:
            store.thread("main", "inner").save({"n": n, "notes": "x" * 200})
    main.save({"log": [message(9)], "other": "y" * 100}, parent=saved[10].id, status="completed")
    fork = main.fork(at=saved[15].id, to="fork")
    fork.save({"log": [message(i) for i in range(20)], "n": -1}, status="failed")
    fork.fork(to="fork/2").save({"log": [], "n": -2})
    store.copy_thread("main", "copy")
    main.delete_checkpoints([saved[3].id, saved[4].id, saved[12].id])
    main.label(saved[6].id, "approved")
    for name in ("one", "two"):
        for n in range(6):
            store.thread(name).save({"log": [message(i) for i in range(n)]}, id=f"c{n}")
    wide = store.thread("wide")
    for n in range(4):
        wide.save({f"channel {i}": i if i % 9 else "text " * 12 for i in range(70)} | {f"channel {n}": "y" * 60})
    wide.fork(to="wide/2").update({"channel 8": "z" * 60})
    store.thread("gone").save({})
    store.thread("gone").delete()


def everything(store: Store) -> dict[Any, Any]:
    """All that the public interface shows of all threads; an error is shown by its kind."""
    names = ["copy", "fork", "fork/2", "gone", "main", "one", "two", "wide", "wide/2"]
    found: dict[Any, Any] = {"threads": outcome(lambda: store.threads(limit=None))}
    for status in ("running", "failed", "completed"):
        found[status] = outcome(lambda status=status: [one.id for one in store.threads(where={"status": status})])
    found["user"] = outcome(lambda: [one.id for one in store.threads(where={"user": "u1"})])
    for name in names:
        found[name, "journal"] = outcome(lambda name=name: store.thread(name).journal.read(limit=None))
        for namespace in NAMESPACES:
            found |= _line(store, name, namespace)
    return found


def _line(store: Store, name: str, namespace: str) -> dict[Any, Any]:
    thread = store.thread(name, namespace)
    history = outcome(lambda: thread.history(limit=None))
    found: dict[Any, Any] = {(name, namespace, "history"): history, (name, namespace, "latest"): outcome(thread.latest)}
    for one in history if isinstance(history, list) else []:
        found[name, namespace, one.id] = outcome(lambda one=one: thread.load(one.id))
        found[name, namespace, one.id, "up"] = outcome(lambda one=one: [up.id for up in thread.lineage(one.id)])
    return found


def outcome(call: Any) -> Any:
    try:
        return call()
    except HoldfastError as error:
        return type(error).__name__


# ------------------------------------------------------------------------------------------------ rows


def backend_of(store: Store) -> Backend:
    return store._calls.engine.backend


def all_rows(backend: Backend) -> list[Row]:
    async def collected() -> list[Row]:
        found: list[Row] = []
        for kind in OF_DIRECTORY:
            found += await backend.scan(kind, None, (), 10_000)
        for tree in await backend.trees(-1, 1000):
            for kind in OF_TREES:
                found += await backend.scan(kind, tree, (), 10_000)
        return found

    return run(collected)


def replace(backend: Backend, old: list[Row], new: list[Row]) -> None:
    drops = [DropRow(type(row), tuple(row[: KEYS[type(row)]])) for row in old]
    assert run(backend.commit, Batch([], [], drops))
    assert run(backend.commit, Batch([], new))


def flipped(row: Row, random: Random) -> Row:
    """Another value in one column, and the checksum that it had."""
    columns: list[Any] = list(row)
    place = random.randrange(KEYS[type(row)], len(columns))
    columns[place] = _other(columns[place], random)
    return type(row)._make(columns)


def _other(value: Any, random: Random) -> Any:
    if isinstance(value, int):
        return value ^ (1 << random.randrange(12))
    if isinstance(value, bytes):
        if not value:
            return b"\x81"
        at = random.randrange(len(value))
        return value[:at] + bytes([value[at] ^ (1 << random.randrange(8))]) + value[at + 1 :]
    if isinstance(value, str):
        return value[1:] if value and random.random() < 0.5 else value + "x"
    return None


def cut(row: Row, random: Random) -> Row:
    """A text or body that lost its end."""
    places = [n for n in range(KEYS[type(row)], len(row)) if isinstance(row[n], bytes | str) and row[n]]
    if not places:
        return flipped(row, random)
    place = random.choice(places)
    columns: list[Any] = list(row)
    columns[place] = columns[place][: random.randrange(len(columns[place]))]
    return type(row)._make(columns)


NO_TRACE = (PendingRow, SettledRow, OverlayRow, TombstoneRow, EarlyWriteRow)
"""Kinds of which a row may be missing whole without a trace: nothing counts them."""


def damaged(rows: list[Row], random: Random) -> tuple[list[Row], list[Row]]:
    """Rows, and what replaces them: flipped, cut, swapped with another, or nothing."""
    kind = random.choice(sorted({type(row) for row in rows}, key=str))
    same = [row for row in rows if type(row) is kind]
    row = random.choice(same)
    how = random.choice(["flip", "cut", "swap", "missing"])
    if how == "missing" and kind not in NO_TRACE:
        return [row], []
    if how == "swap" and len(same) > 1:
        other, width = random.choice([one for one in same if one is not row]), KEYS[kind]
        return [row, other], [kind._make((*row[:width], *other[width:])), kind._make((*other[:width], *row[width:]))]
    return [row], [cut(row, random) if how == "cut" else flipped(row, random)]


def break_bytes(path: Path, random: Random) -> None:
    """Flip a bit of a file, cut its end off, swap two ranges of it, or take one out."""
    data = bytearray(path.read_bytes())
    size, how = random.randrange(1, 64), random.choice(["flip", "cut", "swap", "missing"])
    at, to = random.randrange(len(data)), random.randrange(len(data) - 64)
    if how == "flip":
        data[at] ^= 1 << random.randrange(8)
    elif how == "cut":
        del data[at:]
    elif how == "swap":
        at = min(at, len(data) - 64)
        data[at : at + size], data[to : to + size] = data[to : to + size], data[at : at + size]
    else:
        data[at : at + size] = b"" if path.suffix == ".hfs" else bytes(len(data[at : at + size]))
    path.write_bytes(data)

"""What a store takes on disk, beside what was put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import holdfast
from bench.report import Row
from bench.texts import Texts, json_bytes


def stored(fill: Callable[[holdfast.Store], float]) -> tuple[int, float]:
    """The size of the closed SQLite file, and what `fill` says was put in."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "bench.db")
        with holdfast.open(path) as store:
            unique = fill(store)
        return path.stat().st_size, unique


def chat(steps: int) -> Callable[[holdfast.Store], float]:
    def fill(store: holdfast.Store) -> float:
        texts, thread = Texts(), store.thread("chat")
        messages: list[dict[str, Any]] = []
        for step in range(steps):
            messages.append(texts.message(step))
            thread.save({"messages": messages})
        return json_bytes(messages)

    return fill


def constant(store: holdfast.Store) -> float:
    blob, thread = Texts().noise(1_000_000), store.thread("constant")
    for count in range(1000):
        thread.save({"blob": blob, "count": count})
    return 1_000_000


def nested(store: holdfast.Store) -> float:
    """Lists inside dicts inside one channel, two of which grow each step."""
    texts, thread = Texts(), store.thread("nested")
    plan: dict[str, Any] = {f"area{i}": {"tasks": [], "notes": {"log": []}} for i in range(10)}
    for step in range(1000):
        plan[f"area{step % 10}"]["tasks"].append({"step": step, "text": texts.prose(300)})
        plan[f"area{(step + 3) % 10}"]["notes"]["log"].append(texts.prose(200))
        thread.save({"plan": plan})
    return json_bytes(plan)


def files(store: holdfast.Store) -> float:
    """A hundred texts of 10 KB in one channel; three are edited in one place each step."""
    texts, thread = Texts(), store.thread("files")
    tree = {f"src/file{i}.txt": texts.prose(10_000) for i in range(100)}
    unique = float(json_bytes(tree))
    for _ in range(200):
        for _ in range(3):
            name, at, piece = f"src/file{texts.number(0, 99)}.txt", texts.number(0, 9000), texts.prose(100)
            tree[name] = tree[name][:at] + piece + tree[name][at + 100 :]
            unique += len(piece)
        thread.save({"files": tree})
    return unique


def rows() -> Iterator[Row]:
    thousand, raw = stored(chat(1000))
    yield Row("1,000 messages of 1 KB: file / JSON", thousand / raw, "x", 0.7)
    double, _ = stored(chat(2000))
    yield Row("2,000 messages: file / file of 1,000", double / thousand, "x", 2.1)
    size, _ = stored(constant)
    yield Row("1 MB unchanged and a counter, 1,000 saves", size / 1e6, "MB", 1.4)
    size, raw = stored(nested)
    yield Row("nested growth, 1,000 steps: file / JSON", size / raw, "x", 1.5)
    size, raw = stored(files)
    yield Row("100 texts of 10 KB, 3 edits a step, 200 steps: file / unique", size / raw, "x", 2.0)
    yield Row("a fork of a 1 MB state", _fork_size(), "bytes", 1024)


def _fork_size() -> float:
    def fill(forks: int) -> Callable[[holdfast.Store], float]:
        def run(store: holdfast.Store) -> float:
            thread = store.thread("origin", metadata={"user": "ada"})
            thread.save({"blob": Texts().noise(1_000_000)})
            for number in range(forks):
                thread.fork(to=f"fork/{number:04}")
            return forks

        return run

    with_forks, _ = stored(fill(1000))
    without, _ = stored(fill(0))
    return (with_forks - without) / 1000

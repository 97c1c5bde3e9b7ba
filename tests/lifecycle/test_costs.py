"""What keeping a store in order costs: bytes that stay, and rows that are read."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Retention, Store
from holdfast._drive import run
from holdfast.backends.base import Backend
from holdfast.backends.rows import KEYS, ChunkRow, Row
from tests.lifecycle.damaged_store import fill

STEPS, KEPT = 1000, 10


def texts(length: int) -> list[str]:
    """That can't be compressed to nothing."""
    rng = random.Random(length)
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz     ", k=length)) for _ in range(STEPS)]


MESSAGES, PAGES = texts(1000), texts(4000)
STATES: dict[str, Callable[[int], dict[str, Any]]] = {
    "a conversation": lambda n: {"messages": MESSAGES[: n + 1], "n": n},
    "a page that is replaced": lambda n: {"page": PAGES[n], "n": n},
    "both": lambda n: {"messages": MESSAGES[: n + 1], "page": PAGES[n], "last": MESSAGES[max(0, n - 20) : n + 1]},
}


@pytest.mark.parametrize("what", STATES)
def test_a_store_that_was_pruned_is_as_large_as_one_that_never_held_more(tmp_path: Path, what: str) -> None:
    state = STATES[what]
    with holdfast.open(tmp_path / "pruned.db") as pruned:
        for n in range(STEPS):
            pruned.thread("t").save(state(n))
        assert len(pruned.thread("t").prune(Retention(keep_last=KEPT)).removed) == STEPS - KEPT
        pruned.collect()
    with holdfast.open(tmp_path / "lean.db") as lean:
        for n in range(STEPS - KEPT, STEPS):
            lean.thread("t").save(state(n))
    sizes = [(tmp_path / name).stat().st_size for name in ("pruned.db", "lean.db")]
    assert sizes[0] <= 1.3 * sizes[1]


class Watched:
    """A backend that notes what it is asked for."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.looked_at: set[int] = set()
        self.scanned: Counter[tuple[type[Row], tuple[object, ...]]] = Counter()

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._backend, name)
        if name == "scan":
            return self._scan
        if name in (
            "ancestry",
            "namespaces",
            "namespace",
            "tree_threads",
            "checkpoints",
            "by_id",
            "overlays",
            "chunks",
        ):
            return partial(self._ask, asked)
        return asked

    def _ask(self, asked: Callable[..., Any], tree: int, *rest: Any, **named: Any) -> Any:
        self.looked_at.add(tree)
        return asked(tree, *rest, **named)

    async def _scan(self, kind: Any, tree: int | None, after: tuple[object, ...], limit: int) -> list[Any]:
        rows: list[Any] = await self._backend.scan(kind, tree, after, limit)
        self.looked_at.add(tree or 0)
        self.scanned.update((kind, row[: KEYS[kind]]) for row in rows)
        return rows


def watched(store: Store) -> Watched:
    engine = store._calls.engine
    engine.backend = spy = Watched(engine.backend)  # type: ignore[assignment]
    return spy


def test_a_prune_looks_at_its_own_tree_only() -> None:
    with holdfast.open("memory:") as store:
        fill(store)
        place = run(store._calls.engine.backend.find, "one", "", b"")
        assert place.thread is not None
        spy = watched(store)
        assert store.thread("one").prune(Retention(keep_last=2)).removed
        assert spy.looked_at == {place.thread.tree}


def test_verify_reads_a_store_once() -> None:
    with holdfast.open("memory:") as store:
        fill(store)
        spy = watched(store)
        report = store.verify()
        assert report.faults == ()
        assert sum(spy.scanned.values()) >= report.rows > 100
        assert {key for key, times in spy.scanned.items() if times > 1 and key[0] is ChunkRow} == set()
        assert sum(spy.scanned.values()) <= 1.1 * len(spy.scanned)

"""Tasks that are cancelled while their call is under way: its effect is whole or absent, and the store works on."""

from __future__ import annotations

import asyncio
import os
import random
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

import holdfast
from holdfast import AsyncStore
from tests.interrupts.test_cuts import URLS

TASKS: Final = int(os.environ.get("TASKS") or 100)
AT_ONCE: Final = 10
SEED: Final = int(os.environ.get("SEED") or 1)


class Commits:
    """Counts the commits that tasks have begun, and those of cancelled tasks."""

    def __init__(self, store: AsyncStore) -> None:
        backend = store._calls.engine.backend
        self._commit = backend.commit
        self.begun = 0
        backend.commit = self.commit  # type: ignore[method-assign]

    async def commit(self, batch: Any) -> bool:
        self.begun += 1
        return await self._commit(batch)


@pytest.mark.parametrize("name", list(URLS))
def test_cancelled_tasks(name: str, tmp_path: Path) -> None:
    asyncio.run(cancel_many(URLS[name](tmp_path)))


async def cancel_many(url: str) -> None:
    chance = random.Random(SEED)
    under_way = done = 0
    async with await holdfast.aopen(url) as store:
        commits = Commits(store)
        while under_way < TASKS:
            before = commits.begun
            tasks = [asyncio.create_task(one_call(store, chance, n)) for n in range(AT_ONCE)]
            while commits.begun == before and not all(task.done() for task in tasks):
                await asyncio.sleep(0)
            for _ in range(chance.randrange(20)):
                await asyncio.sleep(0)
            alive = [task for task in tasks if not task.done()]
            for task in alive:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            wrong = [one for one in outcomes if isinstance(one, Exception)]
            assert not wrong, wrong
            under_way += sum(isinstance(one, asyncio.CancelledError) for one in outcomes)
            done += sum(not isinstance(one, BaseException) for one in outcomes)
        await check(store)


async def one_call(store: AsyncStore, chance: random.Random, number: int) -> None:
    thread = store.thread(f"thread {number % 4}")
    await chance.choice([
        lambda: thread.update({"log": [number]}, reduce={"log": holdfast.extend}),
        lambda: thread.journal.append("note", number),
        lambda: store.thread(f"own {number}").save({"n": number}),
    ])()  # fmt: skip


async def check(store: AsyncStore) -> None:
    """Several tasks use the same store at once."""
    await asyncio.gather(*(store.thread(f"after {n}").save({"n": n}) for n in range(8)))
    for n in range(4):
        thread = store.thread(f"thread {n}")
        history = await thread.history(limit=None)
        states = [await thread.load(info.id) for info in reversed(history)]
        logs = [state.state["log"] for state in states if state is not None]
        assert all(longer[:-1] == log for log, longer in pairwise(logs)), "each adds one item"
        assert all(entry.seq == at for at, entry in enumerate(await thread.journal.read(limit=None), 1))
    assert (await store.verify()).ok

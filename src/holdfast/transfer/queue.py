"""Small threads share a commit: each alone would wait for the disk."""

from __future__ import annotations

from typing import Final

from holdfast.backends.base import Batch, Drop, Expect
from holdfast.backends.rows import Row
from holdfast.engine.context import Engine

_BYTES: Final = 4 * 1024 * 1024
_THREADS: Final = 200


class Queue:
    """Threads that are new to a store and complete, on their way into it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: dict[str, Batch] = {}
        self._weight = 0
        self.failed: list[str] = []  # by id: somebody was faster, and nothing of them was written

    async def put(self, thread_id: str, batch: Batch, weight: int) -> None:
        self._waiting[thread_id] = batch
        self._weight += weight
        if self._weight > _BYTES or len(self._waiting) >= _THREADS:
            await self.flush()

    async def flush(self) -> None:
        """All in one commit; if something is not as one of them found it, each by itself."""
        waiting, self._waiting, self._weight = self._waiting, {}, 0
        if not waiting or await self._engine.backend.commit(_together(list(waiting.values()))):
            return
        for thread_id, batch in waiting.items():
            if not await self._engine.backend.commit(batch):
                self.failed.append(thread_id)


def _together(batches: list[Batch]) -> Batch:
    expects: list[Expect] = [one for batch in batches for one in batch.expects]
    puts: list[Row] = [one for batch in batches for one in batch.puts]
    drops: list[Drop] = [one for batch in batches for one in batch.drops]
    return Batch(expects, puts, drops)

"""A cache of what has been committed, bounded by bytes, safe from any thread.

Only committed things go in: a version is found here only after the save that wrote it was acknowledged.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Any, Final

DEFAULT_BYTES: Final = 64 * 1024 * 1024


_NOTHING: Final = (None, 0)


class Cache:
    """Drops the least recently used entries first. `limit` is in bytes, of which each entry states its own."""

    def __init__(self, limit: int = DEFAULT_BYTES) -> None:
        self.limit = limit
        self.used = 0
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: Any, weight: int) -> None:
        self.put_all([(key, value, weight)])

    def put_all(self, entries: Iterable[tuple[Hashable, Any, int]]) -> None:
        """Put several entries in order, each with its key and its weight."""
        with self._lock:
            for key, value, weight in entries:
                self.used -= self._entries.pop(key, _NOTHING)[1]
                if weight > self.limit:
                    continue
                self._entries[key] = (value, weight)
                self.used += weight
                while self.used > self.limit:
                    _, (_, freed) = self._entries.popitem(last=False)
                    self.used -= freed

    def drop(self, key: Hashable) -> None:
        with self._lock:
            self.used -= self._entries.pop(key, _NOTHING)[1]

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self.used = 0

    def __len__(self) -> int:
        return len(self._entries)

    def after_fork(self) -> None:
        """Another thread may have held the lock when the process forked."""
        self._lock = threading.Lock()
        self._entries = OrderedDict()
        self.used = 0

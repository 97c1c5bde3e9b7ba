"""Ids: text that sorts by time for checkpoints, random integers for keys that only the store uses.

>>> new_id() < new_id()
True
>>> len(new_id())
16
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

from holdfast._system import process_fork
from holdfast.errors import InvalidArgument, InvalidId

MAX_ID = 1024
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # in the order in which text sorts
_PAIRS = [a + b for a in ALPHABET for b in ALPHABET]
_RANDOM_BITS = 51
_NUMBER_BITS = 47  # six bytes in SQLite; numbers only have to differ within a tree


class _Clock:
    """Hands out (milliseconds, random) pairs that only increase, even when the clock steps back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def tick(self) -> int:
        fresh = time.time_ns() // 1_000_000 << _RANDOM_BITS
        fresh |= int.from_bytes(os.urandom(7), "big") & ((1 << _RANDOM_BITS) - 1)
        with self._lock:
            if fresh <= self._last:
                fresh = self._last + 1 + (os.urandom(1)[0] << 8)
            self._last = fresh
        return fresh

    def after_fork(self) -> None:
        self._lock = threading.Lock()


_clock = _Clock()
process_fork.register(after_in_child=_clock.after_fork)


def new_id() -> str:
    """A new id of 16 characters. Within a process, later ones sort after earlier ones."""
    number = _clock.tick()
    pairs = []
    for _ in range(8):
        number, pair = divmod(number, len(_PAIRS))
        pairs.append(_PAIRS[pair])
    return "".join(reversed(pairs))


def new_number() -> int:
    """A new random key for a tree, line or log. Keys are never reused, so a stale reference can't find other rows."""
    return (int.from_bytes(os.urandom(6), "big") >> (48 - _NUMBER_BITS)) or 1


def check_id(value: object, what: str, *, empty: bool = False) -> str:
    """The id itself if it is valid; `InvalidId` otherwise."""
    if not isinstance(value, str):
        raise InvalidId(f"{what} must be text, not {type(value).__name__}")
    if not value and not empty:
        raise InvalidId(f"{what} must not be empty")
    if len(value) > MAX_ID:
        raise InvalidId(f"{what} is {len(value)} characters long; the limit is {MAX_ID}: {value[:40]!r}…")
    if "\0" in value:
        raise InvalidId(f"{what} must not contain a NUL character: {value[:80]!r}")
    if not (value.isascii() or is_text(value)):
        raise InvalidId(f"{what} contains half of a surrogate pair, which is not text: {value[:80]!r}")
    return value


def check_text(value: object, what: str) -> str:
    """Text that every backend can hold in a column, empty or not."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{what} must be text, not {type(value).__name__}")
    if "\0" in value:
        raise InvalidArgument(f"{what} must not contain a NUL character: {value[:80]!r}")
    if not (value.isascii() or is_text(value)):
        raise InvalidArgument(f"{what} contains half of a surrogate pair, which is not text: {value[:80]!r}")
    return value


def check_list(value: Any, what: str) -> list[Any]:
    """The items of a list or another iterable. A single text is refused, not split into letters."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidArgument(f"{what} is a list; for one item, write [{value!r}]")
    return list(value)


def is_text(value: str) -> bool:
    """Whether it can be written as UTF-8: a lone surrogate can't."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


_UUID_6: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_GREGORIAN: Final = 0x01B21DD213814000  # 100-nanosecond ticks from 1582, where UUIDs begin, to 1970


def is_frameworks(value: str) -> bool:
    """Whether a framework made this id: a UUID of version 6, which contains only the time at which it was made."""
    return _UUID_6.fullmatch(value) is not None


def come_in_order(first: str, second: str) -> bool:
    """Whether the order of two ids is the order in which they were made: not if only one is a framework's UUID."""
    return is_frameworks(first) == is_frameworks(second)


def id_after(last: str | None) -> str:
    """A new id in the form of the one before it: a framework that orders its checkpoints by UUIDs of version 6 must
    find ours in the right order."""
    if last is None or _UUID_6.fullmatch(last) is None:
        return new_id()
    before = UUID(last)
    earlier = (before.int >> 80) << 12 | (before.int >> 64) & 0xFFF
    ticks = max(time.time_ns() // 100 + _GREGORIAN, earlier + 1)
    number = (ticks >> 12) << 80 | 6 << 76 | (ticks & 0xFFF) << 64 | 2 << 62 | int.from_bytes(os.urandom(8), "big") >> 2
    return str(UUID(int=number))


def tombstone_hash(thread_id: str) -> bytes:
    """What remains of a deleted thread's id."""
    return blake2b(thread_id.encode(), digest_size=16, person=b"tombstone").digest()

"""Ids: text that sorts by time for checkpoints, random integers for what only the store sees.

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
from hashlib import blake2b
from typing import Final
from uuid import UUID

from holdfast.errors import InvalidArgument, InvalidId

MAX_ID = 1024
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # in the order in which text sorts
_PAIRS = [a + b for a in ALPHABET for b in ALPHABET]
_RANDOM_BITS = 51
_NUMBER_BITS = 47  # six bytes in SQLite; numbers only have to differ within a tree


class _Clock:
    """Hands out (milliseconds, random) pairs that only grow, also when the clock steps back."""

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


_clock = _Clock()


def _forget_locks() -> None:
    _clock._lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_locks)


def new_id() -> str:
    """A fresh id: 16 characters, later ones sort after earlier ones made in this process."""
    number = _clock.tick()
    pairs = []
    for _ in range(8):
        number, pair = divmod(number, len(_PAIRS))
        pairs.append(_PAIRS[pair])
    return "".join(reversed(pairs))


def new_number() -> int:
    """A fresh random key for a tree, line or log. Never reused, so a stale reference can't find someone else's rows."""
    return (int.from_bytes(os.urandom(6), "big") >> (48 - _NUMBER_BITS)) or 1


def check_id(value: object, what: str, *, empty: bool = False) -> str:
    """The id itself if it may be one; `InvalidId` says what is wrong otherwise."""
    if not isinstance(value, str):
        raise InvalidId(f"{what} must be text, not {type(value).__name__}")
    if not value and not empty:
        raise InvalidId(f"{what} must not be empty")
    if len(value) > MAX_ID:
        raise InvalidId(f"{what} is {len(value)} characters long; the limit is {MAX_ID}: {value[:40]!r}…")
    if "\0" in value:
        raise InvalidId(f"{what} must not contain a NUL character: {value[:80]!r}")
    if not is_text(value):
        raise InvalidId(f"{what} contains half of a surrogate pair, which is not text: {value[:80]!r}")
    return value


def check_text(value: object, what: str) -> str:
    """Text that every backend can hold in a column, empty or not."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{what} must be text, not {type(value).__name__}")
    if "\0" in value:
        raise InvalidArgument(f"{what} must not contain a NUL character: {value[:80]!r}")
    if not is_text(value):
        raise InvalidArgument(f"{what} contains half of a surrogate pair, which is not text: {value[:80]!r}")
    return value


def is_text(value: str) -> bool:
    """Whether it can be written as UTF-8: a lone surrogate can't."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


_UUID_6: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_GREGORIAN: Final = 0x01B21DD213814000  # 100-nanosecond ticks from 1582, where UUIDs begin, to 1970


def is_frameworks(value: str) -> bool:
    """Whether a framework made this id: a UUID of version 6, which says when it was made and nothing else."""
    return _UUID_6.fullmatch(value) is not None


def come_in_order(one: str, other: str) -> bool:
    """Whether the order of two ids says which came first: not if one of them is a framework's UUID, and one is not."""
    return is_frameworks(one) == is_frameworks(other)


def id_after(last: str | None) -> str:
    """A new id, in the form of the one before it: a framework that orders its checkpoints by UUIDs of version 6 has to
    find ours in their place."""
    if last is None or _UUID_6.fullmatch(last) is None:
        return new_id()
    before = UUID(last)
    earlier = (before.int >> 80) << 12 | (before.int >> 64) & 0xFFF
    ticks = max(time.time_ns() // 100 + _GREGORIAN, earlier + 1)
    number = (ticks >> 12) << 80 | 6 << 76 | (ticks & 0xFFF) << 64 | 2 << 62 | int.from_bytes(os.urandom(8), "big") >> 2
    return str(UUID(int=number))


def grave_hash(thread_id: str) -> bytes:
    """All that is kept of a deleted thread's id."""
    return blake2b(thread_id.encode(), digest_size=16, person=b"grave").digest()

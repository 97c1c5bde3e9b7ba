"""Value logs: how the versions of one channel are stored, and read back.

A log starts with a key (a whole value), or with a change to a version of another log that it continues. Each save adds
one small chunk with one change. At every 16th change the last 16 become one frame, compressed together; at every 64th
the last 64; at every 256th the last 256, in a frame that stays. So a read takes few rows and few frames, and a change
is compressed at most four times. (These are the usual numbers; `Capabilities.frames` has those of a backend.) A new key
is written only when the changes since the last one take more than twice the bytes of the value, however many they are.

::

    position   0     1 … 256      257 … 320    321 … 336    337   338
    chunk     key   frame        frame        frame         op    op

This module has the records; `log_writer` adds versions to a log, and `log_reader` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from msgspec import Raw

from holdfast.backends.base import Drop, Frames
from holdfast.backends.rows import Row
from holdfast.engine.context import Engine
from holdfast.engine.values.digests import item_digests, value_digest
from holdfast.engine.values.manifest import Entry
from holdfast.engine.values.msgpack_parts import Parts, with_items
from holdfast.errors import Corrupt

PLAIN: Final = b"\x00"  # the first byte of a chunk's body: how the rest is stored
ZSTD: Final = b"\x01"
LARGE: Final = 1 << 20
"""A body that is not compressed and has as many bytes is stored without a first byte, because adding one would copy it.
Encodings of this size start with the head of a text, of bytes or of a container, which is neither 00 nor 01."""

Op = bytes | Raw


class StoredChunk(NamedTuple):
    """One chunk of a tail: how many changes it holds, in how many bytes."""

    changes: int
    bytes: int


class Tail(NamedTuple):
    """The changes since the last full frame or key, and the chunks that hold them: later frames are made from these."""

    ops: tuple[Op, ...] = ()
    chunks: tuple[StoredChunk, ...] = ()
    bytes: int = 0


NO_TAIL: Final = Tail()


@dataclass(slots=True)
class Version:
    """One version of a value, with what a writer needs to store the next."""

    parts: Parts
    digest: bytes
    weight: int  # bytes of changes since the last key
    tail: Tail = NO_TAIL
    known: bytes | None = None  # the digests of the items, concatenated, once they were needed
    kept: Any = None  # what an adapter remembers about the value while it is cached

    def check(self) -> None:
        """Check a version that was read against its digest, before the first version that builds on it is stored. From
        then on the digests of its items are known."""
        parts = with_items(self.parts)
        digests = item_digests(parts, None, b"")
        if value_digest(parts, digests) != self.digest:
            raise Corrupt("a stored value does not match its digest; store.verify() finds which one")
        self.known = digests

    @property
    def cost(self) -> int:
        """About how many bytes of memory it takes."""
        return self.parts.size + 96 * len(self.parts.items) + len(self.known or b"") + self.tail.bytes + 800


class LogSettings(NamedTuple):
    """The tree that a log belongs to, and after how many changes they become frames."""

    tree: int
    frames: Frames


def log_settings(engine: Engine, tree: int) -> LogSettings:
    return LogSettings(tree, engine.backend.capabilities.frames)


class Written(NamedTuple):
    """A new version, and the rows that store it."""

    entry: Entry
    version: Version | None
    rows: list[Row]
    drops: list[Drop]
    bytes: int  # by how much the store grows

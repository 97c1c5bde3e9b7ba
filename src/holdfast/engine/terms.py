"""A thread's terms: for how long it lives, and what is kept of its past.

They stand in the directory row before the thread's metadata, so that a read that finds the thread knows them too, and a
thread without terms is stored as it always was. They are this store's own: what is copied to another store has that
store's terms.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from holdfast.backends.rows import ThreadRow, sealed
from holdfast.errors import Corrupt
from holdfast.model import Retention

_MARK: Final = b"\xc1"  # no value starts with it


class Terms(NamedTuple):
    """What holds for one thread; also what a caller asks for, where None asks for nothing."""

    ttl: int | None = None  # microseconds since it was last written to
    refresh: bool | None = None  # or read
    retention: Retention | None = None


NONE: Final = Terms()
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Terms).decode


def of(thread: ThreadRow) -> Terms:
    stored, _ = _parts(thread)
    if not stored:
        return NONE
    try:
        return _decode(stored)
    except msgspec.MsgspecError as error:
        raise Corrupt(f"thread {thread.id!r}: its terms can't be read: {error}") from error


def metadata_of(thread: ThreadRow) -> bytes:
    """The thread's metadata, encoded; empty if it has none."""
    return _parts(thread)[1]


def with_metadata(thread: ThreadRow, metadata: bytes) -> ThreadRow:
    return _joined(thread, _parts(thread)[0], metadata)


def with_terms(thread: ThreadRow, terms: Terms) -> ThreadRow:
    return _joined(thread, b"" if terms == NONE else _encode(terms), metadata_of(thread))


def with_asked(thread: ThreadRow, asked: Terms, usual: Terms) -> ThreadRow:
    """What is asked for takes the place of what was, and for how long threads usually live in this store fills in
    what nobody asked for. The row itself, if nothing changes."""
    if asked == usual == NONE:
        return thread
    known = of(thread)
    merged = _merged(_merged(usual._replace(retention=None), known), asked)
    return thread if merged == known else with_terms(thread, merged)


def _merged(known: Terms, asked: Terms) -> Terms:
    return Terms(
        known.ttl if asked.ttl is None else asked.ttl,
        known.refresh if asked.refresh is None else asked.refresh,
        known.retention if asked.retention is None else asked.retention,
    )


def _parts(thread: ThreadRow) -> tuple[bytes, bytes]:
    stored = thread.metadata
    if stored[:1] != _MARK:
        return b"", stored
    end = 3 + int.from_bytes(stored[1:3], "big")
    return stored[3:end], stored[end:]


def _joined(thread: ThreadRow, terms: bytes, metadata: bytes) -> ThreadRow:
    if terms:
        metadata = _MARK + len(terms).to_bytes(2, "big") + terms + metadata
    return sealed(thread._replace(metadata=metadata))

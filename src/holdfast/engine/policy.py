"""A thread's policy: how long it lives, and what is kept of its past.

The policy is stored in the directory row, in front of the thread's metadata, so that a read that finds the thread knows
it too, and a thread without a policy takes no bytes for it. It belongs to one store: a thread that is copied to another
store gets that store's policy.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from holdfast.backends.rows import ThreadRow, with_checksum
from holdfast.errors import Corrupt
from holdfast.model import Retention

_PREFIX: Final = b"\xc1"  # no encoded value starts with it


class Policy(NamedTuple):
    """What applies to one thread; or what a caller requests, where None requests nothing."""

    ttl: int | None = None  # microseconds since the thread was last written to
    refresh: bool | None = None  # whether reads count as well
    retention: Retention | None = None


NONE: Final = Policy()
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Policy).decode


def of(thread: ThreadRow) -> Policy:
    if thread.metadata[:1] != _PREFIX:
        return NONE
    try:
        return _decode(_parts(thread)[0])
    except msgspec.MsgspecError as error:
        raise Corrupt(f"thread {thread.id!r}: its policy can't be read: {error}") from error


def metadata_of(thread: ThreadRow) -> bytes:
    """The thread's metadata, encoded; empty if it has none."""
    return _parts(thread)[1]


def with_metadata(thread: ThreadRow, metadata: bytes) -> ThreadRow:
    return _joined(thread, _parts(thread)[0], metadata)


def with_policy(thread: ThreadRow, policy: Policy) -> ThreadRow:
    return _joined(thread, b"" if policy == NONE else _encode(policy), metadata_of(thread))


def with_requested(thread: ThreadRow, requested: Policy, default: Policy) -> ThreadRow:
    """The thread with what the caller asks for, then what it had, then the store's default. The row itself, if nothing
    changes. The default retention is not stored: it applies to every thread that has none of its own."""
    if requested == default == NONE:
        return thread
    stored = of(thread)
    merged = _merged(_merged(default._replace(retention=None), stored), requested)
    return thread if merged == stored else with_policy(thread, merged)


def _merged(base: Policy, override: Policy) -> Policy:
    return Policy(
        base.ttl if override.ttl is None else override.ttl,
        base.refresh if override.refresh is None else override.refresh,
        base.retention if override.retention is None else override.retention,
    )


def _parts(thread: ThreadRow) -> tuple[bytes, bytes]:
    stored = thread.metadata
    if stored[:1] != _PREFIX:
        return b"", stored
    end = 3 + int.from_bytes(stored[1:3], "big")
    return stored[3:end], stored[end:]


def _joined(thread: ThreadRow, policy: bytes, metadata: bytes) -> ThreadRow:
    if policy:
        metadata = _PREFIX + len(policy).to_bytes(2, "big") + policy + metadata
    return with_checksum(thread._replace(metadata=metadata))

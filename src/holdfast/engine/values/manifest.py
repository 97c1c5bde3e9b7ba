"""A checkpoint's manifest: which version of which log each of its channels is.

A value no larger than a reference to it is kept in the manifest itself, so that counters, flags and short texts cost no
row of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.backends.rows import Key, Number
from holdfast.engine.values.digests import SIZE, encoding_digest

INLINE_UP_TO: Final = 40


class Ref(NamedTuple):
    """One version of a value log."""

    log: Key
    pos: Number
    digest: bytes
    frozen: bool = False  # the log has later versions, or belongs to another line: the next version starts a new log


class Inline(NamedTuple):
    """A value small enough to be kept in the manifest."""

    enc: bytes

    @property
    def digest(self) -> bytes:
        return encoding_digest(self.enc)


Entry = Ref | Inline


class Manifest(NamedTuple):
    channels: dict[str, Entry]
    extra: Entry | None = None
    open: tuple[str, ...] = ()
    """Channels without a value here: theirs is computed from the writes since the last ancestor that has one."""


_Packed = bytes | Ref
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, _Packed] | list[dict[str, _Packed] | _Packed | None]).decode


def pack(manifest: Manifest) -> bytes:
    """A map of channels; with an extra, a pair of both; with open channels, their names too."""
    *entries, extra = _packed([*manifest.channels.values(), manifest.extra])
    channels = dict(zip(manifest.channels, entries, strict=True))
    if manifest.open:
        return _encode((channels, extra, dict.fromkeys(manifest.open, b"")))
    return _encode(channels if extra is None else (channels, extra))


def unpack(data: bytes) -> Manifest:
    packed = _decode(data)
    channels, extra, names = (packed, None, ()) if isinstance(packed, dict) else (*packed, ())[:3]
    entries: dict[str, Entry] = {}
    for name, entry in channels.items():
        entries[name] = Inline(entry) if isinstance(entry, bytes) else entry
    if extra is not None:
        extra = Inline(extra) if isinstance(extra, bytes) else extra
    return Manifest(entries, extra, tuple(names))


def _packed(entries: Iterable[Entry | None]) -> list[bytes | tuple[int | bytes | bool, ...] | None]:
    """A reference that is not frozen is packed without its last field; None is passed on."""
    packed: list[bytes | tuple[int | bytes | bool, ...] | None] = []
    for entry in entries:
        if isinstance(entry, Ref):
            packed.append(entry if entry.frozen else entry[:3])
        else:
            packed.append(None if entry is None else entry.enc)
    return packed


def frozen(manifest: Manifest) -> Manifest:
    """The same values, to be continued in new logs."""
    channels = {name: _frozen(entry) for name, entry in manifest.channels.items()}
    return Manifest(channels, None if manifest.extra is None else _frozen(manifest.extra), manifest.open)


def _frozen(entry: Entry) -> Entry:
    return entry._replace(frozen=True) if isinstance(entry, Ref) else entry


def contents(manifest: Manifest) -> tuple[list[tuple[str, bytes]], bytes | None]:
    """The digests of the values, wherever they are stored: of the channels by name, and of the extra."""
    channels = sorted([(name, entry.digest) for name, entry in manifest.channels.items()])
    return channels, manifest.extra.digest if manifest.extra is not None else None


def checkpoint_digest(fields: tuple[Any, ...], manifest: Manifest) -> bytes:
    """Covers what a checkpoint contains, not where it is stored. docs/reference/format.md lists the fields."""
    return blake2b(_encode((fields, *contents(manifest))), digest_size=SIZE, person=b"checkpoint").digest()

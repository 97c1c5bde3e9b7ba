"""A checkpoint's manifest: which version of which log each of its channels is.

A value no larger than a reference to it is kept in the manifest itself, so that counters, flags and short texts cost no
row of their own.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from holdfast.engine.digests import value_digest
from holdfast.engine.parts import ATOM, Parts

INLINE_UP_TO: Final = 40


class Ref(NamedTuple):
    """One version of a value log."""

    log: int
    pos: int
    digest: bytes
    frozen: bool = False  # the log went on elsewhere, or belongs to another line: write on in a new log


class Inline(NamedTuple):
    """A value small enough to stand in the manifest."""

    enc: bytes

    @property
    def digest(self) -> bytes:
        return value_digest(Parts(self.enc, ATOM, []), b"")


Entry = Ref | Inline


class Manifest(NamedTuple):
    channels: dict[str, Entry]
    extra: Entry | None = None
    open: tuple[str, ...] = ()
    """Channels without a value here: theirs is made of what was written since the last ancestor that has one."""


_Packed = bytes | list[int | bytes | bool]
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, _Packed] | list[dict[str, _Packed] | _Packed | None]).decode


def pack(manifest: Manifest) -> bytes:
    """A map of channels; with an extra, a pair of both; with open channels, their names too."""
    channels = {name: _packed(entry) for name, entry in manifest.channels.items()}
    extra = None if manifest.extra is None else _packed(manifest.extra)
    if manifest.open:
        return _encode((channels, extra, dict.fromkeys(manifest.open, b"")))
    return _encode(channels if extra is None else (channels, extra))


def unpack(data: bytes) -> Manifest:
    found = _decode(data)
    if isinstance(found, dict):
        return Manifest({name: _unpacked(entry) for name, entry in found.items()})
    channels, extra, names = found if len(found) == 3 else (*found, {})
    entries = {name: _unpacked(entry) for name, entry in channels.items()}
    return Manifest(entries, None if extra is None else _unpacked(extra), tuple(names))


def _packed(entry: Entry) -> bytes | tuple[int | bytes | bool, ...]:
    if isinstance(entry, Inline):
        return entry.enc
    return entry if entry.frozen else entry[:3]


def _unpacked(entry: _Packed) -> Entry:
    return Inline(entry) if isinstance(entry, bytes) else Ref(*entry)  # type: ignore[arg-type]


def frozen(manifest: Manifest) -> Manifest:
    """The same values, to be continued in new logs."""
    channels = {name: _frozen(entry) for name, entry in manifest.channels.items()}
    return Manifest(channels, None if manifest.extra is None else _frozen(manifest.extra), manifest.open)


def _frozen(entry: Entry) -> Entry:
    return entry._replace(frozen=True) if isinstance(entry, Ref) else entry


def contents(known: Manifest) -> tuple[list[tuple[str, bytes]], bytes | None]:
    """What the values are, wherever they are stored."""
    channels = sorted((name, entry.digest) for name, entry in known.channels.items())
    return channels, known.extra.digest if known.extra is not None else None

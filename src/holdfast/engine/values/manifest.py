"""A checkpoint's manifest: which version of which log each of its channels is.

A value no larger than a reference to it is kept in the manifest itself, so that counters, flags and short texts cost no
row of their own.

A manifest with few channels is stored in the row of its checkpoint. A wide one would be most of what a save writes, so
it is itself a version of a value log, and the row refers to it. `manifest_log` describes its form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from holdfast.backends.rows import Key, Number
from holdfast.engine.values.digests import SIZE, encoding_digest

INLINE_UP_TO: Final = 40
NARROW_UP_TO = 64
"""How many channels a manifest may have that is stored in the row of its checkpoint."""


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


class Logged(NamedTuple):
    """A wide manifest as its log has it."""

    ref: Ref
    series: int  # of the references that may be continued
    channels: dict[str, Entry]
    open: tuple[str, ...]


class Manifest(NamedTuple):
    channels: dict[str, Entry]
    extra: Entry | None = None
    open: tuple[str, ...] = ()
    """Channels without a value here: theirs is computed from the writes since the last ancestor that has one."""
    logged: Logged | None = None
    """Where it is stored, if it is wide. What a change starts from may be frozen since."""

    @property
    def is_wide(self) -> bool:
        return len(self.channels) + len(self.open) > NARROW_UP_TO


class Header(NamedTuple):
    """What the row of a checkpoint has of a wide manifest."""

    ref: Ref
    series: int
    extra: Entry | None


_Packed = bytes | Ref
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, _Packed] | list[dict[str, _Packed] | _Packed | None]).decode

_Series = Annotated[int, msgspec.Meta(ge=1, le=(1 << 63) - 1)]  # 0 is that of references which are always frozen
Digest = Annotated[bytes, msgspec.Meta(min_length=SIZE, max_length=SIZE)]
_HEADER: Final = b"\x92\x94"
"""How the packed header of a wide manifest begins: a pair, whose first part has four fields. That of a narrow one is a
map, alone or as the first part."""


class _PackedHeader(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    version: tuple[Key, Number, Digest, _Series]
    extra: Ref | bytes | None


_decode_header = msgspec.msgpack.Decoder(_PackedHeader).decode


def pack(manifest: Manifest) -> bytes:
    """A map of channels; with an extra, a pair of both; with open channels, their names too. Of one that is in a log,
    its header."""
    if manifest.logged is not None:
        ref, series = manifest.logged[:2]
        return _encode(((*ref[:3], series), *_packed([manifest.extra])))
    *entries, extra = _packed([*manifest.channels.values(), manifest.extra])
    channels = dict(zip(manifest.channels, entries, strict=True))
    if manifest.open:
        return _encode((channels, extra, dict.fromkeys(manifest.open, b"")))
    return _encode(channels if extra is None else (channels, extra))


def unpack(data: bytes) -> Manifest | Header:
    if data.startswith(_HEADER):
        return _header(_decode_header(data))
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


def _header(packed: _PackedHeader) -> Header:
    log, pos, digest, series = packed.version
    extra = Inline(packed.extra) if isinstance(packed.extra, bytes) else packed.extra
    return Header(Ref(log, pos, digest), series, extra)


def frozen(manifest: Manifest) -> Manifest:
    """The same values, to be continued in new logs."""
    channels = {name: _frozen(entry) for name, entry in manifest.channels.items()}
    extra = None if manifest.extra is None else _frozen(manifest.extra)
    logged = manifest.logged
    if logged is not None:
        logged = logged._replace(ref=logged.ref._replace(frozen=True))
    return Manifest(channels, extra, manifest.open, logged)


def _frozen(entry: Entry) -> Entry:
    return entry._replace(frozen=True) if isinstance(entry, Ref) else entry


def refs_of(manifest: Manifest) -> Iterator[Ref]:
    """Every version that a checkpoint with this manifest needs."""
    if manifest.logged is not None:
        yield manifest.logged.ref
    for entry in (*manifest.channels.values(), manifest.extra):
        if isinstance(entry, Ref):
            yield entry


def contents(manifest: Manifest) -> tuple[list[tuple[str, bytes]], bytes | None]:
    """The digests of the values, wherever they are stored: of the channels by name, and of the extra."""
    channels = sorted([(name, entry.digest) for name, entry in manifest.channels.items()])
    return channels, manifest.extra.digest if manifest.extra is not None else None


def checkpoint_digest(fields: tuple[Any, ...], manifest: Manifest) -> bytes:
    """Covers what a checkpoint contains, not where it is stored. docs/reference/format.md lists the fields."""
    return blake2b(_encode((fields, *contents(manifest))), digest_size=SIZE, person=b"checkpoint").digest()

"""Wide manifests: how one with many channels is stored as a version of a value log.

It is a list of its channels, in order and the open ones last. A save that changes one of two thousand channels stores
one item of it::

    [["plan", 83…, 4, digest, 1], ["topic", b"\\xa5birds"], ["notes"], …]

An item is a channel with a small value, with a reference, or open. The number at the end of a reference is its
series: one that is not the manifest's own is frozen. So a fork freezes all of them by raising one number in the row
of its checkpoint, and its manifest differs from the one before in what changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

import msgspec
from msgspec import Raw

from holdfast.backends.rows import Key, Number
from holdfast.engine.context import Engine
from holdfast.engine.values import log_writer
from holdfast.engine.values.manifest import Digest, Entry, Header, Inline, Logged, Manifest, Ref
from holdfast.engine.values.msgpack_parts import LIST, Parts, join, with_items
from holdfast.engine.values.value_log import LogSettings, Version, Written
from holdfast.errors import TooLarge

_FIRST: Final = 1  # series
_FROZEN: Final = 0  # the series of a reference that is frozen from the start
_LARGEST_FRAME: Final = 64  # changes; a larger frame takes more bytes than the other rows of a save together
_LEAST_ROOM: Final = 1 << 20


class _Item(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    name: str
    value: Key | bytes | None = None  # the log of a reference, or a small value, or neither: the channel is open
    pos: Number = 0
    digest: Digest = b""
    series: Number = _FROZEN


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[_Item]).decode


def settings(engine: Engine, tree: int) -> LogSettings:
    """The settings of the logs that hold manifests."""
    frames = engine.backend.capabilities.frames
    return LogSettings(tree, tuple(size for size in frames if size <= _LARGEST_FRAME) or frames)


def most_bytes(engine: Engine) -> int:
    """How long the list of a manifest may be: as long as a value, and never less than a megabyte, whatever the store
    was opened with."""
    return max(engine.codec.max_value, _LEAST_ROOM)


# ------------------------------------------------------------------------------------------------ reading


def read(header: Header, enc: bytes) -> Manifest:
    """The manifest that its row and its log have. Raises if the list is not one of a manifest."""
    channels: dict[str, Entry] = {}
    names: dict[str, None] = {}
    items = _decode(enc)
    for item in items:
        if item.value is None:
            names[item.name] = None
            continue
        if isinstance(item.value, int) != bool(item.digest) or names:
            raise ValueError(f"channel {item.name!r} is incomplete, or comes after an open one")
        if isinstance(item.value, bytes):
            channels[item.name] = Inline(item.value)
        else:
            is_frozen = item.series != header.series
            channels[item.name] = Ref(item.value, item.pos, item.digest, is_frozen)
    if len(channels.keys() | names.keys()) < len(items):
        raise ValueError("a channel is listed twice")
    logged = Logged(header.ref, header.series, channels, tuple(names))
    return Manifest(channels, header.extra, logged.open, logged)


# ------------------------------------------------------------------------------------------------ writing


def write(
    settings: LogSettings, most: int, before: Manifest, old: Version | None, new: Manifest
) -> tuple[Manifest, Written | None]:
    """Store a wide manifest as the version after the one that a change started from, whose list is `old`. Nothing is
    written if the list is the same, or so short that the row has room for it."""
    logged = None if old is None else before.logged
    new = new._replace(open=tuple(name for name in dict.fromkeys(new.open) if name not in new.channels))
    series = _series(logged, new)
    enc = join(LIST, [*_items(logged, old, new, series)])
    if len(enc) > most:
        raise TooLarge(f"the list of {len(new.channels)} channels has {len(enc)} bytes, and max_value is {most}")
    if logged is not None and old is not None and not logged.ref.frozen and enc == old.parts.enc:
        return new._replace(logged=Logged(logged.ref, series, new.channels, new.open)), None
    written = log_writer.write(settings, enc, None if logged is None else logged.ref, old)
    if not isinstance(written.entry, Ref):
        return new, None
    if written.version is not None:
        # Two thousand items take more room than their encoding, and are split again in no time.
        written.version.parts = Parts(enc, LIST, [])
    return new._replace(logged=Logged(written.entry, series, new.channels, new.open)), written


def superseded_by(before: Manifest, new: Manifest) -> Ref | None:
    """The version of the list that the new one continues: no later save of its line starts from it."""
    if before.logged is None or new.logged is None or before.logged.ref.log != new.logged.ref.log:
        return None
    return before.logged.ref


def _series(logged: Logged | None, new: Manifest) -> int:
    """The next one, if no reference of the manifest before is continued."""
    if logged is None:
        return _FIRST
    for name, entry in new.channels.items():
        if isinstance(entry, Ref) and not entry.frozen and logged.channels.get(name) == entry:
            return logged.series
    return logged.series + 1


def _items(logged: Logged | None, old: Version | None, new: Manifest, series: int) -> Iterator[Raw | bytes]:
    """The new list: items that did not change are those of the old one."""
    stored: dict[str, Raw] = {}
    before: dict[str, Entry] = {}
    if logged is not None and old is not None:
        before = logged.channels if series == logged.series else _all_frozen(logged.channels)
        stored = _stored_items(logged, old)
    for name, entry in new.channels.items():
        same = before.get(name)
        yield stored[name] if same is not None and same == entry else _packed(name, entry, series)
    for name in new.open:
        yield _encode((name,))


def _stored_items(logged: Logged, old: Version) -> dict[str, Raw]:
    return dict(zip(chain(logged.channels, logged.open), with_items(old.parts).items, strict=True))


def _all_frozen(channels: dict[str, Entry]) -> dict[str, Entry]:
    return {name: entry._replace(frozen=True) if isinstance(entry, Ref) else entry for name, entry in channels.items()}


def _packed(name: str, entry: Entry, series: int) -> bytes:
    if isinstance(entry, Inline):
        return _encode((name, entry.enc))
    return _encode((name, *entry[:3]) if entry.frozen else (name, *entry[:3], series))

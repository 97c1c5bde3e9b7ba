"""Digests are of content: the same state saved in two stores has the same digest in both.

A large list or map is hashed over the digests of its items, which the cache keeps, so that a save hashes what is new.
Whether a value is hashed by items depends on its encoding alone, never on how it came about.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

from msgspec.msgpack import Encoder

from holdfast.engine.parts import LIST, MAP, Parts

SIZE: Final = 16
_BY_ITEMS_FROM: Final = 4096  # bytes; below, one pass over the whole is cheaper
_ITEM_AT_LEAST: Final = 128  # mean bytes an item; below, its digest would outweigh it

_encode = Encoder().encode


def _hash(what: bytes, data: Any) -> bytes:
    return blake2b(data, digest_size=SIZE, person=what).digest()


def by_items(parts: Parts) -> bool:
    size = parts.size
    return size >= _BY_ITEMS_FROM and parts.kind in (LIST, MAP) and size >= _ITEM_AT_LEAST * len(parts.items)


def item_digests(new: Parts, old: Parts | None, known: bytes) -> bytes:
    """The digests of all items, one after the other; those of `old` (in `known`) serve again where items are equal."""
    if not by_items(new):
        return b""
    if old is None or not known or old.kind != new.kind:
        return b"".join([_hash(b"item", item) for item in new.items])
    same = min(len(old.items), len(new.items))
    if new.items[:same] == old.items[:same]:  # it grew or shrank at the end: the usual case, compared in C
        fresh = [_hash(b"item", item) for item in new.items[same:]]
        return b"".join([known[: same * SIZE], *fresh])
    return b"".join(_digests_by_content(new, old, known))


def _digests_by_content(new: Parts, old: Parts, known: bytes) -> list[bytes]:
    table = {bytes(item): known[i * SIZE : (i + 1) * SIZE] for i, item in enumerate(old.items)}
    return [table.get(bytes(item)) or _hash(b"item", item) for item in new.items]


def value_digest(parts: Parts, digests: bytes) -> bytes:
    if digests:
        return _hash(b"items", bytes((parts.kind,)) + digests)
    return _hash(b"value", parts.enc)


def checkpoint_digest(fields: tuple[Any, ...], channels: list[tuple[str, bytes]], extra: bytes | None) -> bytes:
    """Over what a checkpoint says, not over where it is stored: see docs/reference/format.md for the fields."""
    return _hash(b"checkpoint", _encode((fields, sorted(channels), extra)))

"""Digests are of content: the same state saved in two stores has the same digest in both.

A large list or map is hashed over the digests of its items, which the cache keeps, so that a save hashes what is new.
Whether a value is hashed by items depends on its encoding alone, never on its history.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from msgspec import Raw

from holdfast.engine.values.msgpack_parts import LIST, MAP, Parts, with_items

SIZE: Final = 16
UNKNOWN: Final = b""  # in place of the digest of a parent that was replaced or lost
_BY_ITEMS_FROM: Final = 4096  # bytes; one pass over a smaller value is cheaper
_ITEM_AT_LEAST: Final = 128  # mean bytes an item; the digests of smaller items take too much room


def item_digests(new: Parts, old: Parts | None, known: bytes) -> bytes:
    """The digests of all items, concatenated; empty for a value that is hashed whole. Items of `old` have theirs in
    `known`."""
    if new.kind not in (LIST, MAP) or new.size < max(_BY_ITEMS_FROM, _ITEM_AT_LEAST * len(new.items)):
        return b""
    if old is None or not known or old.kind != new.kind:
        return b"".join(map(_item_digest, new.items))
    old_items = old.items or with_items(old).items
    same = min(len(old_items), len(new.items))
    # The usual case, compared in C: the value grew or shrank at the end.
    if new.items[:same] == old_items[:same]:
        return b"".join([known[: same * SIZE], *map(_item_digest, new.items[same:])])
    return b"".join(_digests_by_content(new.items, old_items, known))


def _digests_by_content(new: list[Raw], old: list[Raw], known: bytes) -> list[bytes]:
    table = {bytes(item): known[i * SIZE : (i + 1) * SIZE] for i, item in enumerate(old)}
    return [table.get(bytes(item)) or _item_digest(item) for item in new]


def _item_digest(item: Raw) -> bytes:
    return blake2b(item, digest_size=SIZE, person=b"item").digest()


def value_digest(parts: Parts, digests: bytes) -> bytes:
    """The digest of a value, given those of its items."""
    content, person = (bytes((parts.kind,)) + digests, b"items") if digests else (parts.enc, b"value")
    return blake2b(content, digest_size=SIZE, person=person).digest()


def encoding_digest(enc: bytes) -> bytes:
    """The digest of a value that is hashed as a whole."""
    return blake2b(enc, digest_size=SIZE, person=b"value").digest()

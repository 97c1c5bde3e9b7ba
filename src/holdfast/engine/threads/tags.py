"""Indexed facts about a thread: its status, each key of its metadata, and whether it has a ttl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import starmap
from typing import Any, Final

import msgspec

from holdfast.backends.rows import TagRow, ThreadRow, with_checksum
from holdfast.codec import Codec
from holdfast.engine import policy
from holdfast.engine.values.msgpack_parts import TEXT, parts_of, shape_of
from holdfast.errors import Corrupt

HELD, LEFT = "held", "left"
"""What the tag `run` of a thread says: a worker holds it, or left it unfinished."""
TTL: Final = ("ttl", "set")
"""The tag of threads that have a ttl."""

_LONGEST: Final = 64
_decode_text = msgspec.msgpack.Decoder(str).decode
_codec = Codec()


def of_thread(thread: ThreadRow) -> list[TagRow]:
    """What its directory row says."""
    return [with_checksum(TagRow(*tag, thread.id)) for tag in of_row(thread)]


def of_row(thread: ThreadRow) -> Iterator[tuple[str, str]]:
    if encoded := policy.metadata_of(thread):
        yield from of_encoded(encoded)
    if policy.of(thread).ttl is not None:
        yield TTL


def of_metadata(thread_id: str, metadata: Mapping[str, Any]) -> Iterator[TagRow]:
    for key, value in metadata.items():
        yield with_checksum(TagRow(*metadata_tag(key, value), thread_id))


def of_encoded(enc: bytes) -> Iterator[tuple[str, str]]:
    """The same tags, from metadata as it is stored: no class has to be known for that."""
    try:
        items = parts_of(enc).items
        pairs = [(_decode_text(key), bytes(value)) for key, value in zip(items[::2], items[1::2], strict=True)]
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Corrupt(f"the metadata of a thread can't be read: {error}") from error
    yield from starmap(_tag, pairs)


def status(thread_id: str, value: str) -> TagRow:
    return with_checksum(TagRow(*status_tag(value), thread_id))


def run(thread_id: str, value: str) -> TagRow:
    return with_checksum(TagRow("run", value, thread_id))


def status_tag(value: str) -> tuple[str, str]:
    return "status", value


def metadata_tag(key: str, value: Any) -> tuple[str, str]:
    """Equal values have equal tags: short text as it is, all else by a hash of its encoding."""
    return _tag(key, _codec.encode(value, f"metadata[{key!r}]"))


def _tag(key: str, enc: bytes) -> tuple[str, str]:
    if len(enc) <= _LONGEST and b"\0" not in enc and shape_of(enc).kind == TEXT:
        return f"metadata.{key}", f"={_decode_text(enc)}"
    return f"metadata.{key}", blake2b(enc, digest_size=16).hexdigest()

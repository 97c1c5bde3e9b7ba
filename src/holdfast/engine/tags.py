"""Indexed facts about a thread: its status, and each key of its metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final

from holdfast.backends.rows import TagRow, sealed
from holdfast.codec import Codec

_LONGEST: Final = 64
_codec = Codec()


def of_metadata(thread_id: str, metadata: Mapping[str, Any]) -> Iterator[TagRow]:
    for key, value in metadata.items():
        yield sealed(TagRow(*metadata_tag(key, value), thread_id))


def status(thread_id: str, value: str) -> TagRow:
    return sealed(TagRow(*status_tag(value), thread_id))


def run(thread_id: str, value: str) -> TagRow:
    return sealed(TagRow("run", value, thread_id))


def status_tag(value: str) -> tuple[str, str]:
    return "status", value


def metadata_tag(key: str, value: Any) -> tuple[str, str]:
    """Equal values have equal tags: short text as it is, all else by a hash of its encoding."""
    enc = _codec.encode(value, f"metadata[{key!r}]")
    if type(value) is str and len(enc) <= _LONGEST and "\0" not in value:
        return f"metadata.{key}", f"={value}"
    return f"metadata.{key}", blake2b(enc, digest_size=16).hexdigest()

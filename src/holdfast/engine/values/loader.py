"""Loads the versions of values that manifests refer to: from the cache, or from the chunks of the backend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from holdfast.backends.base import Piece, Want
from holdfast.backends.rows import CheckpointRow
from holdfast.codec import Codec
from holdfast.engine.context import Engine
from holdfast.engine.values import log_reader, manifest
from holdfast.engine.values.manifest import Entry, Manifest, Ref
from holdfast.engine.values.msgpack_parts import LIST
from holdfast.engine.values.value_log import Version
from holdfast.errors import Corrupt

ROOM: Final = 4
"""How many times `max_value` the values that share a stored one may have together."""


async def versions(
    engine: Engine, tree: int, entries: Iterable[Entry], changes: dict[tuple[int, int], bytes] | None = None
) -> dict[Ref, Version]:
    """The content of these references: from the cache, and the rest with one query to the backend (more, if some are
    older than the last key of their log). A caller that needs the changes which led to them passes a dict: it receives
    those that the query returned."""
    loaded: dict[Ref, Version] = {}
    missing: dict[int, list[Ref]] = {}
    wanted: set[Ref] = set()
    for entry in entries:
        if isinstance(entry, Ref):
            wanted.add(entry._replace(frozen=False))
    for ref in sorted(wanted):
        version = engine.cache.get((ref.log, ref.pos))
        if version is None:
            missing.setdefault(ref.log, []).append(ref)
        else:
            loaded[ref] = version
    while missing:
        logs = list(missing.values())
        answers = await engine.backend.chunks(tree, [Want(refs[-1].log, refs[-1].pos) for refs in logs])
        missing = {}
        for refs, pieces in zip(logs, answers, strict=True):
            if changes is not None:
                changes |= log_reader.changes(refs, pieces, engine.codec.max_value)
            older = _read(engine, refs, pieces, loaded)
            if older:
                missing[refs[0].log] = older
    return loaded


def _read(engine: Engine, refs: Sequence[Ref], pieces: Sequence[Piece], loaded: dict[Ref, Version]) -> list[Ref]:
    """Read versions of one log; returns those that are older than its last key. The newest version is cached, because
    later saves may build on it."""
    older: list[Ref] = []
    found = log_reader.read(refs, pieces, engine.backend.capabilities.frames, engine.codec.max_value)
    for ref, version in zip(refs, found, strict=True):
        if version is None:
            older.append(ref)
        else:
            loaded[ref] = version
    last = refs[-1]
    if last not in loaded:
        raise Corrupt(f"value log {last.log} has no key at or before position {last.pos}")
    if last.digest:
        engine.cache.put((last.log, last.pos), loaded[last], loaded[last].cost)
    return older


def version_of(ref: Ref, loaded: Mapping[Ref, Version]) -> Version:
    return loaded[ref._replace(frozen=False)]


def encoding(entry: Entry, loaded: Mapping[Ref, Version]) -> bytes:
    if isinstance(entry, Ref):
        return version_of(entry, loaded).parts.enc
    return entry.enc


def value(codec: Codec, entry: Entry, loaded: Mapping[Ref, Version]) -> Any:
    """A new object at each call. A list of messages that grew is decoded item by item, without joining it first."""
    if not isinstance(entry, Ref):
        return codec.decode(entry.enc)
    parts = loaded[entry._replace(frozen=False)].parts
    messages = codec.messages(parts.items) if parts.kind == LIST and not parts.is_joined else None
    return codec.decode(parts.enc) if messages is None else messages


def check_repeated(codec: Codec, entries: Iterable[Entry], loaded: Mapping[Ref, Version]) -> None:
    """`TooLarge` if channels that share versions are far larger together than these: a reference takes few
    bytes, and any number of them may lead to the same large value."""
    repeated = 0
    seen: set[Entry] = set()
    for entry in entries:
        if isinstance(entry, Ref) and entry in seen:
            repeated += version_of(entry, loaded).parts.size
        seen.add(entry)
    if repeated > ROOM * codec.max_value:
        raise codec.too_large(repeated, "what several channels share")


def manifest_of(row: CheckpointRow) -> Manifest:
    try:
        return manifest.unpack(row.manifest)
    except (msgspec.MsgspecError, ValueError, TypeError, AttributeError) as error:
        raise Corrupt(f"the manifest of checkpoint {row.id!r} can't be read: {error}") from error

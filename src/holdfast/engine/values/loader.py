"""Loads the versions of values that manifests refer to: from the cache, or from the chunks of the backend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.backends.base import Frames, Want
from holdfast.backends.rows import CheckpointRow
from holdfast.codec import Codec
from holdfast.engine.context import Engine
from holdfast.engine.values import log_reader, manifest, manifest_log
from holdfast.engine.values.manifest import Entry, Header, Manifest, Ref
from holdfast.engine.values.msgpack_parts import LIST
from holdfast.engine.values.value_log import Version
from holdfast.errors import Corrupt

_MALFORMED: Final = (msgspec.MsgspecError, ValueError, TypeError, AttributeError)

ROOM: Final = 4
"""How many times `max_value` the values that share a stored one may have together."""


class Reading(NamedTuple):
    """How the versions of some logs are stored, and how large they may be."""

    frames: Frames
    most: int


def _of_manifests(engine: Engine) -> Reading:
    return Reading(manifest_log.settings(engine, 0).frames, manifest_log.most_bytes(engine))


async def versions(
    engine: Engine,
    tree: int,
    entries: Iterable[Entry],
    changes: dict[tuple[int, int], bytes] | None = None,
    reading: Reading | None = None,
) -> dict[Ref, Version]:
    """The content of these references: from the cache, and the rest with one query to the backend (more, if some are
    older than the last key of their log). A caller that needs the changes which led to them passes a dict: it receives
    those that the query returned. The versions are values of channels, unless `reading` says how others are stored."""
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
        frames, most = reading or (engine.backend.capabilities.frames, engine.codec.max_value)
        logs = list(missing.values())
        answers = await engine.backend.chunks(tree, [Want(refs[-1].log, refs[-1].pos) for refs in logs])
        missing = {}
        for refs, pieces in zip(logs, answers, strict=True):
            if changes is not None:
                changes |= log_reader.changes(refs, pieces, most)
            older = _taken(engine, loaded, refs, log_reader.read(refs, pieces, frames, most))
            if older:
                missing[refs[0].log] = older
    return loaded


def _taken(
    engine: Engine, loaded: dict[Ref, Version], refs: Sequence[Ref], found: Sequence[Version | None]
) -> list[Ref]:
    """Take the versions of one log that were read; returns those that are older than its last key. The newest version
    is cached, because later saves may build on it."""
    older: list[Ref] = []
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


# ------------------------------------------------------------------------------------------------ manifests


def unpacked(row: CheckpointRow) -> Manifest | Header:
    """The manifest of a checkpoint as its row has it: whole, unless it is wide."""
    try:
        return manifest.unpack(row.manifest)
    except _MALFORMED as error:
        raise _unreadable(row, error) from error


async def manifest_of(engine: Engine, row: CheckpointRow) -> Manifest:
    known = unpacked(row)
    return known if isinstance(known, Manifest) else (await _from_logs(engine, [(row, known)]))[0]


async def manifests_of(engine: Engine, rows: Sequence[CheckpointRow]) -> list[Manifest]:
    """The manifests of some checkpoints of one tree. All that are wide take one query."""
    found = [unpacked(row) for row in rows]
    wide = [(row, known) for row, known in zip(rows, found, strict=True) if isinstance(known, Header)]
    if not wide:
        return [known for known in found if isinstance(known, Manifest)]
    logged = iter(await _from_logs(engine, wide))
    return [known if isinstance(known, Manifest) else next(logged) for known in found]


async def _from_logs(engine: Engine, wide: Sequence[tuple[CheckpointRow, Header]]) -> list[Manifest]:
    headers = [header.ref for _, header in wide]
    loaded = await versions(engine, wide[0][0].tree, headers, reading=_of_manifests(engine))
    found: list[Manifest] = []
    for row, header in wide:
        version = version_of(header.ref, loaded)
        if version.digest != header.ref.digest:
            raise Corrupt(f"the manifest of checkpoint {row.id!r} does not match its digest")
        if version.known is None:
            version.check()
        found.append(read_logged(row, header, version.parts.enc))
    return found


async def version_before(engine: Engine, tree: int, before: Manifest) -> Version | None:
    """The list of the manifest that a change starts from, if it was wide."""
    if before.logged is None:
        return None
    ref = before.logged.ref
    return version_of(ref, await versions(engine, tree, [ref], reading=_of_manifests(engine)))


def read_logged(row: CheckpointRow, header: Header, enc: bytes) -> Manifest:
    try:
        return manifest_log.read(header, enc)
    except _MALFORMED as error:
        raise _unreadable(row, error) from error


def _unreadable(row: CheckpointRow, error: Exception) -> Corrupt:
    return Corrupt(f"the manifest of checkpoint {row.id!r} can't be read: {error}")

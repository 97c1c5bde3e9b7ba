"""How pending writes are stored: one by one as tasks put them, and as one row once their step is settled."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Final, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Meta

from holdfast import _zstd
from holdfast.backends.rows import Key, PendingRow, SettledRow, Signed, checked
from holdfast.codec.codec import MAX_VALUE
from holdfast.engine.values.manifest import Ref
from holdfast.engine.values.msgpack_parts import LIST, join, split_items
from holdfast.engine.values.value_log import Version
from holdfast.errors import Corrupt

encode = msgspec.msgpack.Encoder().encode
_decode_write = msgspec.msgpack.Decoder(tuple[str, bytes]).decode
_ZSTD: Final = b"\x01"  # no encoded pair starts with it
_WORTH_COMPRESSING: Final = 2048
_BESIDE_VALUE: Final = 64 * 1024  # the name of the channel


class StoredWrite(NamedTuple):
    """A pending write as it is stored: its encoding, or a reference to a part of a value in a log."""

    task_path: str
    task_id: str
    idx: int
    channel: str
    # A reference is log and position; one item more names an item of the list, two more a range of items.
    value: bytes | list[int]


Reference = Annotated[list[Key], Meta(min_length=2, max_length=4)]
SettledTasks = list[tuple[Any, str, list[tuple[Signed, str, bytes | Reference]]]]
"""The writes of a step by task: the task's id (16 bytes if it is a UUID) and path; index, channel and value of each."""

decode_settled = msgspec.msgpack.Decoder(SettledTasks).decode


def encode_write(channel: str, enc: bytes) -> bytes:
    """The body of a pending write. It lives only until its step is settled, but it crosses the wire and the database's
    own log, so a large one is compressed."""
    plain = encode((channel, enc))
    smaller = _zstd.compress_if_worth_it(plain, 1) if len(plain) >= _WORTH_COMPRESSING else None
    return plain if smaller is None else _ZSTD + smaller


def decode_write(body: bytes, max_value: int = MAX_VALUE) -> tuple[str, bytes]:
    """Channel and value of a pending write. `Corrupt` if the body is not one, `TooLarge` beyond `max_value`."""
    try:
        plain = body if body[:1] != _ZSTD else _zstd.decompress(memoryview(body)[1:], max_value + _BESIDE_VALUE)
        return _decode_write(plain)
    except (msgspec.MsgspecError, _zstd.ZstdError) as error:
        raise Corrupt(f"what a task wrote can't be read: {error}") from error


def writes_in(row: PendingRow | SettledRow, max_value: int = MAX_VALUE) -> list[StoredWrite]:
    """The write of a row, or all writes of a step that was settled."""
    if isinstance(row, PendingRow):
        return [StoredWrite(row.task_path, row.task_id, row.idx, *decode_write(checked(row).body, max_value))]
    try:
        return [
            StoredWrite(task_path, task_id if isinstance(task_id, str) else str(UUID(bytes=task_id)), *write)
            for task_id, task_path, writes in decode_settled(checked(row).body)
            for write in writes
        ]
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise Corrupt(f"what the tasks of a step wrote can't be read: {error}") from error


def short_id(task_id: str) -> str | bytes:
    """The text of a UUID is more than twice as long as the UUID."""
    if len(task_id) == 36:
        with suppress(ValueError):
            number = UUID(task_id)
            return number.bytes if str(number) == task_id else task_id
    return task_id


def version_in(value: list[int]) -> Ref:
    return Ref(value[0], value[1], b"")


def part_of(value: bytes | list[int], versions: dict[Ref, Version]) -> bytes:
    """The encoding of a pending write's value."""
    if isinstance(value, bytes):
        return value
    try:
        return _part_of_version(value, versions)
    except (LookupError, ValueError) as error:
        raise Corrupt(f"a write refers to {value!r:.100}, which is not in a value log: {error!r}") from error


def _part_of_version(value: list[int], versions: dict[Ref, Version]) -> bytes:
    parts = versions[version_in(value)].parts
    item_range = value[2:]
    if not item_range:
        return parts.enc
    items = parts.items or split_items(parts.enc)
    return join(LIST, items[item_range[0] : item_range[1]]) if item_range[1:] else bytes(items[item_range[0]])

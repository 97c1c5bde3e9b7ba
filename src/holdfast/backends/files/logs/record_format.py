"""The bytes of a file: a header, and records with length and checksum that are found again among damaged bytes.

::

    file    = header record*
    header  = signature (8 bytes), reader (u16), writer (u16), checksum of these (u32)
    record  = magic (4 bytes), length (u32), checksum (u32), payload

Numbers are little-endian. `reader` is the format that code must know to read the file, `writer` the one it must know to
add to it: a later format that older code may still read raises `writer` only.

A record's checksum is a CRC-32 over its length and payload that starts from the file's salt. A record of another file
therefore does not match here, nor do bytes that were stored as a value and look like a record.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

from holdfast.errors import NewerFormat, NotAStore, StorageFailed


class Format(NamedTuple):
    """What code must know to use a file."""

    reader: int
    writer: int


KNOWN: Final = 1
"""The latest format that this code knows."""
WRITTEN: Final = Format(1, 1)
"""What this code writes into the header of a new file."""
MAGIC: Final = b"\x89HFS\r\n\x1a\n"
_UNRELEASED_MAGIC: Final = b"HOLDFAST"
_RECORD_MAGIC: Final = b"\xf1REC"
_HEADER: Final = Struct("<8sHHI")
_RECORD: Final = Struct("<4sII")
_LENGTH: Final = Struct("<I")
HEADER_SIZE: Final = _HEADER.size
RECORD_HEADER: Final = _RECORD.size
_LONGEST: Final = (1 << 32) - 1
_LARGE: Final = 1 << 20


class Damage(NamedTuple):
    """A range of bytes without an intact record, with more bytes after it."""

    start: int
    end: int


class Record(NamedTuple):
    """A record whose checksum matches."""

    start: int
    payload: memoryview


# ------------------------------------------------------------------------------------------------ header


def header() -> bytes:
    start = _HEADER.pack(MAGIC, *WRITTEN, 0)[:-4]
    return start + _LENGTH.pack(crc32(start))


def read_header(data: bytes, path: object) -> Format | None:
    """The format of a file; None if the header is damaged. Refuses a file that this code can't read."""
    if len(data) < HEADER_SIZE:
        return None
    magic, reader, writer, checksum = _HEADER.unpack_from(data)
    if checksum != crc32(data[: HEADER_SIZE - 4]):
        return None
    if magic == _UNRELEASED_MAGIC:
        raise NotAStore(
            f"{path}: it was made by a development version of Holdfast before 0.1.0 and was left as it is; "
            "name another folder, or copy its threads with the version that wrote it"
        )
    if magic != MAGIC:
        return None
    if reader > KNOWN:
        raise NewerFormat(
            f"{path}: reading it needs format {reader}, and this Holdfast knows formats up to {KNOWN}; "
            "install a newer Holdfast to open it"
        )
    return Format(reader, writer)


def check_writable(file_format: Format, path: object) -> None:
    if file_format.writer > KNOWN:
        raise NewerFormat(
            f"{path}: writing to it needs format {file_format.writer}, and this Holdfast knows formats up to {KNOWN}; "
            "it can be read, install a newer Holdfast to write to it"
        )


# ------------------------------------------------------------------------------------------------ records


def record(payload: bytes, salt: int) -> tuple[bytes, ...]:
    """A record in the pieces that are written one after the other: a large payload is not copied."""
    if len(payload) > _LONGEST:
        raise StorageFailed(
            f"one batch can hold at most 4 GB, and this one has {len(payload)} bytes; save less at once"
        )
    start = _RECORD.pack(_RECORD_MAGIC, len(payload), _checksum(payload, salt))
    return (start + payload,) if len(payload) < _LARGE else (start, payload)


def _checksum(payload: bytes | memoryview, salt: int) -> int:
    return crc32(payload, crc32(_LENGTH.pack(len(payload)), salt))


def read(data: bytes, base: int, salt: int, at: int = 0) -> tuple[list[Record | Damage], int]:
    """The records from offset `at` on in bytes that start at offset `base` of a file, and where the last of them ends.

    What follows is an incomplete record: no intact record comes after it, and its own length reaches to the end of the
    file or beyond. Its writer is still at work, or died.
    """
    items: list[Record | Damage] = []
    view = memoryview(data)
    while at < len(data):
        end = _end(view, at, salt)
        if end:
            items.append(Record(base + at, view[at + RECORD_HEADER : end]))
        else:
            end = _damage_end(data, view, at, salt)
            if not end:
                break
            items.append(Damage(base + at, base + end))
        at = end
    return items, base + at


def _end(view: memoryview, at: int, salt: int) -> int:
    """Where the record that starts here ends; 0 if there is none, or its checksum does not match."""
    if len(view) - at < RECORD_HEADER:
        return 0
    magic, length, checksum = _RECORD.unpack_from(view, at)
    end = at + RECORD_HEADER + int(length)
    if magic != _RECORD_MAGIC or end > len(view) or checksum != _checksum(view[at + RECORD_HEADER : end], salt):
        return 0
    return end


def _damage_end(data: bytes, view: memoryview, at: int, salt: int) -> int:
    """Where the damage that starts here ends; 0 if this is the incomplete last record."""
    return _next(data, view, at + 1, salt) or (len(data) if _was_complete(view, at) else 0)


def _next(data: bytes, view: memoryview, at: int, salt: int) -> int:
    """The start of the next intact record; 0 if there is none."""
    while (at := data.find(_RECORD_MAGIC, at)) >= 0:
        if _end(view, at, salt):
            return at
        at += 1
    return 0


def _was_complete(view: memoryview, at: int) -> bool:
    """Whether a bad record had been written to its end: bytes follow it, so it is not the last."""
    if len(view) - at < RECORD_HEADER:
        return False
    magic, length, _ = _RECORD.unpack_from(view, at)
    return bool(magic == _RECORD_MAGIC and at + RECORD_HEADER + length < len(view))

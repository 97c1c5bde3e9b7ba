"""Records in a file, each with its length and checksum, and how to find the sound ones among damaged bytes.

::

    file    = header record*
    header  = "HOLDFAST", format (u32), checksum of both (u32)
    record  = mark (4 bytes), length (u32), checksum (u32), payload

Numbers are little-endian. A record's checksum is a CRC-32 over its length and payload that starts from the file's salt,
so that a record from elsewhere is none here, be it a copied file or bytes that someone stored as a value.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

from holdfast.errors import NewerFormat, StorageFailed

FORMAT: Final = 1
MAGIC: Final = b"HOLDFAST"
_MARK: Final = b"\xf1REC"
_HEADER: Final = Struct("<8sII")
_RECORD: Final = Struct("<4sII")
_LENGTH: Final = Struct("<I")
HEADER_SIZE: Final = _HEADER.size
RECORD_HEADER: Final = _RECORD.size
_LONGEST: Final = (1 << 32) - 1


class Damage(NamedTuple):
    """A stretch of a file that holds no sound record, with more behind it."""

    start: int
    end: int


class Sound(NamedTuple):
    """A record whose checksum holds."""

    start: int
    payload: memoryview


def header() -> bytes:
    start = _HEADER.pack(MAGIC, FORMAT, 0)[:-4]
    return start + _LENGTH.pack(crc32(start))


def record(payload: bytes, salt: int) -> bytes:
    if len(payload) > _LONGEST:
        raise StorageFailed(f"{len(payload)} bytes are more than one batch can hold, which is 4 GB")
    return _RECORD.pack(_MARK, len(payload), _sum(payload, salt)) + payload


def _sum(payload: bytes | memoryview, salt: int) -> int:
    return crc32(payload, crc32(_LENGTH.pack(len(payload)), salt))


def check_header(data: bytes, path: object) -> bool:
    """Whether a file starts as it should; refuses one that newer code wrote."""
    if len(data) < HEADER_SIZE:
        return False
    magic, number, total = _HEADER.unpack_from(data)
    if magic != MAGIC or total != crc32(data[: HEADER_SIZE - 4]):
        return False
    if number > FORMAT:
        raise NewerFormat(
            f"{path}: the file needs format {number}, and this Holdfast knows up to {FORMAT}; "
            "install a newer Holdfast to open it"
        )
    return True


def read(data: bytes, base: int, salt: int) -> tuple[list[Sound | Damage], int]:
    """The records in bytes that start at offset `base` of a file, and where the last of them ends.

    What follows is the beginning of a record, which someone is writing or died while writing: no sound record comes
    after it, and its own length reaches to the end of the file or beyond.
    """
    found: list[Sound | Damage] = []
    view, at = memoryview(data), 0
    while at < len(data):
        end = _end(view, at, salt)
        if end:
            found.append(Sound(base + at, view[at + RECORD_HEADER : end]))
        else:
            end = _next(data, view, at + 1, salt) or (len(data) if _ended(view, at) else 0)
            if not end:
                break
            found.append(Damage(base + at, base + end))
        at = end
    return found, base + at


def _end(view: memoryview, at: int, salt: int) -> int:
    """Where the record that starts here ends; 0 if none does, or its checksum is wrong."""
    if len(view) - at < RECORD_HEADER:
        return 0
    mark, length, total = _RECORD.unpack_from(view, at)
    end = at + RECORD_HEADER + int(length)
    if mark != _MARK or end > len(view) or total != _sum(view[at + RECORD_HEADER : end], salt):
        return 0
    return end


def _next(data: bytes, view: memoryview, at: int, salt: int) -> int:
    """The start of the next sound record; 0 if there is none."""
    while (at := data.find(_MARK, at)) >= 0:
        if _end(view, at, salt):
            return at
        at += 1
    return 0


def _ended(view: memoryview, at: int) -> bool:
    """Whether a bad record had been written to its end: something came after it, so that it is not the last."""
    if len(view) - at < RECORD_HEADER:
        return False
    mark, length, _ = _RECORD.unpack_from(view, at)
    return bool(mark == _MARK and at + RECORD_HEADER + length < len(view))

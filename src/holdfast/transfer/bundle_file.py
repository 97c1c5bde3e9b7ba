"""A portable file of threads: records in compressed blocks. The digest of a block also covers the block before it.

::

    holdfast bundle 1\\n
    length (4 bytes, little-endian)  digest (16 bytes)  body (a zstd frame of records)
    length  digest  body
    …

docs/reference/bundle.md describes the format well enough to write a reader in another language.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from holdfast import _zstd
from holdfast._system import atomic_files
from holdfast.codec.codec import MAX_VALUE
from holdfast.errors import Corrupt, NewerFormat, NotAStore, StorageFailed, TooLarge
from holdfast.transfer import paths, wire_records
from holdfast.transfer.wire_records import Record

_MAGIC: Final = b"holdfast bundle "
_FIRST: Final = _MAGIC + b"1\n"
_BLOCK: Final = 1024 * 1024
_LARGEST: Final = (1 << 32) - 1
_LEVEL: Final = 3
_ROOM: Final = 4
"""A record may have several values, and a block is closed by the record that fills it."""
_LEAST_ROOM: Final = 16 * _BLOCK
_HEAD: Final = 4 + 16
_split = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_list = msgspec.msgpack.Encoder().encode


def _digest(before: bytes, body: bytes) -> bytes:
    return blake2b(before + body, digest_size=16, person=b"bundle").digest()


class Writer:
    """Writes to a temporary name; the file has its own when it is complete, and on disk. A context manager."""

    def __init__(self, path: Path, rights: int = atomic_files.PRIVATE) -> None:
        self._path = path
        self._rights = rights
        self._records: list[bytes] = []
        self._weight = 0
        self._before = b""

    def __enter__(self) -> Writer:
        paths.check(self._path)
        with atomic_files.translated(self._path):
            self._file = atomic_files.NewFile(self._path, rights=self._rights)
            self._file.write(_FIRST)  # into its buffer
        return self

    def write(self, record: Record) -> None:
        data = wire_records.encode(record)
        self._records.append(data)
        self._weight += len(data)
        if self._weight >= _BLOCK:
            self._block()

    def _block(self) -> None:
        plain = _list([msgspec.Raw(record) for record in self._records])
        body = _zstd.compress(plain, _LEVEL)
        self._before = _digest(self._before, body)
        with atomic_files.translated(self._path):
            self._file.write(len(body).to_bytes(4, "little") + self._before + body)
        self._records, self._weight = [], 0

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file:
            if kind is None:
                self._block()
                paths.check(self._path)
                with atomic_files.translated(self._path):
                    self._file.publish()


def read(path: Path, max_value: int = MAX_VALUE) -> Iterator[tuple[int, Record]]:
    """Every record with the offset of its block. A damaged file raises an error that names the offset; a block that is
    larger than values of `max_value` bytes make it, `TooLarge`."""
    most = _LEAST_ROOM + _ROOM * max_value
    with _read_errors(path), path.open("rb") as file:
        _check_first(file.read(len(_FIRST)), path)
        before = b""
        closed = False
        while True:
            offset = file.tell()
            body = _body(file, path, offset, before)
            if body is None:
                break
            if closed:
                raise Corrupt(f"{path}: there is data after the end of the bundle, at byte {offset}")
            before = _digest(before, body)
            for record in _records(body, path, offset, most):
                closed = isinstance(record, wire_records.BundleEnd)
                yield offset, record
    if not closed:
        raise Corrupt(f"{path}: the bundle ends at byte {offset} without its last record: the file was truncated")


def _check_first(first: bytes, path: Path) -> None:
    if first == _FIRST:
        return
    if first.startswith(_MAGIC):
        raise NewerFormat(f"{path} is a bundle of a newer format; upgrade Holdfast to read it")
    raise NotAStore(f"{path} is not a Holdfast bundle")


def _body(file: BinaryIO, path: Path, offset: int, before: bytes) -> bytes | None:
    head = file.read(_HEAD)
    if not head:
        return None
    size = int.from_bytes(head[:4], "little")
    # Reading allocates what it is asked for, also if the file has less.
    left = os.fstat(file.fileno()).st_size - file.tell()
    body = file.read(size) if len(head) == _HEAD and size <= left else b""
    if len(head) < _HEAD or len(body) < size:
        raise Corrupt(f"{path}: the block at byte {offset} is truncated")
    if _digest(before, body) != head[4:]:
        raise Corrupt(f"{path}: the block at byte {offset} does not match its digest: the file was changed")
    return body


def _records(body: bytes, path: Path, offset: int, most: int) -> Iterator[Record]:
    try:
        found = [wire_records.decode(data) for data in _split(_zstd.decompress(body, most))]
    except TooLarge as error:
        raise TooLarge(f"{path}: in the block at byte {offset}: {error}") from error
    except Exception as error:
        raise Corrupt(f"{path}: the block at byte {offset} can't be read: {error!r}") from error
    yield from found


class _read_errors:
    """Translates the errors of the operating system while a bundle is read."""

    def __init__(self, path: Path, rights: int = atomic_files.PRIVATE) -> None:
        self._path = path
        self._rights = rights

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if isinstance(error, OSError):
            raise StorageFailed(f"{self._path}: {error.strerror or error}") from error

"""One portable file of threads: records in compressed blocks, each with a digest that also covers the block before it.

::

    holdfast bundle 1\\n
    length (4 bytes, little-endian)  digest (16 bytes)  body (a zstd frame of records)
    length  digest  body
    …

docs/reference/bundle.md is enough to write a reader in another language.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from holdfast import _zstd
from holdfast.errors import Corrupt, NewerFormat, NotAStore, StorageFailed, StorageFull
from holdfast.transfer import places, records
from holdfast.transfer.records import Record

_MAGIC: Final = b"holdfast bundle "
_FIRST: Final = _MAGIC + b"1\n"
_BLOCK: Final = 1024 * 1024
_LARGEST: Final = (1 << 32) - 1
_LEVEL: Final = 3
_HEAD: Final = 4 + 16
_split = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_list = msgspec.msgpack.Encoder().encode


def _digest(before: bytes, body: bytes) -> bytes:
    return blake2b(before + body, digest_size=16, person=b"bundle").digest()


class Writer:
    """Writes to a temporary name; the file has its own when it is complete, and on disk. A context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._waiting: list[bytes] = []
        self._weight = 0
        self._before = b""

    def __enter__(self) -> Writer:
        places.check(self._path)
        with _told(self._made):
            self._file: BinaryIO = self._made.open("wb")
            self._file.write(_FIRST)
        return self

    def write(self, record: Record) -> None:
        data = records.encode(record)
        self._waiting.append(data)
        self._weight += len(data)
        if self._weight >= _BLOCK:
            self._block()

    def _block(self) -> None:
        plain = _list([msgspec.Raw(one) for one in self._waiting])
        body = _zstd.compress(plain, _LEVEL)
        self._before = _digest(self._before, body)
        with _told(self._made):
            self._file.write(len(body).to_bytes(4, "little") + self._before + body)
        self._waiting, self._weight = [], 0

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._file.close()
            with suppress(OSError):
                self._made.unlink()
            return
        self._block()
        with _told(self._path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            places.check(self._path)
            self._made.replace(self._path)
            _sync_folder(self._path.parent)


def read(path: Path) -> Iterator[tuple[int, Record]]:
    """Every record with the offset of its block. Whatever is wrong with the file is an error that names the place."""
    with _told(path), path.open("rb") as file:
        _check_first(file.read(len(_FIRST)), path)
        before = b""
        closed = False
        while True:
            offset = file.tell()
            body = _body(file, path, offset, before)
            if body is None:
                break
            if closed:
                raise Corrupt(f"{path}: something follows the end of the bundle, at byte {offset}")
            before = _digest(before, body)
            for record in _records(body, path, offset):
                closed = isinstance(record, records.Closing)
                yield offset, record
    if not closed:
        raise Corrupt(f"{path}: the bundle ends at byte {offset} without its last record: it was cut off")


def _check_first(first: bytes, path: Path) -> None:
    if first == _FIRST:
        return
    if first.startswith(_MAGIC):
        raise NewerFormat(f"{path} is a bundle of a format that this version of Holdfast does not know")
    raise NotAStore(f"{path} is no bundle of Holdfast's")


def _body(file: BinaryIO, path: Path, offset: int, before: bytes) -> bytes | None:
    head = file.read(_HEAD)
    if not head:
        return None
    size = int.from_bytes(head[:4], "little")
    body = file.read(size) if len(head) == _HEAD else b""
    if len(head) < _HEAD or len(body) < size:
        raise Corrupt(f"{path}: the block at byte {offset} is cut off")
    if _digest(before, body) != head[4:]:
        raise Corrupt(f"{path}: the block at byte {offset} does not match its digest: the file was changed")
    return body


def _records(body: bytes, path: Path, offset: int) -> Iterator[Record]:
    try:
        found = [records.decode(one) for one in _split(_zstd.decompress(body))]
    except Exception as error:
        raise Corrupt(f"{path}: the block at byte {offset} can't be read: {error!r}") from error
    yield from found


class _told:
    """What the operating system says, as an error of ours."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if isinstance(error, OSError):
            raise told(self._path, error) from error


def told(path: Path, error: OSError) -> Exception:
    if error.errno in _FULL:
        return StorageFull(f"{path}: no space is left: {error.strerror}")
    return StorageFailed(f"{path}: {error.strerror or error}")


_FULL: Final = {28, 122}  # ENOSPC, EDQUOT


def _sync_folder(folder: Path) -> None:
    """The new name is on disk too."""
    if os.name != "nt":
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

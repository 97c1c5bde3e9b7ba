"""Reading the rows of a table directly from the pages of a file, for files that SQLite can't read to the end.

SQLite stops at the first page that it can't read. Here each page is read by itself. The pages of a table are found from
its root downward, and from the pointer map, which has the parent of every page, so that neither a damaged page nor a
damaged path to it hides the others. Only the cells that a page lists are read, never its free space, and no free page:
removed rows stay removed. https://www.sqlite.org/fileformat2.html describes all of this.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from holdfast.backends.rows import KEYS, ChunkRow, Row, table_name

_INDEX_INNER, _TABLE_INNER, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
_INNER: Final = (_INDEX_INNER, _TABLE_INNER)
_HAS_PARENT: Final = 5  # the type of B-tree pages other than roots in the pointer map
_NUMBERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # how many bytes a number of each kind takes
_DAMAGED: Final = (ValueError, IndexError, OverflowError, OSError)
_LOCKED_BYTE: Final = 0x40000000


def rows_of(path: Path, kind: type[Row], root: int) -> Iterator[Row]:
    """Every row of a table that is on a readable page, in no particular order. Damaged rows of the right width are
    included."""
    width = len(kind._fields)
    with path.open("rb") as file:
        pages = Pages(file)
        for number in sorted(pages.under(root)):
            for rowid, columns in _records(pages, number):
                if len(columns) == width:
                    if kind is ChunkRow:  # its table has the body after the checksum
                        columns[-1], columns[-2] = columns[-2], columns[-1]
                    yield kind._make([rowid if _is_rowid(kind, columns) else columns[0], *columns[1:]])


def _is_rowid(kind: type[Row], columns: list[Any]) -> bool:
    """Whether the key is the rowid: an INTEGER PRIMARY KEY is NULL in the record itself."""
    return columns[0] is None and KEYS[kind] == 1 and table_name(kind) == "quarantine"


class Pages:
    """The pages of a file, by number."""

    def __init__(self, file: Any) -> None:
        self._file = file
        header = file.read(100)
        size = int.from_bytes(header[16:18], "big")
        self.size = 65536 if size == 1 else size
        self.usable: int = self.size - header[20]
        self.count: int = file.seek(0, 2) // self.size
        self._has_map = any(header[52:56])

    def read(self, number: int) -> bytes:
        # The first page holds the schema, never rows of a table.
        if not 1 < number <= self.count:
            raise IndexError(number)
        self._file.seek((number - 1) * self.size)
        return bytes(self._file.read(self.size))

    def under(self, root: int) -> set[int]:
        """The pages of the table with this root page."""
        parents = self._parents() if self._has_map else {}
        pages, fresh = set[int](), {root, *(page for page in parents if _top(parents, page) == root)}
        while fresh:
            pages |= fresh
            fresh = {child for page in fresh for child in self._children(page)} - pages
        return pages

    def _children(self, number: int) -> list[int]:
        try:
            page = self.read(number)
            if page[0] not in _INNER:
                return []
            return [_number(page, 8), *(_number(page, at) for at in _cells(page))]
        except _DAMAGED:
            return []

    def _parents(self) -> dict[int, int]:
        """The parent of each page, from the pointer map."""
        parents = {}
        step = self.usable // 5 + 1
        for first in range(2, self.count + 1, step):
            number = first + (first == _LOCKED_BYTE // self.size + 1)
            with suppress(*_DAMAGED):
                entries = self.read(number)
                for at, page in enumerate(range(number + 1, min(first + step, self.count + 1))):
                    if entries[5 * at] == _HAS_PARENT:
                        parents[page] = _number(entries, 5 * at + 1)
        return parents

    def payload(self, page: bytes, at: int, length: int) -> bytes:
        """The payload of a cell, which may continue on overflow pages."""
        local = self._local(page[0], length)
        parts, rest = [page[at : at + local]], length - local
        link = _number(page, at + local) if rest else 0
        while rest > 0:
            overflow = self.read(link)
            parts.append(overflow[4 : min(self.usable, 4 + rest)])
            rest -= len(parts[-1])
            link = _number(overflow, 0)
        return b"".join(parts)

    def _local(self, kind: int, length: int) -> int:
        """How many bytes of a payload are on the cell's own page."""
        most = self.usable - 35 if kind == _TABLE_LEAF else (self.usable - 12) * 64 // 255 - 23
        least = (self.usable - 12) * 32 // 255 - 23
        if length <= most:
            return length
        if length > self.count * self.size:
            raise ValueError("longer than the file")
        kept = least + (length - least) % (self.usable - 4)
        return kept if kept <= most else least


def _top(parents: dict[int, int], page: int) -> int:
    """The highest ancestor of a page. Damage may have left a circle."""
    passed = {page}
    while page in parents and parents[page] not in passed:
        page = parents[page]
        passed.add(page)
    return page


def _number(data: bytes, at: int) -> int:
    if at + 4 > len(data):
        raise IndexError(at)
    return int.from_bytes(data[at : at + 4], "big")


def _cells(page: bytes) -> list[int]:
    start = 12 if page[0] in _INNER else 8
    count = int.from_bytes(page[3:5], "big")
    return [int.from_bytes(page[at : at + 2], "big") for at in range(start, min(start + 2 * count, len(page) - 1), 2)]


def _records(pages: Pages, number: int) -> Iterator[tuple[int, list[Any]]]:
    """The rows of one page, each with its rowid; 0 in tables without rowids."""
    try:
        page = pages.read(number)
    except _DAMAGED:
        return
    if page[0] not in (_INDEX_INNER, _INDEX_LEAF, _TABLE_LEAF):
        return
    for at in _cells(page):
        try:
            length, at = _varint(page, at + 4 if page[0] == _INDEX_INNER else at)
            rowid, at = _varint(page, at) if page[0] == _TABLE_LEAF else (0, at)
            yield rowid, _columns(pages.payload(page, at, length))
        except _DAMAGED:
            continue


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for position in range(at, at + 8):
        value = value << 7 | data[position] & 0x7F
        if data[position] < 0x80:
            return value, position + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _columns(record: bytes) -> list[Any]:
    end, at = _varint(record, 0)
    kinds = []
    while at < end:
        kind, at = _varint(record, at)
        kinds.append(kind)
    columns = []
    for kind in kinds:
        length = _NUMBERS.get(kind, 8 if kind == 7 else max(0, (kind - 12) // 2))
        if at + length > len(record):
            raise IndexError(at)
        columns.append(_value(kind, record[at : at + length]))
        at += length
    return columns


def _value(kind: int, data: bytes) -> Any:
    if kind == 0:
        return None
    if kind in _NUMBERS:
        return int.from_bytes(data, "big", signed=True)
    if kind in (8, 9):
        return kind - 8
    if kind < 12:
        raise ValueError("no row of Holdfast has a column of this type")
    return data if kind % 2 == 0 else data.decode("utf-8", "surrogateescape")

"""Reading the rows of a table from the pages of a file themselves, for files that SQLite gives up on.

SQLite ends at the first page that it can't read. Here each page is looked at by itself: those of a table are found from
its root downward, and by the file's own map of which page hangs under which, so that neither a damaged page nor a
damaged way to it hides the others. Only what a page lists as its cells is read, never its free space, and no free page:
what was removed stays removed. https://www.sqlite.org/fileformat2.html describes all of this.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from holdfast.backends.rows import KEYS, Row, table_name

_INDEX_INNER, _TABLE_INNER, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
_INNER: Final = (_INDEX_INNER, _TABLE_INNER)
_UNDER_ANOTHER: Final = 5  # of the kinds of page that the map knows
_NUMBERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # how many bytes a number of each kind takes
_DAMAGED: Final = (ValueError, IndexError, OverflowError, OSError)
_LOCKED_BYTE: Final = 0x40000000


def rows_of(path: Path, kind: type[Row], root: int) -> Iterator[Row]:
    """Every row of a table that is on a readable page, in no order; damaged ones too, if they still look like rows."""
    width = len(kind._fields)
    with path.open("rb") as file:
        pages = Pages(file)
        for number in sorted(pages.under(root)):
            for rowid, columns in _records(pages, number):
                if len(columns) == width:
                    yield kind._make([rowid if _is_rowid(kind, columns) else columns[0], *columns[1:]])


def _is_rowid(kind: type[Row], columns: list[Any]) -> bool:
    """A key that is one number is not in the record: it is the record's place."""
    return columns[0] is None and KEYS[kind] == 1 and table_name(kind) == "quarantine"


class Pages:
    """A file as its pages, by number."""

    def __init__(self, file: Any) -> None:
        self._file = file
        header = file.read(100)
        size = int.from_bytes(header[16:18], "big")
        self.size = 65536 if size == 1 else size
        self.usable: int = self.size - header[20]
        self.count: int = file.seek(0, 2) // self.size
        self._has_map = any(header[52:56])

    def read(self, number: int) -> bytes:
        if not 1 < number <= self.count:  # no table's rows are on the first page
            raise IndexError(number)
        self._file.seek((number - 1) * self.size)
        return bytes(self._file.read(self.size))

    def under(self, root: int) -> set[int]:
        """The pages of a table."""
        above = self._map() if self._has_map else {}
        found, fresh = set[int](), {root, *(page for page in above if _top(above, page) == root)}
        while fresh:
            found |= fresh
            fresh = {child for page in fresh for child in self._children(page)} - found
        return found

    def _children(self, number: int) -> list[int]:
        try:
            page = self.read(number)
            if page[0] not in _INNER:
                return []
            return [_number(page, 8), *(_number(page, at) for at in _cells(page))]
        except _DAMAGED:
            return []

    def _map(self) -> dict[int, int]:
        """From each page to the one that it hangs under."""
        found = {}
        step = self.usable // 5 + 1
        for first in range(2, self.count + 1, step):
            place = first + (first == _LOCKED_BYTE // self.size + 1)
            with suppress(*_DAMAGED):
                entries = self.read(place)
                for at, page in enumerate(range(place + 1, min(first + step, self.count + 1))):
                    if entries[5 * at] == _UNDER_ANOTHER:
                        found[page] = _number(entries, 5 * at + 1)
        return found

    def payload(self, page: bytes, at: int, length: int) -> bytes:
        """What a cell holds: what does not fit on its page goes on elsewhere."""
        local = self._local(page[0], length)
        found, rest = [page[at : at + local]], length - local
        link = _number(page, at + local) if rest else 0
        while rest > 0:
            beyond = self.read(link)
            found.append(beyond[4 : min(self.usable, 4 + rest)])
            rest -= len(found[-1])
            link = _number(beyond, 0)
        return b"".join(found)

    def _local(self, kind: int, length: int) -> int:
        most = self.usable - 35 if kind == _TABLE_LEAF else (self.usable - 12) * 64 // 255 - 23
        least = (self.usable - 12) * 32 // 255 - 23
        if length <= most:
            return length
        if length > self.count * self.size:
            raise ValueError("longer than the file")
        kept = least + (length - least) % (self.usable - 4)
        return kept if kept <= most else least


def _top(above: dict[int, int], page: int) -> int:
    """Where the way up from a page ends."""
    passed = {page}
    while page in above and above[page] not in passed:
        page = above[page]
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
    """The rows of one page, each with its place in the table, if it has one."""
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
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _columns(record: bytes) -> list[Any]:
    end, at = _varint(record, 0)
    kinds = []
    while at < end:
        kind, at = _varint(record, at)
        kinds.append(kind)
    found = []
    for kind in kinds:
        length = _NUMBERS.get(kind, 8 if kind == 7 else max(0, (kind - 12) // 2))
        if at + length > len(record):
            raise IndexError(at)
        found.append(_value(kind, record[at : at + length]))
        at += length
    return found


def _value(kind: int, data: bytes) -> Any:
    if kind == 0:
        return None
    if kind in _NUMBERS:
        return int.from_bytes(data, "big", signed=True)
    if kind in (8, 9):
        return kind - 8
    if kind < 12:
        raise ValueError("none of the kinds that a row of ours has")
    return data if kind % 2 == 0 else data.decode("utf-8", "surrogateescape")

"""The one full-table scan: every row of a kind, in pages, in the order of the keys.

`pages`, `rows` and `sound_rows` stop at the first page that the storage can't read. A `TolerantScan` continues past
damage where it can, and collects what was damaged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast.backends.base import Backend
from holdfast.backends.rows import AnyRow, Row, checked, is_sound, key_of, table_name
from holdfast.errors import Corrupt, StorageFailed
from holdfast.model import Fault

PAGE: Final = 500
_LOWEST_TREE: Final = -(1 << 63)
_OUT_OF_ORDER: Final = "its keys are out of order, so some rows can't be reached"


async def pages(backend: Backend, kind: type[AnyRow], tree: int | None = None) -> AsyncIterator[list[AnyRow]]:
    after: tuple[Any, ...] = ()
    while True:
        page = await backend.scan(kind, tree, after, PAGE)
        if page:
            yield page
        if len(page) < PAGE:
            return
        last = key_of(page[-1])
        if not _follows(last, after):
            raise Corrupt(f"table {table_name(kind)}: {_OUT_OF_ORDER}")
        after = last


async def rows(backend: Backend, kind: type[AnyRow], tree: int | None = None) -> AsyncIterator[AnyRow]:
    """Every row, whether or not its checksum holds."""
    async for page in pages(backend, kind, tree):
        for row in page:
            yield row


async def sound_rows(backend: Backend, kind: type[AnyRow], tree: int | None = None) -> list[AnyRow]:
    """Every row; raises `Corrupt` at the first one whose checksum does not hold."""
    return [checked(row) async for row in rows(backend, kind, tree)]


async def tree_pages(backend: Backend) -> AsyncIterator[list[int]]:
    """The numbers of all trees that have rows."""
    after = _LOWEST_TREE
    while page := await backend.trees(after, PAGE):
        yield page
        after = page[-1]


def _follows(key: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Whether a key is after another. Damaged keys may not even be comparable."""
    try:
        return key > before
    except TypeError:
        return False


@dataclass
class TolerantScan:
    """One pass over a store, or a part of it, that does not stop at damage."""

    backend: Backend
    max_value: int
    rows: int = 0
    bytes: int = 0
    damaged: list[Row] = field(default_factory=list)  # their checksums do not hold
    faults: list[Fault] = field(default_factory=list)  # of the storage

    async def each(self, kind: type[AnyRow], tree: int | None, take: Callable[[AnyRow], None]) -> None:
        """Pass every sound row of a kind to `take`. If the storage can't read a page, smaller pages may still give the
        rows that come before the damage."""
        after: tuple[Any, ...] = ()
        size = PAGE
        while size:
            try:
                page = await self.backend.scan(kind, tree, after, size)
            except (Corrupt, StorageFailed) as error:
                if size == PAGE:
                    self.report_unreadable(kind, tree, str(error))
                size //= 2
                continue
            for row in page:
                self._add(row, take)
            if len(page) < size:
                return
            last = key_of(page[-1])
            if not _follows(last, after):
                self.report_unreadable(kind, tree, _OUT_OF_ORDER)
                return
            after = last

    def _add(self, row: AnyRow, take: Callable[[AnyRow], None]) -> None:
        self.rows += 1
        columns: tuple[object, ...] = row
        self.bytes += sum(len(column) for column in columns if isinstance(column, bytes | str))
        if is_sound(row):
            take(row)
        else:
            self.damaged.append(row)

    def report_unreadable(self, kind: type[Row], tree: int | None, problem: str) -> None:
        name = table_name(kind)
        where = name if tree is None else f"{name}, tree {tree}"
        self.faults.append(Fault(kind="storage", table=name, tree=tree, message=f"table {where}: {problem}"))

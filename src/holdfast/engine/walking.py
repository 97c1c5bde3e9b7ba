"""Going through everything that is stored, in pages: each table of each tree once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast.backends.base import Backend
from holdfast.backends.rows import KEYS, AnyRow, Row, is_sound, table_name
from holdfast.errors import Corrupt, StorageFailed
from holdfast.model import Fault

PAGE: Final = 500


@dataclass
class Walk:
    """One pass over a store or a part of it, and what was met on the way."""

    backend: Backend
    rows: int = 0
    bytes: int = 0
    damaged: list[Row] = field(default_factory=list)  # they do not match their checksums
    faults: list[Fault] = field(default_factory=list)  # of the storage

    async def each(self, kind: type[AnyRow], tree: int | None, take: Callable[[AnyRow], None]) -> None:
        """Hand over every sound row of a kind, in the order of the keys. Where the storage can't give a page, it may
        still give the rows that come before what is damaged."""
        after: tuple[Any, ...] = ()
        size = PAGE
        while size:
            try:
                rows = await self.backend.scan(kind, tree, after, size)
            except (Corrupt, StorageFailed) as error:
                if size == PAGE:
                    self.cannot_read(kind, tree, str(error))
                size //= 2
                continue
            for row in rows:
                self._meet(row, take)
            if len(rows) < size:
                return
            last = tuple(rows[-1][: KEYS[kind]])
            if not _follows(last, after):
                self.cannot_read(kind, tree, "its keys are out of order, and not all rows can be reached")
                return
            after = last

    def _meet(self, row: AnyRow, take: Callable[[AnyRow], None]) -> None:
        self.rows += 1
        columns: tuple[object, ...] = row
        self.bytes += sum(len(column) for column in columns if isinstance(column, bytes | str))
        if is_sound(row):
            take(row)
        else:
            self.damaged.append(row)

    def cannot_read(self, kind: type[Row], tree: int | None, what: str) -> None:
        name = table_name(kind)
        where = name if tree is None else f"{name}, tree {tree}"
        self.faults.append(Fault(kind="storage", table=name, tree=tree, message=f"table {where}: {what}"))


def _follows(key: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Damaged keys may not even be comparable."""
    try:
        return key > before
    except TypeError:
        return False

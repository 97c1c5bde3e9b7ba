"""Compares two sequences of checkpoints or journal entries: by number and digest, never by time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Item(NamedTuple):
    """A checkpoint or journal entry, as an outline has it."""

    seq: int
    digest: bytes
    annotations: bytes = b""


@dataclass(eq=False)
class SequenceComparison:
    """The items of a source, as they arrive, merged with the items that the target has."""

    target: AsyncIterator[list[Item]]
    """Pages of the target's items, oldest first."""
    end: int
    """The last number that the target has assigned."""
    common: int = 0
    """The last item that both sides have."""
    matched: int = 0
    """The count of items that both sides have."""
    source_last: int = 0
    """The last item that only the source has."""
    target_last: int = 0
    """The last item that only the target has."""
    target_only: list[int] = field(default_factory=list)
    expected: int = 0
    """The count of the source's items past `end`, less those that have arrived."""
    missing: int = 0
    """The count of the source's items up to `end` that the target lacks."""
    source_only: list[Item] = field(default_factory=list)
    """The source's items past `common`, up to `end`."""
    differing: set[int] = field(default_factory=set)
    """Items that both sides have, with different annotations."""
    annotated: set[int] = field(default_factory=set)
    """Items that both sides have, with annotations in the source."""
    _page: list[Item] = field(default_factory=list)

    @property
    def target_is_ahead(self) -> bool:
        return self.target_last > self.common

    @property
    def source_is_ahead(self) -> bool:
        return self.source_last > max(self.common, self.end)

    async def feed(self, items: Iterable[Item]) -> None:
        """The next items of the source."""
        for item in items:
            target_item = await self._next()
            while target_item is not None and target_item.seq < item.seq:
                self._only_target(target_item)
                target_item = await self._next()
            if target_item is not None and target_item.seq == item.seq and target_item.digest == item.digest:
                self._both(item, target_item)
            else:
                self._only_source(item)

    async def finish(self) -> None:
        """The source has no more items."""
        while (target_item := await self._next()) is not None:
            self._only_target(target_item)

    async def _next(self) -> Item | None:
        """The next item of the target, which stays there until it is popped."""
        if not self._page:
            page = await anext(self.target, None)
            self._page = [] if page is None else page[::-1]
        return self._page[-1] if self._page else None

    def _both(self, item: Item, target_item: Item) -> None:
        self._page.pop()
        self.common = item.seq
        self.matched += 1
        self.source_only.clear()
        if item.annotations != target_item.annotations:
            self.differing.add(item.seq)
        if item.annotations:
            self.annotated.add(item.seq)

    def _only_target(self, target_item: Item) -> None:
        self._page.pop()
        self.target_last = target_item.seq
        self.target_only.append(target_item.seq)

    def _only_source(self, item: Item) -> None:
        self.source_last = item.seq
        if item.seq > self.end:
            self.expected += 1
        else:
            self.missing += 1
            self.source_only.append(item)


def empty_comparison() -> SequenceComparison:
    """For a target that has nothing."""
    return SequenceComparison(_no_pages(), 0)


async def _no_pages() -> AsyncIterator[list[Item]]:
    pages: tuple[list[Item], ...] = ()
    for page in pages:
        yield page

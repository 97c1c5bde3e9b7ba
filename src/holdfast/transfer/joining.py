"""Which of two sequences went on: both sides in the order of their numbers, compared by digest, never by time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Item(NamedTuple):
    """A checkpoint or journal entry, as an outline has it."""

    seq: int
    digest: bytes
    words: bytes = b""


async def nothing() -> AsyncIterator[list[Item]]:
    """What a target has that has nothing."""
    pages: tuple[list[Item], ...] = ()
    for page in pages:
        yield page


@dataclass(eq=False)
class Join:
    """What comes, beside what the target has."""

    theirs: AsyncIterator[list[Item]]
    end: int  # the last number that the target has handed out
    common: int = 0  # the last that both have
    matched: int = 0
    ours_last: int = 0  # the last that only the source has
    theirs_last: int = 0  # the last that only the target has
    theirs_only: list[int] = field(default_factory=list)
    coming: int = 0  # how many of the source's are past `end`
    missing: int = 0  # how many the target lacks of those up to `end`
    ours_only: list[Item] = field(default_factory=list)  # past `common`, and not past `end`
    differing: set[int] = field(default_factory=set)  # the same, and other words about it
    spoken: set[int] = field(default_factory=set)  # with words in the source
    _page: list[Item] = field(default_factory=list)

    @property
    def theirs_went_on(self) -> bool:
        return self.theirs_last > self.common

    @property
    def ours_went_on(self) -> bool:
        return self.ours_last > max(self.common, self.end)

    async def feed(self, items: Iterable[Item]) -> None:
        for ours in items:
            theirs = await self._next()
            while theirs is not None and theirs.seq < ours.seq:
                self._only_theirs(theirs)
                theirs = await self._next()
            if theirs is not None and theirs.seq == ours.seq and theirs.digest == ours.digest:
                self._both(ours, theirs)
            else:
                self._only_ours(ours)

    async def finish(self) -> None:
        while (theirs := await self._next()) is not None:
            self._only_theirs(theirs)

    async def _next(self) -> Item | None:
        """What the target has next; it stays there until it is taken."""
        if not self._page:
            page = await anext(self.theirs, None)
            self._page = [] if page is None else page[::-1]
        return self._page[-1] if self._page else None

    def _both(self, ours: Item, theirs: Item) -> None:
        self._page.pop()
        self.common = ours.seq
        self.matched += 1
        self.ours_only.clear()
        if ours.words != theirs.words:
            self.differing.add(ours.seq)
        if ours.words:
            self.spoken.add(ours.seq)

    def _only_theirs(self, theirs: Item) -> None:
        self._page.pop()
        self.theirs_last = theirs.seq
        self.theirs_only.append(theirs.seq)

    def _only_ours(self, ours: Item) -> None:
        self.ours_last = ours.seq
        if ours.seq > self.end:
            self.coming += 1
        else:
            self.missing += 1
            self.ours_only.append(ours)

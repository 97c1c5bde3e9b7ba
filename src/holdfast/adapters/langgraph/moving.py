"""Moving in: copies what LangGraph's own savers stored to any other saver, and proves that it arrived.

Checkpoints are put in the order of their ids, so that a parent is there before its children. Each is read back and
compared with the source before the next one is begun. What the target has already, equal to the last detail, is left
alone. So a copy can be stopped at any moment, killed too, and begun again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, CheckpointTuple

from holdfast.adapters.langgraph.comparing import head_difference, writes_difference
from holdfast.adapters.langgraph.moving_writes import calls
from holdfast.adapters.langgraph.sources.assembling import Found, assemble
from holdfast.adapters.langgraph.sources.base import Key, Row, Source, Totals
from holdfast.adapters.langgraph.sources.decoding import Decoder, Undecodable
from holdfast.adapters.langgraph.sources.opening import open_source
from holdfast.errors import Closed, Decide, FixTheCall, NotFound

__all__ = ["MoveReport", "Problem", "Progress", "move", "open_source"]

_PAGE: Final = 5000  # keys asked for at once
_REMEMBERED: Final = 512  # checkpoints whose channel versions are kept for their children


@dataclass(frozen=True, slots=True)
class Problem:
    """A checkpoint that is not in the target as it is in the source. The text says why."""

    thread: str
    namespace: str
    checkpoint: str
    what: str

    def __str__(self) -> str:
        namespace = f", namespace {self.namespace!r}" if self.namespace else ""
        return f"thread {self.thread!r}{namespace}, checkpoint {self.checkpoint}: {self.what}"


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move did. Every checkpoint of the source is copied, skipped or a problem."""

    threads: int
    checkpoints: int
    """Copied by this move, or completed, and compared."""
    writes: int
    """Pending writes copied by this move."""
    skipped: int
    """Checkpoints that were in the target already, equal in everything."""
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a move has come: `done` of `total` checkpoints, the last of them in `thread`."""

    thread: str
    done: int
    total: int
    threads_done: int
    threads_total: int
    problems: int


def move(
    source: Source | str | os.PathLike[str],
    target: BaseCheckpointSaver[Any],
    *,
    threads: Iterable[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> MoveReport:
    """Copy all threads, or those named, from a database of LangGraph's own savers. The source is only read."""
    with _opened(source) as opened:
        wanted = None if threads is None else list(dict.fromkeys(threads))
        totals = _totals(opened, wanted)
        moving = _Move(opened, target)
        for number, thread in enumerate(opened.threads() if wanted is None else wanted):
            for _ in moving.thread(thread):
                if progress is not None:
                    progress(moving.progress(thread, number, totals))
            moving.threads += 1
        return moving.report()


def _opened(source: Source | str | os.PathLike[str]) -> AbstractContextManager[Source]:
    return nullcontext(source) if isinstance(source, Source) else open_source(source)


def _totals(source: Source, wanted: list[str] | None) -> Totals:
    for thread in wanted or ():
        if not source.totals([thread]).threads:
            raise NotFound(f"{source.name}: there is no thread {thread!r}")
    return source.totals(wanted)


class _Move:
    """One move, and what it has done so far."""

    def __init__(self, source: Source, target: BaseCheckpointSaver[Any]) -> None:
        self.threads = 0
        self._source = source
        self._target = target
        self._decoder = Decoder()
        self._known_classes = 0
        self._versions: OrderedDict[tuple[str, str, str], ChannelVersions] = OrderedDict()
        self._checkpoints = 0
        self._writes = 0
        self._skipped = 0
        self._problems: list[Problem] = []

    def report(self) -> MoveReport:
        return MoveReport(self.threads, self._checkpoints, self._writes, self._skipped, tuple(self._problems))

    def progress(self, thread: str, number: int, totals: Totals) -> Progress:
        done = self._checkpoints + self._skipped + len(self._problems)
        total = max(done, totals.checkpoints)  # the source may have grown meanwhile
        return Progress(thread, done, total, number, max(number + 1, totals.threads), len(self._problems))

    def thread(self, thread: str) -> Iterator[None]:
        """Bring over one checkpoint after the other."""
        last: Key | None = None
        while keys := self._source.keys(thread, last, _PAGE):
            for row in self._source.rows(thread, keys):
                self._checkpoint(row)
                yield
            last = keys[-1]

    def _checkpoint(self, row: Row) -> None:
        try:
            found = assemble(self._source, row, self._decoder)
        except Undecodable as error:
            what: str | None = str(error)
        else:
            what = self._try_to_bring_over(found)
        if what is not None:
            self._problems.append(Problem(row.thread, row.key.namespace, row.key.id, what))

    # ---------------------------------------------------------------- one checkpoint

    def _try_to_bring_over(self, found: Found) -> str | None:
        """What is wrong with it, if anything is. A target that fails altogether stops the move."""
        try:
            what = self._bring_over(found)
        except Closed:
            raise
        except (FixTheCall, Decide, TypeError, ValueError, RecursionError) as error:
            return f"the target refused it: {error}"
        if what is None:
            self._remember(found.config(found.key.id), found.checkpoint["channel_versions"])
        return what

    def _bring_over(self, found: Found) -> str | None:
        self._let_target_know_classes()
        there = self._read(found)
        if there is None:
            self._put(found)
        elif difference := head_difference(found, there):
            return f"the target has another checkpoint of this id: {difference}"
        elif writes_difference(found, there) is None:
            self._skipped += 1
            return None
        self._put_writes(found)
        if difference := self._difference(found):
            return f"the target gives back something else: {difference}"
        self._checkpoints += 1
        self._writes += len(found.writes) - len((there and there.pending_writes) or ())
        return None

    def _let_target_know_classes(self) -> None:
        """As a graph does with the classes in its schema: a saver need not rebuild others."""
        if len(self._decoder.classes) > self._known_classes:
            self._known_classes = len(self._decoder.classes)
            self._target = self._target.with_allowlist(self._decoder.classes)

    def _read(self, found: Found) -> CheckpointTuple | None:
        return self._target.get_tuple(found.config(found.key.id))

    def _difference(self, found: Found) -> str | None:
        there = self._read(found)
        if there is None:
            return "nothing"
        return head_difference(found, there) or writes_difference(found, there)

    def _put(self, found: Found) -> None:
        checkpoint = found.checkpoint.copy()  # a saver may take the dict apart
        metadata = found.metadata.copy()
        self._target.put(found.config(found.parent), checkpoint, metadata, self._new_versions(found))

    def _put_writes(self, found: Found) -> None:
        for call in calls(found.writes):
            self._target.put_writes(found.config(found.key.id), *call)

    # ---------------------------------------------------------------- what changed since the parent

    def _new_versions(self, found: Found) -> ChannelVersions:
        """The channels that changed since the parent; all of them, if the target does not have the parent."""
        versions = found.checkpoint["channel_versions"]
        before = self._versions_of(found.config(found.parent)) if found.parent else {}
        return {channel: version for channel, version in versions.items() if before.get(channel) != version}

    def _versions_of(self, place: RunnableConfig) -> ChannelVersions:
        known = self._versions.get(_key(place))
        if known is not None:
            return known
        there = self._target.get_tuple(place)
        if there is None:
            return {}
        return self._remember(place, there.checkpoint["channel_versions"])

    def _remember(self, place: RunnableConfig, versions: ChannelVersions) -> ChannelVersions:
        self._versions[_key(place)] = versions
        if len(self._versions) > _REMEMBERED:
            self._versions.popitem(last=False)
        return versions


def _key(place: RunnableConfig) -> tuple[str, str, str]:
    configurable = place["configurable"]
    return configurable["thread_id"], configurable["checkpoint_ns"], configurable["checkpoint_id"]

"""Copies what LangGraph's own savers stored to any other saver, and compares every checkpoint.

Checkpoints are put in the order of their ids, so that a parent comes before its children. Each one is read back and
compared with the source before the next. Checkpoints that the target already has, equal in every detail, are skipped.
So an import can be stopped or killed at any time and run again.
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

from holdfast.adapters.langgraph.importer.comparison import head_difference, writes_difference
from holdfast.adapters.langgraph.importer.sources.checkpoint_parts import SourceCheckpoint, assemble
from holdfast.adapters.langgraph.importer.sources.serde_decoder import Decoder, Undecodable
from holdfast.adapters.langgraph.importer.sources.source import Key, Row, Source, Totals
from holdfast.adapters.langgraph.importer.sources.source_url import open_source
from holdfast.adapters.langgraph.importer.write_calls import calls
from holdfast.errors import Closed, Decide, FixTheCall, NotFound
from holdfast.ids import check_list

_PAGE: Final = 5000  # keys read at once
_REMEMBERED: Final = 512  # checkpoints whose channel versions are cached for their children


@dataclass(frozen=True, slots=True)
class Problem:
    """A checkpoint that is not in the target as it is in the source; `what` says why."""

    thread: str
    namespace: str
    checkpoint: str
    what: str

    def __str__(self) -> str:
        namespace = f", namespace {self.namespace!r}" if self.namespace else ""
        return f"thread {self.thread!r}{namespace}, checkpoint {self.checkpoint}: {self.what}"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. Every checkpoint of the source was copied, skipped, or is a problem."""

    threads: int
    checkpoints: int
    """Copied or completed by this import, and compared."""
    writes: int
    """Pending writes copied by this import."""
    skipped: int
    """Checkpoints that the target already had, equal in every detail."""
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come: `done` of `total` checkpoints, the last of them in `thread`."""

    thread: str
    done: int
    total: int
    threads_done: int
    threads_total: int
    problems: int


def import_threads(
    source: Source | str | os.PathLike[str],
    target: BaseCheckpointSaver[Any],
    *,
    threads: Iterable[str] | None = None,
    progress: Callable[[ImportProgress], None] | None = None,
) -> ImportReport:
    """Copy all threads, or the named ones, from a database of LangGraph's own savers. The source is only read."""
    wanted = None if threads is None else list(dict.fromkeys(check_list(threads, "threads")))
    with _opened(source) as opened:
        totals = _totals(opened, wanted)
        copy = _Import(opened, target)
        for number, thread in enumerate(opened.threads() if wanted is None else wanted):
            for _ in copy.thread(thread):
                if progress is not None:
                    progress(copy.progress(thread, number, totals))
            copy.threads += 1
        return copy.report()


def _opened(source: Source | str | os.PathLike[str]) -> AbstractContextManager[Source]:
    return nullcontext(source) if isinstance(source, Source) else open_source(source)


def _totals(source: Source, wanted: list[str] | None) -> Totals:
    for thread in wanted or ():
        if not source.totals([thread]).threads:
            raise NotFound(f"{source.name}: there is no thread {thread!r}")
    return source.totals(wanted)


class _Import:
    """One import, and what it has done so far."""

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

    def report(self) -> ImportReport:
        return ImportReport(self.threads, self._checkpoints, self._writes, self._skipped, tuple(self._problems))

    def progress(self, thread: str, number: int, totals: Totals) -> ImportProgress:
        done = self._checkpoints + self._skipped + len(self._problems)
        total = max(done, totals.checkpoints)  # the source may have grown since it was counted
        return ImportProgress(thread, done, total, number, max(number + 1, totals.threads), len(self._problems))

    def thread(self, thread: str) -> Iterator[None]:
        """Copy the checkpoints of a thread one by one."""
        last: Key | None = None
        while keys := self._source.keys(thread, last, _PAGE):
            for row in self._source.rows(thread, keys):
                self._checkpoint(row)
                yield
            last = keys[-1]

    def _checkpoint(self, row: Row) -> None:
        try:
            original = assemble(self._source, row, self._decoder)
        except Undecodable as error:
            what: str | None = str(error)
        else:
            what = self._try_to_copy(original)
        if what is not None:
            self._problems.append(Problem(row.thread, row.key.namespace, row.key.id, what))

    # ---------------------------------------------------------------- one checkpoint

    def _try_to_copy(self, original: SourceCheckpoint) -> str | None:
        """Why the checkpoint could not be copied, if so. A target that fails altogether stops the import."""
        try:
            what = self._copy(original)
        except Closed:
            raise
        except (FixTheCall, Decide, TypeError, ValueError, RecursionError) as error:
            return f"the target refused it: {error}"
        if what is None:
            self._remember(original.config(original.key.id), original.checkpoint["channel_versions"])
        return what

    def _copy(self, original: SourceCheckpoint) -> str | None:
        self._allow_classes()
        stored = self._read(original)
        if stored is None:
            self._put(original)
        elif difference := head_difference(original, stored):
            return f"the target has another checkpoint with this id: {difference}"
        elif writes_difference(original, stored) is None:
            self._skipped += 1
            return None
        self._put_writes(original)
        if difference := self._difference(original):
            return f"the target returns something else: {difference}"
        self._checkpoints += 1
        self._writes += len(original.writes) - len((stored and stored.pending_writes) or ())
        return None

    def _allow_classes(self) -> None:
        """Name the classes of the data to the target, as a graph does with its schema: savers may refuse others."""
        if len(self._decoder.classes) > self._known_classes:
            self._known_classes = len(self._decoder.classes)
            self._target = self._target.with_allowlist(self._decoder.classes)

    def _read(self, original: SourceCheckpoint) -> CheckpointTuple | None:
        return self._target.get_tuple(original.config(original.key.id))

    def _difference(self, original: SourceCheckpoint) -> str | None:
        stored = self._read(original)
        if stored is None:
            return "nothing"
        return head_difference(original, stored) or writes_difference(original, stored)

    def _put(self, original: SourceCheckpoint) -> None:
        checkpoint = original.checkpoint.copy()  # a saver may change the dict
        metadata = original.metadata.copy()
        self._target.put(original.config(original.parent), checkpoint, metadata, self._new_versions(original))

    def _put_writes(self, original: SourceCheckpoint) -> None:
        for call in calls(original.writes):
            self._target.put_writes(original.config(original.key.id), *call)

    # ---------------------------------------------------------------- what changed since the parent

    def _new_versions(self, original: SourceCheckpoint) -> ChannelVersions:
        """The channels that changed since the parent; all of them, if the target does not have the parent."""
        versions = original.checkpoint["channel_versions"]
        before = self._versions_of(original.config(original.parent)) if original.parent else {}
        return {channel: version for channel, version in versions.items() if before.get(channel) != version}

    def _versions_of(self, config: RunnableConfig) -> ChannelVersions:
        cached = self._versions.get(_key(config))
        if cached is not None:
            return cached
        stored = self._target.get_tuple(config)
        if stored is None:
            return {}
        return self._remember(config, stored.checkpoint["channel_versions"])

    def _remember(self, config: RunnableConfig, versions: ChannelVersions) -> ChannelVersions:
        self._versions[_key(config)] = versions
        if len(self._versions) > _REMEMBERED:
            self._versions.popitem(last=False)
        return versions


def _key(config: RunnableConfig) -> tuple[str, str, str]:
    configurable = config["configurable"]
    return configurable["thread_id"], configurable["checkpoint_ns"], configurable["checkpoint_id"]

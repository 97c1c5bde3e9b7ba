"""What the store hands out: frozen records that hold no connection and do no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from typing import Any, Final, Generic, Literal, TypeVar

S = TypeVar("S")

Source = Literal["input", "loop", "update", "fork"]
SOURCES: Final = ("input", "loop", "update", "fork")

DAMAGED: Final = "damaged"
"""The status that a list shows for a thread whose rows do not match their checksums."""

_TERMINAL: Final = frozenset({"completed", "failed", "cancelled", "terminal"})


def is_terminal(status: str) -> bool:
    """Whether a run with this status has ended. The one place that decides it."""
    lowered = status.lower()
    return lowered in _TERMINAL or lowered.startswith("terminal:")


def is_boundary(source: str, status: str) -> bool:
    """Whether a checkpoint is no step of a run, but where it stopped, or what somebody changed from outside."""
    return source == "update" or status.lower() in ("interrupted", "failed")


class _Root:
    """The type of `ROOT`."""

    def __repr__(self) -> str:
        return "holdfast.ROOT"


ROOT: Final = _Root()
"""`save(parent=ROOT)` starts a new root instead of continuing from the head."""

Parent = str | _Root | None


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """What one task produced before its step was sealed."""

    task_id: str
    index: int
    channel: str
    value: Any
    task_path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointInfo:
    """A checkpoint without its state: what lists show."""

    id: str
    thread_id: str
    namespace: str
    seq: int
    parent_id: str | None
    parent_thread_id: str | None
    step: int
    source: str
    node: str
    next: tuple[str, ...]
    run_id: str | None
    status: str
    label: str
    metadata: Mapping[str, Any]
    created_at: datetime
    journal_seq: int
    size: int
    digest: str
    origin: str | None = None

    @property
    def is_terminal(self) -> bool:
        return is_terminal(self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(CheckpointInfo, Generic[S]):
    """An immutable snapshot: state plus where execution stands."""

    state: S
    pending_writes: tuple[PendingWrite, ...] = ()
    extra: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPoint:
    """Where a fork came from."""

    thread_id: str
    checkpoint_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One worker's hold on a thread."""

    worker: str
    epoch: int
    until: datetime
    expired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What `prune` keeps: a checkpoint stays if any of these keeps it.

    Whatever they say, the head of each namespace stays, and every checkpoint that has a label, waits for an answer or
    is where an unfinished effect resumes.
    """

    keep_last: int | None = None
    """So many of the head's lineage, in each namespace; 0 means 1."""
    keep_last_in: Mapping[str, int] | None = None
    """The same for single namespaces: ``{"tools": 5}`` is for ``tools``, ``tools:…`` and what is inside them."""
    max_age: timedelta | None = None
    """Those that are younger."""
    keep_every: Sequence[tuple[timedelta, timedelta]] = ()
    """The last one of every so long, for so long: ``[(timedelta(hours=1), timedelta(days=1)), …]`` is hourly for a day
    and so on."""
    keep_terminal: bool = False
    """Those at which a run ended."""
    keep_lineage: bool = False
    """All ancestors of the head: only branches that were left go."""
    covered_before: int | None = None
    """Those that cover the journal up to this number or further; with `keep_terminal` the last one at which a run ended
    as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """What `prune` removed, or would remove."""

    removed: tuple[str, ...]  # the ids, newest first; the root namespace first
    kept: int
    kept_by: Mapping[str, int]  # how many each rule kept
    dry_run: bool
    kept_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # and which
    journal: int = 0  # entries of the journal that go with them
    bytes_to_free: int = 0  # what `collect` will free, of the thread and those that share with it
    by_thread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the ids, of each thread that lost any
    threads: int = 1  # that were looked at
    skipped: tuple[str, ...] = ()  # threads that could not be pruned, and why

    @classmethod
    def together(cls, reports: Sequence[PruneReport], skipped: Sequence[str] = (), *, dry_run: bool) -> PruneReport:
        """One report for several threads."""
        kept: dict[str, tuple[str, ...]] = {}
        for report in reports:
            for rule, ids in report.kept_ids.items():
                kept[rule] = (*kept.get(rule, ()), *ids)
        return cls(
            removed=tuple(one for report in reports for one in report.removed),
            kept=sum(report.kept for report in reports),
            kept_by={rule: sum(report.kept_by.get(rule, 0) for report in reports) for rule in kept},
            kept_ids=kept,
            journal=sum(report.journal for report in reports),
            bytes_to_free=sum(report.bytes_to_free for report in reports),
            by_thread={thread: ids for report in reports for thread, ids in report.by_thread.items()},
            threads=sum(report.threads for report in reports) + len(skipped),
            skipped=(*(one for report in reports for one in report.skipped), *skipped),
            dry_run=dry_run,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that `verify` found wrong, and where."""

    kind: str  # see docs/how-to/verify-and-repair.md
    message: str
    thread_id: str | None = None
    namespace: str = ""
    checkpoint_id: str | None = None
    table: str = ""
    key: tuple[Any, ...] = ()
    tree: int | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What `verify` looked at, and what it found wrong."""

    faults: tuple[Fault, ...]
    threads: int
    checkpoints: int
    values: int
    rows: int
    bytes: int
    orphans: int  # rows that nothing leads to any more: no fault, `collect` frees them

    @property
    def ok(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Something that `repair` could not save. What is left of it is in the quarantine."""

    what: str
    thread_id: str | None = None
    namespace: str = ""
    checkpoint_id: str | None = None

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport:
    """What `repair` did, or would do."""

    lost: tuple[Lost, ...]
    mended: tuple[str, ...]  # what was rebuilt from sound rows, in words
    quarantined: int  # rows that were set aside
    unrepaired: tuple[Fault, ...]  # what only a backup can bring back
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """A damaged row that `repair` set aside, as it was found."""

    number: int
    table: str
    columns: tuple[Any, ...]
    reason: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectReport:
    """What `collect` freed."""

    trees: int  # looked at: a tree is a thread and its forks and copies
    checkpoints: int
    writes: int
    values: int  # chunks of value logs
    rows: int  # all of these, and what hung on them
    bytes_before: int
    bytes_after: int
    skipped: tuple[str, ...]  # trees that could not be read or kept changing, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """What `backup` wrote."""

    url: str  # what to open it with
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadStats:
    """What one thread holds, in all its namespaces. What it shares with forks and copies is counted where it was saved,
    but for `stored_bytes`, which are those of all that share."""

    id: str
    checkpoints: int
    logical_bytes: int
    stored_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStats:
    """What was saved on one day (UTC), of what is still there."""

    day: date
    checkpoints: int
    bytes: int  # of the states, each written whole


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """What a store holds."""

    threads: int
    checkpoints: int
    logical_bytes: int  # what the states would take up if each was written whole
    stored_bytes: int  # what the store takes up where it lives
    largest: tuple[ThreadStats, ...]  # ten at most, the largest first
    days: tuple[DayStats, ...]  # those on which something was saved, the oldest first

    @property
    def ratio(self) -> float:
        """How many logical bytes one stored byte stands for."""
        return self.logical_bytes / self.stored_bytes if self.stored_bytes else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireReport:
    """What `expire` removed, or would remove."""

    expired: int  # threads whose time was over
    thread_ids: tuple[str, ...]  # the first thousand of them
    held: int  # threads whose time is over, and which stay because a worker holds them
    seen: int  # threads with a ttl that were looked at
    skipped: tuple[str, ...]  # threads that could not be read, and why
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseCertificate:
    """What `erase` removed, or would remove, and what it could not.

    It names nobody: what was asked for and the threads' ids are there as digests, which whoever knows them can make
    again. `digest` is over all that `record()` has.
    """

    where_digest: str
    threads: int
    thread_digests: tuple[str, ...]
    thread_ids: tuple[str, ...] = field(repr=False)  # for the caller; no part of the record
    checkpoints: int
    writes: int
    journal: int
    values: int  # pieces of value logs
    index: int  # entries of indexes
    quarantined: int  # damaged rows that `repair` had set aside
    rows: int  # all of these, and what hung on them
    bytes_before: int
    bytes_after: int
    started_at: datetime
    finished_at: datetime
    skipped: tuple[str, ...]  # what could not be read or removed, and why
    remains: tuple[str, ...]  # where copies may be that the store can't reach
    dry_run: bool
    digest: str = ""

    @property
    def complete(self) -> bool:
        """Whether nothing was skipped."""
        return not self.skipped

    def record(self) -> dict[str, Any]:
        """As JSON takes it, without anybody's id."""
        told = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "thread_ids"}
        moments = {name: told[name].isoformat() for name in ("started_at", "finished_at")}
        lists = {name: list(told[name]) for name in ("thread_digests", "skipped", "remains")}
        return {**told, **moments, **lists, "complete": self.complete}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadInfo:
    """One thread as a list shows it. `head`, `step` and `status` are those of the root namespace."""

    id: str
    metadata: Mapping[str, Any]
    status: str
    head: str | None
    step: int | None
    created_at: datetime
    updated_at: datetime
    checkpoints: int
    size: int
    forked_from: ForkPoint | None = None
    lease: Lease | None = None

"""What the store returns: frozen records that hold no connection and do no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from typing import Any, Final, Generic, Literal, TypeVar

S = TypeVar("S")

Source = Literal["input", "loop", "update", "fork"]
SOURCES: Final = ("input", "loop", "update", "fork")

DAMAGED: Final = "damaged"
"""The status in lists of a thread whose rows do not match their checksums."""

_TERMINAL: Final = frozenset({"completed", "failed", "cancelled", "terminal"})


def is_terminal(status: str) -> bool:
    """Whether a run with this status has ended. The one place that decides it."""
    lowered = status.lower()
    return lowered in _TERMINAL or lowered.startswith("terminal:")


def is_boundary(source: str, status: str) -> bool:
    """True for checkpoints that are not run steps: interrupts, failures and external updates."""
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
    """What one task produced before its step was saved."""

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
    """An immutable snapshot: the state, and where execution is."""

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
    """What `prune` keeps: a checkpoint stays if any of these rules keeps it.

    Always kept are the head of each namespace, and every checkpoint that has a label, waits for an answer or is where
    an unfinished effect resumes.
    """

    keep_last: int | None = None
    """The last N checkpoints of the head's lineage, in each namespace; 0 means 1."""
    keep_last_in: Mapping[str, int] | None = None
    """The same for single namespaces: ``{"tools": 5}`` applies to ``tools``, ``tools:…`` and the namespaces inside."""
    max_age: timedelta | None = None
    """Checkpoints that are younger than this."""
    keep_every: Sequence[tuple[timedelta, timedelta]] = ()
    """The last checkpoint of each interval, for a period: ``[(timedelta(hours=1), timedelta(days=1)), …]`` keeps one an
    hour for a day."""
    keep_terminal: bool = False
    """Checkpoints at which a run ended."""
    keep_lineage: bool = False
    """All ancestors of the head: only abandoned branches are removed."""
    covered_before: int | None = None
    """Checkpoints that cover the journal up to this number or further; with `keep_terminal`, also the last one at which
    a run ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """What `prune` removed, or would remove."""

    removed: tuple[str, ...]  # the ids, newest first; the root namespace first
    kept: int
    kept_by: Mapping[str, int]  # how many each rule kept
    dry_run: bool
    kept_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # and which
    journal: int = 0  # entries of the journal that are removed with them
    bytes_to_free: int = 0  # what `collect` will free, in the thread and in those that share with it
    by_thread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the removed ids of each thread
    threads: int = 1  # that were examined
    skipped: tuple[str, ...] = ()  # threads that could not be pruned, and why

    @classmethod
    def together(cls, reports: Sequence[PruneReport], skipped: Sequence[str] = (), *, dry_run: bool) -> PruneReport:
        """One report for several threads."""
        totals: Counter[str] = Counter()
        kept_by: Counter[str] = Counter()
        kept_ids: dict[str, tuple[str, ...]] = {}
        by_thread: dict[str, tuple[str, ...]] = {}
        removed: list[str] = []
        not_pruned: list[str] = []
        for report in reports:
            totals.update({name: getattr(report, name) for name in ("kept", "journal", "bytes_to_free", "threads")})
            kept_by.update(report.kept_by)
            kept_ids |= {rule: (*kept_ids.get(rule, ()), *ids) for rule, ids in report.kept_ids.items()}
            by_thread |= report.by_thread
            removed += report.removed
            not_pruned += report.skipped
        return cls(
            removed=tuple(removed),
            kept=totals["kept"],
            kept_by={rule: kept_by[rule] for rule in kept_ids},
            kept_ids=kept_ids,
            journal=totals["journal"],
            bytes_to_free=totals["bytes_to_free"],
            by_thread=by_thread,
            threads=totals["threads"] + len(skipped),
            skipped=(*not_pruned, *skipped),
            dry_run=dry_run,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One defect that `verify` found, and where."""

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
    """What `verify` read, and the defects it found."""

    faults: tuple[Fault, ...]
    threads: int
    checkpoints: int
    values: int
    rows: int
    bytes: int
    orphans: int  # unreachable rows: not a fault, `collect` frees them
    too_large: int = 0  # values beyond `max_value`, which were not read: not a fault

    @property
    def ok(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Something that `repair` could not recover. Its remains are in the quarantine."""

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
    mended: tuple[str, ...]  # what was rebuilt from intact rows, in words
    quarantined: int  # rows that were moved to the quarantine
    unrepaired: tuple[Fault, ...]  # what only a backup can restore
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """A damaged row that `repair` moved to the quarantine, as it was found."""

    number: int
    table: str
    columns: tuple[Any, ...]
    reason: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectReport:
    """What `collect` freed."""

    trees: int  # that were examined: a tree is a thread and its forks and copies
    checkpoints: int
    writes: int
    values: int  # chunks of value logs
    rows: int  # all of these, and the rows that depend on them
    bytes_before: int
    bytes_after: int
    skipped: tuple[str, ...]  # trees that could not be read or kept changing, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """What `backup` wrote."""

    url: str  # of the backup, for `holdfast.open`
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadStats:
    """What one thread holds, in all its namespaces. Content that it shares with forks and copies is counted in the
    thread that saved it; `stored_bytes` is the total of all threads that share."""

    id: str
    checkpoints: int
    logical_bytes: int
    stored_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStats:
    """What was saved on one day (UTC) and still exists."""

    day: date
    checkpoints: int
    bytes: int  # of the states, each written in full


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """What a store holds."""

    threads: int
    checkpoints: int
    logical_bytes: int  # what the states would take up if each was written in full
    stored_bytes: int  # what the store takes up on disk or in the database
    largest: tuple[ThreadStats, ...]  # at most ten, the largest first
    days: tuple[DayStats, ...]  # those with saves, the oldest first

    @property
    def ratio(self) -> float:
        """How many logical bytes there are for each stored byte."""
        return self.logical_bytes / self.stored_bytes if self.stored_bytes else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireReport:
    """What `expire` removed, or would remove."""

    expired: int  # threads whose ttl had run out
    thread_ids: tuple[str, ...]  # the first thousand of them
    held: int  # threads whose ttl has run out, and that stay because a worker holds them
    seen: int  # threads with a ttl that were examined
    skipped: tuple[str, ...]  # threads that could not be read or removed, and why
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseCertificate:
    """What `erase` removed, or would remove, and what it could not.

    It contains no personal data: the condition and the threads' ids are there as digests, which can be computed again
    from the originals. `digest` covers everything in `record()`.
    """

    where_digest: str
    threads: int
    thread_digests: tuple[str, ...]
    thread_ids: tuple[str, ...] = field(repr=False)  # for the caller; not part of the record
    checkpoints: int
    writes: int
    journal: int
    values: int  # pieces of value logs
    index: int  # entries of indexes
    quarantined: int  # damaged rows in the quarantine
    rows: int  # all of these, and the rows that depend on them
    bytes_before: int
    bytes_after: int
    started_at: datetime
    finished_at: datetime
    skipped: tuple[str, ...]  # what could not be read or removed, and why
    remains: tuple[str, ...]  # where copies may exist that the store can't reach
    dry_run: bool
    digest: str = ""

    @property
    def complete(self) -> bool:
        """Whether nothing was skipped."""
        return not self.skipped

    def record(self) -> dict[str, Any]:
        """As JSON, without the threads' ids."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "thread_ids"}
        times = {name: values[name].isoformat() for name in ("started_at", "finished_at")}
        lists = {name: list(values[name]) for name in ("thread_digests", "skipped", "remains")}
        return {**values, **times, **lists, "complete": self.complete}


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

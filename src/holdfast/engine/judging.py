"""What is wrong with the rows of one tree: the directory's way to it, its lines, heads, lineages, marks, writes and
journals. Values are looked at apart (see `proving`), with what is needed of them from here.

What a line sees is asked of the engine itself, on a snapshot of the rows, so that a fault is what a reader would meet.
Rows that nobody sees any more are no fault, whatever is in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from holdfast.backends.rows import (
    CheckpointRow,
    ChunkRow,
    LineRow,
    LogRow,
    Row,
    ThreadRow,
    describe_key,
    sealed,
    table_name,
)
from holdfast.codec import Codec
from holdfast.engine import appending, load, manifest, places, removal, staging, tags, terms, trimming, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.manifest import Entry, Manifest, Ref
from holdfast.engine.rows import row_digest
from holdfast.engine.treerows import TreeRows, eyes, is_value, key_of
from holdfast.errors import Corrupt, HoldfastError
from holdfast.ids import come_in_order
from holdfast.journal import TRIMMED
from holdfast.model import Fault

_ALL = 1 << 62
Tags = Mapping[str, set[tuple[str, str]]]


class Seen(NamedTuple):
    """Who sees a checkpoint; the first one that does."""

    thread_id: str
    namespace: str


@dataclass
class Need:
    """What is asked of one version of a value log, and for which checkpoint."""

    point: tuple[int, int]
    digests: set[bytes] = field(default_factory=set)
    items: int = 0  # so many, at least; a sealed write may name single ones
    named: int = 0  # by how many checkpoints and writes


class Verdict:
    """The faults of one tree, and what else was learned on the way."""

    def __init__(self, tree: TreeRows) -> None:
        self.tree = tree
        self.faults: list[Fault] = []
        self.seen: dict[tuple[int, int], Seen] = {}
        self.shown: dict[int, list[CheckpointRow]] = {}  # by line, newest first
        self.missing: dict[int, list[int]] = {}  # numbers that a line has given, whose rows are not there
        self.heads: dict[int, CheckpointRow | None] = {}  # of each line, with the status that it has now
        self.needs: dict[int, dict[int, Need]] = {}
        self.unreadable: set[tuple[int, int]] = set()  # checkpoints whose own row does not lead to a state
        self._owners = {thread.line: thread.id for thread in tree.threads}

    def owner(self, line: int | None) -> Seen | None:
        row = self.tree.lines.get(line or 0)
        owner = None if row is None else self._owners.get(row.thread)
        return None if row is None or owner is None else Seen(owner, row.namespace)

    def _whose(self, row: Row) -> Seen | None:
        if isinstance(row, ThreadRow):
            return Seen(row.id, "")
        if isinstance(row, ChunkRow | LogRow):
            needs = self.needs.get(row.log)
            return self.seen.get(next(iter(needs.values())).point) if needs else None
        line = getattr(row, "line", None)
        who = self.seen.get((row.line, row.seq)) if isinstance(row, CheckpointRow) else None
        return who or (self.owner(line) if isinstance(line, int) else None)

    def say(self, kind: str, row: Row, message: str, checkpoint_id: str | None = None) -> None:
        """A fault about a row. Whose it is follows from the row: who sees the checkpoint, or who has the line."""
        who = self._whose(row)
        self.faults.append(
            Fault(
                kind=kind, message=_where(who, checkpoint_id) + message, table=table_name(type(row)), key=key_of(row),
                thread_id=who.thread_id if who else None, namespace=who.namespace if who else "",
                checkpoint_id=checkpoint_id, tree=self.tree.number,
            )
        )  # fmt: skip


def _where(who: Seen | None, checkpoint_id: str | None) -> str:
    words = [] if who is None else [f"thread {who.thread_id!r}"]
    words += [f"namespace {who.namespace!r}"] if who is not None and who.namespace else []
    words += [f"checkpoint {checkpoint_id!r}"] if checkpoint_id is not None else []
    return ", ".join(words) + ": " if words else ""


async def judge(tree: TreeRows, tagged: Tags, runs: set[str], codec: Codec) -> Verdict:
    verdict = Verdict(tree)
    _judge_lines(verdict)
    engine = eyes(tree, codec)
    _judge_threads(verdict)
    for thread in tree.threads:
        await _look(engine, verdict, thread)
    for point in sorted(verdict.seen):
        _judge_point(verdict, tree.points[point])
    _judge_marks(verdict)
    _judge_writes(verdict)
    _judge_tags(verdict, tagged)
    _judge_runs(verdict, runs)
    say_damaged(verdict, tree.damaged)
    return verdict


def say_damaged(verdict: Verdict, rows: Iterable[Row]) -> None:
    for row in rows:
        verdict.say("checksum", row, CHECKSUM.format(table_name(type(row)), describe_key(row)), _id_in(row))


CHECKSUM = "the {} row with {} does not match its checksum: the storage changed it; repair() sets it aside"


def _id_in(row: Row) -> str | None:
    """Whatever a damaged row says."""
    return row.id if isinstance(row, CheckpointRow) and isinstance(row.id, str) else None


# ------------------------------------------------------------------------------------------------ lines and threads


def _judge_lines(verdict: Verdict) -> None:
    """What does not hold together is taken out, so that nobody goes round in circles."""
    tree = verdict.tree
    for row in list(tree.lines.values()):
        root = tree.lines.get(row.thread)
        if root is None or root.thread != root.line:
            verdict.say("lineage", row, f"line {row.line} belongs to root line {row.thread}, which is not there")
        if (row.line == row.thread) != (row.namespace == ""):
            verdict.say("lineage", row, f"line {row.line} is a root line by its number or by its namespace, not both")
        if row.base_line is not None and not _grounded(tree, row):
            verdict.say("lineage", row, f"line {row.line} was forked from line {row.base_line}, which leads nowhere")
            tree.lines[row.line] = sealed(row._replace(base_line=None))
    for point in tree.points.values():
        line = tree.lines.get(point.line)
        if line is not None and verdict.owner(point.line) and not line.base_seq < point.seq <= line.seq:
            message = f"number {point.seq} is not among those that line {line.line} has given"
            verdict.say("lineage", point, message, point.id)
    taken: dict[tuple[int, str], LineRow] = {}
    for row in tree.lines.values():
        if taken.setdefault((row.thread, row.namespace), row) is not row:
            verdict.say("lineage", row, f"line {row.line} and another line both are namespace {row.namespace!r}")


def _grounded(tree: TreeRows, row: LineRow) -> bool:
    passed = {row.line}
    while row.base_line is not None:
        below = tree.lines.get(row.base_line)
        if below is None or below.line in passed:
            return False
        passed.add(below.line)
        row = below
    return True


def is_readable(thread: ThreadRow) -> bool:
    """Whether its metadata and terms can be decoded."""
    try:
        terms.of(thread)
    except Corrupt:
        return False
    metadata = terms.metadata_of(thread)
    return not metadata or is_value(metadata)


def _judge_threads(verdict: Verdict) -> None:
    tree = verdict.tree
    taken: set[int] = set()
    for thread in tree.threads:
        root = tree.lines.get(thread.line)
        if root is None or root.thread != root.line:
            verdict.say("directory", thread, f"the directory leads to root line {thread.line}, which is not there")
        elif thread.line in taken:
            verdict.say("directory", thread, f"another thread has the root line {thread.line} too")
        taken.add(thread.line)
        if not is_readable(thread):
            verdict.say("directory", thread, "its metadata or terms can't be read")
        if thread.generation < 1:
            verdict.say("directory", thread, f"it is said to be in its life number {thread.generation}")
    if not tree.threads and tree.lines and not staging.all_staged(tree.lines.values()):
        root = next(iter(tree.lines.values()))
        verdict.say("directory", root, f"no thread leads to tree {tree.number}, which has lines: its row is missing")


# ------------------------------------------------------------------------------------------------ views and heads


async def _look(engine: Engine, verdict: Verdict, thread: ThreadRow) -> None:
    """Everything that a thread shows, in all namespaces."""
    root = verdict.tree.lines.get(thread.line)
    if root is None:
        return
    handle = Handle(thread.id, "", engine.codec)
    for namespace in await removal.namespaces(engine, root):
        line = await engine.backend.namespace(root.tree, root.line, namespace)
        try:
            place = None if line is not None else await places.find(engine, handle.inner(namespace), even_expired=True)
            line = line or (place.line if place is not None else None)
            if line is not None:
                await _look_at_line(engine, verdict, Seen(thread.id, namespace), line)
        except (HoldfastError, StopIteration, IndexError) as error:
            verdict.say("head", line or root, f"what namespace {namespace!r} shows can't be told: {error}")
    await _judge_journal(engine, verdict, root)


async def _look_at_line(engine: Engine, verdict: Verdict, who: Seen, line: LineRow) -> None:
    view = await views.open_view(engine, line)
    rows = await views.scan(engine, view, _ALL, _ALL)
    for row in rows:
        verdict.seen.setdefault((row.line, row.seq), who)
    if not line.version:  # only seen through what it was forked from
        return
    verdict.shown[line.line] = rows
    head = next((row for row in rows if (row.line, row.seq) == (line.head_line, line.head_seq)), None)
    verdict.heads[line.line] = None if head is None else head._replace(status=view.status(head))
    if head is None and (line.head_seq or rows):
        verdict.say("head", line, f"its head, number {line.head_seq}, is not there: repair() finds the latest that is")
    elif head is not None and (late := _later(head, rows)) is not None:
        verdict.say("head", line, f"its head is number {head.seq}, and {late.seq} came later")
    if line.checkpoints != len(rows):
        gone = verdict.missing[line.line] = _gone(view, rows)
        told = f": number {', '.join(map(str, gone[:10]))} is missing" if gone else ""
        verdict.say("counter", line, f"it counts {line.checkpoints} checkpoints, and shows {len(rows)}{told}")


def _later(head: CheckpointRow, rows: list[CheckpointRow]) -> CheckpointRow | None:
    """Whoever chooses ids orders by them, so that one with a lower id may come late and not be the head."""
    newer = (row for row in rows if row.seq > head.seq)
    return next((row for row in newer if row.id > head.id and come_in_order(row.id, head.id)), None)


def _gone(view: views.View, rows: list[CheckpointRow]) -> list[int]:
    there = {row.seq for row in rows}
    own = range(view.own.lo, min(view.own.hi, view.own.lo + 100_000) + 1)
    return [seq for seq in own if seq not in there and not view.hides(seq)]


async def _judge_journal(engine: Engine, verdict: Verdict, root: LineRow) -> None:
    tree = verdict.tree
    found: set[int] = set()
    for row in await appending.read_all(engine, root, 0, _ALL, _ALL):
        low, high = trimming.gone_by(row) if row.kind == TRIMMED else (row.seq, row.seq)
        found.update(range(low, high + 1))
    gaps = sorted(set(range(1, root.journal + 1)) - found)
    if gaps:
        told = ", ".join(map(str, gaps[:10]))
        verdict.say("journal", root, f"the journal goes up to {root.journal}, and entry {told} is not there")
    own = [row for (line, _), row in tree.journal.items() if line == root.line]
    for row in own:
        if not root.base_journal < row.seq <= root.journal:
            verdict.say("journal", row, f"entry {row.seq} is outside of the journal, which ends at {root.journal}")
    keys = [row.key for row in own if row.key is not None]
    if len(keys) != len(set(keys)):
        verdict.say("journal", root, "two entries of the journal have the same key")
    for row in tree.unreadable_entries:
        if row.line == root.line:
            verdict.say("journal", row, f"entry {row.seq} can't be read")


# ------------------------------------------------------------------------------------------------ checkpoints


def _judge_point(verdict: Verdict, row: CheckpointRow) -> None:
    tree = verdict.tree
    line = tree.lines.get(row.line)
    if line is None:
        return
    known = _manifest(row)
    if known is None or not _fields_fit(row):
        verdict.unreadable.add((row.line, row.seq))
        verdict.say("value", row, "what it holds can't be read", row.id)
        return
    _judge_place(verdict, row)
    _judge_digest(verdict, row, line, known)
    for entry in entries(known):
        if isinstance(entry, Ref):
            need(verdict.needs, entry.log, entry.pos, (row.line, row.seq)).digests.add(entry.digest)


def _manifest(row: CheckpointRow) -> Manifest | None:
    try:
        known = manifest.unpack(row.manifest)
    except (msgspec.MsgspecError, TypeError):
        return None
    return known if all(isinstance(one, Ref) or is_value(one.enc) for one in entries(known)) else None


def _fields_fit(row: CheckpointRow) -> bool:
    try:
        load.decode_next(row.next or b"\x90")
    except msgspec.MsgspecError:
        return False
    return not row.metadata or is_value(row.metadata)


def entries(known: Manifest) -> Iterator[Entry]:
    yield from known.channels.values()
    if known.extra is not None:
        yield known.extra


def need(needs: dict[int, dict[int, Need]], log: int, pos: int, point: tuple[int, int]) -> Need:
    found = needs.setdefault(log, {}).setdefault(pos, Need(point))
    found.named += 1
    return found


def _judge_place(verdict: Verdict, row: CheckpointRow) -> None:
    line = verdict.tree.lines[row.line]
    if not line.base_seq < row.stretch <= row.seq or not 1 <= row.depth <= row.seq:
        verdict.say("lineage", row, f"its place ({row.stretch} to {row.seq}, depth {row.depth}) makes no sense", row.id)
    if row.parent_seq >= row.seq or row.parent_seq < 0:
        verdict.say("lineage", row, f"number {row.seq} can't come after number {row.parent_seq}, its parent", row.id)
    elif row.parent_seq and verdict.tree.parent(row) is None and row.parent_digest is None:
        verdict.say("lineage", row, f"its parent, {row.parent_id!r}, is not there: repair() finds another", row.id)


def _judge_digest(verdict: Verdict, row: CheckpointRow, line: LineRow, known: Manifest) -> None:
    if matches_digest(verdict.tree, row, line.namespace, known) is False:
        verdict.say("digest", row, "it does not match its digest", row.id)


def matches_digest(tree: TreeRows, row: CheckpointRow, namespace: str, known: Manifest) -> bool | None:
    """Whether this is what was saved, in this namespace; None if nobody knows any more."""
    candidates = _parent_digests(tree, row)
    if candidates is None:
        return None
    return any(row_digest(namespace, row, known, one) == row.digest for one in candidates)


def _parent_digests(tree: TreeRows, row: CheckpointRow) -> list[bytes | None] | None:
    """What the digest may have been made with; None if nobody knows any more."""
    if row.parent_digest is not None:
        return [row.parent_digest] if row.parent_digest else None
    if not row.parent_seq:
        return [None] if row.parent_id is None else None  # a framework named a parent that never came, or moved
    parent = tree.parent(row)
    # A parent that was saved again in its place has got another digest since.
    return None if parent is None or parent.created_at >= row.created_at else [parent.digest]


# ------------------------------------------------------------------------------------------------ about checkpoints


def _judge_marks(verdict: Verdict) -> None:
    tree = verdict.tree
    for row in tree.marks:
        line = tree.lines.get(row.line)
        if line is None or verdict.owner(row.line) is None:
            continue
        root = tree.lines.get(line.thread, line)
        if not line.marks:
            verdict.say("mark", row, f"number {row.seq} was marked, and line {line.line} knows of no marks")
        if row.hidden not in (0, views.REMOVED, views.REPLACED) or row.era > root.forks or not 0 < row.seq <= line.seq:
            verdict.say("mark", row, f"the mark on number {row.seq} makes no sense")


def _judge_writes(verdict: Verdict) -> None:
    """Of a checkpoint that somebody sees."""
    tree = verdict.tree
    for row, named, problem in tree.writes:
        home = tree.home(row.line, row.seq)
        point = None if home is None else tree.points.get((home.line, row.seq))
        if point is None or (point.line, point.seq) not in verdict.seen:
            continue
        if problem:
            verdict.say("write", row, f"what its tasks wrote can't be read: {problem}", point.id)
        for log, pos, *place in named:
            wanted = need(verdict.needs, log, pos, (point.line, point.seq))
            wanted.items = max(wanted.items, _items(place))


def _items(place: list[int]) -> int:
    """How many items a version needs to have, so that this place is in it."""
    return 0 if not place else place[1] if len(place) > 1 else place[0] + 1


def _judge_tags(verdict: Verdict, tagged: Tags) -> None:
    for thread in verdict.tree.threads:
        wanted = tags_wanted(verdict, thread)
        if wanted is None:
            continue
        found = tagged.get(thread.id, set())
        free = {("run", tags.HELD), ("run", tags.LEFT)}  # they may stay behind when a lease has run out
        for key, value in sorted(wanted - found):
            verdict.say("tag", thread, f"the index lacks {key} {value!r}: repair() adds it")
        for key, value in sorted(found - wanted - free):
            verdict.say("tag", thread, f"the index has {key} {value!r}, which is not so: repair() takes it out")


def tags_wanted(verdict: Verdict, thread: ThreadRow) -> set[tuple[str, str]] | None:
    """What the index should say about a thread; None if that can't be told."""
    root = verdict.tree.lines.get(thread.line)
    if root is None or thread.line not in verdict.heads:
        return None
    try:
        wanted = set(tags.of_row(thread))
    except (Corrupt, msgspec.MsgspecError, ValueError):
        return None
    head = verdict.heads[thread.line]
    wanted |= {tags.status_tag(head.status)} if head is not None else set()
    return wanted | ({("run", tags.HELD)} if root.worker else set())


def _judge_runs(verdict: Verdict, runs: set[str]) -> None:
    for run_id, row in sorted(runs_wanted(verdict).items()):
        if run_id not in runs:
            verdict.say("tag", row, f"the index of runs lacks {run_id!r}: repair() adds it", row.id)


def runs_wanted(verdict: Verdict) -> dict[str, CheckpointRow]:
    """The runs that saved what is seen, and a checkpoint of each."""
    found = [verdict.tree.points[point] for point in sorted(verdict.seen)]
    return {row.run_id: row for row in reversed(found) if row.run_id is not None}

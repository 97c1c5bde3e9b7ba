"""Repairing: what is damaged is set aside, what is sound is hung together again, and what was lost is said.

A tree is mended in rounds. Each looks at it anew and does one kind of thing: first damaged rows are set aside (and made
anew from what they say, where that can be checked), then what can't be read without them; then lineages, journals and
lines are closed over the gaps; and at last heads, counters and index entries are made from what is there. A round is
one batch that expects the lines as they were seen, so that whoever writes meanwhile is not in the way.

Nothing is thrown away: every row that goes is kept in the quarantine as it was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.msgpack import Decoder, Encoder

from holdfast.backends.base import Batch, Drop, DropChunks, DropRow, LineAt
from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    GraveRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    QuarantineRow,
    Row,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    WaitingRow,
    is_sound,
    is_typed,
    sealed,
    table_name,
)
from holdfast.backends.snapshot import Snapshot
from holdfast.codec import Codec
from holdfast.engine import load, verify
from holdfast.engine.context import Engine, as_datetime, grave_hash, now
from holdfast.engine.judging import Verdict, entries, is_readable, matches_digest, runs_wanted, tags_wanted
from holdfast.engine.manifest import Ref
from holdfast.engine.rows import row_digest
from holdfast.engine.treerows import TreeRows, key_of
from holdfast.engine.verify import Directory, Examined, read_directory
from holdfast.engine.walking import Walk
from holdfast.errors import Corrupt, InvalidArgument
from holdfast.ids import new_number
from holdfast.model import Fault, Lost, Quarantined, RepairReport, VerifyReport

LOST_ENTRY: Final = "holdfast.lost"
UNKNOWN: Final = b""
"""The digest of a parent of which nothing is left."""
_ROUNDS: Final = 40
_MOST_SWAPPED: Final = 100
_LAST_MOMENT: Final = 253_402_300_799_999_999  # microseconds, in the year 9999
_decode = Decoder().decode
_encode = Encoder().encode
_OF_DIRECTORY: Final[tuple[Any, ...]] = (ThreadRow, GraveRow, TagRow, RunRow, WaitingRow)
_OF_TREES: Final[tuple[Any, ...]] = (
    LineRow,
    CheckpointRow,
    MarkRow,
    LogRow,
    ChunkRow,
    PendingRow,
    SealedRow,
    JournalRow,
)


@dataclass
class Mending:
    """What has been done so far."""

    plan: tuple[Fault, ...]
    lost: list[Lost] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    quarantined: int = 0
    gone: dict[tuple[int, int], CheckpointRow] = field(default_factory=dict)  # checkpoints, as they said they were


@dataclass
class Round:
    """One batch in the making."""

    reason: str = ""
    puts: dict[tuple[type[Row], tuple[object, ...]], Row] = field(default_factory=dict)
    drops: list[Drop] = field(default_factory=list)
    aside: int = 0
    lost: list[Lost] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)

    def put(self, row: Row) -> None:
        """In the place of what is there: backends only change what a save may change of these two."""
        self.puts[type(row), key_of(row)] = row
        if isinstance(row, LineRow | ThreadRow):
            self.drop(row)

    def drop(self, row: Row) -> None:
        self.drops.append(DropRow(type(row), tuple(row[: KEYS[type(row)]])))
        if isinstance(row, ChunkRow):  # another may be put in its place only so
            self.drops.append(DropChunks(row.tree, row.log, row.lo, row.lo))

    def set_aside(self, row: Row, reason: str) -> None:
        body = _encode([_kept(column) for column in row])
        self.put(sealed(QuarantineRow(new_number(), table_name(type(row)), body, reason, now())))
        self.drop(row)
        self.aside += 1

    def __bool__(self) -> bool:
        return bool(self.puts or self.drops)


def _kept(column: Any) -> Any:
    """Damaged text may be no text: its bytes are kept."""
    if isinstance(column, str):
        try:
            column.encode()
        except UnicodeEncodeError:
            return column.encode("utf-8", "surrogateescape")
    return column


async def repair(engine: Engine, plan: VerifyReport, dry_run: bool) -> RepairReport:
    engine.check_open()
    if not isinstance(plan, VerifyReport):
        raise InvalidArgument(f"repair() takes what verify() returned, not {type(plan).__name__}")
    work = Mending(plan.faults)
    storage = [fault for fault in plan.faults if fault.kind == "storage"]
    everywhere = any(fault.kind in ("storage", "directory") or fault.table == "thread" for fault in plan.faults)
    if storage:
        work.mended += (
            [f"below the rows: {fault.message}" for fault in storage] if dry_run else await engine.backend.mend()
        )
    if dry_run:
        engine = await _scratch(engine, plan, everywhere)
    await _mend_directory(engine, work)
    for number in await _trees(engine, plan, everywhere):
        await _mend_tree(engine, work, number)
    engine.cache.clear()
    engine.noted.clear()
    left = () if dry_run or not plan.faults else (await verify.verify(engine)).faults
    return RepairReport(
        lost=tuple(dict.fromkeys(work.lost)), mended=tuple(dict.fromkeys(work.mended)), quarantined=work.quarantined,
        unrepaired=left, dry_run=dry_run,
    )  # fmt: skip


async def quarantined(engine: Engine) -> list[Quarantined]:
    """What was set aside, in the order in which it is found."""
    engine.check_open()
    found: list[Quarantined] = []

    def take(row: QuarantineRow) -> None:
        columns = tuple(_decode(row.body))
        moment = as_datetime(row.created_at)
        found.append(
            Quarantined(number=row.number, table=row.kind, columns=columns, reason=row.reason, created_at=moment)
        )

    await Walk(engine.backend).each(QuarantineRow, None, take)
    return sorted(found, key=lambda one: one.created_at)


async def _trees(engine: Engine, plan: VerifyReport, everywhere: bool) -> list[int]:
    """Those that the plan names. What was mended below the rows, or in the directory, may concern any."""
    if everywhere:
        walk = Walk(engine.backend)
        return await verify.all_trees(walk, await read_directory(walk))
    return sorted({fault.tree for fault in plan.faults if fault.tree is not None})


async def _scratch(engine: Engine, plan: VerifyReport, everywhere: bool) -> Engine:
    """The rows that a repair would look at, in memory, to be mended there."""
    walk, rows = Walk(engine.backend), list[Row]()
    for kind in _OF_DIRECTORY:
        await walk.each(kind, None, rows.append)
    for number in await _trees(engine, plan, everywhere):
        for kind in _OF_TREES:
            await walk.each(kind, number, rows.append)
    return Engine(Snapshot([*rows, *walk.damaged]), engine.codec, engine.url)


async def _commit(engine: Engine, work: Mending, one: Round, lines: list[LineRow]) -> None:
    """If a writer was faster, the next round looks again."""
    expects = [LineAt(line.tree, line.line, line.version) for line in lines]
    if await engine.backend.commit(Batch([*expects], list(one.puts.values()), one.drops)):
        work.lost += one.lost
        work.mended += one.mended
        work.quarantined += one.aside


# ------------------------------------------------------------------------------------------------ the directory


async def _mend_directory(engine: Engine, work: Mending) -> None:
    """Damaged rows of the directory; what they said is used again if it can be checked."""
    directory = await read_directory(Walk(engine.backend))
    one = Round()
    trees = {fault.key[1]: fault.tree for fault in work.plan if fault.kind == "directory" and fault.table == "line"}
    swapped = _unswapped(one, directory.damaged)
    for row in directory.damaged:
        one.set_aside(row, "it did not match its checksum")
        if key_of(row) in swapped:
            continue
        if isinstance(row, ThreadRow) and is_typed(row) and row.id:
            metadata = row.metadata if is_readable(row) else b""
            tree = trees.get(row.line) or row.tree
            generation, created = max(1, row.generation), _moment(row.created_at)
            one.put(sealed(row._replace(metadata=metadata, generation=generation, created_at=created, tree=tree)))
            one.mended.append(f"thread {row.id!r}: its row in the directory was made anew from what it said")
        elif isinstance(row, GraveRow) and is_typed(row):
            one.put(sealed(row))
        elif isinstance(row, WaitingRow):
            one.lost.append(Lost(what="a write that waited for its checkpoint", thread_id=_text(row.thread)))
    for waiting in directory.waiting:
        one.set_aside(waiting, "it could not be read")
        one.lost.append(Lost(what="a write that waited for its checkpoint", thread_id=waiting.thread))
    for row in directory.threads.values():
        buried = directory.graves.get(grave_hash(row.id), 0)
        home = trees.get(row.line) or row.tree
        if buried >= row.generation or home != row.tree:
            one.put(sealed(row._replace(generation=max(row.generation, buried + 1), tree=home)))
            one.mended.append(f"thread {row.id!r}: the directory leads to it again")
    if one:
        await _commit(engine, work, one, [])
    await _untag(engine, work)


async def _untag(engine: Engine, work: Mending) -> None:
    """Entries of the index about threads that nobody could bring back."""
    directory = await read_directory(Walk(engine.backend))
    lost = sorted(directory.tags.keys() - directory.threads.keys())
    homeless = [fault for fault in work.plan if fault.kind == "directory" and fault.table == "line"]
    one = Round()
    if len(lost) == 1 and len(homeless) == 1 and homeless[0].tree is not None:
        thread = ThreadRow(lost[0], homeless[0].tree, homeless[0].key[1], 1, now(), b"", None, None)
        one.put(sealed(thread))
        one.mended.append(f"thread {thread.id!r}: its row in the directory was made anew; its metadata is lost")
        one.lost.append(Lost(what="the thread's metadata", thread_id=thread.id))
    else:
        for thread_id in lost:
            for key, value in directory.tags[thread_id]:
                one.drops.append(DropRow(TagRow, (key, value, thread_id)))
            one.lost.append(Lost(what="the thread's row in the directory", thread_id=thread_id))
    if one:
        await _commit(engine, work, one, [])


def _unswapped(one: Round, damaged: list[Row]) -> set[tuple[object, ...]]:
    """Rows that have changed places are whole again under each other's keys: then nothing of them is lost."""
    found: set[tuple[object, ...]] = set()
    for row in damaged[:_MOST_SWAPPED]:
        for other in damaged[:_MOST_SWAPPED]:
            if type(other) is type(row) and other is not row:
                whole = type(row)._make((*key_of(row), *other[KEYS[type(row)] :]))
                if is_sound(whole):
                    one.put(whole)
                    one.mended.append(f"{table_name(type(row))} {key_of(row)}: two rows had changed places")
                    found.add(key_of(row))
    return found


def _moment(said: int) -> int:
    """When something was, if that was on a day of the calendar."""
    return said if 0 <= said <= _LAST_MOMENT else now()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


# ------------------------------------------------------------------------------------------------ trees


async def _mend_tree(engine: Engine, work: Mending, number: int) -> None:
    for _ in range(_ROUNDS):
        directory, found = await verify.look_again(engine, number)
        one = _next(work, directory, found, engine.codec)
        if not one:
            return
        await _commit(engine, work, one, list(found.verdict.tree.lines.values()))


def _next(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """The first kind of thing that there is to do."""
    for kind in (_damaged_rows, _ways, _unreadable, _lineages, _journals, _counts, _index):
        one = kind(work, directory, found, codec)
        if one:
            return one
    return Round()


def _damaged_rows(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    one, verdict = Round(), found.verdict
    swapped = _unswapped(one, verdict.tree.damaged)
    for row in verdict.tree.damaged:
        one.set_aside(row, "it did not match its checksum")
        if key_of(row) in swapped:
            continue
        if isinstance(row, LineRow) and is_typed(row):
            one.put(_line_anew(verdict.tree, row))
            one.mended.append(f"line {row.line}: made anew from what it said, to be compared with its checkpoints")
        elif isinstance(row, CheckpointRow):
            if is_typed(row):
                work.gone[row.line, row.seq] = row
            one.lost.append(_lost(verdict, row.line, "the checkpoint", _text(row.id)))
        elif not isinstance(row, LineRow):
            one.lost.append(_lost(verdict, getattr(row, "line", None), _WHAT[type(row)], None))
    return one


def _line_anew(tree: TreeRows, row: LineRow) -> LineRow:
    """What a damaged line says, as far as its checkpoints, marks and journal agree. Whoever held it is fenced."""
    is_root = row.line == row.thread or any(thread.line == row.line for thread in tree.threads)
    base = row.base_line if row.base_line in tree.lines and row.base_line != row.line else None
    floor = row.base_journal if base is not None else 0
    own = [point for point in tree.points.values() if point.line == row.line]
    eras = [line.base_era for line in tree.lines.values() if line.base_line == row.line]
    return sealed(
        row._replace(
            version=row.version + 1, epoch=row.epoch + 1, worker="", lease_at=0, lease_ttl=0, base_line=base,
            thread=row.line if is_root else row.thread, namespace="" if is_root else _namespace(tree, row, own),
            seq=max([row.base_seq if base is not None else 0, *(point.seq for point in own)]), base_journal=floor,
            journal=max([floor, *(seq for line, seq in tree.journal if line == row.line)]),
            forks=max([row.forks, *eras, *(point.era for point in own)]),
            marks=max(row.marks, sum(mark.line == row.line for mark in tree.marks)),
            base_seq=row.base_seq if base is not None else 0, whole=row.whole if base is not None else 0,
            updated_at=_moment(row.updated_at),
        )
    )  # fmt: skip


def _namespace(tree: TreeRows, row: LineRow, own: list[CheckpointRow]) -> str:
    """That which its checkpoints were saved in, if another line has the same name; else what the row says, and a new
    name if that is another line's by now."""
    beside = [line for line in tree.lines.values() if line.line != row.line]
    taken = {"", *(line.namespace for line in beside if line.thread == row.thread)}
    said = [row.namespace, *sorted({line.namespace for line in beside})]
    proven = [name for name in said if name not in taken and any(_saved_in(tree, point, name) for point in own)]
    free = [name for name in said[:1] if name not in taken]
    return next(iter([*proven, *free]), f"recovered/{row.line:x}")


def _saved_in(tree: TreeRows, row: CheckpointRow, namespace: str) -> bool:
    try:
        return matches_digest(tree, row, namespace, load.manifest_of(row)) is True
    except Corrupt:
        return False


_WHAT: Final[dict[type[Row], str]] = {
    MarkRow: "a label, a status or the removal of a checkpoint",
    LogRow: "where a value log continues from",
    ChunkRow: "a part of a value log",
    PendingRow: "a write of a task",
    SealedRow: "the writes of a step",
    JournalRow: "an entry of the journal",
}


def _lost(verdict: Verdict, line: object, what: str, checkpoint_id: str | None) -> Lost:
    who = verdict.owner(line) if isinstance(line, int) else None
    return Lost(
        what=what, thread_id=who.thread_id if who else None, namespace=who.namespace if who else "",
        checkpoint_id=checkpoint_id,
    )  # fmt: skip


def _ways(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """From the directory to the lines, and from line to line."""
    one, tree = Round(), found.verdict.tree
    for thread in tree.threads:
        root = tree.lines.get(thread.line)
        if root is None:
            one.put(_new_root(tree, thread))
            one.mended.append(f"thread {thread.id!r}: its root line was made anew from its checkpoints")
    if not tree.threads and tree.lines:
        root = next((line for line in tree.lines.values() if line.line == line.thread), None)
        if root is not None:
            name = f"recovered/{root.line:x}"
            one.put(sealed(ThreadRow(name, tree.number, root.line, 1, now(), b"", None, None)))
            one.mended.append(f"tree {tree.number} had lost its thread's row: it is thread {name!r} now")
    stored = {fault.key for fault in found.faults if fault.table == "line" and fault.kind == "lineage"}
    for line in tree.lines.values():
        if (line.tree, line.line) in stored:
            _mend_line(one, tree, line)
    return one


def _new_root(tree: TreeRows, thread: ThreadRow) -> LineRow:
    last = max((seq for line, seq in tree.points if line == thread.line), default=0)
    journal = max((seq for line, seq in tree.journal if line == thread.line), default=0)
    return sealed(
        LineRow(
            tree.number, thread.line, thread.line, "", version=1, seq=last, updated_at=now(), journal=journal, marks=1
        )
    )


def _mend_line(one: Round, tree: TreeRows, line: LineRow) -> None:
    root = tree.lines.get(line.thread)
    if root is None and not any(thread.line == line.thread for thread in tree.threads):
        one.set_aside(line, "its thread is not there")
        return
    base = line.base_line if line.base_line in tree.lines else None
    one.put(
        sealed(line._replace(
            version=line.version + 1, base_line=base, whole=line.whole if base is not None else 0,
            base_journal=line.base_journal if base is not None else 0,
        ))
    )  # fmt: skip
    one.mended.append(f"line {line.line}: what it was forked from is lost, and it begins with itself")


def _unreadable(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """Checkpoints and writes that name a value that can't be had."""
    one, verdict = Round(), found.verdict
    broken = {(item.log, item.pos) for item in found.broken}
    for point, who in sorted(verdict.seen.items()):
        row = verdict.tree.points[point]
        if point in verdict.unreadable or _names(row, broken):
            work.gone[point] = row
            one.set_aside(row, "a value of it could not be had")
            one.lost.append(
                Lost(what="the checkpoint", thread_id=who.thread_id, namespace=who.namespace, checkpoint_id=row.id)
            )
    for written, places, problem in verdict.tree.writes:
        if problem or any((place[0], place[1]) in broken for place in places):
            one.set_aside(written, problem or "a value of it could not be had")
            one.lost.append(_lost(verdict, written.line, _WHAT[type(written)], None))
    return one


def _names(row: CheckpointRow, broken: set[tuple[int, int]]) -> bool:
    known = load.manifest_of(row)
    return any(isinstance(entry, Ref) and (entry.log, entry.pos) in broken for entry in entries(known))


def _lineages(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """Survivors hang on their nearest sound ancestor."""
    one, tree = Round(), found.verdict.tree
    keys = {fault.key for fault in found.faults if fault.kind in ("lineage", "digest") and fault.table == "checkpoint"}
    for row in tree.points.values():
        line = tree.lines.get(row.line)
        if key_of(row) not in keys or line is None:
            continue
        if row.seq <= line.base_seq:
            one.set_aside(row, "its number is not among those of its line")
            one.lost.append(_lost(found.verdict, row.line, "the checkpoint", row.id))
        elif row.seq > line.seq:
            one.put(
                sealed(
                    line._replace(version=line.version + 1, seq=max(seq for at, seq in tree.points if at == line.line))
                )
            )
        else:
            one.put(_rerooted(work, tree, row, line))
            one.mended.append(f"checkpoint {row.id!r}: it hangs on its nearest sound ancestor")
    for line in tree.lines.values():
        if line.base_line is not None and (moved := _moved_base(tree, line)) is not None:
            one.put(moved)
            one.mended.append(
                f"line {line.line}: it is forked off at number {moved.base_seq} now, the nearest that is left"
            )
    return one


def _rerooted(work: Mending, tree: TreeRows, row: CheckpointRow, line: LineRow) -> CheckpointRow:
    parent = _nearest(work, tree, row)
    home = tree.home(row.line, row.parent_seq)
    gone = work.gone.get((home.line, row.parent_seq)) if home is not None else None
    digest = row.parent_digest or (gone.digest if gone is not None else UNKNOWN)
    try:
        fits = row_digest(line.namespace, row, load.manifest_of(row), digest) == row.digest
    except Exception:
        fits = False
    return sealed(
        row._replace(
            parent_id=None if parent is None else parent.id, parent_seq=0 if parent is None else parent.seq,
            parent_digest=digest if fits else UNKNOWN,
            stretch=row.stretch if line.base_seq < row.stretch <= row.seq else row.seq,
            depth=row.depth if 1 <= row.depth <= row.seq else 1,
        )
    )  # fmt: skip


def _nearest(work: Mending, tree: TreeRows, row: CheckpointRow) -> CheckpointRow | None:
    """The nearest ancestor that is there: by what the lost ones said, or along the stretch that the row ends."""
    line, seq = row.line, row.parent_seq if row.parent_seq < row.seq else 0
    while seq > 0:
        home = tree.home(line, seq)
        if home is None:
            return None
        if (home.line, seq) in tree.points:
            return tree.points[home.line, seq]
        gone = work.gone.get((home.line, seq))
        if gone is None or not 0 <= gone.parent_seq < seq:
            older = [
                point for (at, number), point in tree.points.items() if at == row.line and row.stretch <= number < seq
            ]
            return max(older, key=lambda point: point.seq, default=None)
        line, seq = home.line, gone.parent_seq
    return None


def _moved_base(tree: TreeRows, line: LineRow) -> LineRow | None:
    """A fork whose fork point is lost sees what came before it."""
    home = tree.home(line.base_line or 0, line.base_seq)
    if home is None or not line.base_seq or (home.line, line.base_seq) in tree.points:
        return None
    older = [seq for at, seq in tree.points if at == home.line and seq < line.base_seq]
    seq = max(older, default=home.base_seq)
    return sealed(line._replace(version=line.version + 1, base_seq=seq))


def _journals(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """An entry that is lost leaves one that says so, since numbers have no gaps."""
    one, tree = Round(), found.verdict.tree
    for row in tree.unreadable_entries:
        one.set_aside(row, "it could not be read")
    for thread in tree.threads:
        root = tree.lines.get(thread.line)
        if root is None:
            continue
        own = {seq for line, seq in tree.journal if line == root.line}
        end = max([root.journal, *own])
        if end != root.journal:
            one.put(sealed(root._replace(version=root.version + 1, journal=end)))
        for line, low, high in _journal_parts(tree, root._replace(journal=end)):
            for seq in sorted(set(range(low, high + 1)) - {at for owner, at in tree.journal if owner == line}):
                body = codec.encode({"entry": seq}, "entry")
                one.put(sealed(JournalRow(tree.number, line, seq, LOST_ENTRY, None, now(), body)))
                one.lost.append(Lost(what=f"entry {seq} of the journal", thread_id=thread.id))
    for row in tree.unreadable_entries:
        body = codec.encode({"entry": row.seq}, "entry")
        one.put(sealed(JournalRow(tree.number, row.line, row.seq, LOST_ENTRY, None, now(), body)))
    return one


def _journal_parts(tree: TreeRows, root: LineRow) -> Iterator[tuple[int, int, int]]:
    line: LineRow | None = root
    high = root.journal
    while line is not None and high:
        yield line.line, line.base_journal + 1, high
        high = min(high, line.base_journal)
        line = tree.lines.get(line.base_line) if line.base_line is not None else None


def _counts(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """Heads and counters, from what a line shows; and marks that nobody was told of."""
    one, verdict = Round(), found.verdict
    wrong = {fault.key for fault in found.faults if fault.kind in ("head", "counter") and fault.table == "line"}
    for line in verdict.tree.lines.values():
        if (line.tree, line.line) in wrong and line.line in verdict.shown:
            rows = verdict.shown[line.line]
            head = rows[0] if rows else None
            one.put(
                sealed(line._replace(
                    version=line.version + 1, checkpoints=len(rows), head_line=head.line if head is not None else 0,
                    head_seq=head.seq if head is not None else 0,
                ))
            )  # fmt: skip
            one.mended.append(f"line {line.line}: head and count were made anew")
    marked = {fault.key for fault in found.faults if fault.kind == "mark"}
    for mark in verdict.tree.marks:
        owner = verdict.tree.lines.get(mark.line)
        if key_of(mark) in marked and owner is not None and not owner.marks:
            one.put(sealed(owner._replace(version=owner.version + 1, marks=len(verdict.tree.marks))))
        elif key_of(mark) in marked:
            one.set_aside(mark, "it makes no sense")
    return one


def _index(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    one, verdict = Round(), found.verdict
    for thread in verdict.tree.threads:
        wanted = tags_wanted(verdict, thread)
        if wanted is None:
            continue
        known = directory.tags.get(thread.id, set())
        for key, value in wanted - known:
            one.put(sealed(TagRow(key, value, thread.id)))
        for key, value in known - wanted:
            if key != "run":
                one.drops.append(DropRow(TagRow, (key, value, thread.id)))
        if one:
            one.mended.append(f"thread {thread.id!r}: its index entries were made anew")
    for run_id, row in runs_wanted(verdict).items():
        if run_id not in directory.runs.get(verdict.tree.number, set()):
            one.put(sealed(RunRow(run_id, row.tree, row.line)))
    return one

"""Repairing a tree, in rounds of which each does one kind of thing, until there is nothing left to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.backends.base import DropRow
from holdfast.backends.rows import (
    CheckpointRow,
    ChunkRow,
    JournalRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    Row,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    is_typed,
    sealed,
)
from holdfast.codec import Codec
from holdfast.engine import load, staging, trimming, verify
from holdfast.engine.context import Engine, now
from holdfast.engine.judging import Seen, Verdict, entries, matches_digest, runs_wanted, tags_wanted
from holdfast.engine.manifest import Ref
from holdfast.engine.mending import Mending, Round, as_text, commit, moment, unswapped
from holdfast.engine.rows import row_digest
from holdfast.engine.treerows import TreeRows, key_of
from holdfast.engine.verify import Directory, Examined
from holdfast.errors import Corrupt
from holdfast.journal import TRIMMED
from holdfast.model import Lost

LOST_ENTRY: Final = "holdfast.lost"
UNKNOWN: Final = b""
"""The digest of a parent of which nothing is left."""
_ROUNDS: Final = 40


async def mend_tree(engine: Engine, work: Mending, number: int) -> None:
    for _ in range(_ROUNDS):
        directory, found = await verify.look_again(engine, number)
        one = _next(work, directory, found, engine.codec)
        if not one:
            return
        await commit(engine, work, one, list(found.verdict.tree.lines.values()))


def _next(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """The first kind of thing that there is to do."""
    for kind in (_damaged_rows, _ways, _unreadable, _unmade, _lineages, _journals, _counts, _index):
        one = kind(work, directory, found, codec)
        if one:
            return one
    return Round()


def _damaged_rows(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    one, verdict = Round(), found.verdict
    swapped = unswapped(one, verdict.tree.damaged)
    for row in verdict.tree.damaged:
        one.set_aside(row, "it did not match its checksum")
        if key_of(row) in swapped:
            continue
        if isinstance(row, LineRow) and is_typed(row):
            one.put(_line_anew(verdict.tree, row))
            work.anew.add(row.line)
            one.mended.append(f"line {row.line}: made anew from what it said, to be compared with its checkpoints")
        elif isinstance(row, CheckpointRow):
            if is_typed(row):
                work.gone[row.line, row.seq] = row
            work.told.add((row.line, row.seq))
            one.lost.append(_lost(verdict, row.line, "the checkpoint", as_text(row.id)))
        elif not isinstance(row, LineRow):
            if isinstance(row, PendingRow | SealedRow):
                work.torn.add((row.line, row.seq))
            one.lost.append(_lost(verdict, getattr(row, "line", None), _WHAT[type(row)], None))
    return one


def _line_anew(tree: TreeRows, row: LineRow) -> LineRow:
    """What a damaged line says, as far as its checkpoints, marks and journal agree. Whoever held it is fenced."""
    is_root = row.line == row.thread or any(thread.line == row.line for thread in tree.threads)
    base = row.base_line if row.base_line in tree.lines and row.base_line != row.line else None
    floor = _journal_floor(tree, row, base)
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
            updated_at=moment(row.updated_at),
        )
    )  # fmt: skip


def _journal_floor(tree: TreeRows, row: LineRow, base: int | None) -> int:
    """Up to where the journal is that of the base: no further than the base's goes, than the fork point saw of it, or
    than where its own entries begin."""
    if base is None:
        return 0
    own = [one for (line, _), one in tree.journal.items() if line == row.line]
    starts = [trimming.gone_by(one)[0] if one.kind == TRIMMED else one.seq for one in own]
    home = tree.home(base, row.base_seq)
    point = None if home is None or row.whole else tree.points.get((home.line, row.base_seq))
    seen = [] if point is None else [point.journal_seq]
    return max(0, min([row.base_journal, tree.lines[base].journal, *seen, *(seq - 1 for seq in starts)]))


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
            if not any(line == thread.line for line, _ in tree.points):
                one.lost.append(Lost(what="everything that was saved in the thread", thread_id=thread.id))
    if not tree.threads and tree.lines and not staging.all_staged(tree.lines.values()):
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
            _give_up(work, one, row, who, "a value of it could not be had")
    for written, places, problem in verdict.tree.writes:
        if problem or any((place[0], place[1]) in broken for place in places):
            work.torn.add((written.line, written.seq))
            one.set_aside(written, problem or "a value of it could not be had")
            one.lost.append(_lost(verdict, written.line, _WHAT[type(written)], None))
    return one


def _give_up(work: Mending, one: Round, row: CheckpointRow, who: Seen, reason: str) -> None:
    work.gone[row.line, row.seq] = row
    work.told.add((row.line, row.seq))
    one.set_aside(row, reason)
    one.lost.append(Lost(what="the checkpoint", thread_id=who.thread_id, namespace=who.namespace, checkpoint_id=row.id))


def _names(row: CheckpointRow, broken: set[tuple[int, int]]) -> bool:
    known = load.manifest_of(row)
    return any(isinstance(entry, Ref) and (entry.log, entry.pos) in broken for entry in entries(known))


def _unmade(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """Checkpoints with a channel that is made of writes or ancestors which are lost: it would be another value."""
    one, verdict = Round(), found.verdict
    if not (work.torn or work.told or any(fault.kind == "lineage" for fault in found.faults)):
        return one
    for point, who in sorted(verdict.seen.items()):
        row = verdict.tree.points[point]
        if not _is_made(work, verdict.tree, row):
            _give_up(work, one, row, who, "what a channel of it is made of is lost")
    return one


def _is_made(work: Mending, tree: TreeRows, row: CheckpointRow) -> bool:
    """Whether all is there from the last ancestors that have values of its open channels, with what was written to
    them and since."""
    wanted, line = set(load.manifest_of(row).open), row.line
    while wanted and 0 < row.parent_seq < row.seq:
        parent = tree.parent(row)
        if parent is None:
            home = tree.home(row.line, row.parent_seq)
            return row.parent_digest is not None and (home is None or (home.line, row.parent_seq) not in work.told)
        if any((at, parent.seq) in work.torn for at in _lines_down(tree, line, parent.line)):
            return False
        wanted -= load.manifest_of(parent).channels.keys()
        row = parent
    return True


def _lines_down(tree: TreeRows, line: int, last: int) -> Iterator[int]:
    """A line, and those that it was forked from, as far as the last: each may have written to what they share."""
    at: int | None = line
    while at is not None:
        yield at
        row = tree.lines.get(at) if at != last else None
        at = None if row is None else row.base_line


def _lineages(work: Mending, directory: Directory, found: Examined, codec: Codec) -> Round:
    """Survivors hang on their nearest sound ancestor."""
    one, tree = Round(), found.verdict.tree
    keys = {fault.key for fault in found.faults if fault.kind in ("lineage", "digest") and fault.table == "checkpoint"}
    for row in tree.points.values():
        line = tree.lines.get(row.line)
        if key_of(row) not in keys or line is None:
            continue
        if row.seq <= line.base_seq:
            work.told.add((row.line, row.seq))
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
    if home is not None and tree.parent(row) is None:
        work.names.setdefault((home.line, row.parent_seq), row.parent_id)
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
    one.lost += _missing(work, verdict)
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


def _missing(work: Mending, verdict: Verdict) -> list[Lost]:
    """Checkpoints of which no row is left: a line that is sound counts them. Those that forks see too are told once."""
    found, told = list[Lost](), set(work.told)
    short = {
        line: verdict.tree.lines[line].checkpoints - len(verdict.shown[line])
        for line in verdict.missing
        if line not in work.anew
    }
    for line, count in short.items():
        if len(verdict.missing[line]) <= count:  # else some were collected long ago, and nobody knows which
            numbers = [seq for seq in verdict.missing[line] if (line, seq) not in told]
            found += [_missing_one(work, verdict, line, seq) for seq in numbers]
            told.update((line, seq) for seq in numbers)
    for line, count in short.items():
        unnamed = count - sum(_is_in(verdict.tree, line, at, seq) for at, seq in told)
        if unnamed > 0:
            what = "a checkpoint" if unnamed == 1 else f"{unnamed} checkpoints"
            found.append(_lost(verdict, line, f"{what} of which nothing is left", None))
    return found


def _missing_one(work: Mending, verdict: Verdict, line: int, seq: int) -> Lost:
    gone = [row for row in work.gone.values() if row.parent_seq == seq and _is_in(verdict.tree, row.line, line, seq)]
    name = work.names.get((line, seq)) or next((row.parent_id for row in gone), None)
    return _lost(verdict, line, "the checkpoint" if name else f"checkpoint number {seq}", name)


def _is_in(tree: TreeRows, line: int, at: object, seq: object) -> bool:
    """Whether the number is that line's in the view of this one."""
    home = tree.home(line, seq) if isinstance(seq, int) else None
    return home is not None and home.line == at


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

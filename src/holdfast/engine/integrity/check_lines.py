"""Checks of a tree's lines: how they are connected, what each shows, its head, its counter and its journal.

Lines that share a past are checked together (see `lineages`), so that a tree with many forks is walked once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice

from holdfast.backends.rows import NO_LIMIT, CheckpointRow, LineRow, ThreadRow, with_checksum
from holdfast.engine.context import Engine, Handle
from holdfast.engine.integrity.findings import Shown, TreeFindings, Viewer
from holdfast.engine.integrity.tree_rows import TreeRows
from holdfast.engine.journal import trimmed
from holdfast.engine.journal.trimmed import Range
from holdfast.engine.threads import location, views
from holdfast.engine.threads.lineages import Lineages, NamespaceNames, is_grounded
from holdfast.engine.threads.views import View
from holdfast.errors import HoldfastError
from holdfast.ids import come_in_order

_MOST_MISSING = 10_000
_MOST_NAMED = 10


def check_lines(findings: TreeFindings) -> None:
    grounded: set[int] = set()
    for row in list(findings.tree.lines.values()):
        _check_line(findings, row, grounded)
    _check_numbers(findings)
    _check_names(findings)


def _check_line(findings: TreeFindings, row: LineRow, grounded: set[int]) -> None:
    """A line whose base leads nowhere is checked as if it had none, so that no view runs in circles."""
    tree = findings.tree
    root = tree.lines.get(row.thread)
    if root is None or root.thread != root.line:
        findings.add("lineage", row, f"line {row.line} belongs to root line {row.thread}, which is missing")
    if (row.line == row.thread) != (row.namespace == ""):
        findings.add("lineage", row, f"line {row.line} is a root line by its number or by its namespace, not by both")
    if row.base_line is not None and not is_grounded(tree.lines, row, grounded):
        findings.add("lineage", row, f"line {row.line} was forked from line {row.base_line}, which leads nowhere")
        # Only in memory: the checks that follow must end.
        tree.lines[row.line] = with_checksum(row._replace(base_line=None))


def _check_numbers(findings: TreeFindings) -> None:
    for point in findings.tree.points.values():
        line = findings.tree.lines.get(point.line)
        if line is not None and findings.owner(point.line) and not line.base_seq < point.seq <= line.seq:
            message = f"line {line.line} never gave the number {point.seq}"
            findings.add("lineage", point, message, point.id)


def _check_names(findings: TreeFindings) -> None:
    taken: dict[tuple[int, str], LineRow] = {}
    for row in findings.tree.lines.values():
        if taken.setdefault((row.thread, row.namespace), row) is not row:
            findings.add("lineage", row, f"line {row.line} and another line both have the namespace {row.namespace!r}")


# ------------------------------------------------------------------------------------------------ what a thread shows


class ThreadCheck:
    """Checks what the threads of a tree show, one after the other. What forks share is walked once."""

    def __init__(self, engine: Engine, findings: TreeFindings) -> None:
        tree = findings.tree
        self._engine = engine
        self._findings = findings
        self._lineages = Lineages(tree.lines, tree.points_by_line(), tree.overlays)
        self._names = NamespaceNames(tree.lines)
        self._journals = JournalGaps(tree)

    async def check(self, thread: ThreadRow) -> None:
        """Everything that a thread shows, in all namespaces, and its journal."""
        root = self._findings.tree.lines.get(thread.line)
        if root is None:
            return
        own = self._names.own(root.line)
        for namespace in sorted(self._names.seen(root)):
            line = root if namespace == "" else own.get(namespace)
            viewer = Viewer(thread.id, namespace)
            try:
                if line is not None:
                    await self._check_own(viewer, line)
                else:
                    await self._check_inherited(viewer)
            except (HoldfastError, StopIteration, IndexError) as error:
                self._findings.add("head", line or root, f"what namespace {namespace!r} shows can't be read: {error}")
        self._check_journal(root)

    async def _check_own(self, viewer: Viewer, line: LineRow) -> None:
        findings, lineages = self._findings, self._lineages
        # A fault of a row is reported for the first thread that sees it.
        hidden = lineages.hidden(line)
        for key in lineages.newly_seen(line, hidden):
            findings.seen.setdefault(key, viewer)
        rows = lineages.rows(chain([lineages.own(line)], lineages.inherited(line)), hidden)
        view = await views.open_view(self._engine, line) if line.overlays else View(line)
        newest = _check_head(findings, view, rows)
        shown = findings.shown[line.line] = Shown(lineages.count(line, hidden), newest)
        _check_counter(findings, line, shown, lineages, hidden)

    async def _check_inherited(self, viewer: Viewer) -> None:
        """A namespace that the thread sees only through the thread it was forked from: it has no head and no counter of
        its own. What it shows is asked of the engine itself, on a snapshot of the rows."""
        handle = Handle(viewer.thread_id, viewer.namespace, self._engine.codec)
        line = (await location.find(self._engine, handle, even_expired=True)).line
        if line is not None:
            view = await views.open_view(self._engine, line)
            for row in await views.scan(self._engine, view, NO_LIMIT, NO_LIMIT):
                self._findings.seen.setdefault((row.line, row.seq), viewer)

    def _check_journal(self, root: LineRow) -> None:
        gaps = self._journals.of(root)
        if gaps:
            missing = [*islice(chain.from_iterable(range(first, last + 1) for first, last in gaps), _MOST_NAMED)]
            message = f"the journal ends at {root.journal}, but entry {_numbers(missing)} is missing"
            self._findings.add("journal", root, message)
        _check_entries(self._findings, root)


def _check_head(findings: TreeFindings, view: View, rows: Iterator[CheckpointRow]) -> CheckpointRow | None:
    """Returns the newest checkpoint. Only rows down to the head are looked at."""
    line = view.line
    newest = head = None
    later: list[CheckpointRow] = []
    for row in rows:
        newest = newest or row
        if (row.line, row.seq) == (line.head_line, line.head_seq):
            head = row
        if row.seq <= line.head_seq:
            break
        later.append(row)
    findings.heads[line.line] = None if head is None else head._replace(status=view.status(head))
    if head is None and (line.head_seq or newest is not None):
        message = f"its head, number {line.head_seq}, is missing: repair() makes the latest checkpoint the head"
        findings.add("head", line, message)
    elif head is not None and (better := _later(head, later)) is not None:
        findings.add("head", line, f"its head is number {head.seq}, but {better.seq} came later")
    return newest


def _later(head: CheckpointRow, newer: list[CheckpointRow]) -> CheckpointRow | None:
    """A checkpoint that should be the head instead. A framework that chooses ids orders by them, so a checkpoint with a
    lower id may be saved later and not be the head."""
    return next((row for row in newer if row.id > head.id and come_in_order(row.id, head.id)), None)


def _check_counter(
    findings: TreeFindings, line: LineRow, shown: Shown, lineages: Lineages, hidden: Collection[int]
) -> None:
    if line.checkpoints == shown.total:
        return
    present = {row.seq for row in lineages.rows([lineages.own(line)], hidden)}
    first = line.base_seq + 1
    # A damaged counter may be any number: no list of that length is made.
    own = range(first, min(line.seq, first + _MOST_MISSING) + 1)
    missing = findings.missing[line.line] = [seq for seq in own if seq not in present and seq not in hidden]
    named = f": number {_numbers(missing)} is missing" if missing else ""
    findings.add("counter", line, f"it counts {line.checkpoints} checkpoints, but shows {shown.total}{named}")


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:_MOST_NAMED]))


# ------------------------------------------------------------------------------------------------ journals


class JournalGaps:
    """The numbers that journals lack, through forks."""

    def __init__(self, tree: TreeRows) -> None:
        self._tree = tree
        self._below: dict[tuple[int, int], list[Range]] = {}  # by line and last number

    def of(self, root: LineRow) -> list[Range]:
        """In ascending order. What a fork sees of its origin's journal ends at its fork point."""
        passed: list[tuple[LineRow, int]] = []
        line: LineRow | None = root
        last = root.journal
        gaps: list[Range] = []
        while line is not None and last > 0:
            # Forks of one thread share what is below: it is walked once.
            if (line.line, last) in self._below:
                gaps = self._below[line.line, last]
                break
            passed.append((line, last))
            last = min(last, line.base_journal)
            line = None if line.base_line is None else self._tree.lines.get(line.base_line)
        else:
            gaps = [(1, last)] if last > 0 else []  # nothing is left that they could be in
        for walked, upto in reversed(passed):
            own = trimmed.gaps(self._tree.journal_of(walked.line), walked.base_journal, upto)
            gaps = self._below[walked.line, upto] = [*gaps, *own] if own else gaps
        return gaps


def _check_entries(findings: TreeFindings, root: LineRow) -> None:
    own = findings.tree.journal_of(root.line)
    for row in own:
        if not root.base_journal < row.seq <= root.journal:
            findings.add("journal", row, f"entry {row.seq} is outside of the journal, which ends at {root.journal}")
    keys = [row.key for row in own if row.key is not None]
    if len(keys) != len(set(keys)):
        findings.add("journal", root, "two entries of the journal have the same key")
    for row in findings.tree.unreadable_entries:
        if row.line == root.line:
            findings.add("journal", row, f"entry {row.seq} can't be read")

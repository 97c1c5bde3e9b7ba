"""From a batch to the small program that the function `apply` runs on the server (see migrations/0002_first.sql).

A program is a list of words, and what they are about: numbers, texts and bytes in the order in which they are read. Its
expectations come first, in one order for all programs, so that two of them never wait for each other's locks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from random import SystemRandom
from typing import Any, Final, NamedTuple, TypeGuard, get_args, get_type_hints
from zlib import crc32

from holdfast.backends.base import (
    Batch,
    CheckpointAt,
    CheckpointThere,
    ChunkAt,
    Drop,
    DropChunks,
    DropRow,
    DropTree,
    DropWaiting,
    Expect,
    ForksAt,
    GraveAt,
    IdFree,
    KeyFree,
    LineAt,
    NamespaceFree,
    PendingAt,
    RootAt,
    ThreadAbsent,
    ThreadAt,
    WaitingAt,
)
from holdfast.backends.postgres.arrays import Bodies, Numbers, Texts
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
    table_name,
)

_random = SystemRandom()  # two processes that were forked must not draw the same
_WORDS: Final[dict[type[Expect], str]] = {
    ThreadAbsent: "thread absent",
    ThreadAt: "thread at",
    GraveAt: "grave at",
    LineAt: "line at",
    RootAt: "root at",
    ForksAt: "forks at",
    NamespaceFree: "namespace free",
    CheckpointThere: "checkpoint there",
    CheckpointAt: "checkpoint at",
    ChunkAt: "chunk at",
    IdFree: "id free",
    KeyFree: "key free",
    PendingAt: "pending at",
    WaitingAt: "waiting at",
}
_RANKS: Final = {kind: rank for rank, kind in enumerate(_WORDS)} | dict.fromkeys(
    (RootAt, ForksAt), list(_WORDS).index(LineAt)
)
PLACES: Final = 32  # of a value log's changes in the table `tail`; the function `apply` knows it too
_TASKS: Final = 1024  # of a line, that are told apart by those who put their writes
_PUT_ORDER: Final = {
    kind: place
    for place, kind in enumerate((
        ThreadRow, LineRow, CheckpointRow, ChunkRow, LogRow, SealedRow, PendingRow, JournalRow, MarkRow, RunRow,
        TagRow, GraveRow, WaitingRow, QuarantineRow,
    ))
}  # fmt: skip


class Program:
    """One batch, or several in a row: `starts` has four numbers for each, and for the end."""

    __slots__ = ("puts", "stamp", "ops", "numbers", "texts", "bodies", "starts")

    def __init__(self, batch: Batch | None = None) -> None:
        self.stamp = _random.getrandbits(63)  # in the lines that it writes: its own are known from a rival's by it
        self.puts: Sequence[Row] = () if batch is None else batch.puts
        self.ops = Texts()
        self.numbers = Numbers()
        self.texts = Texts()
        self.bodies = Bodies()
        self.starts = Numbers((0, 0, 0, 0))
        if batch is not None:
            _write(self, batch)
            self._end()

    def _end(self) -> None:
        self.starts += (len(self.ops), len(self.numbers), len(self.texts), len(self.bodies))

    def say(self, word: str, values: Sequence[Any], lists: _Lists) -> None:
        self.ops.append(word)
        lists.spread(values, self)

    @property
    def weight(self) -> int:
        """About how many bytes it sends."""
        return sum(len(body) for body in self.bodies if body is not None) + 16 * len(self.numbers)

    def traces(self) -> dict[str, Any]:
        """What to look for to find out whether it was applied: its stamp in the lines that it writes. A line forgets a
        stamp when it is written often; then the numbers that it gave out tell, each of which is one batch's."""
        lines = {row[:2]: row for row in self.puts if isinstance(row, LineRow)}
        rows = [row for row in self.puts if isinstance(row, CheckpointRow | JournalRow) and _is_last(row, lines)]
        graves = [row for row in self.puts if isinstance(row, GraveRow)]
        return {
            "stamp": self.stamp,
            "line_trees": Numbers(row.tree for row in lines.values()),
            "lines": Numbers(row.line for row in lines.values()),
            "versions": Numbers(row.version for row in lines.values()),
            "kinds": Texts(table_name(type(row)) for row in rows),
            "trees": Numbers(row.tree for row in rows),
            "of": Numbers(row.line for row in rows),
            "seqs": Numbers(row.seq for row in rows),
            "sums": Numbers(row.sum for row in rows),
            "times": Numbers(row.created_at for row in rows),
            "graves": Bodies(row.hash for row in graves),
            "grave_sums": Numbers(row.sum for row in graves),
        }

    @property
    def key(self) -> tuple[int, ...]:
        """By which programs that share a commit are sorted."""
        return tuple(number or 0 for number in self.numbers[:2])


def _is_last(row: CheckpointRow | JournalRow, lines: Mapping[tuple[int, int], LineRow]) -> bool:
    """Whether its number is the one that the line gives out with this batch."""
    line = lines.get((row.tree, row.line))
    return line is not None and row.seq == (line.seq if isinstance(row, CheckpointRow) else line.journal)


def joined(programs: Sequence[Program]) -> Program:
    if len(programs) == 1:
        return programs[0]
    whole = Program()
    for one in programs:
        whole.ops += one.ops
        whole.numbers += one.numbers
        whole.texts += one.texts
        whole.bodies += one.bodies
        whole._end()
    return whole


# ------------------------------------------------------------------------------------------------ columns by type


class _Lists(NamedTuple):
    """Which columns of a tuple are numbers, which texts and which bytes."""

    numbers: Callable[[Sequence[Any]], tuple[Any, ...]] | None
    texts: Callable[[Sequence[Any]], tuple[Any, ...]] | None
    bodies: Callable[[Sequence[Any]], tuple[Any, ...]] | None

    def spread(self, values: Sequence[Any], program: Program) -> None:
        if self.numbers is not None:
            program.numbers += self.numbers(values)
        if self.texts is not None:
            program.texts += self.texts(values)
        if self.bodies is not None:
            program.bodies += self.bodies(values)


def _lists(kind: Any, width: int | None = None) -> _Lists:
    hints = list(get_type_hints(kind).items())[:width]
    types = [next(one for one in (get_args(hint) or (hint,)) if one is not type(None)) for _, hint in hints]
    return _Lists(*(_picker([n for n, one in enumerate(types) if one is wanted]) for wanted in (int, str, bytes)))


def _picker(places: list[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]] | None:
    if not places:
        return None
    if len(places) == 1:
        (place,) = places
        return lambda values: (values[place],)
    return itemgetter(*places)


_ROWS: Final = {kind: _lists(kind) for kind in KEYS}
_ROW_KEYS: Final = {kind: _lists(kind, KEYS[kind]) for kind in KEYS}
_EXPECTS: Final = {kind: _lists(kind) for kind in _WORDS}
_LINE: Final = _lists(LineAt, 2)
_TASK: Final = _lists(LineAt, 3)
_WAITING_OF: Final = _lists(DropWaiting)
_WAITING_BEFORE: Final = _lists(RunRow, 0)._replace(numbers=lambda values: (values[1],))
_TEXT: Final = _lists(ThreadAbsent)
_CHUNKS: Final = _lists(DropChunks)
_TREE: Final = _lists(DropTree)


# ------------------------------------------------------------------------------------------------ batches


def _write(program: Program, batch: Batch) -> None:
    for row in (*batch.puts, *batch.puts_if_free):
        if type(row) not in KEYS:
            raise TypeError(f"{row!r} is not a row")
    written = _lines_written(batch)
    _expect(program, batch, written)
    grown = {row[:2] for row in batch.puts if isinstance(row, ChunkRow)}
    saved: dict[tuple[Any, ...], bool] = {
        row[:2]: row.status == "running" for row in batch.puts if isinstance(row, CheckpointRow)
    }
    for drop in batch.drops:
        if isinstance(drop, DropChunks) and drop[:2] in grown:  # by what they held: their places are for later changes
            program.say("merge chunks", drop, _CHUNKS)
        elif isinstance(drop, DropRow) and drop.table is PendingRow and saved.get(drop.key[:2]):  # the next step's
            program.say("free pending", drop.key, _ROW_KEYS[PendingRow])
        else:
            _drop(program, drop)
    for line, goes_on in saved.items():
        if not goes_on:
            program.say("clear desk", line, _LINE)
    seals = {(row.tree, row.line, row.number): row for row in batch.puts if _is_of_the_next(row)}
    told: set[Row] = set()
    for row in sorted(batch.puts, key=_put_place):
        if isinstance(row, LineRow):
            program.say("put stamped line", row, _ROWS[LineRow])
            program.numbers.append(program.stamp)
        elif isinstance(row, CheckpointRow) and row[:3] in seals:
            program.say("put checkpoint with seal", row, _ROWS[CheckpointRow])
            _ROWS[SealedRow].spread(seals[row[:3]], program)
            told.add(seals[row[:3]])
        elif isinstance(row, PendingRow) and row[:2] in written:
            program.say("put pending alone", row, _ROWS[PendingRow])
        elif not isinstance(row, SealedRow) or row not in told:
            program.say("put " + table_name(type(row)), row, _ROWS[type(row)])
    for one in batch.puts_if_free:
        program.say(f"put {table_name(type(one))} if free", one, _ROWS[type(one)])


def _is_of_the_next(row: Row) -> TypeGuard[SealedRow]:
    """Whether it seals the step before the checkpoint that it came with, in whose row there is room for it."""
    return isinstance(row, SealedRow) and row.number == row.seq + 1


def _put_place(row: Row) -> tuple[int, tuple[Any, ...]]:
    return _PUT_ORDER[type(row)], row[: KEYS[type(row)]]


def _expect(program: Program, batch: Batch, written: set[tuple[int, int | None]]) -> None:
    expects = sorted(batch.expects, key=lambda one: (_RANKS[type(one)], one[:2]))
    held = {one[:2] for one in expects if isinstance(one, LineAt | RootAt | ForksAt)}
    for one in expects:
        kind = type(one)
        word = _WORDS[kind]
        if isinstance(one, LineAt | RootAt | ForksAt):
            word = ("write " if _is_written(one, written) else "read ") + word
        elif isinstance(one, IdFree | KeyFree) and one[:2] not in held:
            program.say("hold line", one[:2], _LINE)  # whoever adds to a line holds its row
        program.say(word, one, _EXPECTS[kind])
    put = [row for row in (*batch.puts, *batch.puts_if_free) if isinstance(row, PendingRow | WaitingRow)]
    tasks = {_task(row) for row in put if isinstance(row, PendingRow) and row[:2] not in written}
    for task in sorted(tasks):
        program.say("hold task", task, _TASK)
    for thread in sorted({row.thread for row in put if isinstance(row, WaitingRow)}):
        program.say("write waiting", (thread,), _TEXT)


def _task(row: PendingRow) -> tuple[int, int, int]:
    """By one of so many numbers: a transaction may put writes of any number of tasks, and has room for some locks."""
    return row.tree, row.line, crc32(f"{row.seq} {row.task_id}".encode()) % _TASKS


def _lines_written(batch: Batch) -> set[tuple[int, int | None]]:
    """Lines by tree and number; a whole tree has None for the number."""
    written: set[tuple[int, int | None]] = {(row.tree, row.line) for row in batch.puts if isinstance(row, LineRow)}
    for drop in batch.drops:
        if isinstance(drop, DropTree):
            written.add((drop.tree, None))
        elif isinstance(drop, DropRow) and drop.table is LineRow:
            written.add(drop.key)  # type: ignore[arg-type]
    return written


def _is_written(expect: LineAt | RootAt | ForksAt, written: set[tuple[int, int | None]]) -> bool:
    return (expect.tree, expect.line) in written or (expect.tree, None) in written


def _drop(program: Program, drop: Drop) -> None:
    if isinstance(drop, DropRow):
        program.say("drop " + table_name(drop.table), drop.key, _ROW_KEYS[drop.table])
    elif isinstance(drop, DropChunks):
        program.say("drop chunks", drop, _CHUNKS)
    elif isinstance(drop, DropTree):
        program.say("drop tree", drop, _TREE)
    elif drop.thread:
        program.say("drop waiting of", drop, _WAITING_OF)
    else:
        program.say("drop waiting before", drop, _WAITING_BEFORE)

"""The small programs that the function `apply` runs on the server: see functions/apply.sql.

A program is a list of operations, and what they are about: numbers, texts and bodies, in the order in which they are
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from random import SystemRandom
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from holdfast.backends.postgres.connection.array_dumpers import Bodies, LargeBody, Numbers, Texts
from holdfast.backends.rows import CheckpointRow, JournalRow, LineRow, Row, TombstoneRow, table_name

# Not a seeded generator: two forked processes must not draw the same stamps.
_random = SystemRandom()
_LARGE: Final = 1 << 20
_Picker = Callable[[Sequence[Any]], tuple[Any, ...]]


class Columns(NamedTuple):
    """Which columns of a tuple are numbers, which texts and which bodies, each in the tuple's order."""

    numbers: _Picker | None
    texts: _Picker | None
    bodies: _Picker | None


def columns_of(kind: Any, width: int | None = None) -> Columns:
    """The columns of a NamedTuple by their type hints; only the first `width` of them."""
    hints = list(get_type_hints(kind).values())[:width]
    types = [_without_none(hint) for hint in hints]
    return Columns(*(_picker([n for n, found in enumerate(types) if found is wanted]) for wanted in (int, str, bytes)))


def _without_none(hint: Any) -> Any:
    return next(part for part in (get_args(hint) or (hint,)) if part is not type(None))


def _picker(positions: list[int]) -> _Picker | None:
    if not positions:
        return None
    if len(positions) == 1:
        (position,) = positions
        return lambda values: (values[position],)
    return itemgetter(*positions)


class Program:
    """One batch, or several one after the other."""

    __slots__ = ("puts", "stamp", "ops", "numbers", "texts", "bodies", "starts")

    def __init__(self, puts: Sequence[Row] = ()) -> None:
        # The lines that the batch writes keep the stamp, which distinguishes it from another batch that wrote the same.
        self.stamp = _random.getrandbits(63)
        self.puts = puts
        self.ops = Texts()
        self.numbers = Numbers()
        self.texts = Texts()
        self.bodies = Bodies()
        self.starts = Numbers((0, 0, 0, 0))  # four for each batch, one into each list, and four for the end

    def add(self, operation: str, values: Sequence[Any], columns: Columns) -> None:
        self.ops.append(operation)
        self.spread(values, columns)

    def spread(self, values: Sequence[Any], columns: Columns) -> None:
        """Append the values to the three lists."""
        if columns.numbers is not None:
            self.numbers += columns.numbers(values)
        if columns.texts is not None:
            self.texts += columns.texts(values)
        if columns.bodies is not None:
            self.bodies += columns.bodies(values)

    def end_batch(self) -> None:
        self.starts += (len(self.ops), len(self.numbers), len(self.texts), len(self.bodies))

    @property
    def weight(self) -> int:
        """About how many bytes it sends."""
        return sum(len(body) for body in self.bodies if body is not None) + 16 * len(self.numbers)

    def bodies_for_sending(self) -> tuple[Bodies] | tuple[Bodies, LargeBody, Bodies]:
        """The bodies as one array; or the largest, if it takes megabytes, between the arrays of those before and after
        it."""
        sizes = [0 if body is None else len(body) for body in self.bodies]
        most = max(sizes, default=0)
        if most < _LARGE:
            return (self.bodies,)
        at = sizes.index(most)
        return Bodies(self.bodies[:at]), LargeBody(self.bodies[at] or b""), Bodies(self.bodies[at + 1 :])

    @property
    def key(self) -> tuple[int, ...]:
        """Programs that share a commit are sorted by it."""
        return tuple(number or 0 for number in self.numbers[:2])

    def traces(self) -> dict[str, Any]:
        """What to look for to find out whether the batch was applied: its stamp in the lines that it writes. A line
        that is written often forgets a stamp; then the rows decide that took the line's next number, which is given
        out once."""
        lines = [row for row in self.puts if isinstance(row, LineRow)]
        tombstones = [row for row in self.puts if isinstance(row, TombstoneRow)]
        return {
            "stamp": self.stamp,
            "line_trees": _column(lines, "tree"),
            "lines": _column(lines, "line"),
            "versions": _column(lines, "version"),
            "tombstones": Bodies(row.hash for row in tombstones),
            "tombstone_sums": _column(tombstones, "sum"),
            **_numbered_rows(self.puts, {row[:2]: row for row in lines}),
        }


def _numbered_rows(puts: Sequence[Row], lines: Mapping[tuple[int, int], LineRow]) -> dict[str, Any]:
    rows = [row for row in puts if isinstance(row, CheckpointRow | JournalRow) and _is_last(row, lines)]
    return {
        "kinds": Texts(table_name(type(row)) for row in rows),
        "trees": _column(rows, "tree"),
        "of": _column(rows, "line"),
        "seqs": _column(rows, "seq"),
        "sums": _column(rows, "sum"),
        "times": _column(rows, "created_at"),
    }


def _column(rows: Iterable[Row], name: str) -> Numbers:
    return Numbers(getattr(row, name) for row in rows)


def _is_last(row: CheckpointRow | JournalRow, lines: Mapping[tuple[int, int], LineRow]) -> bool:
    """Whether its number is the one that the line gives out with this batch."""
    line = lines.get((row.tree, row.line))
    return line is not None and row.seq == (line.seq if isinstance(row, CheckpointRow) else line.journal)


def joined(programs: Sequence[Program]) -> Program:
    if len(programs) == 1:
        return programs[0]
    joint = Program()
    for program in programs:
        joint.ops += program.ops
        joint.numbers += program.numbers
        joint.texts += program.texts
        joint.bodies += program.bodies
        joint.end_batch()
    return joint

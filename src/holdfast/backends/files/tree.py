"""One tree of threads: the rows of its file, in memory, and what the file's damage may have taken.

A record of the file is ``[carried, [[number, part], …]]``. Parts with number 0 were committed by this very record. The
others had been committed by the directory's record of that number (see `directory`) and were carried over; `carried` is
the last of those that this file holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from zlib import crc32

from msgspec import MsgspecError
from msgspec.msgpack import Decoder, Encoder

from holdfast.backends.files import changes
from holdfast.backends.files.changes import Part
from holdfast.backends.files.records import Damage, Sound
from holdfast.backends.files.segment import Segment, State
from holdfast.backends.rows import LineRow
from holdfast.backends.tables import Tables, weight
from holdfast.errors import Corrupt

FILE: Final = "rows.hfs"
_EACH: Final = 1 << 20
_decode: Final = Decoder().decode
encode: Final = Encoder().encode
Numbered = tuple[int, Part]


class Tree:
    def __init__(self, number: int, folder: Path) -> None:
        self.number = number
        self.folder = folder
        self.segment = Segment(folder / FILE, salt_of(number))
        self.written = False  # by this store, since `info.json` was
        self._start()

    def _start(self) -> None:
        self.tables = Tables()
        self.put_weight = 0  # of all rows that were ever put: what is not in the tables any more is garbage
        self.applied = 0  # up to which number of the directory's the tables hold what it committed
        self.carried = 0  # the same of the file
        self.damage: list[Damage] = []
        self._suspects: set[int] = set()  # lines that may have been written to in damaged bytes
        self._ends_damaged = False

    # ---------------------------------------------------------------- reading

    def catch_up(self, waiting: list[Numbered]) -> None:
        """Read what was written since, by whomever, and what waits in the directory to be carried over."""
        try:
            state, items = self.segment.news()
            if state is State.OTHER:
                self._start()
            for item in items:
                self._take(item)
            self.take_parts([(number, part) for number, part in waiting if number > self.applied])
        except BaseException:
            self.start_over()  # half of a file is no answer, also not to the next question
            raise
        if self._ends_damaged:  # what waits may be older than what was lost
            self._suspect_all()

    def _suspect_all(self) -> None:
        self._suspects |= {row.line for row in self.tables[LineRow].rows.values()}

    def start_over(self) -> None:
        self._start()
        self.segment.start_over()

    def _take(self, item: Sound | Damage) -> None:
        if isinstance(item, Damage):
            self.damage.append(item)
            self._suspect_all()
            self._ends_damaged = True
            return
        self._ends_damaged = False
        try:
            carried, parts = _decode(item.payload)
            known = self.applied
            self.take_parts([(number, part) for number, part in parts if number == 0 or number > known])
            self.carried = max(self.carried, carried)
            self.applied = max(self.applied, carried)
        except (MsgspecError, ValueError, KeyError, TypeError, IndexError) as error:
            raise Corrupt(f"{self.segment.path}: the record at offset {item.start} can't be read: {error!r}") from error

    def take_parts(self, parts: list[Numbered]) -> None:
        for number, part in parts:
            self.apply(part)
            self.applied = max(self.applied, number)

    def apply(self, part: Part) -> None:
        drops, rows = changes.unpacked(part, self.number)
        for drop in drops:
            self.tables.drop(drop)
        for row in rows:
            self.tables.put(row)
            self.put_weight += weight(row)
            if self._suspects and isinstance(row, LineRow):
                self._suspects.discard(row.line)

    def check_line(self, line: LineRow | None) -> None:
        """A line whose row stands before damaged bytes may have had a newer one in them: nobody can tell."""
        if self.damage and (line is None or line.line in self._suspects):
            raise self.damaged()

    def damaged(self) -> Corrupt:
        start, end = self.damage[-1]
        return Corrupt(
            f"{self.segment.path}: bytes {start} to {end} are damaged, and what was saved there is lost; "
            "restore the store's folder from a backup (other threads are not affected)"
        )

    # ---------------------------------------------------------------- writing

    def append(self, waiting: list[Numbered], own: list[Part]) -> None:
        """Write what waits and what is new as one record, so that all of it is on disk or none."""
        if self._ends_damaged:
            raise self.damaged()
        due = [(number, part) for number, part in waiting if number > self.carried]
        carried = max([self.carried, *(number for number, _ in due)])
        self.segment.append(encode([carried, [*due, *((0, part) for part in own)]]))
        self.carried = carried
        self.applied = max(self.applied, carried)
        self.written = True

    def garbage(self) -> float:
        """Which part of the file could go."""
        return 1 - self.tables.weight / self.put_weight if self.put_weight else 0.0

    def rewrite(self, share: float, smallest: int) -> bool:
        """Write a file of this size anew if more than a share of it is garbage. A damaged one is kept as it is."""
        if self.segment.end < smallest or self.garbage() <= share or self.damage or self.carried < self.applied:
            return False
        self.rewrite_whole()
        return True

    def rewrite_whole(self) -> None:
        """Write the file anew with the rows that there are."""
        self.carried = self.applied
        parts = changes.whole(self.tables.rows(), _EACH)
        self.segment.replace(encode([self.carried, [(0, part)]]) for part in parts)
        self.put_weight = self.tables.weight
        self.damage, self._suspects, self._ends_damaged = [], set(), False


def salt_of(number: int) -> int:
    return crc32(number.to_bytes(8, "little"))

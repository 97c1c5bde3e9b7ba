"""One tree of threads: the rows of its file, in memory, and which of them may be outdated by damage.

A record of the file is ``[carried, [[number, part], …]]``. Parts with number 0 were committed by this record. The
others had been committed by the directory's record of that number (see `directory_log`) and were carried over;
`carried` is the greatest of those numbers that this file holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from zlib import crc32

from msgspec.msgpack import Decoder, Encoder

from holdfast.backends.files import folder_access
from holdfast.backends.files.logs import row_encoding
from holdfast.backends.files.logs.log_file import FileState, LogFile
from holdfast.backends.files.logs.record_format import Damage, Record
from holdfast.backends.files.logs.row_encoding import UNREADABLE, Part
from holdfast.backends.memory.tables import Tables
from holdfast.backends.rows import LineRow, Number, weight
from holdfast.errors import Corrupt

FILE: Final = "rows.hfs"
_BYTES_PER_RECORD: Final = 1 << 20
encode: Final = Encoder().encode
NumberedPart = tuple[Number, Part]
_decode: Final = Decoder(tuple[Number, list[NumberedPart]]).decode


class TreeLog:
    def __init__(self, number: int, folder: Path) -> None:
        self.number = number
        self.folder = folder
        self.file = LogFile(folder / FILE, salt_of(number), folder_access.TREE)
        self.is_info_outdated = False  # this store has written since it wrote `info.json`
        self._clear()

    def _clear(self) -> None:
        self.tables = Tables()
        self.put_weight = 0  # of all rows that were ever put: what is not in the tables any more is garbage
        self.applied = 0  # the greatest directory number whose part is in the tables
        self.carried = 0  # the greatest whose part is in the file
        self.damage: list[Damage] = []
        self._suspect_lines: set[int] = set()  # their last row may have been in damaged bytes
        self._ends_damaged = False

    # ---------------------------------------------------------------- reading

    def catch_up(self, parts: list[NumberedPart]) -> None:
        """Read what any process has written since, and apply the parts that the directory still holds for this tree."""
        try:
            state, items = self.file.changes()
            if state is FileState.REPLACED:
                self._clear()
            for item in items:
                self._apply_item(item)
            self._apply_parts([(number, part) for number, part in parts if number > self.applied])
        except BaseException:
            self.reset()  # a partial read must not be served, now or later
            raise
        if self._ends_damaged:  # the parts may be older than what was lost
            self._suspect_all_lines()

    def _suspect_all_lines(self) -> None:
        self._suspect_lines |= {row.line for row in self.tables[LineRow].rows.values()}

    def reset(self) -> None:
        self._clear()
        self.file.reset()

    def _apply_item(self, item: Record | Damage) -> None:
        self._ends_damaged = isinstance(item, Damage)
        if isinstance(item, Damage):
            self.damage.append(item)
            self._suspect_all_lines()
            return
        try:
            carried, parts = _decode(item.payload)
            before = self.applied
            self._apply_parts([(number, part) for number, part in parts if number == 0 or number > before])
            self.carried = max(self.carried, carried)
            self.applied = max(self.applied, carried)
        except UNREADABLE as error:
            raise Corrupt(f"{self.file.path}: the record at offset {item.start} can't be read: {error!r}") from error

    def _apply_parts(self, parts: list[NumberedPart]) -> None:
        for number, part in parts:
            self.apply(part)
            self.applied = max(self.applied, number)

    def apply(self, part: Part) -> None:
        try:
            drops, rows = row_encoding.unpacked(part, self.number)
            for drop in drops:
                self.tables.drop(drop)
        except UNREADABLE as error:
            raise Corrupt(f"{self.file.path}: what was committed to this tree can't be read: {error!r}") from error
        for row in rows:
            self.tables.put(row)
            self.put_weight += weight(row)
            if self._suspect_lines and isinstance(row, LineRow):
                self._suspect_lines.discard(row.line)

    def check_line(self, line: LineRow | None) -> None:
        """Raises `Corrupt` if damaged bytes may have held a newer row of the line."""
        if self.damage and (line is None or line.line in self._suspect_lines):
            raise self.damaged()

    def damaged(self) -> Corrupt:
        start, end = self.damage[-1]
        return Corrupt(
            f"{self.file.path}: bytes {start} to {end} are damaged, and what was saved there is lost; "
            "restore the store's folder from a backup (other threads are not affected)"
        )

    # ---------------------------------------------------------------- writing

    def append(self, parts: list[NumberedPart], own: list[Part]) -> None:
        """Write the directory's parts and the tree's own as one record: all of it is on disk, or none."""
        if self._ends_damaged or (self.damage and self.file.is_old):
            raise self.damaged()
        due = [(number, part) for number, part in parts if number > self.carried]
        carried = max([self.carried, *(number for number, _ in due)])
        self.file.append(encode([carried, [*due, *((0, part) for part in own)]]))
        self.carried = carried
        self.applied = max(self.applied, carried)
        self.is_info_outdated = True

    def garbage(self) -> float:
        """The share of the file that rows no longer need."""
        return 1 - self.tables.weight / self.put_weight if self.put_weight else 0.0

    def compact(self, share: float, smallest: int) -> bool:
        """Rewrite a file of at least `smallest` bytes if more than `share` of it is garbage. A damaged file is left as
        it is."""
        if self.file.end < smallest or self.garbage() <= share or self.damage or self.carried < self.applied:
            return False
        self.rewrite()
        return True

    def upgrade(self) -> None:
        """Rewrite a file of an earlier format, before anything is added to it."""
        if self.file.is_old and not self.damage:
            self.rewrite()

    def rewrite(self) -> None:
        """Replace the file by one with the rows in memory."""
        self.carried = self.applied
        parts = row_encoding.parts_of(self.tables.rows(), _BYTES_PER_RECORD)
        self.file.replace(encode([self.carried, [(0, part)]]) for part in parts)
        self.put_weight = self.tables.weight
        self.damage, self._suspect_lines, self._ends_damaged = [], set(), False


def salt_of(number: int) -> int:
    return crc32(number.to_bytes(8, "little"))

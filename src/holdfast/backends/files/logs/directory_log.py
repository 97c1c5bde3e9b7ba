"""The directory: which threads there are, where their trees' folders are, and what several files share.

A batch that changes one tree only is a record of that tree's file. Any other batch, and any group of batches that is
committed together, is one record of the directory's file: that record alone is the commit. Parts that
change trees stay here under the record's number until the next record of the tree's file carries them over.

A record is ``[number, [[created, removed, own, parts], …]]``: trees that got a folder, as ``[tree, name]``; trees that
lost it; what changes in the directory itself; and what changes in trees, as ``[tree, number, part]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from msgspec.msgpack import Decoder

from holdfast.backends.files.folder_names import checked_name
from holdfast.backends.files.logs import row_encoding
from holdfast.backends.files.logs.log_file import FileState, LogFile
from holdfast.backends.files.logs.record_format import Damage, Record
from holdfast.backends.files.logs.row_encoding import DIRECTORY, UNREADABLE, Part
from holdfast.backends.files.logs.tree_log import NumberedPart, TreeLog, encode
from holdfast.backends.memory.tables import Tables
from holdfast.backends.rows import Key, Number
from holdfast.errors import Corrupt

FILE: Final = "directory.hfs"
_BYTES_PER_RECORD: Final = 1 << 20
_FOLDER_WEIGHT: Final = 20  # what a folder takes up beside its name, roughly
SALT: Final = crc32(b"directory")
Entry = tuple[list[Any], list[Any], Any, list[Any]]
_Folder = tuple[Key, str]
_StoredEntry = tuple[list[_Folder], list[_Folder], Part, list[tuple[Key, Number, Part]]]
_decode: Final = Decoder(tuple[Number, list[_StoredEntry]]).decode


class DirectoryLog:
    def __init__(self, root: Path) -> None:
        self.file = LogFile(root / FILE, SALT)
        self._clear()

    def _clear(self) -> None:
        self.tables = Tables()
        self.put_bytes = 0  # of everything that was ever put here, parts of trees too
        self.number = 0  # of the last record
        self.folders: dict[int, str] = {}  # by tree
        self._folders_weight = 0
        self.leftovers: set[str] = set()  # folders of trees that were dropped
        self.uncarried: dict[int, list[NumberedPart]] = {}  # parts of each tree that its file does not have yet
        self.damage: list[Damage] = []

    # ---------------------------------------------------------------- reading

    def catch_up(self) -> set[int] | None:
        """Read what was written since; says which trees were dropped, or None if the whole file was read again."""
        dropped: set[int] = set()
        try:
            state, items = self.file.changes()
            if state is FileState.REPLACED:
                self._clear()
            for item in items:
                dropped |= self._apply_item(item)
        except BaseException:
            self.reset()  # a partial read must not be served, now or later
            raise
        return None if state is FileState.REPLACED else dropped

    def reset(self) -> None:
        self._clear()
        self.file.reset()

    def _apply_item(self, item: Record | Damage) -> set[int]:
        if isinstance(item, Damage):
            self.damage.append(item)
            return set()
        try:
            number, entries = _decode(item.payload)
            dropped: set[int] = set()
            for entry in entries:
                self.apply(entry[2])
                dropped |= self.register(entry)
            self.number = max(self.number, number)
        except UNREADABLE as error:
            raise Corrupt(f"{self.file.path}: the record at offset {item.start} can't be read: {error!r}") from error
        self.put_bytes += len(item.payload)
        return dropped

    def apply(self, own: row_encoding.Part) -> None:
        drops, rows = row_encoding.unpacked(own, DIRECTORY)
        for drop in drops:
            self.tables.drop(drop)
        for row in rows:
            self.tables.put(row)

    def register(self, entry: Entry) -> set[int]:
        """Record what one batch does to folders and trees; says which trees it dropped."""
        created, removed, _, parts = entry
        for tree, name in created:
            self.folders[tree] = checked_name(name)
            self._folders_weight += _FOLDER_WEIGHT + len(name)
            self.leftovers.discard(name)
        for tree, number, part in parts:
            self.uncarried.setdefault(tree, []).append((number, part))
        for tree, name in removed:
            if self.folders.pop(tree, None) is not None:
                self._folders_weight -= _FOLDER_WEIGHT + len(name)
            self.leftovers.add(checked_name(name))
            self.uncarried.pop(tree, None)
        return {tree for tree, _ in removed}

    def lost_before(self, tree: TreeLog) -> str | None:
        """A message if this tree's file has carried over a record that the directory no longer has."""
        if tree.carried <= self.number:
            return None
        return (
            f"{self.file.path}: its last record has number {self.number}, and {tree.file.path} holds a part of record "
            f"{tree.carried}: the records in between are lost; restore the store's folder from a backup, or continue "
            "without them with repair()"
        )

    def damaged(self) -> Corrupt:
        start, end = self.damage[-1]
        return Corrupt(
            f"{self.file.path}: bytes {start} to {end} are damaged, and with them which threads were made, changed or "
            "deleted then; restore the store's folder from a backup, or continue with what is left by verify() and "
            "repair() (threads that are listed can be read)"
        )

    # ---------------------------------------------------------------- writing

    def append(self, number: int, entries: list[Entry]) -> None:
        if self.damage:
            raise self.damaged()
        payload = encode([number, entries])
        self.file.append(payload)
        self.number = number
        self.put_bytes += len(payload)
        for entry in entries:
            self.register(entry)

    def garbage(self) -> float:
        """The share of the file that is no longer needed."""
        live = self.tables.weight + self._folders_weight
        return 1 - live / self.put_bytes if self.put_bytes else 0.0

    def rewrite(self) -> None:
        """Replace the file by one with the rows in memory. Parts that no tree's file has carried over stay."""
        self.file.replace(self._payloads())
        self.put_bytes = self.file.end

    def _payloads(self) -> Iterator[bytes]:
        created = list(self.folders.items())
        removed = [(0, name) for name in sorted(self.leftovers)]
        parts = [(tree, number, part) for tree, numbered in self.uncarried.items() for number, part in numbered]
        yield encode([self.number, [(created, removed, [[], []], parts)]])
        for part in row_encoding.parts_of(self.tables.rows(), _BYTES_PER_RECORD):
            yield encode([self.number, [([], [], part, [])]])

"""The directory: which threads there are, where their trees' folders are, and what several files share.

A batch that changes one tree only is a record of that tree's file. Any other batch, and a group of batches that were
committed together, is one record of the directory's file: that record alone is the commit. What it changes in trees
waits here, under the record's number, until a tree's file is written next and takes it along.

A record is ``[number, [[births, deaths, own, parts], …]]``. Births are trees that got a folder, as ``[tree, name]``;
deaths are those that lost it; `own` is what changes in the directory, and `parts` what changes in trees, as
``[tree, number, part]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from msgspec import MsgspecError
from msgspec.msgpack import Decoder

from holdfast.backends.files import changes
from holdfast.backends.files.changes import DIRECTORY
from holdfast.backends.files.names import checked_name
from holdfast.backends.files.records import Damage, Sound
from holdfast.backends.files.segment import Segment, State
from holdfast.backends.files.tree import Numbered, Tree, encode
from holdfast.backends.tables import Tables
from holdfast.errors import Corrupt

FILE: Final = "directory.hfs"
_EACH: Final = 1 << 20
_NAME: Final = 20  # what a folder takes up beside its name, roughly
_decode: Final = Decoder().decode
SALT: Final = crc32(b"directory")
Entry = tuple[list[Any], list[Any], Any, list[Any]]


class Directory:
    def __init__(self, root: Path) -> None:
        self.segment = Segment(root / FILE, SALT)
        self._start()

    def _start(self) -> None:
        self.tables = Tables()
        self.put_bytes = 0  # of everything that was ever put here, parts of trees too
        self.number = 0  # of the last record
        self.folders: dict[int, str] = {}  # by tree
        self._named = 0  # what their names take up
        self.leftovers: set[str] = set()  # folders of trees that were dropped
        self.waiting: dict[int, list[Numbered]] = {}
        self.damage: list[Damage] = []

    def catch_up(self) -> set[int] | None:
        """Read what was written since; says which trees were dropped, or None if everything was read anew."""
        gone: set[int] = set()
        try:
            state, items = self.segment.news()
            if state is State.OTHER:
                self._start()
            for item in items:
                gone |= self._take(item)
        except BaseException:
            self.start_over()  # half of a file is no answer, also not to the next question
            raise
        return None if state is State.OTHER else gone

    def start_over(self) -> None:
        self._start()
        self.segment.start_over()

    def _take(self, item: Sound | Damage) -> set[int]:
        if isinstance(item, Damage):
            self.damage.append(item)
            return set()
        try:
            number, entries = _decode(item.payload)
            gone: set[int] = set()
            for entry in entries:
                self.apply(entry[2])
                gone |= self.register(entry)
            self.number = max(self.number, number)
        except (MsgspecError, ValueError, KeyError, TypeError, IndexError) as error:
            raise Corrupt(f"{self.segment.path}: the record at offset {item.start} can't be read: {error!r}") from error
        self.put_bytes += len(item.payload)
        return gone

    def apply(self, own: changes.Part) -> None:
        drops, rows = changes.unpacked(own, DIRECTORY)
        for drop in drops:
            self.tables.drop(drop)
        for row in rows:
            self.tables.put(row)

    def register(self, entry: Entry) -> set[int]:
        """Take note of what one batch does to folders and trees."""
        births, deaths, _, parts = entry
        for tree, name in births:
            self.folders[tree] = checked_name(name)
            self._named += _NAME + len(name)
            self.leftovers.discard(name)
        for tree, number, part in parts:
            self.waiting.setdefault(tree, []).append((number, part))
        for tree, name in deaths:
            if self.folders.pop(tree, None) is not None:
                self._named -= _NAME + len(name)
            self.leftovers.add(checked_name(name))
            self.waiting.pop(tree, None)
        return {tree for tree, _ in deaths}

    def is_behind(self, tree: Tree) -> str | None:
        """Whether this tree's file has carried over what no record of the directory says any more."""
        if tree.carried <= self.number:
            return None
        return (
            f"{self.segment.path}: its last record has number {self.number}, and {tree.segment.path} holds what number "
            f"{tree.carried} said: the records in between are lost; restore the store's folder from a backup, or "
            "repair() goes on without them"
        )

    def damaged(self) -> Corrupt:
        start, end = self.damage[-1]
        return Corrupt(
            f"{self.segment.path}: bytes {start} to {end} are damaged, and threads that were made, changed or deleted "
            "then can't be told; restore the store's folder from a backup, or verify() and repair() go on with what is "
            "there (threads that are found can be read)"
        )

    # ---------------------------------------------------------------- writing

    def append(self, number: int, entries: list[Entry]) -> None:
        if self.damage:
            raise self.damaged()
        payload = encode([number, entries])
        self.segment.append(payload)
        self.number = number
        self.put_bytes += len(payload)
        for entry in entries:
            self.register(entry)

    def garbage(self) -> float:
        live = self.tables.weight + self._named
        return 1 - live / self.put_bytes if self.put_bytes else 0.0

    def rewrite(self) -> None:
        """Write the file anew. What still waits for a tree stays."""
        self.segment.replace(self._payloads())
        self.put_bytes = self.segment.end

    def _payloads(self) -> Iterator[bytes]:
        births = list(self.folders.items())
        deaths = [(0, name) for name in sorted(self.leftovers)]
        parts = [(tree, *one) for tree, waiting in self.waiting.items() for one in waiting]
        yield encode([self.number, [(births, deaths, [[], []], parts)]])
        for part in changes.whole(self.tables.rows(), _EACH):
            yield encode([self.number, [([], [], part, [])]])

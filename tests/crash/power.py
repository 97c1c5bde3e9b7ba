"""What a disk holds when the power fails: what was synced, and of what was not, anything or nothing.

Built from the shim's log of undisturbed processes. Writes that no fsync has followed may be lost, or reach the disk
in part and in any order, in sectors of 512 bytes. Names that were made, changed or removed may be as they were when
their folder was synced last, or anything that they were since.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.crash.shim import Call

SECTOR = 512


@dataclass
class Kept:
    """What happened to a file or a folder since it was last synced, and how much happened before."""

    since: list[Any] = field(default_factory=list)
    before: int = 0

    @property
    def now(self) -> int:
        return self.before + len(self.since)

    def keep(self, until: int) -> list[Any]:
        """What is safe from now on, besides what was: all that happened up to there."""
        count = max(until - self.before, 0)
        kept, self.since = self.since[:count], self.since[count:]
        self.before += len(kept)
        return kept


@dataclass(eq=False)
class File(Kept):
    synced: bytes = b""

    def sync(self, until: int) -> None:
        self.synced = _after(self.synced, self.keep(until))


Names = dict[str, File | None]
"""What stands under each path: a file, or None for a folder."""


class Change(NamedTuple):
    """One change of a name: what it names from then on, and which name it was renamed from."""

    path: str
    now: File | None
    gone: bool = False
    before: str = ""


@dataclass
class Disk:
    """Names as the processes see them, those that are safe, and for each folder what happened to its names since."""

    names: Names = field(default_factory=dict)
    safe: Names = field(default_factory=dict)
    folders: dict[str, Kept] = field(default_factory=dict)
    keeps_names: bool = False
    """Whether the sync of a file keeps its name too, as on ext4, XFS and Btrfs, or only the sync of its folder."""
    begun: dict[int, list[tuple[str, File | None, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path, *, keeps_names: bool) -> Disk:
        """A disk that has held everything in this folder for long."""
        found: Names = {
            str(path): None if path.is_dir() else File(synced=path.read_bytes()) for path in folder.rglob("*")
        }
        return cls(found, dict(found), keeps_names=keeps_names)

    def change(self, change: Change) -> None:
        _apply(self.names, change)
        self._folder(os.path.dirname(change.path)).since.append(change)

    def _folder(self, path: str) -> Kept:
        return self.folders.setdefault(path, Kept())

    def file(self, path: str) -> File:
        if path not in self.names:
            self.change(Change(path, File()))
        found = self.names[path]
        assert found is not None
        return found

    def begin_sync(self, number: int, path: str) -> None:
        """What happens from here on need not be part of the sync."""
        found, folder = self.names.get(path), os.path.dirname(path)
        if found is None:
            self.begun[number] = [(path, None, self._folder(path).now)]
            return
        self.begun[number] = [("", found, found.now)]
        if self.keeps_names:
            own = [n for n, change in enumerate(self._folder(folder).since, 1) if change.now is found]
            self.begun[number] += [(folder, None, self._folder(folder).before + n) for n in own[-1:]]

    def end_sync(self, number: int) -> None:
        for folder, file, until in self.begun.pop(number):
            if file is not None:
                file.sync(until)
            else:
                for change in self._folder(folder).keep(until):
                    _apply(self.safe, change)

    def take(self, call: Call) -> None:
        if call.kind == "s":
            self.begin_sync(call.offset, call.path)
        elif call.kind == "S":
            self.end_sync(call.offset)
        elif call.kind in "UE":
            self.change(Change(call.path, None, gone=True))
        elif call.kind == "D":
            self.change(Change(call.path, None))
        elif call.kind == "C":
            self.file(call.path)
        elif call.kind == "R":
            self.change(Change(call.data.decode(), self.names[call.path], before=call.path))
        else:
            self.file(call.path).since.append(call)

    def found(self, rng: random.Random | None) -> Names:
        """The names that may be there when the power is back: at least those that were safe."""
        names = dict(self.safe)
        for folder in self.folders.values() if rng is not None else ():
            for change in folder.since[: rng.randint(0, len(folder.since))] if rng is not None else ():
                _apply(names, change)
        return names


def _apply(names: Names, change: Change) -> None:
    if change.gone:
        names.pop(change.path, None)
    else:
        names.pop(change.before, None)
        names[change.path] = change.now


class Image(NamedTuple):
    """The disk at one moment, and everything that each process had reported by then. A folder's bytes are None."""

    after: int  # how many calls
    files: dict[str, bytes | None]
    said: dict[int, list[dict[str, Any]]]  # by the number of the process

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [line for lines in self.said.values() for line in lines]

    def lay_out(self, was: Path, now: Path) -> None:
        """Put everything into another folder than it was written in. A file whose folder is lost is lost too."""
        for path in sorted(self.files):
            target, data = now / Path(path).relative_to(was), self.files[path]
            if not target.parent.is_dir():
                continue
            if data is None:
                target.mkdir()
            else:
                target.write_bytes(data)


def images(calls: list[Call], seed: str) -> Iterator[Image]:
    """At every call that may change what is safe, and at every fifth write."""
    rng = random.Random(seed)
    for number, call, disk, said in _played(calls, Disk()):
        if call.kind != "W" or number % 5 == 0:
            yield _image(number, disk, said, None)
            yield _image(number, disk, said, rng)


def cuts(calls: list[Call], disk: Disk, rng: random.Random, after: Collection[int]) -> Iterator[Image]:
    """After these calls, each time with nothing that was not safe, and with some of it."""
    for number, _, found, said in _played(calls, disk):
        if number in after:
            yield _image(number, found, said, None)
            yield _image(number, found, said, rng)


Played = tuple[int, Call, Disk, dict[int, list[dict[str, Any]]]]


def _played(calls: list[Call], disk: Disk) -> Iterator[Played]:
    said: dict[int, list[dict[str, Any]]] = {}
    for number, call in enumerate(calls, 1):
        if call.kind == "M":
            said.setdefault(call.offset, []).append(json.loads(call.data))
        else:
            disk.take(call)
        yield number, call, disk, said


def _image(number: int, disk: Disk, said: dict[int, list[dict[str, Any]]], rng: random.Random | None) -> Image:
    found = {
        path: None if file is None else _after(file.synced, _some(file.since, rng))
        for path, file in disk.found(rng).items()
    }
    return Image(number, found, {process: list(lines) for process, lines in said.items()})


def _some(calls: list[Call], rng: random.Random | None) -> Iterator[Call]:
    """None of them, or some sectors of each."""
    for call in calls if rng is not None else ():
        if call.kind == "T" and rng is not None and rng.random() < 0.5:
            yield call
        for at in range(0, len(call.data), SECTOR):
            if rng is not None and rng.random() < 0.7:
                yield Call("W", call.path, call.offset + at, call.data[at : at + SECTOR])


def _after(data: bytes, calls: Iterator[Call] | list[Call]) -> bytes:
    found = bytearray(data)
    for call in calls:
        size = call.offset if call.kind == "T" else call.offset + len(call.data)
        found.extend(bytes(max(size - len(found), 0)))
        if call.kind == "T":
            del found[size:]
        else:
            found[call.offset : size] = call.data
    return bytes(found)

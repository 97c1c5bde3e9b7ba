"""What a disk holds when the power fails: what was synced, and of what was not, anything or nothing.

Built from the shim's log of one undisturbed process. Writes that no fsync has followed may be lost, or reach the disk
in part and in any order, in sectors of 512 bytes. Names that were made, changed or removed may be as they were when
their folder was synced last, or anything that they were since.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.crash.shim import Call

SECTOR = 512


@dataclass
class File:
    synced: bytes = b""
    since: list[Call] = field(default_factory=list)

    def sync(self) -> None:
        self.synced = _after(self.synced, self.since)
        self.since = []


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
    """Names as the process sees them, those that are safe, and for each folder what happened to its names since."""

    names: Names = field(default_factory=dict)
    safe: Names = field(default_factory=dict)
    since: dict[str, list[Change]] = field(default_factory=dict)

    def change(self, change: Change) -> None:
        _apply(self.names, change)
        self.since.setdefault(os.path.dirname(change.path), []).append(change)

    def file(self, path: str) -> File:
        if path not in self.names:
            self.change(Change(path, File()))
        found = self.names[path]
        assert found is not None
        return found

    def sync(self, path: str) -> None:
        found = self.names.get(path)
        if found is not None:
            found.sync()
            return
        for change in self.since.pop(path, []):
            _apply(self.safe, change)

    def take(self, call: Call) -> None:
        if call.kind == "S":
            self.sync(call.path)
        elif call.kind in "UE":
            self.change(Change(call.path, None, gone=True))
        elif call.kind == "D":
            self.change(Change(call.path, None))
        elif call.kind == "R":
            self.change(Change(call.data.decode(), self.names[call.path], before=call.path))
        else:
            self.file(call.path).since.append(call)

    def found(self, rng: random.Random | None) -> Names:
        """The names that may be there when the power is back: at least those that were safe."""
        names = dict(self.safe)
        for changes in self.since.values() if rng is not None else ():
            for change in changes[: rng.randint(0, len(changes))] if rng is not None else ():
                _apply(names, change)
        return names


def _apply(names: Names, change: Change) -> None:
    if change.gone:
        names.pop(change.path, None)
    else:
        names.pop(change.before, None)
        names[change.path] = change.now


class Image(NamedTuple):
    """The disk at one moment, and everything that the process had reported by then. A folder's bytes are None."""

    after: int  # how many calls
    files: dict[str, bytes | None]
    said: list[dict[str, Any]]

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
    rng = random.Random(seed)
    disk = Disk()
    said: list[dict[str, Any]] = []
    for number, call in enumerate(calls, 1):
        if call.kind == "M":
            said.append(json.loads(call.data))
        elif call.kind == "S":
            yield _image(number, disk, said, None)
            yield _image(number, disk, said, rng)
        if call.kind != "M":
            disk.take(call)
        if call.kind != "W" or number % 5 == 0:
            yield _image(number, disk, said, None)
            yield _image(number, disk, said, rng)


def _image(number: int, disk: Disk, said: list[dict[str, Any]], rng: random.Random | None) -> Image:
    found = {
        path: None if file is None else _after(file.synced, _some(file.since, rng))
        for path, file in disk.found(rng).items()
    }
    return Image(number, found, list(said))


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

"""What a disk holds when the power goes: what was synced, and of what was not, anything or nothing.

Built from the shim's log of one undisturbed process. Writes that no fsync has followed may be lost, or reach the disk
in part and in any order, in sectors of 512 bytes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
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


class Image(NamedTuple):
    """The disk at one moment, and everything that the process had said by then."""

    after: int  # how many calls
    files: dict[str, bytes]
    said: list[dict[str, Any]]


def images(calls: list[Call], seed: str) -> Iterator[Image]:
    rng = random.Random(seed)
    files: dict[str, File] = {}
    said: list[dict[str, Any]] = []
    for number, call in enumerate(calls, 1):
        if call.kind == "M":
            said.append(json.loads(call.data))
        elif call.kind == "S":
            yield _image(number, files, said, None)
            yield _image(number, files, said, rng)
            files.setdefault(call.path, File()).sync()
        elif call.kind == "U":
            files.pop(call.path, None)
        else:
            files.setdefault(call.path, File()).since.append(call)
        if call.kind != "W" or number % 5 == 0:
            yield _image(number, files, said, None)
            yield _image(number, files, said, rng)


def _image(number: int, files: dict[str, File], said: list[dict[str, Any]], rng: random.Random | None) -> Image:
    return Image(
        number, {path: _after(file.synced, _some(file.since, rng)) for path, file in files.items()}, list(said)
    )


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

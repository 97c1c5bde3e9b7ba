"""The shim, compiled, and the variables that steer it."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.servers import libraries

SOURCE = Path(__file__).with_name("shim.c")


def compiled(folder: Path) -> Path:
    """The library for LD_PRELOAD."""
    return libraries.compiled(SOURCE, folder)


def trouble(folder: Path, at: int = 0, mode: str = "", lasts: bool = False, kinds: str = "") -> dict[str, str]:
    """The environment of a process whose nth call on the files of a folder fails."""
    return {
        "SHIM_FOLDER": str(folder), "SHIM_AT": str(at), "SHIM_MODE": mode, "SHIM_LASTS": str(int(lasts)),
        "SHIM_KINDS": kinds,
        "SHIM_LOG": str(folder.with_name(folder.name + ".log")) if not at else "",
    }  # fmt: skip


def end_of_trouble() -> None:
    """From inside the process: the disk works again."""
    os.environ["SHIM_AT"] = "0"


def calls_so_far() -> int:
    """From inside the process: how many calls were counted; 0 without the shim."""
    counter = getattr(ctypes.CDLL(None), "shim_calls", None)
    return counter() if counter else 0


class Call(NamedTuple):
    """One call as the shim saw it, by the letter of its kind (see shim.c), or M for what was reported. The data of a
    rename is the new name."""

    kind: str
    path: str
    offset: int
    data: bytes


def calls(folder: Path) -> list[Call]:
    """What the log of a process without trouble says."""
    return list(_read(folder.with_name(folder.name + ".log").read_bytes()))


def _read(log: bytes) -> Iterator[Call]:
    head = struct.Struct("4q")
    at = 0
    while at < len(log):
        kind, path, offset, length = head.unpack_from(log, at)
        at += head.size
        yield Call(chr(kind), log[at : at + path].decode(), offset, log[at + path : at + path + length])
        at += path + length

"""`info.json`: for people who look into the folder; how long the file beside it was, for `verify`; and what the
directory says about its threads, for `repair`.

It may be behind or gone, so that nothing else depends on it. But a file that is shorter now than it was once, and is
still the same file, has lost what was acknowledged: a torn end would be longer. And where the directory has lost a
thread, its row is still here, under its checksum.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import MsgspecError
from msgspec.msgpack import Decoder, Encoder

from holdfast.backends.files import records
from holdfast.backends.files.folder import INFO
from holdfast.backends.files.segment import NEW, Segment, State, opened
from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow, is_sound, is_typed
from holdfast.backends.tables import Tables

_encode: Final = Encoder().encode
_decode: Final = Decoder().decode


def write(segment: Segment, threads: list[ThreadRow], tables: Tables) -> None:
    """About a tree, as it is now. A disk that is full, or a folder that is gone, shows elsewhere."""
    told = {
        "about": "for people; the store goes without this file, and it may be a little behind",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "threads": [_thread(row, tables) for row in sorted(threads)],
        "checkpoints": len(tables[CheckpointRow].rows),
        "directory": _packed(threads),
    }
    _write(segment, told)


def write_root(segment: Segment) -> None:
    """About the directory."""
    _write(segment, {"about": "for holdfast verify", "written": datetime.now(UTC).isoformat(timespec="seconds")})


def _write(segment: Segment, told: dict[str, Any]) -> None:
    folder = segment.path.parent
    fresh = folder / (INFO + NEW)
    with suppress(OSError):
        start = _start(segment.path)
        if segment.state() is State.SAME:  # nobody has written it anew since it was read
            told["file"] = {"bytes": segment.end, "starts": start.hex()}
        fresh.write_bytes(json.dumps(told, indent=2).encode() + b"\n")
        os.rename(fresh, folder / INFO)


def _packed(threads: list[ThreadRow]) -> list[str]:
    return [b64encode(_encode(row)).decode() for row in sorted(threads)]


def threads(folder: Path) -> list[ThreadRow]:
    """What the directory said about the threads of this folder when they were last described."""
    with suppress(OSError, ValueError, KeyError, TypeError, MsgspecError):
        told = json.loads((folder / INFO).read_bytes())["directory"]
        rows = [ThreadRow(*_decode(b64decode(one))) for one in told]
        return [row for row in rows if is_typed(row) and is_sound(row)]
    return []


def is_current(folder: Path, rows: list[ThreadRow]) -> bool:
    """Whether the file tells of these threads, and of no others."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        told: object = json.loads((folder / INFO).read_bytes())["directory"]
        return told == _packed(rows)
    return False


def check(segment: Segment) -> list[str]:
    """Whether a file that was read has lost its end."""
    try:
        told = json.loads((segment.path.parent / INFO).read_bytes())["file"]
        length, start, now = int(told["bytes"]), bytes.fromhex(told["starts"]), _start(segment.path)
        if segment.state() is not State.SAME:  # others write: what is told may be about bytes that came since
            return []
    except (OSError, ValueError, KeyError, TypeError):
        return []
    is_same = now == start or segment.end <= records.HEADER_SIZE
    if segment.end >= length or not is_same:
        return []
    return [
        f"{segment.path}: it is sound up to byte {segment.end}, and was {length} bytes long once: what was saved there "
        "is lost; restore the store's folder from a backup, or repair() goes on without it"
    ]


def _start(path: Path) -> bytes:
    """By what a file is known: the beginning of its first record, which has another length or checksum if it is written
    anew."""
    with opened(path, os.O_RDONLY) as descriptor:
        return os.pread(descriptor, records.RECORD_HEADER, records.HEADER_SIZE)


def _thread(row: ThreadRow, tables: Tables) -> dict[str, Any]:
    root: LineRow | None = tables[LineRow].get(row.tree, row.line)
    told: dict[str, Any] = {"id": row.id, "created": _moment(row.created_at)}
    if row.from_thread is not None:
        told["forked_from"] = row.from_thread
    if root is not None:
        told |= {"updated": _moment(root.updated_at), "checkpoints": root.checkpoints}
    return told


def _moment(microseconds: int) -> str:
    try:
        return datetime.fromtimestamp(microseconds // 1_000_000, UTC).isoformat()
    except (OverflowError, ValueError, OSError):  # a damaged row must not stop a commit
        return ""

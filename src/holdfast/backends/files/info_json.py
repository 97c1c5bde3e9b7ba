"""`info.json`: what is in the folder, for people; how long the file beside it was, for `verify`; and the directory's
rows of its threads, for `repair`.

It may be outdated or missing, and nothing else depends on it. But a file that is shorter than `info.json` says, and is
still the same file, has lost acknowledged data: a torn write would make it longer. And a thread that the directory has
lost still has its row here, with its checksum.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import MsgspecError
from msgspec.msgpack import Decoder, Encoder

from holdfast._system.atomic_files import NewFile
from holdfast._system.interrupts import ignoring
from holdfast.backends.files import folder_access
from holdfast.backends.files.logs import log_file, record_format
from holdfast.backends.files.logs.log_file import FileState, LogFile
from holdfast.backends.files.store_folder import INFO
from holdfast.backends.memory.tables import Tables
from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow, is_sound, is_typed

_encode: Final = Encoder().encode
_decode: Final = Decoder().decode


# ------------------------------------------------------------------------------------------------ writing


def write(file: LogFile, threads: list[ThreadRow], tables: Tables) -> None:
    """Describe a tree as it is now. A full disk or a missing folder is reported elsewhere."""
    info = {
        "about": "for people; the store works without this file, and it may be slightly outdated",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "threads": [_thread(row, tables) for row in sorted(threads)],
        "checkpoints": len(tables[CheckpointRow].rows),
        "directory": _packed(threads),
    }
    _write(file, info)


def write_root(file: LogFile) -> None:
    """Describe the directory."""
    _write(file, {"about": "for holdfast verify", "written": datetime.now(UTC).isoformat(timespec="seconds")})


def _write(file: LogFile, info: dict[str, Any]) -> None:
    with ignoring(OSError):
        start = _start(file)
        if file.state() is FileState.UNCHANGED:
            info["file"] = {"bytes": file.end, "starts": start.hex()}
        path = file.path.with_name(INFO)
        with folder_access.opened_folder(path.parent, file.below) as folder:
            rights = log_file.rights_in(folder, file.path.name)
            with NewFile(path, log_file.NEW, rights=rights, within=folder) as new:
                new.write(json.dumps(info, indent=2).encode() + b"\n")
                new.publish(durable=False)


def _packed(threads: list[ThreadRow]) -> list[str]:
    return [b64encode(_encode(row)).decode() for row in sorted(threads)]


def _thread(row: ThreadRow, tables: Tables) -> dict[str, Any]:
    root: LineRow | None = tables[LineRow].get(row.tree, row.line)
    info: dict[str, Any] = {"id": row.id, "created": _moment(row.created_at)}
    if row.from_thread is not None:
        info["forked_from"] = row.from_thread
    if root is not None:
        info |= {"updated": _moment(root.updated_at), "checkpoints": root.checkpoints}
    return info


def _moment(microseconds: int) -> str:
    try:
        return datetime.fromtimestamp(microseconds // 1_000_000, UTC).isoformat()
    except (OverflowError, ValueError, OSError):  # a damaged row must not stop a commit
        return ""


# ------------------------------------------------------------------------------------------------ reading


def threads(folder: Path) -> list[ThreadRow]:
    """The directory's rows of the threads in this folder, as of the last description."""
    with ignoring(OSError, ValueError, KeyError, TypeError, MsgspecError):
        packed = json.loads(folder_access.read_file(folder / INFO, folder_access.TREE))["directory"]
        rows = [ThreadRow(*_decode(b64decode(row))) for row in packed]
        return [row for row in rows if is_typed(row) and is_sound(row)]
    return []


def is_current(folder: Path, rows: list[ThreadRow]) -> bool:
    """Whether the file describes exactly these threads."""
    with ignoring(OSError, ValueError, KeyError, TypeError):
        packed: object = json.loads(folder_access.read_file(folder / INFO, folder_access.TREE))["directory"]
        return packed == _packed(rows)
    return False


def check(file: LogFile) -> list[str]:
    """Whether a file that was read has lost its end."""
    try:
        described = json.loads(folder_access.read_file(file.path.with_name(INFO), file.below))["file"]
        length, start = int(described["bytes"]), bytes.fromhex(described["starts"])
        is_same = _start(file) == start or file.end <= record_format.HEADER_SIZE
        # The description may already include what another process has just written.
        is_read = file.state() is FileState.UNCHANGED
    except (OSError, ValueError, KeyError, TypeError):
        return []
    if file.end >= length or not is_same or not is_read:
        return []
    return [
        f"{file.path}: it is intact up to byte {file.end}, and was {length} bytes long: what was saved after that is "
        "lost; restore the store's folder from a backup, or continue without it with repair()"
    ]


def _start(file: LogFile) -> bytes:
    """Identifies a file: the head of its first record, whose length or checksum differs after a rewrite."""
    with file.opened(os.O_RDONLY) as descriptor:
        return os.pread(descriptor, record_format.RECORD_HEADER, record_format.HEADER_SIZE)

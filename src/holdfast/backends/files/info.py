"""`info.json`: for people who look into the folder. Nothing reads it, and nothing depends on it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from holdfast.backends.files.folder import INFO
from holdfast.backends.files.segment import NEW
from holdfast.backends.rows import CheckpointRow, LineRow, ThreadRow
from holdfast.backends.tables import Tables


def write(folder: Path, threads: list[ThreadRow], tables: Tables) -> None:
    """As it is now. A disk that is full, or a folder that is gone, shows elsewhere."""
    told = {
        "about": "for people; the store itself does not read this file, and it may be a little behind",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "threads": [_thread(row, tables) for row in sorted(threads)],
        "checkpoints": len(tables[CheckpointRow].rows),
    }
    fresh = folder / (INFO + NEW)
    with suppress(OSError):
        fresh.write_bytes(json.dumps(told, indent=2).encode() + b"\n")
        os.rename(fresh, folder / INFO)


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

"""Backups: a copy of the whole store as of one moment, which is a store itself."""

from __future__ import annotations

from pathlib import Path

from holdfast.backends.base import Progress
from holdfast.engine.context import Engine
from holdfast.model import BackupReport


async def backup(engine: Engine, path: Path, progress: Progress | None) -> BackupReport:
    """Everything that was acknowledged before the call is in the copy, including writes that are still queued."""
    engine.check_open()
    engine.flush_all()
    url = await engine.backend.backup(path, progress)
    return BackupReport(url=url, bytes=_size(path))


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())

"""Backups: a whole copy of a store as it is at one moment, which is a store itself."""

from __future__ import annotations

from pathlib import Path

from holdfast.backends.base import Progress
from holdfast.engine.context import Engine
from holdfast.model import BackupReport


async def backup(engine: Engine, path: Path, progress: Progress | None) -> BackupReport:
    """What was acknowledged before is in it, also what is still on its way to the disk."""
    engine.check_open()
    for backlog in list(engine.backlogs.values()):
        backlog.flush()
    url = await engine.backend.backup(path, progress)
    return BackupReport(url=url, bytes=_size(path))


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())

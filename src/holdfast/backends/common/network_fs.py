"""Network file systems, where locks can't be trusted."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Final

_NETWORK: Final = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs", "ceph", "glusterfs"}


def warn(store: Path, folder: Path) -> None:
    """Warn if this folder is on a network file system."""
    kind = _file_system(folder)
    if kind in _NETWORK:
        warnings.warn(
            f"{store} is on a network file system ({kind}), where locks can't be trusted; "
            "keep it on a local disk, or use a PostgreSQL server",
            RuntimeWarning,
            stacklevel=5,
        )


def _file_system(folder: Path) -> str | None:
    """The type of the file system that a folder is on; None if it can't be determined."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        mounts = Path("/proc/mounts").read_text("utf-8", "replace")
        where = os.path.realpath(folder)
    except OSError:
        return None
    best, kind = "", None
    for line in mounts.splitlines():
        fields = line.split()
        point = fields[1].replace("\\040", " ") if len(fields) > 2 else ""
        if len(point) > len(best) and (where == point or where.startswith(point.rstrip("/") + "/")):
            best, kind = point, fields[2]
    return kind

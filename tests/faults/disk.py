"""A small disk, which a test can fill up and empty again."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.postgres import is_root


class Disk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Fill it until not one page is left."""
        with self._ballast.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):  # noqa: PT012
                    while True:
                        file.write(b"\0" * size)

    def empty(self) -> None:
        self._ballast.unlink()


@contextlib.contextmanager
def small_disk(megabytes: int) -> Iterator[Disk]:
    """A file system of this size, in a folder that the user of the server can reach. Only root may make one."""
    if not is_root():
        pytest.skip("a disk that can be filled up is a file system of its own, which only root can mount")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", folder], check=True)
        try:
            yield Disk(Path(folder))
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)

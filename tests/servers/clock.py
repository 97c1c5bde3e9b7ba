"""A PostgreSQL server whose clock a test can move, forward and back, while it runs."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from tests.servers import libraries
from tests.servers.postgres import Server

SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """What is added to the clock of a server."""

    def __init__(self, folder: Path) -> None:
        self._library = libraries.compiled(SOURCE, folder)
        self._file = folder / "clock"
        self._file.write_bytes(bytes(mmap.PAGESIZE))
        for one in (self._library, self._file):
            one.chmod(0o755)
        with self._file.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        self.seconds = 0.0

    def server(self, folder: Path) -> Server:
        """A server that has this clock; it does not run yet."""
        server = Server(folder, fsync="off")
        server.environment = {"LD_PRELOAD": str(self._library), "CLOCK_FILE": str(self._file)}
        return server

    def move(self, seconds: float) -> None:
        """Forward, or back."""
        self.seconds += seconds
        self._shared[:8] = struct.pack("<q", int(self.seconds * 1_000_000))

    def set_right(self) -> None:
        self.move(-self.seconds)

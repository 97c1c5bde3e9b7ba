"""A real PostgreSQL server that a test may kill, suspend and start again on the same data."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import psycopg

from tests.servers.processes import continue_all, kill_all, stop_all, wait_until
from tests.servers.programs import free_ports, own_folder, postgres, unprivileged

USER = "tester"
PASSWORD = "hunter2/&?=@secret"  # noqa: S105  a password that has to be quoted in a URL
QUOTED = "hunter2%2F%26%3F%3D%40secret"
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "log_min_messages": "warning",
    "shared_buffers": "32MB",
}


class Server:
    """One server on one port, with its data in one folder."""

    def __init__(self, folder: Path, **settings: str) -> None:
        """Makes the data folder; `start` comes next. `folder` must not exist yet."""
        self.environment: dict[str, str] = {}  # of the server itself, as LD_PRELOAD
        self.data = own_folder(folder) / "data"
        self.port = free_ports(1)[0]
        self._settings = {**SETTINGS, **settings}
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped: list[psutil.Process] = []
        password = folder / "password"
        password.write_text(PASSWORD)
        made = subprocess.run(
            unprivileged([
                postgres("initdb"), "-D", str(self.data), "-U", USER, f"--pwfile={password}", "--auth=scram-sha-256",
                "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
            ]),
            capture_output=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr.decode()

    def url(
        self, database: str = "postgres", *, user: str = USER, password: str = QUOTED, port: int = 0, options: str = ""
    ) -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{port or self.port}/{database}{options}"

    def start(self) -> None:
        """Start, or start again; returns when it answers."""
        self.begin()
        wait_until(f"PostgreSQL answers on port {self.port}", self._answers)

    def begin(self) -> None:
        """Start without waiting."""
        options = [word for key, value in self._settings.items() for word in ("-c", f"{key}={value}")]
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        command = ["env", *variables, postgres("postgres"), "-D", str(self.data), "-p", str(self.port), *options]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                unprivileged(command),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self.data,
            )

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, f"the server ended by itself\n{self.log()}"
        try:
            self.run("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def run(self, *statements: str, database: str = "postgres") -> list[Any]:
        """Run each statement by itself as the superuser, and return the rows of the last one."""
        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=5) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def shut_down(self) -> None:
        """In order: everything is on the disk, and clients lose their connections."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        self._process.wait(60)
        self._process = None

    def kill(self) -> None:
        """SIGKILL to all of its processes: nothing more is written, and no client is notified."""
        if self._process is not None:
            kill_all(self._process.pid)
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """All of its processes are suspended; connections stay open."""
        assert self._process is not None
        self._stopped = stop_all(self._process.pid)

    def go_on(self) -> None:
        continue_all(self._stopped)
        self._stopped = []

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def log(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]


def is_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0

"""Real processes, started cheaply: one clean process imports everything once and forks a child for each request.

A child calls one function of one module, writes lines of JSON to its pipe, and may be killed at any time. Forking from
a process that never opened a store is as good as starting Python again, and a hundred times faster.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PRELOADED = (
    "holdfast.backends.sqlite", "holdfast.backends.files",
    *(f"tests.crash.{name}" for name in ("worker", "jobs", "scenario", "actors", "movers", "keepers")),
)  # fmt: skip
PATIENCE = 30.0  # seconds; a child that says nothing for longer hangs


def tell(**fields: Any) -> None:
    """One line to the process that started this one, in one write."""
    os.write(1, json.dumps(fields).encode() + b"\n")


class Child:
    """A process, and the lines that it writes."""

    def __init__(self, nursery: Nursery, pid: int, pipe: io.FileIO) -> None:
        self.pid = pid
        self._nursery = nursery
        self._pipe = pipe
        self._rest = b""
        self.lines: list[dict[str, Any]] = []

    def line(self, seconds: float = PATIENCE) -> dict[str, Any] | None:
        """The next line; None at the end. A line that the process died in does not count."""
        end = time.monotonic() + seconds
        while b"\n" not in self._rest:
            if self._pipe.closed:
                return None
            if not select.select([self._pipe], [], [], max(end - time.monotonic(), 0))[0]:
                self.kill()
                raise AssertionError(f"process {self.pid} said nothing for {seconds} s; last: {self.lines[-3:]}")
            data = self._pipe.read(1 << 16)
            if not data:
                self._pipe.close()
                return None
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        self.lines.append(json.loads(line))
        return self.lines[-1]

    def until(self, key: str, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next line that has this key."""
        while (line := self.line(seconds)) is not None:
            if key in line:
                return line
        raise AssertionError(f"process {self.pid} ended before it said {key!r}: {self.lines[-3:]}{self._nursery.log()}")

    def rest(self) -> list[dict[str, Any]]:
        """All lines, to the end."""
        while self.line() is not None:
            pass
        return self.lines

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone with all its locks."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        status = self.wait()
        assert status in (0, -signal.SIGKILL), f"process {self.pid} had failed by itself{self._nursery.log()}"

    def wait(self) -> int:
        """How it ended: 0, or the number of the signal as a negative number."""
        return int(self._nursery._ask({"wait": self.pid}))

    def __del__(self) -> None:
        self._pipe.close()

    def ended_well(self) -> list[dict[str, Any]]:
        lines = self.rest()
        status = self.wait()
        assert status == 0, f"process {self.pid} ended with {status}: {lines[-3:]}{self._nursery.log()}"
        return lines


class Nursery:
    """Where children come from. `preload` is a library for LD_PRELOAD."""

    def __init__(self, log: Path, preload: Path | None = None) -> None:
        self._log = log
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        if preload is not None:
            environment["LD_PRELOAD"] = str(preload)
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.crash.nursery", str(theirs.fileno())],
                cwd=ROOT, pass_fds=[theirs.fileno()], env=environment, stderr=errors, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        theirs.close()

    def start(self, function: str, environ: dict[str, str] | None = None, **arguments: Any) -> Child:
        """A child that calls ``module:function``; a module without a dot is one of this folder."""
        reader, writer = os.pipe()
        pid = self._ask({"start": function, "arguments": arguments, "environ": environ or {}}, writer)
        os.close(writer)
        return Child(self, int(pid), io.FileIO(reader))

    def _ask(self, request: dict[str, Any], *fds: int) -> str:
        socket.send_fds(self._socket, [json.dumps(request).encode()], list(fds))
        answer = self._socket.recv(100)
        assert answer, f"the nursery is gone{self.log()}"
        return answer.decode()

    def log(self) -> str:
        return "\n" + self._log.read_text()[-3000:]

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


# ------------------------------------------------------------------------------------------------ in the nursery


def _serve(fd: int) -> None:
    connection = socket.socket(fileno=fd)
    ended: dict[int, int] = {}
    while True:
        message, fds, _, _ = socket.recv_fds(connection, 1 << 20, 1)
        if not message:
            return
        request = json.loads(message)
        if "wait" in request:
            pid = request["wait"]
            if pid not in ended:
                ended[pid] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            connection.send(str(ended[pid]).encode())
            continue
        pid = os.fork()
        if pid == 0:
            connection.close()
            _child(request, fds[0])
        os.close(fds[0])
        ended.pop(pid, None)  # of an earlier process: the system uses its numbers again
        connection.send(str(pid).encode())


def _child(request: dict[str, Any], pipe: int) -> None:
    code = 1
    try:
        os.dup2(pipe, 1)
        os.close(pipe)
        os.environ.update(request["environ"])
        module, name = request["start"].split(":")
        module = module if "." in module else f"tests.crash.{module}"
        getattr(importlib.import_module(module), name)(**request["arguments"])
        code = 0
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    for module in PRELOADED:
        importlib.import_module(module)
    gc.freeze()  # so that a child does not copy what it never changes
    _serve(int(sys.argv[1]))

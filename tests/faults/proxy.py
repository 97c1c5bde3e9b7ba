"""A TCP proxy between a client and a server, which cuts, holds or refuses connections on command.

A request is what a client sends before the server has answered: for PostgreSQL one statement, or all statements of one
pipeline. Requests are counted over all connections from the moment a fault is set.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Literal

When = Literal["before", "half", "during", "after"]
"""When to cut: before the request reaches the server, in the middle of it, while the server works on it, or when the
server has answered, so that the client never learns what became of it."""

_AT_ONCE = struct.pack("ii", 1, 0)  # close with a reset, as a machine that is gone does
_SYNC = b"S\x00\x00\x00\x04"  # how a client ends a pipeline
_READY = b"Z\x00\x00\x00\x05"  # what PostgreSQL says when it has dealt with all that it was asked


class Proxy:
    def __init__(self, target: int) -> None:
        self._target = ("127.0.0.1", target)
        self._lock = threading.Lock()
        self._flows = threading.Event()
        self._flows.set()
        self._carried: set[Carried] = set()
        self._cut: tuple[int, When] | None = None
        self._leave_open = False
        self.requests = 0
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    # ---------------------------------------------------------------- what a test says

    def cut(self, at: int, when: When, *, leave_open: bool = False) -> None:
        """Cut the connection that sends the nth request from now on. `leave_open` keeps the server's end: it learns
        nothing, as if the network had failed."""
        with self._lock:
            self.requests, self.cuts, self._cut, self._leave_open = 0, 0, (at, when), leave_open

    def heal(self) -> None:
        """No cuts from now on; `requests` counts from here."""
        with self._lock:
            self.requests, self._cut = 0, None

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        """Nothing is forwarded in either direction; what was held back is forwarded afterwards."""
        self._flows.clear()
        try:
            yield
        finally:
            self._flows.set()

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        """The proxy does not listen, and all connections are cut."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut_all()
        try:
            yield
        finally:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def cut_all(self) -> None:
        with self._lock:
            carried = list(self._carried)
        for one in carried:
            one.close()

    def close(self) -> None:
        self._flows.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut_all()

    # ---------------------------------------------------------------- carrying

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=[client], daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        self._flows.wait()
        try:
            server = socket.create_connection(self._target, timeout=10)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        one = Carried(client, server)
        with self._lock:
            self._carried.add(one)
        with contextlib.suppress(OSError, ValueError):
            while self._forward(one):
                pass
        one.close()
        with self._lock:
            self._carried.discard(one)

    def _forward(self, one: Carried) -> bool:
        """Whatever comes next, in whichever direction; False when one side has ended."""
        for source in select.select([one.client, one.server], [], [])[0]:
            data = source.recv(1 << 16)
            if not data:
                return False
            self._flows.wait()
            passed = self._pass_answer(one, data) if source is one.server else self._pass_request(one, data)
            if not passed:
                return False
        return True

    def _pass_answer(self, one: Carried, data: bytes) -> bool:
        if one.fate == "after" and (_READY in data or not one.logged_in):
            return self._end(one)
        one.asked = False
        one.logged_in |= _READY in data
        one.client.sendall(data)
        return True

    def _pass_request(self, one: Carried, data: bytes) -> bool:
        one.fate = one.fate or self._count(one)
        if one.fate == "before":
            return self._end(one)
        if one.fate == "half":
            one.server.sendall(data[: len(data) // 2])
            return self._end(one)
        one.server.sendall(data)
        if one.fate == "during" and (data.endswith(_SYNC) or data[:1] in (b"Q", b"X") or not one.logged_in):
            one.close_client()
            one.wait_for_the_answer()  # so that the server does all of it, before it learns that no client listens
            return self._end(one)
        return True

    def _count(self, one: Carried) -> When | None:
        """Whether this one is to be cut. What follows a request before its answer belongs to it."""
        with self._lock:
            if one.asked:
                return None
            one.asked = True
            self.requests += 1
            if self._cut is None or self._cut[0] != self.requests:
                return None
            self.cuts += 1
            return self._cut[1]

    def _end(self, one: Carried) -> bool:
        one.close_client()
        if self._leave_open:
            while one.server.recv(1 << 16):
                pass
        return False


class Carried:
    """One connection: its two ends."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client = client
        self.server = server
        self.asked = False
        self.logged_in = False
        self.fate: When | None = None

    def wait_for_the_answer(self) -> None:
        found = self.server.recv(1 << 16)
        while self.logged_in and _READY not in found and (data := self.server.recv(1 << 16)):
            found += data

    def close_client(self) -> None:
        with contextlib.suppress(OSError):
            self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        _close(self.client)

    def close(self) -> None:
        self.close_client()
        _close(self.server)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for it
    one.close()

"""Three PostgreSQL servers that Patroni keeps in step through etcd, and of which one leads.

Replication is synchronous and strict: a commit is acknowledged when a second server has it, or not at all. So what was
acknowledged outlives any one server.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.servers.processes import continue_all, kill_all, stop_all, wait_until
from tests.servers.programs import free_ports, own_folder, postgres, unprivileged

USER = "tester"
PASSWORD = "of-the-cluster"  # noqa: S105  of servers that live as long as a test
LEASE = 20  # seconds; the least that Patroni takes. A leader that is silent for longer is replaced.
PATIENCE = 120.0
PAUSE = 0.2  # between two questions to Patroni, which has other things to do


@dataclass
class Node:
    """One server, and the Patroni beside it."""

    name: str
    folder: Path
    port: int
    rest: int
    patroni: subprocess.Popen[bytes] | None = None

    @property
    def postmaster(self) -> int | None:
        """The server's first process. A number that a killed server left behind may be another process's by now."""
        data = self.folder / "data"
        try:
            found = psutil.Process(int((data / "postmaster.pid").read_text().split()[0]))
            return found.pid if found.cwd() == str(data) else None
        except (FileNotFoundError, IndexError, psutil.NoSuchProcess):
            return None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def kill(self) -> None:
        """SIGKILL to Patroni and to all processes of the server, which is not Patroni's child."""
        if self.patroni is not None:
            kill_all(self.patroni.pid)
            self.patroni.wait()
            self.patroni = None
        if self.postmaster is not None:
            kill_all(self.postmaster)

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-3000:]


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = own_folder(folder)
        self._etcd_port, peer_port, *ports = free_ports(8)
        self.nodes = [
            Node(f"node{n}", own_folder(folder / f"node{n}"), ports[n], ports[n + 3]) for n in range(len(ports) // 2)
        ]
        self._etcd = self._run(
            folder, [
                str(Path(sys.executable).with_name("etcd")), "--name", "one", "--data-dir", str(folder / "etcd"),
                "--listen-client-urls", f"http://127.0.0.1:{self._etcd_port}",
                "--advertise-client-urls", f"http://127.0.0.1:{self._etcd_port}",
                "--listen-peer-urls", f"http://127.0.0.1:{peer_port}",
                "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer_port}",
                "--initial-cluster", f"one=http://127.0.0.1:{peer_port}",
            ],
        )  # fmt: skip
        wait_until("etcd answers", lambda: ask(f"http://127.0.0.1:{self._etcd_port}/health"))
        for node in self.nodes:
            self.start(node)
        wait_until("one node leads, and another one has all that it acknowledges", self.is_whole, PATIENCE, PAUSE)

    @property
    def url(self) -> str:
        """Every node, so that a client finds the one that may be written to."""
        hosts = ",".join(node.address for node in self.nodes)
        return f"postgresql://{USER}:{PASSWORD}@{hosts}/postgres?target_session_attrs=read-write"

    def start(self, node: Node) -> None:
        settings = node.folder / "patroni.json"
        settings.write_text(json.dumps(self._settings(node)))  # what is JSON is YAML
        node.patroni = self._run(node.folder, [sys.executable, "-m", "patroni", str(settings)])

    def _run(self, folder: Path, command: list[str]) -> subprocess.Popen[bytes]:
        with (folder / "log").open("ab") as log:
            return subprocess.Popen(
                unprivileged(command), stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder,
                env={**os.environ, "PYTHONWARNINGS": "ignore", "HOME": str(folder)},
            )  # fmt: skip

    def _settings(self, node: Node) -> dict[str, Any]:
        login = {"username": USER, "password": PASSWORD}
        return {
            "scope": "holdfast",
            "name": node.name,
            "restapi": {"listen": f"127.0.0.1:{node.rest}", "connect_address": f"127.0.0.1:{node.rest}"},
            "etcd3": {"host": f"127.0.0.1:{self._etcd_port}"},
            "bootstrap": {
                "dcs": {
                    "ttl": LEASE,
                    "loop_wait": 1,
                    "retry_timeout": 3,
                    "synchronous_mode": True,
                    "synchronous_mode_strict": True,
                    "postgresql": {"use_pg_rewind": True},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums", "no-sync"],
            },
            "postgresql": {
                "listen": node.address,
                "connect_address": node.address,
                "data_dir": str(node.folder / "data"),
                "bin_dir": str(Path(postgres("postgres")).parent),
                "pgpass": str(node.folder / "pgpass"),
                "pg_hba": [
                    "host all all 127.0.0.1/32 scram-sha-256",
                    "host replication all 127.0.0.1/32 scram-sha-256",
                ],
                "authentication": {"superuser": login, "replication": login, "rewind": login},
                "parameters": {"unix_socket_directories": "", "shared_buffers": "32MB", "fsync": "on"},
            },
        }

    # ---------------------------------------------------------------- who leads

    def members(self) -> list[dict[str, Any]]:
        """What the living nodes say about all of them."""
        for node in self.nodes:
            if node.patroni is not None and (found := ask(f"http://127.0.0.1:{node.rest}/cluster")):
                return list(found["members"])
        return []

    def is_whole(self) -> bool:
        """Whether there is a leader, and a second server without which it acknowledges nothing."""
        return self._leader_among(self.members()) is not None

    def wait_until_whole(self) -> Node:
        """The leader, when every other node follows it."""
        found: list[Node] = []

        def follow() -> bool:
            members = self.members()
            leader = self._leader_among(members)
            found[:] = [leader] if leader is not None else []
            return bool(found) and [one["state"] for one in members].count("streaming") == len(self.nodes) - 1

        wait_until("every other node follows the leader", follow, PATIENCE, PAUSE)
        return found[0]

    def wait_for_another_leader(self, old: Node) -> Node:
        found: list[Node] = []

        def leads() -> bool:
            leader = self._leader_among(self.members())
            found[:] = [leader] if leader is not None and leader is not old else []
            return bool(found)

        wait_until(f"another node than {old.name} leads", leads, PATIENCE, PAUSE)
        return found[0]

    def _leader_among(self, members: list[dict[str, Any]]) -> Node | None:
        """Of one answer: who leads may be another one in the next."""
        for node in self.nodes:
            assert node.patroni is None or node.patroni.poll() is None, f"Patroni has ended\n{node.log()}"
        names = {one["role"]: one["name"] for one in members if one["state"] in ("running", "streaming")}
        if "leader" not in names or "sync_standby" not in names:
            return None
        return next(node for node in self.nodes if node.name == names["leader"])

    @contextlib.contextmanager
    def followers_stand_still(self) -> Iterator[None]:
        """They keep their connections, and confirm nothing."""
        leader = self.wait_until_whole()
        postmasters = [node.postmaster for node in self.nodes if node is not leader]
        stopped = [one for pid in postmasters if pid is not None for one in stop_all(pid)]
        try:
            yield
        finally:
            continue_all(stopped)

    def close(self) -> None:
        for node in self.nodes:
            node.kill()
        kill_all(self._etcd.pid)
        self._etcd.wait()


def ask(url: str) -> Any:
    """What the server answers there, or None while none listens."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310  an address on this machine
            return json.loads(answer.read())
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return None

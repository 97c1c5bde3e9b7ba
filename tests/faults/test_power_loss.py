"""The power of a PostgreSQL server goes at a random moment: it recovers, and has everything that was acknowledged.

The server is a real one with its own settings for durability. The shim records what all of its processes write, sync
and rename; `tests/crash/power.py` makes of that what a disk may hold when the power goes; and the server is started on
it, with its own recovery. What the clients were told stands in the same record, in its order.

Two settings let the recorder see everything: `wal_sync_method=fdatasync`, which is Linux's default, and not O_DSYNC;
and `io_method=sync`, and not io_uring. The others let more happen in a short time. The disk is one whose file system
keeps the name of a file that was synced, as ext4, XFS and Btrfs do: PostgreSQL relies on that for files of new tables.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast
from tests.crash import settings, shim
from tests.crash.checker import check, check_all
from tests.crash.ledger import Ledger
from tests.crash.nursery import Nursery
from tests.crash.power import Disk, Image, cuts
from tests.faults.rows import read_rows
from tests.servers.postgres import Server
from tests.servers.programs import give_away

CUTS = max(3, settings.ROUNDS // 10)
LANES = ("a/", "b/")
SEEN = {"wal_sync_method": "fdatasync", "io_method": "sync"}
BUSY = {"shared_buffers": "1MB", "max_wal_size": "32MB", "bgwriter_delay": "10ms", "checkpoint_timeout": "30s"}


@pytest.fixture(scope="module")
def shimmed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Processes that say into the server's record what they were told."""
    folder = tmp_path_factory.mktemp("shim")
    found = Nursery(folder / "log.txt", preload=shim.compiled(folder))
    yield found
    found.close()


@pytest.fixture
def recorded(quick: Path) -> Iterator[Server]:
    """A server with a store, shut down in order; once started again, it is recorded."""
    yield from _recorded(quick)


@pytest.fixture
def careless(quick: Path) -> Iterator[Server]:
    """The same, but it does not wait for its disk."""
    yield from _recorded(quick, fsync="off")


def _recorded(quick: Path, **others: str) -> Iterator[Server]:
    quick.chmod(0o755)
    server = Server(quick / "server", **SEEN, **BUSY, **others)
    server.start()
    holdfast.open(server.url()).close()
    server.shut_down()
    server.environment = {"LD_PRELOAD": str(shim.compiled(quick)), **shim.trouble(server.data)}
    yield server
    server.kill()


def live(server: Server, shimmed: Nursery, seed: str) -> list[Ledger]:
    """Two clients do everything that can be done to threads, and a checkpoint of the server's falls in between."""
    speech = {"SHIM_LOG": server.environment["SHIM_LOG"], "SHIM_FOLDER": ""}
    server.start()
    children = [
        shimmed.start("worker:operate", speech, url=server.url(), lane=lane, seed=seed, count=80) for lane in LANES
    ]
    for child in children:
        for _ in range(60):
            child.until("done")
    server.run("CHECKPOINT")
    ledgers = []
    for lane, child in zip(LANES, children, strict=True):
        ledgers.append(Ledger(lane))
        ledgers[-1].hear(child.ended_well())
    server.kill()
    return ledgers


def power_is_back(server: Server, image: Image) -> None:
    shutil.rmtree(server.data)
    server.data.mkdir(mode=0o700)
    image.lay_out(server.data, server.data)
    # It names a process that is gone with everything else.
    (server.data / "postmaster.pid").unlink(missing_ok=True)
    give_away(server.data)
    server.start()


def heard(image: Image) -> list[Ledger]:
    """What had been acknowledged until then, lane by lane."""
    ledgers = {lane: Ledger(lane) for lane in LANES}
    for lines in image.said.values():
        lanes = [lane for lane in LANES if any(line.get("lane") == lane for line in lines)]
        if lanes:
            ledgers[lanes[0]].hear(lines)
    return list(ledgers.values())


def test_a_server_holds_what_was_acknowledged_when_the_power_goes(recorded: Server, shimmed: Nursery) -> None:
    seed = f"{settings.SEED}/power"
    rng = random.Random(seed)
    base = Disk.of(recorded.data, keeps_names=True)
    whole = live(recorded, shimmed, seed)
    assert all(ledger.acknowledged == 80 for ledger in whole)
    calls = shim.calls(recorded.data)
    recorded.environment = {}
    acknowledged = 0
    for image in cuts(calls, base, rng, {*rng.sample(range(1, len(calls) + 1), CUTS)}):
        with settings.noted(f"the power went after call {image.after} of {len(calls)}; SEED={settings.SEED}"):
            power_is_back(recorded, image)
            ledgers = heard(image)
            acknowledged = max(acknowledged, sum(ledger.acknowledged for ledger in ledgers))
            check(recorded.url(), *ledgers)
            check_all(read_rows(recorded))
        recorded.kill()
    assert acknowledged > 20


def test_a_server_that_does_not_sync_is_found_out(careless: Server, shimmed: Nursery) -> None:
    """By the same checks: they can fail."""
    base = Disk.of(careless.data, keeps_names=True)
    whole = live(careless, shimmed, settings.SEED)
    calls = shim.calls(careless.data)
    careless.environment = {}
    image, _ = cuts(calls, base, random.Random(settings.SEED), {len(calls)})
    power_is_back(careless, image)
    with pytest.raises(AssertionError, match="every acknowledged operation"):
        check(careless.url(), *whole)


def test_the_record_has_all_that_the_server_wrote(recorded: Server, shimmed: Nursery) -> None:
    """What the processes saw at the end is what the recorder made of their calls, but for the files that only a running
    server needs."""
    base = Disk.of(recorded.data, keeps_names=True)
    live(recorded, shimmed, settings.SEED)
    for call in shim.calls(recorded.data):
        if call.kind != "M":
            base.take(call)
    passing = ("postmaster.", "pg_stat", "pg_internal.init", "pg_dynshmem", "pgsql_tmp", "pg_notify", "pg_subtrans")
    for path in sorted(recorded.data.rglob("*")):
        if path.is_file() and not any(one in str(path) for one in passing):
            file = base.names.get(str(path))
            assert file is not None, f"{path} was not recorded"
            file.sync(file.now)
            assert file.synced == path.read_bytes(), path
    assert os.path.exists(recorded.data / "PG_VERSION")

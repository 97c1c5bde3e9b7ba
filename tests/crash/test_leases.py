"""Workers that are stopped, slow or dead, and the ones that take over from them."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import ThreadBusy, UnsafeEffect
from tests.crash import shim
from tests.crash.actors import THREAD
from tests.crash.backends import Where
from tests.crash.nursery import Nursery

TTL = 0.5


def everything(where: Where) -> tuple[Any, ...]:
    with holdfast.open(where.url) as store:
        thread = store.thread(THREAD)
        return thread.history(limit=None), thread.latest(), thread.journal.read(limit=None)


def effects(folder: Path) -> list[str]:
    return (folder / "effects").read_text().split()


@pytest.mark.parametrize("then", ["step", "save", "interrupt", "finish", "leave"])
def test_a_worker_that_was_stopped_is_fenced_at_its_next_write(
    nursery: Nursery, tmp_path: Path, where: Where, then: str
) -> None:
    first = nursery.start("actors:pause_between_steps", url=where.url, folder=str(tmp_path), ttl=TTL, then=then)
    first.until("ready")
    first.send(signal.SIGSTOP)
    second = nursery.start("actors:take_over", url=where.url, folder=str(tmp_path), ttl=TTL, wait=10.0)
    second.ended_well()
    before = everything(where)
    (tmp_path / "go").touch()
    first.send(signal.SIGCONT)
    assert first.until("raised") == {"raised": "Fenced"}
    first.ended_well()
    assert everything(where) == before, "something of the first worker's write was stored"
    assert effects(tmp_path) == ["first", "second"]
    assert before[1].state == {"n": 1, "results": ["did first", "did second"]}
    where.check_all()


def test_a_worker_that_was_stopped_in_a_step_can_not_record_its_result(
    nursery: Nursery, tmp_path: Path, where: Where
) -> None:
    first = nursery.start("actors:pause_in_a_step", url=where.url, folder=str(tmp_path), ttl=TTL)
    first.until("ready")
    first.send(signal.SIGSTOP)
    nursery.start("actors:take_over", url=where.url, folder=str(tmp_path), ttl=TTL, wait=10.0).ended_well()
    before = everything(where)
    (tmp_path / "go").touch()
    first.send(signal.SIGCONT)
    assert first.until("raised") == {"raised": "Fenced"}
    assert everything(where) == before
    assert effects(tmp_path) == ["first", "second", "second"], "only the keyed step that was not recorded is repeated"


def test_a_step_longer_than_the_lease_keeps_it(nursery: Nursery, tmp_path: Path, where: Where) -> None:
    child = nursery.start("actors:long_step", url=where.url, folder=str(tmp_path), ttl=TTL, seconds=4 * TTL)
    child.until("ready")
    end = time.monotonic() + 3 * TTL
    with holdfast.open(where.url) as store:
        while time.monotonic() < end:
            with pytest.raises(ThreadBusy):
                store.thread(THREAD).save({"n": "mine"})
            with pytest.raises(ThreadBusy), store.thread(THREAD).run(ttl=TTL):
                pass
            time.sleep(0.02)
    assert child.until("finished")


def test_a_heartbeat_outlives_one_failure_of_the_disk(shimmed: Nursery, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    child = shimmed.start(
        "actors:long_step", shim.trouble(folder), url=str(folder / "agents.db"), folder=str(tmp_path), ttl=TTL,
        seconds=5 * TTL, trouble=True,
    )  # fmt: skip
    child.until("ready")
    end = time.monotonic() + 3.5 * TTL
    with holdfast.open(folder / "agents.db") as store:
        while time.monotonic() < end:
            lease = store.thread(THREAD).info().lease  # type: ignore[union-attr]
            assert lease is not None
            assert not lease.expired
            time.sleep(0.02)
    assert child.until("finished")


def test_the_lease_of_a_killed_worker_lasts_for_its_ttl_and_no_longer(
    nursery: Nursery, tmp_path: Path, where: Where
) -> None:
    child = nursery.start("actors:long_step", url=where.url, folder=str(tmp_path), ttl=TTL, seconds=60.0)
    child.until("ready")
    child.kill()
    with holdfast.open(where.url) as store:
        with pytest.raises(ThreadBusy):
            store.thread(THREAD).save({"n": "too early"})
        assert store.resumable() == []
        with pytest.raises(UnsafeEffect), store.thread(THREAD).run(ttl=TTL, wait=10.0) as run:
            run.step("slow", lambda: "mine")
        assert run.resumed


def test_a_thread_whose_worker_was_killed_is_listed_when_its_lease_has_run_out(
    nursery: Nursery, tmp_path: Path, where: Where
) -> None:
    child = nursery.start("actors:long_step", url=where.url, folder=str(tmp_path), ttl=TTL, seconds=60.0)
    child.until("ready")
    child.kill()
    end = time.monotonic() + 10
    with holdfast.open(where.url) as store:
        while not store.resumable():
            assert time.monotonic() < end
            time.sleep(0.02)
        assert [info.id for info in store.threads(where={"lease": "expired"})] == [THREAD]

"""The server that leads is killed under load, another one takes over, and everything acknowledged is there, once."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast import Unreachable
from tests.crash.nursery import Nursery
from tests.failover.cluster import PATIENCE, Cluster
from tests.faults.record import Record

FACADES = ("sync", "async")
TAKEOVERS = 2


def test_writers_go_on_with_the_next_leader(cluster: Cluster, nursery: Nursery, tmp_path: Path) -> None:
    """Through both façades, and twice: the second time, the first leader is back as one that follows."""
    record = Record()
    writers = [
        nursery.start("tests.faults.writers:write", url=cluster.url, lane=facade, facade=facade, folder=str(tmp_path))
        for facade in FACADES
    ]
    for _ in range(TAKEOVERS):
        record.hear_until(writers, more=100)
        old = cluster.wait_until_whole()
        old.kill()
        assert cluster.wait_for_another_leader(old).postmaster is not None
        record.hear_until(writers, more=100, seconds=PATIENCE)
        cluster.start(old)
    cluster.wait_until_whole()
    (tmp_path / "enough").touch()
    record.hear_the_rest(writers)
    with holdfast.open(cluster.url) as store:
        record.check(store)


def test_what_no_second_server_has_is_not_acknowledged(cluster: Cluster) -> None:
    """Both followers stand still: the save is not said to be stored. Otherwise it would be gone with the leader."""
    cluster.wait_until_whole()
    with holdfast.open(f"{cluster.url}&timeout=2&retry=2") as store:
        thread = store.thread("alone")
        thread.save({"n": 1})
        with cluster.followers_stand_still(), pytest.raises(Unreachable):
            thread.save({"n": 2}, id="second")
        assert thread.save({"n": 2}, id="second").seq == 2
        assert [info.seq for info in thread.history()] == [2, 1]

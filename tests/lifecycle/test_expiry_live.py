"""Threads that are used while other callers expire threads: a thread in use stays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import holdfast
from tests.support.postgres import schemas

URLS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "agents.db"),
    "postgresql": schemas.url,
}
TTL = 3.0
SECONDS = 7.0


@pytest.mark.parametrize("kind", URLS)
def test_what_is_written_or_read_in_time_stays(kind: str, tmp_path: Path) -> None:
    url = URLS[kind](tmp_path)
    done = threading.Event()
    with holdfast.open(url, ttl=TTL) as store:
        store.thread("read", refresh=True).save({"n": 0})
        store.thread("left").save({"n": 0})

    def write() -> list[str]:
        with holdfast.open(url, ttl=TTL) as store:
            saved: list[str] = []
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                saved.append(store.thread("written").save({"n": len(saved)}).id)
                assert store.thread("read").latest() is not None
                time.sleep(0.05)
            return saved

    def expire() -> int:
        count = 0
        with holdfast.open(url) as store:
            while not done.is_set():
                count += store.expire().expired
                time.sleep(0.02)
        return count

    with ThreadPoolExecutor() as pool:
        writing, expiring = pool.submit(write), [pool.submit(expire) for _ in range(2)]
        saved = writing.result()
        with holdfast.open(url) as store:
            there = [info.id for info in store.thread("written").history(limit=None)]
            assert store.thread("read").latest() is not None
            assert store.thread("left").latest() is None
        done.set()
        assert sum(one.result() for one in expiring) == 1
    assert there == saved[::-1]
    time.sleep(TTL)
    with holdfast.open(url) as store:
        assert store.threads() == []
        assert store.expire().expired == 2
        assert store.verify().faults == ()

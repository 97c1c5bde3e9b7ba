"""Collecting again and again beside writers that save, fork, prune and delete: no reachable value is ever lost.

``LIVE=60 pytest tests/lifecycle/test_collect_live.py`` does it for about a minute on each backend.
"""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path
from typing import Any, Final

import pytest

import holdfast
from holdfast import Retention, Store
from tests.support.urls import URLS

SECONDS: Final = float(os.environ.get("LIVE") or 2)


class Writer:
    """Changes threads that no other writer changes, and knows what each of them must show."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name
        self.rng = random.Random(name)
        self.count = 0
        self.shown: dict[str, list[tuple[str, Any]]] = {}  # by thread: id and state, newest first

    def act(self) -> None:
        self.count += 1
        if not self.shown or self.rng.random() < 0.05:
            self.save(f"{self.name}/{self.count}")
            return
        thread_id = self.rng.choice(sorted(self.shown))
        kind = self.rng.random()
        if kind < 0.6:
            self.save(thread_id)
        elif kind < 0.75:
            self.fork(thread_id)
        elif kind < 0.9:
            self.prune(thread_id)
        elif len(self.shown) > 6:
            self.store.thread(thread_id).delete()
            del self.shown[thread_id]
        self.check(self.rng.choice(sorted(self.shown)))

    def save(self, thread_id: str) -> None:
        known = self.shown.setdefault(thread_id, [])
        items = list(known[0][1]["items"]) if known else []
        if len(items) > 12:
            items = items[-2:]
        items.append(f"{self.count} " * self.rng.choice([5, 60, 900]))
        state = {"items": items, "n": self.count, "page": f"{self.count} " * self.rng.choice([1, 50, 400])}
        saved = self.store.thread(thread_id).save(state)
        known.insert(0, (saved.id, state))

    def fork(self, thread_id: str) -> None:
        place = self.rng.randrange(len(self.shown[thread_id]))
        target = f"{self.name}/{self.count}"
        self.store.thread(thread_id).fork(at=self.shown[thread_id][place][0], to=target)
        self.shown[target] = self.shown[thread_id][place:]

    def prune(self, thread_id: str) -> None:
        count = self.rng.randint(1, 4)
        self.store.thread(thread_id).prune(Retention(keep_last=count))
        del self.shown[thread_id][count:]

    def check(self, thread_id: str) -> None:
        thread = self.store.thread(thread_id)
        found = [thread.load(one.id) for one in thread.history(limit=None)]
        assert [(one.id, one.state) for one in found if one is not None] == self.shown[thread_id], thread_id


@pytest.mark.parametrize("backend", URLS)
def test_nothing_that_can_be_reached_is_lost(backend: str, tmp_path: Path) -> None:
    url = URLS[backend](tmp_path)
    with holdfast.open(url) as store:
        others = store if backend == "memory" else holdfast.open(url, cache=0)
        writers = [Writer(one, str(number)) for number, one in enumerate([store, others])]
        failures: list[BaseException] = []
        end = time.monotonic() + SECONDS
        freed = 0

        def write(writer: Writer) -> None:
            try:
                while time.monotonic() < end and not failures:
                    writer.act()
            except BaseException as error:
                failures.append(error)

        running = [threading.Thread(target=write, args=(writer,)) for writer in writers]
        for one in running:
            one.start()
        while any(one.is_alive() for one in running):
            freed += store.collect().rows
        for one in running:
            one.join()
        if failures:
            raise failures[0]
        report = store.collect()
        assert report.skipped == ()
        for writer in writers:
            for thread_id in writer.shown:
                writer.check(thread_id)
        assert freed + report.rows > 0, "there was nothing to collect, so nothing was tried"
        if others is not store:
            others.close()

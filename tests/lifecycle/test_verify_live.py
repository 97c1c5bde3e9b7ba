"""Verifying beside writers: a change in progress is never reported as damage."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Retention, Store
from tests.lifecycle.damaged_store import message
from tests.support.urls import URLS

ROUNDS = 12


@pytest.mark.parametrize("name", list(URLS))
def test_a_busy_store_is_never_reported_as_damaged(name: str, tmp_path: Path) -> None:
    with holdfast.open(URLS[name](tmp_path)) as store:
        stop = threading.Event()
        errors: list[BaseException] = []
        workers = [threading.Thread(target=_work, args=(store, n, stop, errors)) for n in range(3)]
        for worker in workers:
            worker.start()
        try:
            found = [fault for _ in range(ROUNDS) for fault in store.verify().faults]
        finally:
            stop.set()
            for worker in workers:
                worker.join()
        assert errors == []
        assert found == []
        assert store.verify().faults == ()


def _work(store: Store, number: int, stop: threading.Event, errors: list[BaseException]) -> None:
    try:
        turn = 0
        while not stop.is_set():
            turn += 1
            _turn(store, store.thread(f"t{number}"), f"f{number}-{turn}", turn)
    except BaseException as error:
        errors.append(error)


def _turn(store: Store, thread: Any, fork: str, turn: int) -> None:
    saved = thread.save({"log": [message(n) for n in range(turn % 30)], "turn": turn}, run_id=f"r{turn % 3}")
    thread.put_writes(saved.id, [("log", [message(turn)])], task_id="task")
    thread.journal.append("turn", turn)
    if turn % 5 == 0:
        thread.fork(to=fork).save({"log": [], "turn": -turn})
        thread.label(saved.id, f"at {turn}")
    if turn % 9 == 0:
        thread.prune(Retention(keep_last=4))
        store.thread(fork).delete()
    if turn % 17 == 0:
        store.collect()

"""Both stores are in use while threads are moved."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import holdfast
from holdfast import Conflict, Contended, ThreadBusy
from holdfast.testing.driver import everything, head
from tests.transfer.showing import shown, thread_shown


def test_a_thread_is_followed_while_it_grows(tmp_path: Path) -> None:
    """Each copy is as the source was at some moment; the last one is all of it."""
    with holdfast.open(tmp_path / "a.db") as source, holdfast.open(tmp_path / "b.db") as target:
        ended = threading.Event()

        def work() -> None:
            for n in range(150):
                thread = source.thread("t")
                thread.update({"log": [f"{n} " * 20]}, reduce={"log": holdfast.extend})
                if n % 7 == 0:
                    thread.put_writes(head(thread).id, [("w", n)], task_id="x")
                if n % 20 == 0:
                    thread.fork(to=f"f{n}")
            ended.set()

        worker = threading.Thread(target=work)
        worker.start()
        while not ended.is_set():
            holdfast.copy(source, target)
            found = everything(target.thread("t"))
            assert [one.seq for one in found] == list(range(len(found), 0, -1))
            assert all(len(one.state["log"]) == one.seq for one in found)
        worker.join()
        holdfast.copy(source, target)
        assert shown(target, ("",)) == shown(source, ("",))


def test_a_worker_in_the_target_is_not_disturbed(tmp_path: Path) -> None:
    with holdfast.open("memory:") as source, holdfast.open("memory:") as target:
        source.thread("t").save({"n": 0}, status="running", run_id="r")
        holdfast.copy(source, target)
        source.thread("t").save({"n": 1})
        before = thread_shown(target, "t")["lines"]
        with target.thread("t").run(input={"n": 5}) as run:
            held = thread_shown(target, "t")["lines"]
            with pytest.raises((ThreadBusy, Conflict)):
                holdfast.copy(source, target)
            assert thread_shown(target, "t")["lines"] == held
            run.finish({"n": 6})
        assert before != thread_shown(target, "t")["lines"]


def test_many_copies_at_once_are_one(tmp_path: Path) -> None:
    with holdfast.open("memory:") as source:
        for name in range(20):
            for n in range(5):
                source.thread(f"t{name}").save({"n": n})
        source.thread("t1").fork(to="f").save({"n": 7})
        errors: list[BaseException] = []

        def work() -> None:
            try:
                with holdfast.open(tmp_path / "b.db") as target:
                    holdfast.copy(source, target)
            except Contended:
                pass
            except BaseException as error:
                errors.append(error)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert errors == []
        with holdfast.open(tmp_path / "b.db") as target:
            holdfast.copy(source, target)
            assert shown(target, ("",)) == shown(source, ("",))

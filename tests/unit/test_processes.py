"""Many at once on one file: processes, threads, forked processes, event loops. Nothing is lost and nothing is torn."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import AsyncStore, Store

LIMIT = 60  # seconds until a process that hangs is a failure
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"}
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,  # so that its own children can be ended with it
    )


def finish(*processes: subprocess.Popen[str]) -> list[str]:
    found = []
    try:
        for process in processes:
            out, errors = process.communicate(timeout=LIMIT)
            assert process.returncode == 0, errors
            found.append(out)
    except subprocess.TimeoutExpired:
        pytest.fail(f"still not done after {LIMIT} s: something waits for a lock that no thread holds")
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return found


def run(script: str, *arguments: object) -> str:
    return finish(start(script, *arguments))[0]


def state_of(who: int, n: int) -> dict[str, Any]:
    return {"who": who, "n": n, "log": [f"{who}:{i} " + "word " * 20 for i in range(n % 30)]}


SAVES = """
import sys, holdfast
path, who, thread_id = sys.argv[1], int(sys.argv[2]), sys.argv[3]
store = holdfast.open(path)
thread = store.thread(thread_id)
print("ready", flush=True)
for n in range(100):
    state = {"who": who, "n": n, "log": [f"{who}:{i} " + "word " * 20 for i in range(n % 30)]}
    thread.save(state, id=f"{who}-{n}")
store.close()
"""


def check_whole(store: Store, thread_id: str, wanted: set[str]) -> None:
    """All of them are there, numbered without a gap, each as it was saved, each under the one before."""
    history = store.thread(thread_id).history(limit=None)
    assert {info.id for info in history} == wanted
    assert [info.seq for info in history] == list(range(len(wanted), 0, -1))
    assert [info.parent_id for info in history] == [*(info.id for info in history[1:]), None]
    assert [info.step for info in history] == list(range(len(wanted) - 1, -1, -1))
    for info in history:
        found = store.thread(thread_id).load(info.id)
        assert found is not None
        who, n = map(int, info.id.split("-"))
        assert found.state == state_of(who, n)


@pytest.mark.parametrize("shared", [True, False], ids=["to one thread", "to their own threads"])
def test_four_processes_lose_nothing(tmp_path: Path, shared: bool) -> None:
    path = tmp_path / "p.db"
    names = ["one" if shared else f"own-{who}" for who in range(4)]
    finish(*(start(SAVES, path, who, name) for who, name in enumerate(names)))
    with holdfast.open(path) as store:
        for name in set(names):
            mine = [who for who in range(4) if names[who] == name]
            check_whole(store, name, {f"{who}-{n}" for who in mine for n in range(100)})


def test_four_processes_open_a_new_file_at_once(tmp_path: Path) -> None:
    script = "import sys, holdfast; holdfast.open(sys.argv[1]).thread(sys.argv[2]).save({'n': 1})"
    for attempt in range(4):
        path = tmp_path / f"new-{attempt}.db"
        finish(*(start(script, path, who) for who in range(4)))
        with holdfast.open(path) as store:
            assert [one.id for one in store.threads()] == ["0", "1", "2", "3"]


def test_extending_from_several_processes_keeps_every_item(tmp_path: Path) -> None:
    script = """
        import sys, holdfast
        with holdfast.open(sys.argv[1]) as store:
            for n in range(60):
                store.thread("t").update({"log": [f"{sys.argv[2]}-{n}"]}, reduce={"log": holdfast.extend})
    """
    finish(*(start(script, tmp_path / "p.db", who) for who in range(4)))
    with holdfast.open(tmp_path / "p.db") as store:
        latest = store.thread("t").latest()
        assert latest is not None
        assert sorted(latest.state["log"]) == sorted(f"{who}-{n}" for who in range(4) for n in range(60))
        for who in range(4):
            mine = [one for one in latest.state["log"] if one.startswith(f"{who}-")]
            assert mine == [f"{who}-{n}" for n in range(60)]


def test_only_one_of_many_processes_gets_a_head(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "p.db") as store:
        head = store.thread("t").save({"n": 0})
    script = """
        import sys, holdfast
        with holdfast.open(sys.argv[1]) as store:
            try:
                print("won", store.thread("t").save({"who": sys.argv[3]}, expect_head=sys.argv[2]).id)
            except holdfast.Conflict:
                print("lost")
    """
    answers = finish(*(start(script, tmp_path / "p.db", head.id, who) for who in range(4)))
    assert sorted(answer.split()[0] for answer in answers) == ["lost", "lost", "lost", "won"]


def test_eight_threads_lose_nothing(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "t.db") as store:

        def work(who: int) -> None:
            thread = store.thread("one")
            for n in range(40):
                thread.save(state_of(who, n), id=f"{who}-{n}")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        check_whole(store, "one", {f"{who}-{n}" for who in range(8) for n in range(40)})
        store._calls.engine.cache.clear()
        check_whole(store, "one", {f"{who}-{n}" for who in range(8) for n in range(40)})


def test_eight_threads_lose_nothing_in_memory() -> None:
    with holdfast.open("memory:") as store:

        def work(who: int) -> None:
            for n in range(40):
                store.thread("one").save(state_of(who, n), id=f"{who}-{n}")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        check_whole(store, "one", {f"{who}-{n}" for who in range(8) for n in range(40)})


def test_eight_threads_start_the_same_thread_once(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "t.db") as store:
        for attempt in range(10):
            gate = threading.Barrier(8)

            def work(who: int, attempt: int = attempt, gate: threading.Barrier = gate) -> None:
                gate.wait(LIMIT)
                store.thread(f"t{attempt}", "inner" if who % 2 else "").save({"who": who})

            with ThreadPoolExecutor(8) as pool:
                list(pool.map(work, range(8)))
            assert len(store.thread(f"t{attempt}").history()) == 4
            assert len(store.thread(f"t{attempt}", "inner").history()) == 4


def test_forks_and_saves_from_many_threads_give_forks_that_are_frozen(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "t.db") as store:
        store.thread("t").save({"n": 0})
        forks: list[tuple[str, list[str]]] = []

        def save() -> None:
            for n in range(80):
                store.thread("t").save({"n": n})

        def fork(who: int) -> None:
            for n in range(20):
                made = store.thread("t").fork(to=f"fork-{who}-{n}")
                forks.append((made.id, [info.id for info in made.history(limit=None)]))

        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(save), *(pool.submit(fork, who) for who in range(3))]:
                done.result(LIMIT)
        for name, seen in forks:
            assert [info.id for info in store.thread(name).history(limit=None)] == seen


def test_deletes_and_saves_from_many_threads_end_in_a_whole_thread_or_none(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "t.db") as store:

        def save(who: int) -> None:
            for n in range(30):
                try:
                    store.thread("t", reuse=True).save(state_of(who, n))
                except holdfast.Deleted:
                    continue

        def delete() -> None:
            for _ in range(30):
                store.thread("t").delete()

        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(delete), *(pool.submit(save, who) for who in range(3))]:
                done.result(LIMIT)
        store._calls.engine.cache.clear()
        history = store.thread("t").history(limit=None)
        assert [info.seq for info in history] == list(range(len(history), 0, -1))
        for info in history:
            found = store.thread("t").load(info.id)
            assert found is not None
            assert found.state == state_of(found.state["who"], found.state["n"])


# ------------------------------------------------------------------------------------------------ os.fork


@needs_fork
def test_a_store_opened_before_a_fork_works_in_both(tmp_path: Path) -> None:
    out = run(
        """
        import os, sys, holdfast
        store = holdfast.open(sys.argv[1])
        thread = store.thread("t")
        thread.save({"by": "before"})
        child = os.fork()
        for n in range(50):
            thread.save({"by": "child" if child == 0 else "parent", "n": n})
        if child == 0:
            store.close()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        print(thread.latest().seq)
        store.close()
        """,
        tmp_path / "f.db",
    )
    assert int(out) == 101
    with holdfast.open(tmp_path / "f.db") as store:
        history = store.thread("t").history(limit=None)
        assert [info.seq for info in history] == list(range(101, 0, -1))
        states = [store.thread("t").load(info.id) for info in history]
        assert sum(one is not None and one.state["by"] == "child" for one in states) == 50


@needs_fork
def test_what_a_child_saves_after_its_parent_closed_is_kept(tmp_path: Path) -> None:
    """The parent seems to be the last to close: it must not remove the log that the child writes to."""
    run(
        """
        import os, sys, holdfast
        store = holdfast.open(sys.argv[1])
        store.thread("t").save({"by": "before"})
        to_child, from_parent = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            store.thread("t").save({"by": "child", "n": 0})
            os.write(from_parent[1], b"!")
            os.read(to_child[0], 1)
            for n in range(1, 20):
                store.thread("t").save({"by": "child", "n": n})
            os._exit(0)
        os.read(from_parent[0], 1)
        store.close()
        os.write(to_child[1], b"!")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """,
        tmp_path / "f.db",
    )
    with holdfast.open(tmp_path / "f.db") as store:
        assert [info.seq for info in store.thread("t").history(limit=None)] == list(range(21, 0, -1))


@needs_fork
def test_what_a_parent_saves_after_its_child_closed_is_kept(tmp_path: Path) -> None:
    run(
        """
        import os, sys, holdfast
        store = holdfast.open(sys.argv[1])
        store.thread("t").save({"by": "before"})
        child = os.fork()
        if child == 0:
            store.thread("t").save({"by": "child"})
            store.close()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        for n in range(20):
            store.thread("t").save({"by": "parent", "n": n})
        os._exit(0)
        """,
        tmp_path / "f.db",
    )
    with holdfast.open(tmp_path / "f.db") as store:
        assert [info.seq for info in store.thread("t").history(limit=None)] == list(range(22, 0, -1))


@needs_fork
def test_forks_taken_while_another_thread_saves_work(tmp_path: Path) -> None:
    """Whatever locks the saving thread held at that moment, the child starts without them."""
    run(
        """
        import os, sys, threading, holdfast
        store = holdfast.open(sys.argv[1])
        store.thread("busy").save({"n": 0})
        done = threading.Event()

        def save():
            n = 0
            while not done.is_set():
                store.thread("busy").save({"n": n, "log": ["x" * 100] * (n % 50)})
                store.thread("busy").latest()
                n += 1

        saver = threading.Thread(target=save)
        saver.start()
        children = []
        for number in range(25):
            child = os.fork()
            if child == 0:
                for n in range(3):
                    store.thread(f"child-{number}").save({"n": n})
                assert store.thread(f"child-{number}").latest().state == {"n": 2}
                os._exit(0)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        done.set()
        saver.join()
        store.close()
        assert codes == [0] * 25, codes
        """,
        tmp_path / "f.db",
    )
    with holdfast.open(tmp_path / "f.db") as store:
        found = {one.id: one.checkpoints for one in store.threads(prefix="child-")}
        assert found == {f"child-{number}": 3 for number in range(25)}
        history = store.thread("busy").history(limit=None)
        assert [info.seq for info in history] == list(range(len(history), 0, -1))


@needs_fork
def test_an_async_store_opened_before_a_fork_works_in_both() -> None:
    out = run(
        """
        import asyncio, os, tempfile, holdfast
        folder = tempfile.TemporaryDirectory()
        store = holdfast.open(folder.name + "/f.db")

        async def work(who):
            for n in range(10):
                await store.aio.thread("t").save({"who": who, "n": n})

        asyncio.run(work("before"))
        child = os.fork()
        asyncio.run(work("child" if child == 0 else "parent"))
        if child == 0:
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        print(store.thread("t").latest().seq)
        """
    )
    assert int(out) == 30


@needs_fork
def test_ids_made_after_a_fork_differ() -> None:
    out = run(
        """
        import os
        from holdfast.ids import new_id, new_number
        new_id()
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.write(writing, " ".join([new_id() for _ in range(500)] + [str(new_number())]).encode())
            os._exit(0)
        mine = [new_id() for _ in range(500)]
        os.wait()
        theirs = os.read(reading, 1 << 20).decode().split()
        print(len(set(mine) & set(theirs)))
        """
    )
    assert int(out) == 0


# ------------------------------------------------------------------------------------------------ event loops


def in_loops(*works: Callable[[], Coroutine[Any, Any, Any]]) -> list[Any]:
    """Each in an event loop and a thread of its own."""
    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result(LIMIT) for done in [pool.submit(_in_a_loop, work) for work in works]]


def _in_a_loop(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(work())


def test_several_event_loops_share_one_store(tmp_path: Path) -> None:
    store = asyncio.run(_opened(tmp_path / "a.db"))

    def work(who: int) -> Callable[[], Coroutine[Any, Any, None]]:
        async def saves() -> None:
            await asyncio.gather(*(store.thread("one").save(state_of(who, n), id=f"{who}-{n}") for n in range(25)))

        return saves

    in_loops(*(work(who) for who in range(4)))
    wanted = {f"{who}-{n}" for who in range(4) for n in range(25)}
    history = store.sync.thread("one").history(limit=None)
    assert {info.id for info in history} == wanted
    assert [info.seq for info in history] == list(range(100, 0, -1))
    store.sync.close()


async def _opened(path: Path) -> AsyncStore:
    return await holdfast.aopen(path)


def test_two_async_stores_on_one_file_see_each_other(tmp_path: Path) -> None:
    async def work() -> None:
        async with holdfast.aopen(tmp_path / "a.db") as one, holdfast.aopen(tmp_path / "a.db") as other:
            for n in range(20):
                await (one if n % 2 else other).thread("t").update({"log": [n]}, reduce={"log": holdfast.extend})
            for store in (one, other):
                latest = await store.thread("t").latest()
                assert latest is not None
                assert latest.state["log"] == list(range(20))

    asyncio.run(work())


def test_both_facades_on_one_store_see_each_other(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "a.db") as store:

        async def work() -> None:
            for n in range(10):
                await store.aio.thread("t").save({"n": n})
                store.aio.sync.thread("t").save({"n": n + 100})

        asyncio.run(work())
        latest = store.thread("t").latest()
        assert latest is not None
        assert (latest.seq, latest.state) == (20, {"n": 109})


def test_closing_one_facade_closes_the_other(tmp_path: Path) -> None:
    store = holdfast.open(tmp_path / "a.db")
    aio = store.aio
    asyncio.run(aio.close())
    with pytest.raises(holdfast.Closed):
        store.threads()


def test_the_sync_facade_works_inside_a_running_loop(tmp_path: Path) -> None:
    async def work() -> int:
        with holdfast.open(tmp_path / "a.db") as store:
            return store.thread("t").save({"n": 1}).seq

    assert asyncio.run(work()) == 1


def test_a_cancelled_task_leaves_the_store_usable(tmp_path: Path) -> None:
    async def work() -> None:
        async with holdfast.aopen(tmp_path / "a.db") as store:
            await store.thread("t").save({"n": -1}, id="first")
            for n in range(30):
                task = asyncio.ensure_future(store.thread("t").save(state_of(0, n), id=f"cancelled-{n}"))
                for _ in range(n % 4):
                    await asyncio.sleep(0)
                if task.cancel():  # a save that was done by then is not cancelled any more
                    with pytest.raises(asyncio.CancelledError):
                        await task
            await store.thread("t").save({"n": 100}, id="last")
            history = await store.thread("t").history(limit=None)
            assert [info.seq for info in history] == list(range(len(history), 0, -1))
            assert "last" in {info.id for info in history}
            for info in history:
                found = await store.thread("t").load(info.id)
                assert found is not None
                if info.id.startswith("cancelled-"):
                    assert found.state == state_of(0, int(info.id.removeprefix("cancelled-")))

    asyncio.run(work())


def test_many_cancelled_tasks_leave_the_store_usable(tmp_path: Path) -> None:
    async def work() -> None:
        async with holdfast.aopen(tmp_path / "a.db") as store:
            tasks = [asyncio.ensure_future(store.thread(f"t{n % 5}").save({"n": n})) for n in range(200)]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            answers = await asyncio.gather(*tasks, return_exceptions=True)
            kept = [one for one in answers[1::2] if not isinstance(one, BaseException)]
            assert len(kept) == 100
            for info in kept:
                assert await store.thread(info.thread_id).load(info.id) is not None

    asyncio.run(work())


# ------------------------------------------------------------------------------------------------ calls within calls


@pytest.mark.parametrize("url", ["memory:", "sqlite"])
def test_any_call_may_be_made_while_going_through_a_history(tmp_path: Path, url: str) -> None:
    with holdfast.open(url if url == "memory:" else tmp_path / "n.db") as store:
        thread = store.thread("t")
        for n in range(6):
            thread.save({"n": n})
        seen = []
        for info in thread.history():
            found = thread.load(info.id)
            assert found is not None
            seen.append(found.state["n"])
            for inner in thread.history(2):
                thread.label(inner.id, "seen")
            thread.save({"n": 100})
            thread.fork(info.id, to=f"fork-{info.seq}")
            thread.delete_checkpoints([info.id])
        assert seen == [5, 4, 3, 2, 1, 0]
        assert len(store.threads()) == 7


@pytest.mark.parametrize("url", ["memory:", "sqlite"])
def test_a_reducer_may_use_the_store(tmp_path: Path, url: str) -> None:
    with holdfast.open(url if url == "memory:" else tmp_path / "n.db") as store:
        thread = store.thread("t")
        thread.save({"n": 1})
        calls: list[int] = []

        def reducer(old: int, new: int) -> int:
            if not calls:
                thread.save({"n": 10})  # the head moves under the update
            calls.append(old)
            return old + new

        thread.update({"n": 5}, reduce={"n": reducer})
        latest = thread.latest()
        assert latest is not None
        assert latest.state == {"n": 15}
        assert calls == [1, 10]

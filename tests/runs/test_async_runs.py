"""What only async code can do with a run: coroutine functions, gather, cancellation."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import AsyncStore


@pytest.fixture(params=["memory:", "sqlite", "files"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return {"memory:": "memory:", "sqlite": str(tmp_path / "agents.db"), "files": f"file:{tmp_path / 'agents'}"}[
        request.param
    ]


def within(url: str, work: Callable[[AsyncStore], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with holdfast.aopen(url) as store:
            return await asyncio.wait_for(work(store), 60)

    return asyncio.run(main())


async def double(n: int) -> int:
    await asyncio.sleep(0)
    return 2 * n


def test_a_coroutine_function_is_awaited_in_the_loop(url):
    async def where() -> bool:
        return asyncio.get_running_loop() is not None and threading.current_thread() is threading.main_thread()

    async def work(store):
        async with store.thread("t").run(input={}) as run:
            return await run.step("a", double, 4), await run.step("b", where)

    assert within(url, work) == (8, True)


def test_a_plain_function_runs_on_a_thread_and_holds_no_task_up(url):
    def slow():
        time.sleep(0.4)
        return threading.current_thread().name

    async def work(store):
        ticks = []

        async def tick():
            while True:
                ticks.append(time.monotonic())
                await asyncio.sleep(0.01)

        ticking = asyncio.ensure_future(tick())
        async with store.thread("t").run(input={}) as run:
            there = await run.step("slow", slow)
        ticking.cancel()
        return there, max(b - a for a, b in pairwise(ticks))

    there, gap = within(url, work)
    assert there != threading.main_thread().name
    assert gap < 0.35


@pytest.mark.parametrize("function", [partial(double, 3), lambda: double(3)], ids=["partial", "lambda"])
def test_a_function_that_gives_an_awaitable_is_awaited(url, function):
    async def work(store):
        async with store.thread("t").run(input={}) as run:
            return await run.step("a", function)

    assert within(url, work) == 6


def test_steps_may_be_gathered(url):
    async def work(store):
        thread = store.thread("t")
        calls = []

        async def tool(n):
            calls.append(n)
            await asyncio.sleep(0.01 * (5 - n % 5))
            return n * n

        async def turn():
            async with thread.run() if await thread.latest() else thread.run(input={}) as run:
                found = await asyncio.gather(*(run.step("tool", tool, n, key=f"call-{n}") for n in range(10)))
                if not run.resumed:
                    raise asyncio.CancelledError
                return found

        with pytest.raises(asyncio.CancelledError):
            await turn()
        return await turn(), calls

    found, calls = within(url, work)
    assert found == [n * n for n in range(10)]
    assert sorted(calls) == list(range(10))


def test_gathered_steps_of_one_name_keep_the_order_of_their_calls(url):
    async def work(store):
        thread = store.thread("t")

        async def turn(tool, **options):
            found = []
            async with thread.run(**options) as run:
                found = await asyncio.gather(*(run.step("tool", tool, n) for n in range(8)))
                await run.interrupt()
            return found

        async def slow_first(n):
            await asyncio.sleep(0.05 - n * 0.005)
            return n

        async def never(n):
            raise AssertionError("it was called again")

        await turn(slow_first, input={})
        return await turn(never, resume=None)

    assert within(url, work) == list(range(8))


def test_a_cancelled_task_leaves_the_run_unfinished_and_free(url):
    async def work(store):
        thread = store.thread("t")
        started = asyncio.Event()

        async def turn():
            async with thread.run(input={"n": 0}) as run:
                started.set()
                await run.step("wait", asyncio.sleep, 60)

        task = asyncio.ensure_future(turn())
        await started.wait()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        found = await thread.recover()
        assert (await thread.info()).lease is None
        assert [one.id for one in await store.resumable()] == ["t"]
        return [info.status for info in await thread.history()], [one.name for one in found.unfinished]

    assert within(url, work) == (["running"], ["wait"])


def test_a_task_cancelled_at_any_moment_leaves_the_thread_usable(url):
    async def work(store):
        async def turn(thread, wait=0.0):
            async with thread.run(input={"n": 0}, ttl=0.3, wait=wait) as run:
                for n in range(run.state["n"], 5):
                    await run.step("a", double, n, key=str(n))
                    await run.save({"n": n + 1})

        for n in range(40):
            thread = store.thread(f"t{n}")
            task = asyncio.ensure_future(turn(thread))
            await asyncio.sleep(0.0005 * n)
            task.cancel()
            await asyncio.wait([task])
        for n in range(40):
            await turn(store.thread(f"t{n}"), wait=3)
            assert (await store.thread(f"t{n}").latest()).status == "completed"

    within(url, work)


def test_a_task_cancelled_while_it_enters_does_not_hold_the_thread_for_good(url):
    async def work(store):
        thread = store.thread("t")
        await thread.save({"n": 0})
        backend = store._calls.engine.backend
        find = backend.find

        async def slow(*arguments):
            time.sleep(0.1)
            return await find(*arguments)

        backend.find = slow
        for delay in (0.05, 0.15, 0.25, 0.35):
            task = asyncio.ensure_future(thread.run(ttl=0.3).__aenter__())
            await asyncio.sleep(delay)
            cancelled = task.cancel()
            await asyncio.wait([task])
            if not cancelled or not task.cancelled():
                continue
            await asyncio.sleep(1.0)
            info = await thread.info()
            assert info.lease is None or info.lease.expired, f"cancelled after {delay} s, and held for good"
        del backend.find

    within(url, work)


def held_at_commit(store):
    """The next commit says that it has begun, and ends once it may."""
    begun, may_end = threading.Event(), threading.Event()
    backend = store._calls.engine.backend
    commit = backend.commit

    async def held(batch):
        del backend.commit
        begun.set()
        may_end.wait(60)
        return await commit(batch)

    backend.commit = held
    return begun, may_end


async def cancel_often(task):
    """As a cancel scope of anyio does until the task has ended."""
    for _ in range(5):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)


def test_a_task_cancelled_again_while_it_enters_gives_the_thread_back(url):
    async def work(store):
        thread = store.thread("t")
        await thread.save({"n": 0})
        begun, may_end = held_at_commit(store)
        task = asyncio.ensure_future(thread.run(ttl=3600).__aenter__())
        await asyncio.to_thread(begun.wait, 60)
        await cancel_often(task)
        assert not task.done(), "it waits for the lease that it is taking"
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await thread.info()).lease is None

    within(url, work)


def test_a_task_cancelled_again_while_it_leaves_ends_with_a_free_thread(url):
    async def work(store):
        thread = store.thread("t")
        run = thread.run(input={"n": 0}, ttl=3600)
        await run.__aenter__()
        begun, may_end = held_at_commit(store)
        task = asyncio.ensure_future(run.__aexit__(None, None, None))
        await asyncio.to_thread(begun.wait, 60)
        await cancel_often(task)
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await thread.info()).lease is None

    within(url, work)


def test_the_error_of_a_cancelled_enter_is_not_reported_by_the_loop(url):
    async def work(store):
        thread = store.thread("t")
        reported = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
        async with thread.run(input={"n": 0}):
            task = asyncio.ensure_future(thread.run().__aenter__())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        del task
        gc.collect()
        await asyncio.sleep(0)
        return reported

    assert within(url, work) == []


def test_a_waiting_task_can_be_cancelled(url):
    async def work(store):
        thread = store.thread("t")
        async with thread.run(input={}):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(thread.run(wait=60).__aenter__(), 0.3)
        return [info.status for info in await thread.history()]

    assert within(url, work) == ["completed", "running"]


def test_an_interrupt_leaves_an_async_block(url):
    async def work(store):
        thread = store.thread("t")
        async with thread.run(input={}) as run:
            await run.interrupt("ok?")
        assert (run.interrupted, run.payload) == (True, "ok?")
        async with thread.run(resume=5) as run:
            return await run.interrupt("ok?")

    assert within(url, work) == 5


def test_an_interrupt_passes_through_a_task_group(url):
    async def work(store):
        thread = store.thread("t")
        async with thread.run(input={}) as run:
            await asyncio.gather(run.step("a", double, 1), run.interrupt("ok?"))
        return run.interrupted, (await thread.latest()).status

    assert within(url, work) == (True, "interrupted")


def test_retries_do_not_block_the_loop(url):
    async def work(store):
        tries = []

        async def flaky():
            tries.append(time.monotonic())
            if len(tries) < 3:
                raise ValueError("not yet")
            return "done"

        async with store.thread("t").run(input={}) as run:
            found, _ = await asyncio.gather(run.step("a", flaky, retries=2), asyncio.sleep(0.01))
        return found, len(tries)

    assert within(url, work) == ("done", 3)


def test_many_runs_at_once(url):
    async def work(store):
        async def one(n):
            async with store.thread(f"t{n}").run(input={"n": n}, durability=("sync", "async", "exit")[n % 3]) as run:
                for k in range(3):
                    await run.step("a", double, k)
                    await run.save({"n": n, "k": k})

        await asyncio.gather(*(one(n) for n in range(30)))
        return {info.status for info in await store.threads()}

    assert within(url, work) == {"completed"}

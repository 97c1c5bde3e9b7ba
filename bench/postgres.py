"""`HoldfastSaver` beside LangGraph's `PostgresSaver` and `AsyncPostgresSaver`: one server, one run, in turns.

The calls are those that LangGraph makes for a run of a graph which adds a message of 1 KB a step; see `langgraph`. "At
once" is that many threads, each of which makes its calls one after the other, all on one event loop: LangGraph's savers
through a pool of connections, as their documentation shows, and Holdfast by default. A step is a
`put_writes` and a `put`.

The server runs on the same machine, so that both share its cores with their clients.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from statistics import harmonic_mean, median
from typing import Any

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

import holdfast
from bench.langgraph import Call, Config, Times, messages, noted
from bench.report import Row
from bench.servers import in_schema, server
from bench.speed import timed
from holdfast.adapters.langgraph import HoldfastSaver

STEPS = 40  # of each new thread, where many run at once
LENGTHS = (100, 300, 500, 700, 900)  # at which threads of 1,000 steps are looked at
LATE = 6  # steps of each, there
AT_ONCE = (1, 8, 64, 512)
PROCESSES = (1, 2, 4)
CONNECTIONS = 20

Opener = Callable[[str], AbstractAsyncContextManager[Any]]


def rows() -> Iterator[Row]:
    with server() as url:
        yield from _one_thread(url)
        short = noted(STEPS)
        for count in AT_ONCE:
            steps = STEPS if count < 512 else STEPS // 4
            yield _at_once(url, short[: 2 * steps + 1], count)
        yield _whole_lives(url)
        for count in PROCESSES:
            yield from _processes(url, count)


# ------------------------------------------------------------------------------------------------ one long thread


def _one_thread(url: str) -> Iterator[Row]:
    calls = noted()
    raw = sum(len(one.model_dump_json()) for one in messages(calls))
    times: tuple[list[float], list[float]] = ([], [])
    with HoldfastSaver.from_url(in_schema(url, "long")) as ours, PostgresSaver.from_conn_string(url) as theirs:
        theirs.setup()
        for verb, arguments in calls:
            for saver, taken in zip((ours, theirs), times, strict=True):
                spent = timed(getattr(saver, verb), *arguments)
                if verb == "put":
                    taken.append(spent)
    late = Times(*(median(taken[-50:]) for taken in times))
    yield Row("put at step 1,000 / PostgresSaver", late.ratio, "x", 0.1, _note(late))
    yield _sizes(url, raw)
    with holdfast.open(in_schema(url, "long")) as store:
        yield Row("latest() of the thread, cold", timed(store.thread("bench").latest), "ms")


def _sizes(url: str, raw: int) -> Row:
    """As they were written, within seconds, before any vacuum, with what the tables take while they are empty."""
    with HoldfastSaver.from_url(in_schema(url, "empty")), psycopg.connect(url, autocommit=True) as connection:
        empty, ours, theirs = (_size(connection, schema) for schema in ("empty", "long", "public"))
    note = (
        f"{(ours - empty) / raw:.2f} x beyond {empty / 1e6:.1f} MB of empty tables; PostgresSaver {theirs / raw:.0f} x"
    )
    return Row("1,000 messages of 1 KB: tables / JSON", ours / raw, "x", 1.5, note)


def _size(connection: psycopg.Connection[Any], schema: str) -> int:
    found = connection.execute(
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'",
        (schema,),
    ).fetchone()
    assert found is not None
    return int(found[0])


def _note(times: Times) -> str:
    return f"{times.ours:.2f} ms, PostgresSaver {times.theirs:.2f} ms"


# ------------------------------------------------------------------------------------------------ many at once


@asynccontextmanager
async def _ours(url: str) -> AsyncIterator[HoldfastSaver]:
    saver = HoldfastSaver.from_url(in_schema(url, "many"))
    try:
        yield saver
    finally:
        await saver.astore.close()


@asynccontextmanager
async def _theirs(url: str) -> AsyncIterator[AsyncPostgresSaver]:
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(url, min_size=CONNECTIONS, max_size=CONNECTIONS, kwargs=options) as pool:
        yield AsyncPostgresSaver(pool)  # type: ignore[arg-type]


def _whole_lives(url: str) -> Row:
    """64 threads of 1,000 steps each, which would take the official saver half an hour: so from five places on the way.
    The budget is for threads of this length; new ones are in the rows above."""
    calls = noted()
    places = [_from(calls, length, LATE) for length in LENGTHS]
    ours, theirs = (
        harmonic_mean([asyncio.run(_rate(opener, url, some, 64)) for some in places]) for opener in (_ours, _theirs)
    )
    note = f"{ours:.0f} steps a second, AsyncPostgresSaver {theirs:.0f}"
    return Row("64 threads of 1,000 steps at once: AsyncPostgresSaver / ours", theirs / ours, "x", 1 / 5, note)


def _from(calls: list[Call], length: int, steps: int) -> list[Call]:
    """A put of all that a thread has by this step, and so many steps more."""
    puts = [place for place, call in enumerate(calls) if call.verb == "put"]
    return calls[puts[length] : puts[length + steps] + 1]


def _at_once(url: str, calls: list[Call], count: int) -> Row:
    rates = [asyncio.run(_rate(opener, url, calls, count)) for opener in (_ours, _theirs, _ours, _theirs)]
    ours, theirs = max(rates[::2]), max(rates[1::2])
    note = f"{ours:.0f} steps a second, AsyncPostgresSaver {theirs:.0f}"
    return Row(f"{count} new threads at once: AsyncPostgresSaver / ours", theirs / ours, "x", None, note)


async def _rate(opener: Opener, url: str, calls: list[Call], count: int) -> float:
    """Steps a second."""
    async with opener(url) as saver:
        names = [f"{time.time_ns()}/{number}" for number in range(count)]
        await asyncio.gather(*(_play(saver, calls[:1], name) for name in names))
        start = time.perf_counter()
        await asyncio.gather(*(_play(saver, calls[1:], name) for name in names))
        return (len(calls) - 1) // 2 * count / (time.perf_counter() - start)


async def _play(saver: Any, calls: list[Call], name: str) -> None:
    for verb, (config, *arguments) in calls:
        await getattr(saver, "a" + verb)(_renamed(config, name), *arguments)


def _renamed(config: Config, name: str) -> Config:
    return {**config, "configurable": {**config["configurable"], "thread_id": name}}


# ------------------------------------------------------------------------------------------------ several processes


def _processes(url: str, count: int) -> Iterator[Row]:
    """Workers with 64 threads each; the slowest counts."""
    rate = asyncio.run(_workers(url, count))
    yield Row(f"{count} processes with 64 threads each", rate, "steps/s", None, "both cores are busy with all of it")


async def _workers(url: str, count: int) -> float:
    working = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.postgres", url, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(count)
    ]
    for one in working:
        assert one.stdout is not None
        await one.stdout.readline()  # it is ready
    start = time.perf_counter()
    for one in working:
        assert one.stdin is not None
        one.stdin.write(b"go\n")
    outputs = await asyncio.gather(*(one.communicate() for one in working))
    assert all(one.returncode == 0 for one in working), outputs
    return count * 64 * STEPS / (time.perf_counter() - start)


async def _work(url: str) -> None:
    calls = noted(STEPS)[: 2 * STEPS + 1]
    async with _ours(url) as saver:
        names = [f"{time.time_ns()}/{number}" for number in range(64)]
        await asyncio.gather(*(_play(saver, calls[:1], name) for name in names))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await asyncio.gather(*(_play(saver, calls[1:], name) for name in names))


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1]))

"""Checkpoints in the application's own transaction."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from psycopg.rows import dict_row

import holdfast
from holdfast import Conflict, InvalidArgument
from holdfast.testing.driver import head
from tests.postgres.counting import counted
from tests.support.postgres import server


@pytest.fixture
def table(beside):
    beside.execute("CREATE TABLE IF NOT EXISTS orders (id text)")
    beside.execute("DELETE FROM orders")
    beside.commit()
    yield
    beside.rollback()
    beside.execute("DROP TABLE orders")
    beside.commit()


def orders(connection):
    return [row[0] for row in connection.execute("SELECT id FROM orders ORDER BY id")]


def test_checkpoint_and_rows_are_committed_together(store, beside, table):
    inside = store.within(beside).thread("t")
    beside.execute("INSERT INTO orders VALUES ('a')")
    saved = inside.save({"order": "a"})
    assert store.thread("t").latest() is None
    assert inside.latest().state == {"order": "a"}
    beside.commit()
    assert store.thread("t").latest().id == saved.id
    assert orders(beside) == ["a"]


def test_checkpoint_and_rows_are_rolled_back_together(store, opened, beside, table):
    first = store.thread("t").save({"n": 1, "messages": ["x" * 100] * 20})
    beside.execute("INSERT INTO orders VALUES ('a')")
    inside = store.within(beside).thread("t")
    inside.save({"n": 2, "messages": ["y" * 100] * 20})
    inside.put_writes(inside.latest().id, [("n", 3)], task_id="one")
    beside.rollback()
    assert orders(beside) == []
    for one in (store, opened()):
        assert one.thread("t").latest().id == first.id
    store.thread("t").save({"n": 3, "messages": ["x" * 100] * 20 + ["z"]})
    assert opened().thread("t").latest().state == {"n": 3, "messages": ["x" * 100] * 20 + ["z"]}


def test_the_store_itself_remembers_nothing_of_it(store, beside):
    store.thread("t").save({"n": 1})
    store.within(beside).thread("t").save({"n": 2})
    with counted() as sent:
        assert store.thread("t").latest().state == {"n": 1}
    assert sent
    beside.rollback()
    assert store.thread("t").save({"n": 3}).seq == 2


def test_a_conflict_is_raised_as_always(store, beside):
    first = store.thread("t").save({"n": 1})
    store.thread("t").save({"n": 2})
    with pytest.raises(Conflict):
        store.within(beside).thread("t").save({"n": 3}, expect_head=first.id)
    beside.execute("SELECT 1")  # the transaction is still good
    beside.rollback()


def test_several_saves_and_reads_in_one_transaction(store, beside):
    inside = store.within(beside).thread("t")
    for n in range(5):
        inside.save({"n": n, "messages": [str(one) * 50 for one in range(n)]})
    fork = inside.fork(to="fork")
    fork.save({"n": 10})
    assert [info.seq for info in inside.history()] == [5, 4, 3, 2, 1]
    beside.commit()
    assert [one.id for one in store.threads()] == ["fork", "t"]
    assert store.thread("t").latest().state == {"n": 4, "messages": [str(one) * 50 for one in range(4)]}


def test_a_savepoint_takes_back_its_part(store, beside):
    inside = store.within(beside).thread("t")
    inside.save({"n": 1})
    with beside.transaction(force_rollback=True):
        inside.save({"n": 2})
    inside.save({"n": 3})
    beside.commit()
    assert [one.seq for one in store.thread("t").history()] == [2, 1]
    assert store.thread("t").latest().state == {"n": 3}


def test_the_connections_own_ways_do_not_matter(store, schema):
    with psycopg.connect(server(), row_factory=dict_row) as connection:
        store.within(connection).thread("t").save({"n": b"\x00"})
        connection.commit()
    assert store.thread("t").latest().state == {"n": b"\x00"}


def test_a_connection_with_another_encoding_is_refused(store):
    with psycopg.connect(server(), client_encoding="LATIN1") as connection:
        for call in (lambda thread: thread.save({"n": 1}), lambda thread: thread.latest()):
            with pytest.raises(InvalidArgument, match="LATIN1, and Holdfast needs UTF8"):
                call(store.within(connection).thread("müller"))
        connection.execute("SET client_encoding TO 'UTF8'")
        store.within(connection).thread("müller").save({"n": 1})
    assert [one.id for one in store.threads()] == ["müller"]
    assert store.verify().ok


def test_an_async_connection_with_another_encoding_is_refused(store):
    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(server(), client_encoding="WIN1252") as connection:
            await store.aio.within(connection).thread("müller").save({"n": 1})

    with pytest.raises(InvalidArgument, match="needs UTF8"):
        asyncio.run(main())
    assert store.threads() == []


def test_without_a_transaction_it_is_refused(store):
    with psycopg.connect(server(), autocommit=True) as connection:
        with pytest.raises(InvalidArgument, match="no transaction open"):
            store.within(connection).thread("t").save({"n": 1})
        with connection.transaction():
            store.within(connection).thread("t").save({"n": 1})
    assert store.thread("t").latest().state == {"n": 1}


def test_an_async_connection_for_an_async_store(store):
    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(server()) as connection:
            inside = store.aio.within(connection)
            await inside.thread("t").save({"n": 1})
            await connection.rollback()
            await inside.thread("t").save({"n": 2})
            await connection.commit()
            with pytest.raises(InvalidArgument, match="other kind"):
                store.within(connection).thread("t").save({"n": 1})

    asyncio.run(main())
    assert store.thread("t").latest().state == {"n": 2}
    assert store.thread("t").latest().seq == 1


def test_a_sync_connection_is_not_for_an_async_store(store, beside):
    async def main() -> None:
        await store.aio.within(beside).thread("t").save({"n": 1})

    with pytest.raises(InvalidArgument, match="other kind"):
        asyncio.run(main())


async def _own_reducer(inside, path):
    await inside.thread("t").update({"xs": [2]}, reduce={"xs": lambda old, new: [*old, *new]})
    return (await inside.thread("t").latest()).state == {"xs": [1, 2]}


async def _export(inside, path):
    await inside.export(["t"], path)
    await inside.import_(path, as_={"t": "again"})
    return (await inside.thread("again").latest()).state == {"xs": [1]}


async def _run_with_a_backlog(inside, path):
    async with inside.thread("run").run(input={"n": 1}, durability="async") as run:
        await run.step("step", lambda: 1)
        await run.save({"n": 2})
        await run.finish({"n": 3})
    return (await inside.thread("run").latest()).state == {"n": 3}


async def _copy_out(inside, path):
    with holdfast.open("memory:") as other:
        await holdfast.acopy(inside, other.aio)
        return head(other.thread("t")).state == {"xs": [1]}


async def _copy_in(inside, path):
    with holdfast.open("memory:") as other:
        other.thread("copied").save({"n": 1})
        await holdfast.acopy(other.aio, inside)
    return (await inside.thread("copied").latest()).state == {"n": 1}


@pytest.mark.parametrize("work", [_own_reducer, _export, _run_with_a_backlog, _copy_out, _copy_in])
@pytest.mark.parametrize("kept", [True, False])
def test_what_a_worker_thread_does_is_part_of_the_async_transaction_too(store, opened, tmp_path, work, kept):
    store.thread("t").save({"xs": [1]})
    before = [(one.id, one.checkpoints) for one in store.threads()]

    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(server()) as connection:
            assert await work(store.aio.within(connection), tmp_path / "bundle")
            assert [(one.id, one.checkpoints) for one in opened().threads()] == before
            if not kept:
                await connection.rollback()

    asyncio.run(main())
    after = [(one.id, one.checkpoints) for one in opened().threads()]
    assert (after != before) == (kept and work is not _copy_out)
    assert opened().verify().ok


def test_workers_and_tasks_share_one_async_connection(store, opened):
    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(server()) as connection:
            inside = store.aio.within(connection)
            await inside.thread("t").save({"xs": []})
            grown = [
                inside.thread("t").update({"xs": [n]}, reduce={"xs": lambda old, new: [*old, *new]}) for n in range(8)
            ]
            await asyncio.gather(*grown, *(inside.thread(f"other {n}").save({"n": n}) for n in range(8)))

    asyncio.run(main())
    assert sorted(opened().thread("t").latest().state["xs"]) == list(range(8))
    assert len(opened().threads("other")) == 8


def test_an_async_connection_whose_loop_has_ended_is_refused(store):
    async def main():
        connection = await psycopg.AsyncConnection.connect(server())
        inside = store.aio.within(connection)
        await inside.thread("t").latest()
        await connection.close()
        return inside

    with pytest.raises(InvalidArgument, match="other kind"):
        asyncio.run(main()).sync.thread("t").latest()


@pytest.mark.parametrize("kind", ["memory:", "sqlite"])
def test_other_backends_refuse(kind, beside, tmp_path):
    where = kind if kind == "memory:" else str(tmp_path / "agents.db")
    with holdfast.open(where) as store, pytest.raises(InvalidArgument, match="PostgreSQL"):
        store.within(beside)


def test_what_is_not_a_connection_is_refused(store):
    with pytest.raises(InvalidArgument, match="psycopg connection"):
        store.within("postgresql://")

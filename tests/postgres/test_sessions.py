"""What a store does to the server's sessions and pages: nothing that stays."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading

import holdfast
from tests.postgres.counting import backend, counted


def work(store) -> None:
    for n in range(8):
        thread = store.thread(f"t{n % 2}", metadata={"n": n})
        info = thread.save({"messages": ["x" * 100] * n})
        thread.put_writes(info.id, [("n", n)], task_id="one")
        thread.latest()
    store.threads()


def test_a_session_is_left_as_it_was(store):
    """A transaction pooler gives a session to another client after every transaction."""
    work(store)
    ((_, connection),) = backend(store)._thread_connector._idle
    asked = "SELECT name FROM pg_settings WHERE source = 'session'"
    assert connection.execute(asked).fetchall() == []
    assert connection.execute("SELECT name FROM pg_prepared_statements").fetchall() == []
    locks = "SELECT locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'"
    assert connection.execute(locks).fetchall() == []


def test_statements_are_prepared_if_that_is_asked_for(opened):
    store = opened("prepare=2")
    work(store)
    ((_, connection),) = backend(store)._thread_connector._idle
    assert connection.execute("SELECT name FROM pg_prepared_statements").fetchall() != []


def test_limits_are_set_for_every_statement(opened):
    store = opened("timeout=7", "lock_timeout=3")
    asked = b"SELECT current_setting('statement_timeout'), current_setting('lock_timeout')"
    used = backend(store)._thread_connector
    assert holdfast._drive.run(used.fetch, asked, ()) == [("7s", "3s")]


def test_saves_rewrite_the_line_on_its_page(store, beside):
    thread = store.thread("t")
    for n in range(300):
        thread.save({"n": n})
    store.close()
    for _ in range(100):
        beside.execute("SELECT pg_stat_clear_snapshot()")
        ((updates, hot),) = beside.execute(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables"
            " WHERE schemaname = current_schema() AND relname = 'line'"
        ).fetchall()
        if updates >= 299:
            break
        beside.execute("SELECT pg_sleep(0.1)")
    assert updates >= 299
    assert hot > 0.9 * updates


def test_waiting_writers_share_a_commit(store):
    async def main() -> int:
        threads = [store.aio.thread(str(n)) for n in range(64)]
        await asyncio.gather(*(thread.save({"n": 0}) for thread in threads))
        with counted() as sent:
            await asyncio.gather(*(thread.save({"n": 1}) for thread in threads))
        return len(sent)

    assert asyncio.run(main()) <= 6
    assert [one.checkpoints for one in store.threads()] == [2] * 64


def test_a_locked_thread_holds_up_no_other_writer(store, beside):
    for n in range(10):
        store.thread(str(n)).save({"n": 0})
    beside.execute("SELECT 1 FROM line JOIN thread USING (tree, line) WHERE id = '3' FOR UPDATE OF line")

    async def main() -> list[int]:
        saves = {n: asyncio.ensure_future(store.aio.thread(str(n)).save({"n": 1})) for n in range(10)}
        done, _ = await asyncio.wait([save for n, save in saves.items() if n != 3], timeout=5)
        early = [info.result().seq for info in done]
        assert not saves[3].done()
        beside.rollback()
        early.append((await saves[3]).seq)
        return early

    assert asyncio.run(main()) == [2] * 10


def test_a_member_that_fails_fails_alone(store, beside):
    for n in range(10):
        store.thread(str(n)).save({"messages": ["x" * 100] * 3})
    beside.execute("UPDATE chunk SET hi = lo")
    beside.execute(
        "INSERT INTO chunk SELECT chunk.tree, log, 1, 1, 1, body, chunk.sum FROM chunk JOIN thread USING (tree)"
        " WHERE id = '3'"
    )
    beside.commit()

    async def main():
        saves = [store.aio.thread(str(n)).save({"messages": ["x" * 100] * 4}) for n in range(10)]
        return await asyncio.gather(*saves, return_exceptions=True)

    found = asyncio.run(main())
    assert [n for n, one in enumerate(found) if isinstance(one, BaseException)] == [3]
    assert isinstance(found[3], holdfast.StorageFailed)


# ------------------------------------------------------------------------------------------------ loops and threads


def test_loops_and_threads_at_once_on_one_store(store):
    def in_loop(name: str) -> None:
        async def main() -> None:
            for n in range(10):
                await asyncio.gather(*(store.aio.thread(f"{name}{k}").save({"n": n}) for k in range(4)))

        asyncio.run(main())

    def in_thread(name: str) -> None:
        for n in range(10):
            store.thread(name).save({"n": n})

    workers = [threading.Thread(target=in_loop, args=(f"loop{n}-",)) for n in range(3)]
    workers += [threading.Thread(target=in_thread, args=(f"thread{n}",)) for n in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert {one.checkpoints for one in store.threads()} == {10}
    assert len(store.threads()) == 15


def test_everyone_updates_one_thread(store, opened):
    other = opened()

    async def main() -> None:
        await asyncio.gather(
            *(
                one.aio.thread("t").update({"log": [n]}, reduce={"log": holdfast.extend})
                for n in range(20)
                for one in (store, other)
            )
        )

    store.thread("t").save({"log": []})
    asyncio.run(main())
    assert sorted(store.thread("t").latest().state["log"]) == sorted([*range(20), *range(20)])


def test_loops_that_ended_leave_no_connections(store, beside):
    for n in range(5):
        asyncio.run(store.aio.thread("t").save({"n": n}))
    assert len(backend(store)._loops) <= 1
    asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
    for _ in range(100):
        ((left,),) = beside.execute(asked, (f"holdfast-{os.getpid()}",)).fetchall()
        if left <= 1:
            break
        beside.execute("SELECT pg_sleep(0.05)")
    assert left <= 1
    assert store.thread("t").latest().seq == 5


def test_a_cancelled_save_leaves_the_store_usable(store):
    async def main() -> None:
        threads = [store.aio.thread(str(n)) for n in range(30)]
        for _ in range(5):
            saves = [asyncio.ensure_future(thread.save({"n": 1})) for thread in threads]
            await asyncio.sleep(0.001)
            for save in saves[::3]:
                save.cancel()
            await asyncio.wait(saves, timeout=20)
            assert all(save.done() for save in saves)
        await asyncio.wait_for(asyncio.gather(*(thread.save({"n": 2}) for thread in threads)), 20)
        assert (await threads[7].latest()).state == {"n": 2}

    asyncio.run(main())


def test_a_loop_that_is_closed_with_the_store_open_says_nothing(url):
    """As in a worker that makes a loop for each job."""
    program = """if True:
        import asyncio, gc, sys
        import holdfast

        store = holdfast.open(sys.argv[1])

        async def job(n):
            await asyncio.gather(*(store.aio.thread(f"t{m}").save({"n": n}) for m in range(5)))
            return (await store.aio.thread("t0").latest()).state["n"]

        for n in range(3):
            loop = asyncio.new_event_loop()
            print(loop.run_until_complete(job(n)))
            loop.close()
            del loop
            gc.collect()
    """
    done = subprocess.run([sys.executable, "-X", "dev", "-c", program, url], capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (["0", "1", "2"], "")


def test_the_sync_store_works_inside_a_running_loop(store):
    async def main() -> None:
        store.thread("t").save({"n": 1})
        await store.aio.thread("t").save({"n": 2})
        assert store.thread("t").latest().state == {"n": 2}

    asyncio.run(main())


# ------------------------------------------------------------------------------------------------ forks

FORKING = """
import os, sys, holdfast
store = holdfast.open(sys.argv[1])
store.thread("t").save({"n": 0})
child = os.fork()
if child == 0:
    for n in range(20):
        store.thread("child").save({"n": n})
    assert store.thread("t").latest().state["n"] >= 0
    os._exit(0)
for n in range(20):
    store.thread("t").save({"n": n})
_, status = os.waitpid(child, 0)
assert status == 0, status
assert store.thread("t").latest().state == {"n": 19}
assert store.thread("child").latest().state == {"n": 19}
store.close()
"""


def test_a_forked_child_opens_connections_of_its_own(store, url):
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", FORKING, url], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert {one.id: one.checkpoints for one in store.threads()} == {"t": 21, "child": 20}


def test_long_ids_are_kept_apart(store):
    names = ["é" * 1023 + one for one in "abc"] + ["\U0001f600" * 1024, "\U0001f600" * 1023]
    rare = ["".join(chr(0x10000 + (n * 7919 + k * 104729) % 0x20000) for n in range(1024)) for k in range(3)]
    for n, name in enumerate([*names, *rare]):
        thread = store.thread(name, metadata={"n": name})
        thread.save({"n": n}, id=name)
        thread.put_writes(name, [("n", n)], task_id=name)
        thread.journal.append("note", n, key=name)
        store.thread(name, name).save({"n": n})
    for n, name in enumerate([*names, *rare]):
        assert store.thread(name).load(name).state == {"n": n}
        assert store.thread(name, name).latest().state == {"n": n}
        assert len(store.thread(name).latest().pending_writes) == 1
    assert [one.id for one in store.threads()] == sorted([*names, *rare])
    assert [one.id for one in store.threads(prefix="é" * 1023)] == names[:3]
    assert [one.id for one in store.threads(after=sorted([*names, *rare])[3])] == sorted([*names, *rare])[4:]


def test_what_is_not_holdfasts_in_the_url_is_libpqs(store, url):
    with holdfast.open(url.replace("application_name=holdfast", "application_name=mine")) as other:
        ((_, connection),) = backend(other)._thread_connector._idle
        assert connection.execute("SHOW application_name").fetchall() == [(f"mine-{os.getpid()}",)]

"""How often the server is asked."""

from __future__ import annotations

import asyncio
from typing import Any

import holdfast
from tests.postgres.counting import counted


def grown(count: int) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": f"{n}: " + "lorem ipsum " * 8} for n in range(count)]}


def test_a_save_on_a_cached_base_is_one_round_trip(store):
    thread = store.thread("t")
    thread.save(grown(10))
    with counted() as sent:
        thread.save(grown(11))
        thread.update({"messages": ["more"]}, reduce={"messages": holdfast.extend})
    assert len(sent) == 2
    assert all(".apply_1(" in one for one in sent)


def test_a_ttl_costs_no_round_trip_more(store):
    thread = store.thread("t", ttl=3600, refresh=True)
    thread.save(grown(10))
    with counted() as sent:
        thread.save(grown(11))
        thread.put_writes(thread.save(grown(12)).id, [("messages", "a")], task_id="one")
        thread.latest()
    assert sum(".apply_1(" in one for one in sent) == 3
    assert not [one for one in sent if "clock" in one]


def test_an_async_save_on_a_cached_base_is_one_round_trip(store):
    async def main() -> list[str]:
        thread = store.aio.thread("t")
        await thread.save(grown(10))
        with counted() as sent:
            await thread.save(grown(11))
        return sent

    assert len(asyncio.run(main())) == 1


def test_a_new_thread_takes_one_look_and_one_commit(store):
    with counted() as sent:
        store.thread("t").save(grown(1))
    assert len(sent) == 2


def test_pending_writes_are_one_commit(store):
    thread = store.thread("t")
    info = thread.save(grown(3))
    with counted() as sent:
        thread.put_writes(info.id, [("messages", "a"), ("messages", "b")], task_id="one")
    assert sum(".apply_1(" in one for one in sent) == 1
    assert len(sent) <= 2


def test_a_cold_latest_of_a_long_thread_takes_three_round_trips_at_most(store, opened):
    thread = store.thread("t")
    for n in range(1, 11):
        thread.save(grown(100 * n))
    cold = opened()
    with counted() as sent:
        found = cold.thread("t").latest()
    assert found.state == grown(1000)
    assert len(sent) <= 3


def test_a_page_of_history_takes_two_round_trips_at_most(store, opened):
    for n in range(30):
        store.thread("t").save({"n": n})
    cold = opened()
    with counted() as sent:
        assert len(cold.thread("t").history(20)) == 20
    assert len(sent) <= 2


def test_a_step_of_a_run_is_two_commits(store):
    with store.thread("t").run(input={"n": 1}) as run:
        run.step("warm", lambda: 1)
        with counted() as sent:
            run.step("one", lambda: 1)
    assert sum(".apply_1(" in one for one in sent) == 2
    assert len(sent) <= 4  # the store's clock is asked before each, since a write renews the lease

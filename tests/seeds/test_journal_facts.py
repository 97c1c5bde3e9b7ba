"""clawdia's facts about the journal: what a checkpoint may cover, and effects that recovery can trust (16 to 20)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from tests.runs.driver import Calls, Clock, died, failing_appends, killed_in
from tests.support.urls import URLS


@pytest.fixture(params=list(URLS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    with holdfast.open(URLS[request.param](tmp_path)) as store:
        yield store


@pytest.fixture
def clock(store: Any) -> Clock:
    clock = Clock()
    clock.rule(store)
    return clock


def covering(thread: Any, *numbers: int) -> dict[int, str]:
    """A checkpoint for each number, once the journal is that long."""
    found = {}
    for number in numbers:
        while (last := thread.journal.latest()) is None or last.seq < number:
            thread.journal.append("event", {})
        found[number] = thread.save({"n": number}, journal_seq=number).id
    return found


def test_16_a_checkpoint_cannot_cover_a_number_that_is_not_committed(store):
    thread = store.thread("run")
    for _ in range(3):
        thread.journal.append("event", {})
    with pytest.raises(holdfast.InvalidArgument, match="end"):
        thread.save({}, journal_seq=4)
    assert thread.latest() is None
    assert thread.save({}, journal_seq=3).journal_seq == 3


def test_16_an_append_that_failed_may_not_be_covered(store):
    thread = store.thread("run")
    thread.journal.append("event", {})
    appends = failing_appends(store)
    appends.failing = True
    with pytest.raises(holdfast.StorageFailed):
        thread.journal.append("event", {})
    with pytest.raises(holdfast.InvalidArgument):
        thread.save({}, journal_seq=2)


def test_17_at_or_before_picks_the_greatest_covered_number_not_past_the_cursor(store):
    thread = store.thread("run")
    saved = covering(thread, 3, 7, 12)
    found = [thread.at(journal_seq=n) for n in (2, 3, 6, 7, 11, 12, 100)]
    assert [one and one.id for one in found] == [
        None, saved[3], saved[3], saved[7], saved[7], saved[12], saved[12],
    ]  # fmt: skip


def test_17_the_order_is_covered_then_seq_and_never_the_clock(store, clock):
    thread = store.thread("run")
    covering(thread, 7)
    clock.move(-86400)
    second = thread.save({"again": True}, journal_seq=7)
    late = thread.save({"late": True}, journal_seq=4)
    assert thread.at(journal_seq=7).id == thread.at(journal_seq=9).id == second.id
    assert thread.at(journal_seq=5).id == late.id


def test_19_a_failed_intent_append_prevents_the_effect(store):
    appends, calls = failing_appends(store), Calls()
    with pytest.raises(holdfast.StorageFailed), store.thread("run").run(input={}) as run:
        appends.failing = True
        run.step("send", calls)
    assert calls.count == 0
    assert store.thread("run").recover().unfinished == ()


def test_19_a_failed_result_append_leaves_a_record_that_recovery_finds(store):
    appends = failing_appends(store)

    def send():
        appends.failing = True
        return "sent"

    with pytest.raises(holdfast.StorageFailed), store.thread("run").run(input={}) as run:
        run.step("send", send)
    (effect,) = store.thread("run").recover().unfinished
    assert (effect.name, effect.status) == ("send", "unfinished")


def test_20_an_unfinished_effect_that_is_not_safe_to_repeat_refuses_resume_until_the_user_decides(store, clock):
    thread = store.thread("run")
    died(thread, killed_in("send"), input={})
    clock.move(6)
    assert not thread.recover().may_resume
    with pytest.raises(holdfast.UnsafeEffect), thread.run() as run:
        run.step("send", Calls())
    thread.resolve(thread.recover().unfinished[0], result="it was sent")
    assert thread.recover().may_resume
    with thread.run() as run:
        assert run.step("send", Calls()) == "it was sent"


@pytest.mark.parametrize("safe", [{"key": "mail-1"}, {"idempotent": True}])
def test_20_one_that_is_safe_to_repeat_does_not(store, clock, safe):
    thread = store.thread("run")
    died(thread, killed_in("send", **safe), input={})
    clock.move(6)
    assert thread.recover().may_resume
    with thread.run() as run:
        assert run.step("send", Calls("sent"), **safe) == "sent"

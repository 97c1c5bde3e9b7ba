"""clawdia: a checkpoint covers the journal up to a number, and is found by it; terminal states are one rule."""

from __future__ import annotations

import time

import pytest

from holdfast import is_terminal
from holdfast.testing.checkpoints.journal_cover import save_covering


def covered(thread, journal_seq):
    found = thread.at(journal_seq=journal_seq)
    return None if found is None else found.id


def test_save_says_what_it_covers(store):
    saved = save_covering(store.thread("run"), 12)
    assert (saved.journal_seq, saved.is_terminal) == (12, False)


def test_latest_and_an_unknown_run(store):
    thread = store.thread("run")
    assert (thread.latest(), covered(thread, 9)) == (None, None)
    save_covering(thread, 5)
    last = save_covering(thread, 9)
    assert thread.latest().id == last.id


def test_at_or_before_picks_the_greatest_covered_not_past_the_cursor(store):
    thread = store.thread("run")
    saved = {n: save_covering(thread, n).id for n in (3, 7, 12)}
    assert [covered(thread, n) for n in (2, 3, 6, 7, 11, 12, 100)] == [
        None, saved[3], saved[3], saved[7], saved[7], saved[12], saved[12],
    ]  # fmt: skip


def test_the_order_is_covered_then_seq(store):
    thread = store.thread("run")
    first = save_covering(thread, 7)
    second = save_covering(thread, 7)
    late = save_covering(thread, 4)
    assert second.seq > first.seq
    assert (covered(thread, 7), covered(thread, 9), covered(thread, 5)) == (second.id, second.id, late.id)


def test_the_order_is_never_the_clock(store, monkeypatch):
    thread = store.thread("run")
    first = save_covering(thread, 3)
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() - 10**13)
    second = save_covering(thread, 3)
    assert covered(thread, 3) == thread.latest().id == second.id != first.id


def test_the_same_checkpoint_again_is_one(store):
    thread = store.thread("run")
    first = save_covering(thread, 3, id="cp-1")
    assert save_covering(thread, 3, id="cp-1") == first
    assert len(thread.history()) == 1


def test_runs_are_kept_apart(store):
    one, other = store.thread("run-1"), store.thread("run-2")
    save_covering(one, 3)
    save_covering(other, 9)
    assert one.at(journal_seq=99).journal_seq == 3


def test_a_fork_finds_what_it_sees_by_the_journal(store):
    thread = store.thread("run")
    saved = [save_covering(thread, n) for n in (3, 7, 12)]
    fork = thread.fork(saved[1].id)
    assert covered(fork, 99) == saved[1].id
    assert covered(fork, 5) == saved[0].id


@pytest.mark.parametrize(
    "status",
    ["completed", "failed", "cancelled", "terminal", "terminal:timeout", "COMPLETED", "Terminal:X", "terminal:"],
)
def test_a_state_that_ends_a_run_is_terminal(store, status):
    assert is_terminal(status)
    thread = store.thread("run")
    assert thread.save({}, status=status).is_terminal
    assert thread.latest().is_terminal
    assert thread.history()[0].is_terminal


@pytest.mark.parametrize("status", ["running", "", "paused", "terminally ill", "complete", "failed?", "interrupted"])
def test_any_other_state_is_not(store, status):
    assert not is_terminal(status)
    assert not store.thread("run").save({}, status=status).is_terminal

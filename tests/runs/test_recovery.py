"""Recovery: what a supervisor sees of a thread, and which threads it has to see."""

from __future__ import annotations

import pytest

import holdfast
from tests.runs.driver import Calls, died, killed_in


def test_a_thread_that_was_never_run(thread):
    found = thread.recover()
    assert (found.checkpoint, found.tail, found.finished, found.unfinished) == (None, (), (), ())
    assert not found.may_resume
    assert "input" in found.why


def test_a_worker_that_holds_it(thread, other):
    with thread.run(input={"n": 0}, worker="one") as run:
        run.step("a", lambda: 1)
        found = other.recover()
        assert not found.may_resume
        assert "one" in found.why


def test_a_worker_that_died_between_steps(thread, other, clock):
    died(thread, lambda run: (run.step("a", lambda: 1), run.save({"n": 1}), run.step("b", lambda: 2)), input={"n": 0})
    clock.move(6)
    found = other.recover()
    assert (found.may_resume, found.why) == (True, "")
    assert found.checkpoint.state == {"n": 1}
    assert [entry.kind for entry in found.tail] == ["holdfast.intent", "holdfast.result"]
    assert [(one.name, one.status, one.result) for one in found.finished] == [("b", "done", 2)]
    assert found.unfinished == ()


def test_a_worker_that_died_in_a_step(thread, other, clock):
    died(thread, killed_in("pay"), input={"n": 0})
    clock.move(6)
    found = other.recover()
    assert not found.may_resume
    assert "'pay'" in found.why
    (effect,) = found.unfinished
    assert (effect.seq, effect.name, effect.status, effect.safe_to_repeat) == (1, "pay", "unfinished", False)
    assert effect.started_at.tzinfo is not None


@pytest.mark.parametrize("safe", [{"key": "k"}, {"idempotent": True}])
def test_a_worker_that_died_in_a_step_that_is_safe_to_repeat(thread, other, clock, safe):
    died(thread, killed_in("pay", **safe), input={"n": 0})
    clock.move(6)
    found = other.recover()
    assert (found.may_resume, found.why) == (True, "")
    assert found.unfinished[0].safe_to_repeat


@pytest.mark.parametrize("decision", [{"result": 1}, {"retry": True}])
def test_a_decision_lets_it_resume(thread, other, clock, decision):
    died(thread, killed_in("pay"), input={"n": 0})
    clock.move(6)
    other.resolve(other.recover().unfinished[0], **decision)
    found = other.recover()
    assert (found.may_resume, found.unfinished) == (True, ())


def test_what_is_to_be_called_again_has_not_finished(thread, other, clock):
    died(thread, killed_in("pay"), input={"n": 0})
    other.resolve(1, retry=True)
    assert "pay" not in [one.name for one in other.recover().finished]


@pytest.mark.parametrize("safe", [{"key": "k"}, {"idempotent": True}])
def test_a_step_that_was_called_again_is_one_effect(thread, other, clock, safe):
    died(thread, killed_in("pay", **safe), input={"n": 0})
    clock.move(6)
    died(other, lambda run: run.step("pay", lambda: "paid", **safe))
    clock.move(6)
    found = thread.recover()
    assert ([one.status for one in found.finished], found.unfinished) == (["done"], ())
    assert len(thread.effects_after(found.checkpoint.id)) == 1


def test_a_step_that_became_safe_and_was_called_again_is_settled(thread, other, clock):
    died(thread, killed_in("read"), input={"n": 0})
    clock.move(6)
    died(other, lambda run: run.step("read", lambda: "text", idempotent=True))
    clock.move(6)
    assert thread.recover().why == ""
    with thread.run() as run:
        assert run.step("read", Calls()) == "text"


def test_a_step_that_failed(thread):
    with pytest.raises(ValueError, match="no"), thread.run(input={"n": 0}) as run:
        run.step("a", Calls(ValueError("no")))
    found = thread.recover()
    (effect,) = found.finished
    assert (effect.status, effect.error_type, effect.error) == ("failed", "ValueError", "no")
    assert (found.may_resume, found.checkpoint.status) == (True, "failed")


def test_a_thread_that_waits(thread):
    with thread.run(input={"n": 0}) as run:
        run.interrupt("ok?")
    found = thread.recover()
    assert not found.may_resume
    assert "resume" in found.why


def test_a_run_that_has_ended(thread):
    with thread.run(input={"n": 0}) as run:
        run.step("a", lambda: 1)
    found = thread.recover()
    assert not found.may_resume
    assert "completed" in found.why


def test_events_of_the_user_are_in_the_tail_and_no_effects(thread, other, clock):
    died(thread, input={"n": 0})
    other.journal.append("note", "seen")
    clock.move(6)
    found = other.recover()
    assert ([entry.data for entry in found.tail], found.finished) == (["seen"], ())
    assert found.may_resume


def test_recovering_changes_nothing(thread, other, clock):
    died(thread, killed_in("pay"), input={"n": 0})
    clock.move(6)
    before = (other.info(), other.history(), other.journal.read())
    assert other.recover() == other.recover()
    assert (other.info(), other.history(), other.journal.read()) == before


def test_a_lease_without_writes_of_a_run_is_known(thread, other, clock):
    died(thread, input={"n": 0})
    assert not other.recover().may_resume
    clock.move(6)
    assert other.recover().may_resume


# ------------------------------------------------------------------------------------------------ resumable


@pytest.fixture
def fleet(store, clock):
    """A thread in every situation."""
    store.thread("1 saved").save({})
    store.thread("2 completed").save({}, status="completed")
    died(store.thread("3 died"), input={})
    died(store.thread("4 died in a step"), killed_in("pay"), input={})
    for name, error in (("5 failed", ValueError), ("6 exited", SystemExit)):
        with pytest.raises(error), store.thread(name).run(input={}):
            raise error
    with store.thread("7 waits").run(input={}) as run:
        run.interrupt()
    with store.thread("8 done").run(input={}):
        pass
    clock.move(6)
    died(store.thread("9 live"), input={})
    return store


def test_what_died_left_or_failed_is_resumable(fleet):
    assert [info.id for info in fleet.resumable()] == ["3 died", "4 died in a step", "5 failed", "6 exited"]


def test_what_a_supervisor_picks_up_is_gone_from_the_list(fleet):
    for info in fleet.resumable():
        thread = fleet.thread(info.id)
        for effect in thread.recover().unfinished:
            thread.resolve(effect, result=None)
        with thread.run() as run:
            if info.id == "4 died in a step":
                run.step("pay", Calls())
    assert fleet.resumable() == []


def test_a_thread_being_worked_on_is_not_listed(fleet):
    with fleet.thread("3 died").run(), fleet.thread("5 failed").run():
        assert [info.id for info in fleet.resumable()] == ["4 died in a step", "6 exited"]


def test_a_deleted_thread_is_not_listed(fleet):
    for info in fleet.resumable():
        fleet.thread(info.id).delete()
    assert fleet.resumable() == []


def test_a_failed_run_that_a_new_one_replaced_is_not_listed(fleet):
    with fleet.thread("5 failed").run(input={"n": 1}):
        pass
    assert "5 failed" not in [info.id for info in fleet.resumable()]


def test_a_thread_taken_up_outside_a_run_after_its_worker_died_is_listed_until_it_is_run(fleet):
    fleet.thread("3 died").save({"n": 1})
    assert "3 died" in [info.id for info in fleet.resumable()]


def test_an_empty_store_has_nothing_to_resume(store):
    assert store.resumable() == []


# ------------------------------------------------------------------------------------------------ the fork hazard


def test_the_effects_after_a_point_are_those_a_fork_would_repeat(thread):
    with thread.run(input={"n": 0}) as run:
        run.step("look", lambda: 1)
        middle = run.save({"n": 1})
        run.step("pay", lambda: "paid", key="order-7")
        run.save({"n": 2})
        run.step("mail", lambda: "sent")
    start = thread.history()[-1]
    assert [one.name for one in thread.effects_after(start.id)] == ["look", "pay", "mail"]
    assert [(one.name, one.key, one.status, one.result) for one in thread.effects_after(middle.id)] == [
        ("pay", "order-7", "done", "paid"),
        ("mail", None, "done", "sent"),
    ]
    assert thread.effects_after(thread.latest().id) == []


def test_a_fork_does_repeat_them(thread):
    calls = Calls()
    with thread.run(input={"n": 0}) as run:
        middle = run.save({"n": 1})
        run.step("pay", calls)
    fork = thread.fork(at=middle.id)
    with fork.run() as run:
        run.step("pay", calls)
    assert calls.count == 2
    assert [one.name for one in fork.effects_after(middle.id)] == ["pay"]


def test_an_unfinished_effect_counts_as_one_that_may_have_happened(thread):
    died(thread, killed_in("pay"), input={"n": 0})
    (effect,) = thread.effects_after(thread.latest().id)
    assert (effect.name, effect.status) == ("pay", "unfinished")


def test_events_are_no_effects(thread):
    start = thread.save({})
    thread.journal.append("note", 1)
    assert thread.effects_after(start.id) == []


def test_the_effects_after_an_unknown_checkpoint_are_not_found(thread):
    thread.save({})
    with pytest.raises(holdfast.NotFound):
        thread.effects_after("unknown")

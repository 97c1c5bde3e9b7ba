"""Steps: an intent, a call, a result; and what comes back when the run is resumed."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import holdfast
from tests.runs.driver import Calls, Killed, died, entered, failing_appends, killed_in, kinds


def resume(thread, clock):
    """The next worker, once the lease of the one that died has run out."""
    clock.move(6)
    return thread.run()


def test_a_step_gives_what_its_function_gives(thread):
    with thread.run(input={}) as run:
        assert run.step("add", lambda a, b: a + b, 2, 3) == 5


def test_an_intent_is_stored_before_the_call_and_a_result_after(thread, other):
    with thread.run(input={}) as run:
        assert run.step("look", kinds, other) == ["holdfast.intent"]
        assert kinds(other) == ["holdfast.intent", "holdfast.result"]


def test_an_intent_that_cannot_be_stored_prevents_the_call(store, thread):
    calls = Calls()
    appends = failing_appends(store)
    with pytest.raises(holdfast.StorageFailed), thread.run(input={}) as run:
        appends.failing = True
        run.step("a", calls)
    assert calls.count == 0


def test_a_result_that_was_not_stored_leaves_the_step_unfinished(store, thread):
    appends = failing_appends(store)

    def works_and_then_the_disk_fails():
        appends.failing = True
        return "sent"

    with pytest.raises(holdfast.StorageFailed), thread.run(input={}) as run:
        run.step("send", works_and_then_the_disk_fails)
    appends.failing = False
    assert [effect.name for effect in thread.recover().unfinished] == ["send"]


def test_a_recorded_result_is_returned_without_a_call(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: {"paid": (1, 2)}), input={})
    calls = Calls()
    with resume(other, clock) as run:
        assert run.step("a", calls) == {"paid": (1, 2)}
    assert calls.count == 0


def test_a_recorded_none_is_a_result(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: None), input={})
    calls = Calls()
    with resume(other, clock) as run:
        assert run.step("a", calls) is None
    assert calls.count == 0


def test_a_recorded_result_is_not_recorded_again(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: 1), input={})
    with resume(other, clock) as run:
        run.step("a", Calls())
        run.step("b", lambda: 2)
    assert kinds(thread) == ["holdfast.intent", "holdfast.result"] * 2


def test_changing_a_replayed_result_changes_nothing_stored(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: [1]), input={})
    for _ in range(2):
        clock.move(6)
        value = died(other).step("a", Calls())
        assert value == [1]
        value.append(2)


def test_steps_of_one_name_are_told_apart_by_their_order(thread, other, clock):
    died(thread, lambda run: [run.step("a", lambda n=n: n) for n in range(3)], input={})
    calls = Calls("new")
    with resume(other, clock) as run:
        assert [run.step("a", calls) for _ in range(4)] == [0, 1, 2, "new"]
    assert calls.count == 1


def test_a_save_starts_the_counting_again(thread, other, clock):
    def work(run):
        run.step("a", lambda: "first")
        run.save({"n": 1})
        run.step("a", lambda: "second")

    died(thread, work, input={"n": 0})
    with resume(other, clock) as run:
        assert run.state == {"n": 1}
        assert run.step("a", Calls()) == "second"
        assert run.step("a", Calls("third")) == "third"


def test_after_the_next_save_nothing_is_remembered(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: "old", key="k"), input={})
    with resume(other, clock) as run:
        assert run.step("a", Calls(), key="k") == "old"
        run.save({"n": 1})
        assert run.step("a", Calls("new"), key="k") == "new"


# ------------------------------------------------------------------------------------------------ keys


def test_a_key_finds_a_step_in_any_order(thread, other, clock):
    died(thread, lambda run: [run.step("pay", lambda k=k: k, key=k) for k in "abc"], input={})
    with resume(other, clock) as run:
        assert [run.step("pay", Calls(), key=key) for key in "cab"] == ["c", "a", "b"]


def test_a_key_is_one_step_within_a_run_too(thread):
    calls = Calls()
    with thread.run(input={}) as run:
        first = run.step("pay", calls, key="k")
        assert run.step("pay", calls, key="k") == first
    assert calls.count == 1


def test_a_key_that_was_recorded_for_another_step_is_diverged(thread, other, clock):
    died(thread, lambda run: run.step("pay", lambda: 1, key="k"), input={})
    with pytest.raises(holdfast.Diverged, match="pay"), resume(other, clock) as run:
        run.step("refund", Calls(), key="k")


def test_an_empty_key_is_refused(thread):
    with pytest.raises(holdfast.FixTheCall), thread.run(input={}) as run:
        run.step("pay", Calls(), key="")


def test_an_unfinished_step_with_a_key_is_called_again(thread, other, clock):
    died(thread, killed_in("pay", key="k"), input={})
    calls = Calls("paid")
    with resume(other, clock) as run:
        assert run.step("pay", calls, key="k") == "paid"
    assert calls.count == 1


def test_an_unfinished_step_that_was_idempotent_is_called_again(thread, other, clock):
    died(thread, killed_in("read", idempotent=True), input={})
    calls = Calls("text")
    with resume(other, clock) as run:
        assert run.step("read", calls) == "text"


def test_an_unfinished_step_that_is_idempotent_now_is_called_again(thread, other, clock):
    died(thread, killed_in("read"), input={})
    with resume(other, clock) as run:
        assert run.step("read", Calls("text"), idempotent=True) == "text"


# ------------------------------------------------------------------------------------------------ unsafe effects


def test_any_other_unfinished_step_is_the_users_to_decide(thread, other, clock):
    died(thread, killed_in("pay"), input={})
    calls = Calls()
    with pytest.raises(holdfast.UnsafeEffect, match="pay") as caught, resume(other, clock) as run:
        run.step("pay", calls)
    assert calls.count == 0
    assert caught.value.effect == 1


def test_it_stays_undecided_however_often_it_is_tried(thread, clock):
    died(thread, killed_in("pay"), input={})
    clock.move(6)
    for _ in range(3):
        with pytest.raises(holdfast.UnsafeEffect), thread.run() as run:
            run.step("pay", Calls())
    assert kinds(thread) == ["holdfast.intent"]


def test_it_happened_with_this_result(thread, other, clock):
    died(thread, killed_in("pay"), input={})
    (effect,) = thread.recover().unfinished
    thread.resolve(effect, result="receipt 7")
    calls = Calls()
    with resume(other, clock) as run:
        assert run.step("pay", calls) == "receipt 7"
    assert calls.count == 0


def test_it_happened_and_gave_nothing(thread, other, clock):
    died(thread, killed_in("pay"), input={})
    thread.resolve(thread.recover().unfinished[0].seq, result=None)
    with resume(other, clock) as run:
        assert run.step("pay", Calls()) is None


def test_it_is_to_be_called_again(thread, other, clock):
    died(thread, killed_in("pay"), input={})
    thread.resolve(thread.recover().unfinished[0], retry=True)
    calls = Calls("paid")
    with resume(other, clock) as run:
        assert run.step("pay", calls) == "paid"
    assert calls.count == 1


def test_called_again_it_may_be_left_unfinished_again(thread, other, clock):
    died(thread, killed_in("pay"), input={})
    thread.resolve(thread.recover().unfinished[0], retry=True)
    clock.move(6)
    died(other, killed_in("pay"))
    (effect,) = other.recover().unfinished
    assert effect.seq == 3
    clock.move(6)
    with pytest.raises(holdfast.UnsafeEffect), thread.run() as run:
        run.step("pay", Calls())


def test_a_decision_after_the_refusal_counts(thread, other, clock):
    died(thread, killed_in("pay"), input={})
    with pytest.raises(holdfast.UnsafeEffect) as caught, resume(other, clock) as run:
        run.step("pay", Calls())
    other.resolve(caught.value.effect, result="receipt")
    with other.run() as run:
        assert run.step("pay", Calls()) == "receipt"


@pytest.mark.parametrize("options", [{}, {"result": 1, "retry": True}, {"result": None, "retry": True}])
def test_a_decision_is_one_of_two(thread, options):
    died(thread, killed_in("pay"), input={})
    with pytest.raises(holdfast.InvalidArgument, match="retry"):
        thread.resolve(1, **options)


def test_a_decision_is_made_once(thread):
    died(thread, killed_in("pay"), input={})
    thread.resolve(1, result=1)
    with pytest.raises(holdfast.Conflict, match="done"):
        thread.resolve(1, retry=True)


@pytest.mark.parametrize("effect", [2, 99, 0, -1])
def test_a_decision_is_about_an_effect(thread, effect):
    died(thread, lambda run: run.step("a", lambda: 1), input={})
    with pytest.raises(holdfast.NotFound):
        thread.resolve(effect, retry=True)


def test_a_result_that_cannot_be_stored_decides_nothing(thread):
    died(thread, killed_in("pay"), input={})
    with pytest.raises(holdfast.EncodeError):
        thread.resolve(1, result=print)
    assert len(thread.recover().unfinished) == 1


# ------------------------------------------------------------------------------------------------ diverging


def test_a_recorded_step_that_is_not_asked_for_is_named(thread, other, clock):
    died(thread, lambda run: (run.step("a", lambda: 1), run.step("b", lambda: 2)), input={})
    with pytest.raises(holdfast.Diverged, match="'b'"), resume(other, clock) as run:
        run.step("a", Calls())
        run.save({"n": 1})
    assert other.latest().state == {}


@pytest.mark.parametrize("end", ["save", "finish", "leave"])
def test_it_is_noticed_at_the_next_boundary(thread, other, clock, end):
    died(thread, lambda run: run.step("a", lambda: 1), input={"n": 0})
    with pytest.raises(holdfast.Diverged, match="'a'"), resume(other, clock) as run:
        if end != "leave":
            getattr(run, end)({"n": 1})
    assert other.latest().state == {"n": 0}
    assert not [one for one in other.history() if one.status == "completed"]


def test_a_run_that_diverged_at_its_end_gives_the_thread_back(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: 1), input={"n": 0})
    with pytest.raises(holdfast.Diverged), resume(other, clock):
        pass
    assert thread.info().lease is None
    with thread.run() as run:
        assert run.step("a", Calls()) == 1


def test_code_that_was_corrected_resumes(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: 1), input={"n": 0})
    with pytest.raises(holdfast.Diverged), resume(other, clock) as run:
        run.save({"n": 1})
    with other.run() as run:
        assert run.step("a", Calls()) == 1
        run.save({"n": 1})
    assert other.latest().status == "completed"


def test_new_steps_among_recorded_ones_are_called(thread, other, clock):
    died(thread, lambda run: run.step("b", lambda: "recorded"), input={})
    with resume(other, clock) as run:
        assert [run.step("a", Calls("new")), run.step("b", Calls())] == ["new", "recorded"]


# ------------------------------------------------------------------------------------------------ errors


def test_an_error_passes_through_and_is_recorded_as_what_ended_the_run(thread):
    with pytest.raises(ValueError, match="no"), thread.run(input={}) as run:
        run.step("a", Calls(ValueError("no")))
    assert kinds(thread) == ["holdfast.intent", "holdfast.error", "holdfast.failed"]


def test_the_error_that_ended_a_run_is_called_again(thread):
    calls = Calls(ValueError("no"), "now it works")
    with pytest.raises(ValueError, match="no"), thread.run(input={}) as run:
        run.step("a", calls)
    with thread.run() as run:
        assert run.step("a", calls) == "now it works"
    assert calls.count == 2


def test_it_is_called_again_each_time_that_it_ends_a_run(thread):
    calls = Calls(*[ValueError(f"no {n}") for n in range(3)], "at last")
    with pytest.raises(ValueError, match="no 0"), thread.run(input={}) as run:
        run.step("a", calls)
    for n in (1, 2):
        with pytest.raises(ValueError, match=f"no {n}"), thread.run() as run:
            run.step("a", calls)
    with thread.run() as run:
        assert run.step("a", calls) == "at last"


def test_an_error_raised_from_a_steps_error_counts_as_its_own(thread):
    calls = Calls(ValueError("no"), "now it works")

    def wrapped(run):
        try:
            run.step("a", calls)
        except ValueError as error:
            raise RuntimeError("the step failed") from error

    with pytest.raises(RuntimeError), thread.run(input={}) as run:
        wrapped(run)
    with thread.run() as run:
        assert run.step("a", calls) == "now it works"


def test_steps_before_the_one_that_failed_are_not_called_again(thread):
    paid, model = Calls("paid"), Calls(ValueError("no"), "text")
    with pytest.raises(ValueError, match="no"), thread.run(input={}) as run:
        run.step("pay", paid)
        run.step("model", model)
    with thread.run() as run:
        assert (run.step("pay", paid), run.step("model", model)) == ("paid", "text")
    assert (paid.count, model.count) == (1, 2)


def caught(run, calls):
    """What a program sees that handles the error of a step and continues."""
    try:
        return run.step("a", calls)
    except (ValueError, holdfast.StepFailed) as error:
        return error


def test_an_error_that_was_caught_is_replayed(thread, other, clock):
    died(thread, lambda run: (caught(run, Calls(ValueError("no"))), run.step("b", lambda: 2)), input={})
    calls = Calls()
    with resume(other, clock) as run:
        error = caught(run, calls)
        assert isinstance(error, holdfast.StepFailed)
        assert (error.error_type, error.text) == ("ValueError", "no")
        assert run.step("b", Calls()) == 2
    assert calls.count == 0


def test_a_replayed_error_that_ends_the_run_is_called_again(thread, other, clock):
    died(thread, lambda run: caught(run, Calls(ValueError("no"))), input={})
    with pytest.raises(holdfast.StepFailed), resume(other, clock) as run:
        run.step("a", Calls())
    with other.run() as run:
        assert run.step("a", Calls("now it works")) == "now it works"


def test_an_error_with_text_that_no_column_holds_is_recorded(thread):
    with pytest.raises(ValueError, match="half"), thread.run(input={}) as run:
        run.step("a", Calls(ValueError("half \ud800 and \0")))
    assert thread.recover().finished[0].error == "half \ud800 and \0"


# ------------------------------------------------------------------------------------------------ retries


def test_a_step_is_tried_again_as_often_as_it_says(thread, monkeypatch):
    calls = Calls(ValueError("1"), ValueError("2"), "third")
    with thread.run(input={}) as run:
        assert run.step("a", calls, retries=2) == "third"
    assert kinds(thread) == ["holdfast.intent", "holdfast.result"]


def test_the_last_error_is_raised(thread):
    calls = Calls(ValueError("1"), ValueError("2"))
    with pytest.raises(ValueError, match="2"), thread.run(input={}) as run:
        run.step("a", calls, retries=1)
    assert calls.count == 2


def test_tries_back_off(thread):
    moments = []

    def fails():
        moments.append(time.monotonic())
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), thread.run(input={}) as run:
        run.step("a", fails, retries=2)
    first, second = moments[1] - moments[0], moments[2] - moments[1]
    assert 0.05 < first < second


def test_an_exit_is_not_tried_again(thread):
    calls = Calls(Killed(), "again")
    with pytest.raises(Killed), thread.run(input={}) as run:
        run.step("a", calls, retries=3)
    assert calls.count == 1


def test_retries_are_not_negative(thread):
    calls = Calls()
    with pytest.raises(holdfast.InvalidArgument, match="retries"), thread.run(input={}) as run:
        run.step("a", calls, retries=-1)
    assert (calls.count, kinds(thread)) == (0, [])


# ------------------------------------------------------------------------------------------------ results


def test_a_result_that_cannot_be_stored_is_refused_with_its_path(thread):
    with pytest.raises(holdfast.EncodeError, match=r"step\['a'\].*\['file'\]") as caught, thread.run(input={}) as run:
        run.step("a", lambda: {"file": print})
    assert "file" in caught.value.path
    assert kinds(thread) == ["holdfast.intent"]
    assert [one.name for one in thread.recover().unfinished] == ["a"]


def test_a_result_may_be_too_large(thread):
    with pytest.raises(holdfast.EncodeError, match="max_result"), thread.run(input={}, max_result=1000) as run:
        assert run.step("small", lambda: b"x" * 900) == b"x" * 900
        run.step("large", lambda: b"x" * 1001)
    assert kinds(thread) == ["holdfast.intent", "holdfast.result", "holdfast.intent"]


@pytest.mark.parametrize("limit", [0, -1])
def test_the_limit_is_above_zero(thread, limit):
    with pytest.raises(holdfast.InvalidArgument, match="max_result"):
        thread.run(input={}, max_result=limit)


def test_a_result_of_some_megabytes_is_fine(thread, other, clock):
    died(thread, lambda run: run.step("a", lambda: b"x" * 5_000_000), input={})
    with resume(other, clock) as run:
        assert len(run.step("a", Calls())) == 5_000_000


# ------------------------------------------------------------------------------------------------ several at once


def test_steps_may_run_in_several_threads(thread, other, clock):
    def work(run):
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(lambda n: run.step("tool", lambda: n * n, key=f"call-{n}"), range(16)))

    wanted = [n * n for n in range(16)]
    died(thread, lambda run: work(run) == wanted or pytest.fail("wrong results"), input={})
    calls = Calls()
    with resume(other, clock) as run, ThreadPoolExecutor(8) as pool:
        again = pool.map(lambda n: run.step("tool", calls, key=f"call-{n}"), range(16))
        assert list(again) == wanted
    assert calls.count == 0


def test_steps_at_once_are_each_called_once(thread):
    called: list[int] = []
    with thread.run(input={}) as run, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: run.step(f"tool-{n}", called.append, n), range(24)))
    assert sorted(called) == list(range(24))
    assert len(thread.journal.read(limit=None)) == 48


# ------------------------------------------------------------------------------------------------ after the end


@pytest.mark.parametrize("call", ["step", "save", "interrupt", "finish"])
def test_nothing_more_happens_after_finish(thread, call):
    def late(run):
        run.finish({"n": 1})
        arguments: dict[str, tuple[object, ...]] = {
            "step": ("a", Calls()), "save": ({},), "interrupt": (), "finish": ({},),
        }  # fmt: skip
        getattr(run, call)(*arguments[call])

    with pytest.raises(holdfast.InvalidArgument, match="finish"), thread.run(input={"n": 0}) as run:
        late(run)
    assert (thread.latest().state, thread.latest().status) == ({"n": 1}, "completed")


@pytest.mark.parametrize("way", ["finish", "interrupt", "error", "exit"])
@pytest.mark.parametrize("call", ["step", "save"])
def test_a_run_that_was_left_does_nothing_more(thread, way, call):
    def leave(run):
        {"finish": lambda: run.finish({}), "interrupt": run.interrupt}.get(way, lambda: None)()
        if way in ("error", "exit"):
            raise {"error": ValueError, "exit": SystemExit}[way]

    try:
        with thread.run(input={}) as run:
            leave(run)
    except (ValueError, SystemExit):
        pass
    before = (thread.history(), kinds(thread))
    with pytest.raises(holdfast.HoldfastError):
        run.step("a", Calls()) if call == "step" else run.save({"n": "late"})
    assert (thread.history(), kinds(thread)) == before


# ------------------------------------------------------------------------------------------------ found by review


def test_a_run_in_another_namespace_has_steps_of_its_own(world):
    store = world.open()
    root, inner = store.thread("n"), store.thread("n", "sub")
    died_with = {"root": root, "sub": inner}
    for name, one in died_with.items():
        with pytest.raises(SystemExit), one.run(input={}) as run:
            run.step("model", Calls(name))
            raise SystemExit
    for name, one in died_with.items():
        with one.run() as run:
            assert run.step("model", Calls("called again")) == name


def test_the_holder_may_update_the_thread_and_continue(thread):
    with thread.run(input={"n": 0}) as run:
        run.thread.update({"n": 1})
        run.save({"n": 2})
    assert [info.source for info in thread.history()] == ["loop", "loop", "update", "input"]


def test_the_holder_may_save_to_an_inner_namespace(world):
    store = world.open()
    with store.thread("n").run(input={}) as run:
        with pytest.raises(holdfast.ThreadBusy):
            store.thread("n", "sub").save({"m": 0})
        run.inner("sub").save({"m": 1})
    assert store.thread("n", "sub").latest().state == {"m": 1}


def test_a_write_after_the_lease_ran_out_fences_its_holder(thread, other, clock):
    run = entered(thread.run(input={"n": 0}, ttl=5))
    clock.move(6)
    other.save({"n": "other"})
    with pytest.raises(holdfast.Fenced):
        run.save({"n": 1})
    assert other.latest().state == {"n": "other"}


def test_an_effect_is_decided_once(thread, other):
    died(thread, killed_in("pay"), input={})
    effect = thread.recover().unfinished[0]
    thread.resolve(effect, result="paid")
    with pytest.raises(holdfast.Conflict):
        other.resolve(effect, retry=True)

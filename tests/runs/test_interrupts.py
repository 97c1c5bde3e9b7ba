"""Interrupts: a run that waits for a person, and resumes with what they said."""

from __future__ import annotations

import pytest

import holdfast
from tests.runs.driver import Calls, died, entered, failing_saves, kinds, states, statuses


def ask(thread, *questions, **options):
    """A run that asks these one after the other, and finishes with the answers."""
    with thread.run(**options) as run:
        answers = [run.interrupt(question) for question in questions]
        run.finish({"answers": answers})
    return run


def test_an_interrupt_saves_and_leaves_the_block(thread):
    reached = []
    with thread.run(input={"n": 0}) as run:
        run.save({"n": 1})
        run.interrupt({"refund": 345})
        reached.append("after")
    assert reached == []
    assert (run.interrupted, run.payload) == (True, {"refund": 345})
    assert (thread.latest().status, thread.latest().state) == ("interrupted", {"n": 1})
    assert not thread.latest().is_terminal


def test_a_run_that_was_not_interrupted_says_so(thread):
    with thread.run(input={}) as run:
        pass
    assert (run.interrupted, run.payload) == (False, None)


@pytest.mark.parametrize("value", ["yes", {"approved": True, "by": ("ada", 1)}, 0, "", False, None])
def test_the_same_call_returns_the_resume_value(thread, value):
    ask(thread, "ok?", input={"n": 0})
    run = ask(thread, "ok?", resume=value)
    assert run.resumed
    assert thread.latest().state == {"answers": [value]}
    assert thread.latest().status == "completed"


def test_the_run_keeps_its_id(thread):
    first = ask(thread, "ok?", input={"n": 0})
    assert ask(thread, "ok?", resume=1).id == first.id


def test_steps_before_it_are_not_called_again(thread):
    calls = Calls("drafted")
    for options in ({"input": {"n": 0}}, {"resume": "send"}):
        with thread.run(**options) as run:
            draft = run.step("draft", calls)
            run.finish({"draft": draft, "said": run.interrupt("send it?")})
    assert thread.latest().state == {"draft": "drafted", "said": "send"}
    assert calls.count == 1


def test_two_in_one_block(thread):
    assert ask(thread, "first?", "second?", input={"n": 0}).payload == "first?"
    again = ask(thread, "first?", "second?", resume="one")
    assert (again.interrupted, again.payload) == (True, "second?")
    ask(thread, "first?", "second?", resume="two")
    assert thread.latest().state == {"answers": ["one", "two"]}
    assert statuses(thread) == ["running", "interrupted", "interrupted", "completed"]


def test_one_after_a_save(thread):
    def turn(**options):
        with thread.run(**options) as run:
            if "a" not in run.state:
                run.save({"a": run.interrupt("a?")})
            run.finish({**run.state, "b": run.interrupt("b?")})

    turn(input={})
    turn(resume=1)
    assert (thread.latest().status, thread.latest().state) == ("interrupted", {"a": 1})
    turn(resume=2)
    assert thread.latest().state == {"a": 1, "b": 2}


def test_names_tell_them_apart(thread):
    def turn(names, **options):
        with thread.run(**options) as run:
            run.finish({name: run.interrupt(name=name) for name in names})

    turn(["legal", "price"], input={})
    turn(["legal", "price"], resume="fine")
    turn(["price", "legal"], resume="42")
    assert thread.latest().state == {"price": "42", "legal": "fine"}


def test_the_payload_is_kept_for_who_asks_later(thread, other):
    ask(thread, {"send": ("mail", b"\0")}, input={"n": 0})
    with pytest.raises(holdfast.Interrupted, match="resume") as caught:
        entered(other.run())
    assert caught.value.payload == {"send": ("mail", b"\0")}


def test_a_payload_that_cannot_be_stored_is_refused_with_its_path(thread):
    with pytest.raises(holdfast.EncodeError, match="interrupt"):
        ask(thread, {"f": print}, input={"n": 0})
    assert "interrupted" not in statuses(thread)


@pytest.mark.parametrize("options", [{}, {"input": {"n": 5}}])
def test_a_thread_that_waits_takes_no_other_run(thread, options):
    ask(thread, "ok?", input={"n": 0})
    with pytest.raises(holdfast.Interrupted, match="resume"):
        entered(thread.run(**options))
    assert (thread.info().lease, statuses(thread)) == (None, ["running", "interrupted"])
    ask(thread, "ok?", resume="still possible")
    assert thread.latest().state == {"answers": ["still possible"]}


def test_a_thread_that_waits_for_nothing_takes_no_value(thread, store, clock):
    with pytest.raises(holdfast.NotInterrupted):
        entered(store.thread("empty").run(resume=1))
    thread.save({}, status="completed")
    with pytest.raises(holdfast.NotInterrupted):
        entered(thread.run(resume=1))
    died(store.thread("unfinished"), input={})
    clock.move(6)
    with pytest.raises(holdfast.NotInterrupted):
        entered(store.thread("unfinished").run(resume=1))
    with pytest.raises(holdfast.NotInterrupted):
        entered(thread.run(input={"n": 1}, resume=1))


def test_a_value_is_taken_once(thread, clock):
    ask(thread, "ok?", input={"n": 0})
    died(thread, resume="yes")
    clock.move(6)
    with pytest.raises(holdfast.NotInterrupted):
        entered(thread.run(resume="no"))
    ask(thread, "ok?")
    assert thread.latest().state == {"answers": ["yes"]}


def test_a_value_that_was_given_outlives_the_worker(thread, other, clock):
    ask(thread, "ok?", input={"n": 0})
    died(thread, lambda run: run.interrupt("ok?"), resume="yes")
    clock.move(6)
    ask(other, "ok?")
    assert thread.latest().state == {"answers": ["yes"]}


def test_a_value_that_cannot_be_stored_leaves_it_waiting(thread):
    ask(thread, "ok?", input={"n": 0})
    with pytest.raises(holdfast.EncodeError):
        entered(thread.run(resume=print))
    assert thread.info().lease is None
    ask(thread, "ok?", resume="yes")
    assert thread.latest().state == {"answers": ["yes"]}


def test_an_interrupt_that_is_not_asked_for_again_is_diverged(thread):
    ask(thread, "ok?", input={"n": 0})
    with pytest.raises(holdfast.Diverged, match="interrupt"), thread.run(resume=1) as run:
        run.save({"n": 1})


def test_a_worker_that_dies_while_it_asks_leaves_it_waiting(store, thread, clock):
    def dies(run):
        saves = failing_saves(store)
        saves.failing = True
        with pytest.raises(holdfast.StorageFailed):
            run.interrupt("ok?")
        saves.failing = False

    died(thread, dies, input={"n": 0})
    clock.move(6)
    with pytest.raises(holdfast.Interrupted):
        entered(thread.run())
    ask(thread, "ok?", resume="yes")
    assert thread.latest().state == {"answers": ["yes"]}


# ------------------------------------------------------------------------------------------------ state


def append_and(run, way):
    """A plain loop that changes its state in place, and has not saved the change yet."""
    state = run.state
    state["messages"].append(run.step("model", lambda: "reply"))
    if way == "interrupt":
        run.interrupt("ok?")
    raise ValueError("no")


@pytest.mark.parametrize("way", ["interrupt", "error"])
def test_what_was_not_saved_is_not_in_the_checkpoint(thread, way):
    """The steps since the last save are replayed onto the state of the last save: it must be that state."""
    try:
        with thread.run(input={"messages": ["hello"]}) as run:
            append_and(run, way)
    except ValueError:
        pass
    assert thread.latest().state == {"messages": ["hello"]}


@pytest.mark.parametrize("way", ["interrupt", "error"])
def test_what_was_saved_and_changed_since_is_as_it_was_saved(thread, way):
    try:
        with thread.run(input={"messages": []}) as run:
            state = {"messages": ["hello"]}
            run.save(state)
            state["messages"].append(run.step("model", lambda: "reply"))
            append_and(run, way)
    except ValueError:
        pass
    assert states(thread)[1:] == [{"messages": ["hello"]}] * 2


def test_a_loop_that_changes_its_state_in_place_says_everything_once(thread):
    def turn(**options):
        with thread.run(**options) as run:
            state = run.state
            state["messages"].append(run.step("model", lambda: "shall I?"))
            state["messages"].append(run.interrupt("ok?"))
            run.finish(state)

    turn(input={"messages": ["do it"]})
    turn(resume="yes")
    assert thread.latest().state == {"messages": ["do it", "shall I?", "yes"]}


def test_a_person_may_change_the_state_while_it_waits(thread):
    ask(thread, "ok?", input={"n": 0})
    thread.update({"note": "seen"}, node="human")
    ask(thread, "ok?", resume="yes")
    assert thread.latest().state == {"answers": ["yes"]}


def test_steps_survive_a_change_of_the_state_while_it_waits(thread):
    calls = Calls("paid")
    with thread.run(input={"n": 0}) as run:
        run.step("pay", calls)
        run.interrupt("ok?")
    thread.update({"note": "seen"}, node="human")
    with thread.run(resume=1) as run:
        assert run.step("pay", calls) == "paid"
        run.interrupt("ok?")
    assert calls.count == 1


def test_an_interrupt_covers_no_more_of_the_journal_than_the_last_save(thread):
    with thread.run(input={"n": 0}) as run:
        run.step("a", lambda: 1)
        saved = run.save({"n": 1})
        run.step("b", lambda: 1)
        run.interrupt("ok?")
    assert thread.latest().journal_seq == saved.journal_seq == 2
    assert kinds(thread)[-1] == "holdfast.interrupt"


def test_a_copy_of_a_thread_that_waits_can_be_resumed(store, thread):
    ask(thread, "ok?", input={"n": 0})
    store.copy_thread("main", "copy")
    ask(store.thread("copy"), "ok?", resume="there")
    ask(thread, "ok?", resume="here")
    assert store.thread("copy").latest().state == {"answers": ["there"]}
    assert thread.latest().state == {"answers": ["here"]}

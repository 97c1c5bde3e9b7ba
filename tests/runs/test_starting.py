"""How a run starts: with an input on an empty or ended thread, otherwise where the last one stopped."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import holdfast
from tests.runs.driver import Calls, died, entered, states, statuses


def test_the_input_is_the_first_checkpoint(thread):
    with thread.run(input={"n": 0}) as run:
        head = thread.latest()
        assert (head.source, head.status, head.state, head.run_id) == ("input", "running", {"n": 0}, run.id)
        assert (run.state, run.resumed, run.interrupted) == ({"n": 0}, False, False)


def test_the_input_is_stored_before_the_first_step(thread, other):
    with thread.run(input={"n": 0}) as run:
        assert run.step("look", lambda: other.latest().source) == "input"


def test_a_run_that_ends_well_is_a_chain(thread):
    with thread.run(input={"n": 0}) as run:
        first = run.save({"n": 1}, node="model", next=["tool"], label="half", metadata={"cost": 3}, extra=[1])
        run.finish({"n": 2})
    newest, middle, oldest = thread.history()
    assert [one.parent_id for one in (newest, middle, oldest)] == [middle.id, oldest.id, None]
    assert [one.status for one in (newest, middle, oldest)] == ["completed", "running", "running"]
    assert {one.run_id for one in (newest, middle, oldest)} == {run.id}
    assert [one.step for one in (newest, middle, oldest)] == [2, 1, 0]
    assert middle == first
    assert (first.node, first.next, first.label, first.metadata) == ("model", ("tool",), "half", {"cost": 3})
    assert thread.load(first.id).extra == [1]


def test_leaving_without_finish_completes_with_the_state_last_saved(thread):
    with thread.run(input={"n": 0}) as run:
        run.save({"n": 1})
    assert (thread.latest().status, thread.latest().state) == ("completed", {"n": 1})
    with thread.run(input={"n": 5}):
        pass
    assert (thread.latest().status, thread.latest().state) == ("completed", {"n": 5})


def test_a_run_may_finish_with_another_status(thread):
    with thread.run(input={"n": 0}) as run:
        assert run.finish({"n": 1}, status="cancelled").status == "cancelled"
    assert statuses(thread) == ["running", "cancelled"]


@pytest.mark.parametrize("status", ["completed", "cancelled", "failed", "terminal:timeout"])
def test_an_input_on_an_ended_thread_starts_a_new_run(thread, status):
    with thread.run(input={"n": 0}) as first:
        first.finish({"n": 1}, status=status)
    with thread.run(input={"n": 10}) as second:
        assert (second.state, second.resumed) == ({"n": 10}, False)
        assert second.id != first.id
        assert thread.latest().source == "input"
    assert [info.run_id for info in thread.history()] == [second.id] * 2 + [first.id] * 2


def test_a_new_run_knows_nothing_of_the_steps_before(thread):
    calls = Calls()
    for _ in range(2):
        with thread.run(input={"n": 0}) as run:
            run.step("a", calls, key="a")
    assert calls.count == 2


def test_a_failed_runs_steps_are_not_those_of_a_new_one(thread):
    calls = Calls()
    with pytest.raises(ValueError, match="no"), thread.run(input={"n": 0}) as run:
        run.step("a", calls)
        raise ValueError("no")
    with thread.run(input={"n": 0}) as run:
        run.step("b", calls)
    assert calls.count == 2
    assert thread.latest().status == "completed"


def test_an_unfinished_run_is_resumed_whatever_the_input(thread, other, clock):
    first = died(thread, lambda run: run.save({"n": 1}), input={"n": 0})
    clock.move(6)
    with other.run(input={"n": 100}) as run:
        assert (run.id, run.resumed, run.state) == (first.id, True, {"n": 1})
    assert states(thread) == [{"n": 0}, {"n": 1}, {"n": 1}]


def test_a_thread_saved_without_a_run_continues_as_one(thread):
    thread.save({"n": 1})
    with thread.run() as run:
        assert (run.state, run.resumed) == ({"n": 1}, True)
        assert run.id


def test_a_failed_run_is_resumed_without_input(thread):
    with pytest.raises(ValueError, match="no"), thread.run(input={"n": 0}) as first:
        first.save({"n": 1})
        raise ValueError("no")
    with thread.run() as run:
        assert (run.id, run.resumed, run.state) == (first.id, True, {"n": 1})
    assert statuses(thread) == ["running", "running", "failed", "completed"]


def test_without_input_there_must_be_something_to_resume(thread):
    with pytest.raises(holdfast.InvalidArgument, match="input"):
        entered(thread.run())
    thread.save({}, status="completed")
    with pytest.raises(holdfast.InvalidArgument, match=r"completed.*input"):
        entered(thread.run())


def test_a_fork_continues_where_it_was_forked(thread):
    with thread.run(input={"n": 0}) as run:
        middle = run.save({"n": 1})
        run.save({"n": 2})
    fork = thread.fork(at=middle.id, edits={"n": 50})
    with fork.run() as again:
        assert (again.state, again.resumed) == ({"n": 50}, True)
    assert thread.latest().state == {"n": 2}


def test_a_run_works_in_an_inner_namespace(store):
    store.thread("t").save({"outer": 1})
    inner = store.thread("t", "inner")
    with inner.run(input={"n": 0}) as run:
        run.step("a", lambda: 1)
        run.save({"n": 1})
    assert inner.latest().state == {"n": 1}
    assert store.thread("t").latest().state == {"outer": 1}


@pytest.mark.parametrize("value", ["later", "", None, 7])
def test_a_durability_is_one_of_three(thread, value):
    if value in ("", None):
        with thread.run(input={}, durability=None):
            return
    with pytest.raises(holdfast.InvalidArgument, match="durability"):
        entered(thread.run(input={}, durability=value))


def test_an_input_that_cannot_be_stored_starts_nothing(thread, other):
    with pytest.raises(holdfast.EncodeError, match="state"):
        entered(thread.run(input={"f": print}))
    assert other.latest() is None
    with other.run(input={"n": 0}):
        pass


# ------------------------------------------------------------------------------------------------ state


def test_changing_what_state_gives_out_changes_nothing_stored(thread):
    with thread.run(input={"list": [1]}) as run:
        run.state["list"].append(2)
        assert thread.latest().state == {"list": [1]}


@dataclass
class Plan:
    goal: str
    done: list[str] = field(default_factory=list)


def test_a_state_may_be_a_class(world):
    store = world.open()
    thread = store.thread("typed", state=Plan)
    with thread.run(input=Plan("climb")) as run:
        assert run.state == Plan("climb")
        run.save(Plan("climb", ["rope"]))
        run.interrupt()
    with thread.run(resume=None) as run:
        assert run.state == Plan("climb", ["rope"])
        run.interrupt()
        run.finish(Plan("climb", ["rope", "harness"]))
    assert thread.latest().state == Plan("climb", ["rope", "harness"])

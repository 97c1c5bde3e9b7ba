"""Pruning a thread that was run: what an effect or a question needs stays."""

from __future__ import annotations

from holdfast import Retention
from tests.runs.driver import died, killed_in


def test_an_unfinished_effect_keeps_where_it_is_called_again(thread, other, clock):
    died(thread, killed_in("pay"), input={"n": 0})
    clock.move(6)
    (effect,) = other.recover().unfinished
    before = other.latest()
    for n in range(1, 5):
        other.save({"n": n})
    report = other.prune(Retention(keep_last=1))
    assert report.kept_ids["effect"] == (before.id,)
    assert effect.seq in [entry.seq for entry in other.journal.read()]


def test_finished_effects_go_with_the_checkpoints_before_them(thread):
    with thread.run(input={"n": 0}) as run:
        for n in range(1, 6):
            run.step("work", lambda: 1)
            run.save({"n": n})
    report = thread.prune(Retention(keep_last=1))
    assert report.journal == 9  # five intents and results, less the last entry
    assert [entry.kind for entry in thread.journal.read()] == ["holdfast.result"]


def test_a_question_stays_until_it_is_answered(thread, clock):
    with thread.run(input={"n": 0}) as run:
        run.interrupt({"ok": "?"})
    waiting = thread.latest()
    thread.prune(Retention(keep_last=1))
    assert thread.latest().id == waiting.id
    with thread.run(resume="yes") as run:
        assert run.interrupt({"ok": "?"}) == "yes"


def test_a_run_continues_after_its_thread_was_pruned(thread, other, clock):
    died(thread, lambda run: [(run.step("a", lambda: 1), run.save({"n": n})) for n in range(5)], input={"n": 0})
    clock.move(6)
    other.prune(Retention(keep_last=1))
    with other.run() as run:
        assert run.state == {"n": 4}
        run.step("a", lambda: 2)
        run.save({"n": 5})
    assert other.latest().state == {"n": 5}

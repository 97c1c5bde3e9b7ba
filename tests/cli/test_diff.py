"""`holdfast diff`."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def thread(store):
    thread = store.thread("essay")
    thread.save({"draft": "one\ntwo\nthree", "score": 0, "todo": ["ask"], "same": 1}, node="writer")
    thread.save({"draft": "one\n2\nthree", "score": 1, "plan": {"goal": "pay"}, "same": 1}, node="critic", label="b")
    return thread


def drawn(shown):
    assert (shown.code, shown.err) == (0, "")
    return [re.sub(r"\d+ s ago", "ago", line) for line in shown.lines]


def test_it_is_drawn_like_git_draws_one(thread, holdfast_command):
    b, a = thread.history()
    assert drawn(holdfast_command("diff", "essay", "HEAD~1")) == [
        f"---  essay  {a.id[-8:]}  step 0  writer  running  ago",
        f"+++  essay  {b.id[-8:]}  step 1  critic  running  ago",
        "- todo",
        "  - ['ask']",
        "~ draft",
        "  @@ -1,3 +1,3 @@",
        "   one",
        "  -two",
        "  +2",
        "   three",
        "~ score",
        "  - 0",
        "  + 1",
        "+ plan",
        "  + {'goal': 'pay'}",
    ]


def test_both_sides_may_be_named(thread, holdfast_command):
    there = drawn(holdfast_command("diff", "essay", "HEAD~1", "label:b"))
    back = drawn(holdfast_command("diff", "essay", "label:b", "HEAD~1"))
    assert "+ plan" in there
    assert "- plan" in back


def test_equal_states_have_no_difference(thread, holdfast_command):
    assert drawn(holdfast_command("diff", "essay", "HEAD", "HEAD"))[2:] == ["no difference"]
    assert holdfast_command("diff", "essay", "HEAD", "--json").json[0]["changes"] == []


def test_two_threads_are_compared(thread, holdfast_command):
    thread.fork(at=thread.history()[-1].id, to="other", edits={"score": 9})
    shown = drawn(holdfast_command("diff", "essay", "HEAD", "--to-thread", "other"))
    assert shown[1].startswith("+++  other  ")
    assert shown[shown.index("~ score") + 1 :][:2] == ["  - 1", "  + 9"]
    assert holdfast_command("diff", "essay", "HEAD", "--to-thread", "nobody").code == 2


def test_namespaces_are_compared(thread, store, holdfast_command):
    for n in range(2):
        store.thread("essay", "inner").save({"n": n})
    assert drawn(holdfast_command("diff", "essay", "HEAD~1", "--namespace", "inner"))[2:] == ["~ n", "  - 0", "  + 1"]


def test_json_is_one_object(thread, holdfast_command):
    (found,) = holdfast_command("diff", "essay", "HEAD~1", "--json").json
    assert (found["a"]["step"], found["b"]["step"]) == (0, 1)
    assert {change["path"]: change for change in found["changes"]} == {
        "todo": {"path": "todo", "kind": "removed", "old": ["ask"]},
        "draft": {"path": "draft", "kind": "changed", "old": "one\ntwo\nthree", "new": "one\n2\nthree"},
        "score": {"path": "score", "kind": "changed", "old": 0, "new": 1},
        "plan": {"path": "plan", "kind": "added", "new": {"goal": "pay"}},
    }


def test_none_that_was_added_is_not_lost_in_json(store, holdfast_command):
    store.thread("t").save({})
    store.thread("t").save({"x": None})
    (found,) = holdfast_command("diff", "t", "HEAD~", "--json").json
    assert found["changes"] == [{"path": "x", "kind": "added", "new": None}]


def test_long_values_are_cut_with_a_hint(store, holdfast_command):
    store.thread("t").save({"x": "a" * 1000})
    store.thread("t").save({"x": "b" * 1000})
    shown = drawn(holdfast_command("diff", "t", "HEAD~"))
    assert "… 600 more characters" in shown[3]
    assert shown[-1] == "some values are cut: --json prints everything"


def test_hostile_values_are_harmless(store, holdfast_command):
    evil = "\x1b[2J\u202e\r"
    for n in range(2):
        store.thread(f"t{evil}").save({evil: n, "text": f"{evil}{n}\n{evil}", "nested": {evil: [evil, n]}}, node=evil)
    shown = holdfast_command("diff", f"t{evil}", "HEAD~")
    assert shown.out.replace("\n", "").isprintable()
    assert holdfast_command("diff", f"t{evil}", "HEAD~", "--json").out.isascii()


def test_an_unknown_side_is_refused(thread, holdfast_command):
    for sides in (["zz"], ["HEAD", "zz"]):
        shown = holdfast_command("diff", "essay", *sides)
        assert (shown.code, shown.out) == (2, "")
        assert "has no checkpoint 'zz'" in shown.err

"""`holdfast log`."""

from __future__ import annotations

import re
import sqlite3

import pytest

import holdfast
from tests.cli.conftest import invoke


def outline(shown):
    """Each line as the drawing, the step, and what points there."""
    return [re.sub(r"  +\S{8,}  step (\S+) .* ago *", r" \1 ", line).rstrip() for line in shown.lines]


@pytest.fixture
def essay(store):
    """Four steps, a branch from the second, which is labelled."""
    thread = store.thread("essay")
    for n in range(4):
        thread.save({"n": n}, node="writer", label="good" if n == 1 else "")
    point = thread.at(step=1)
    assert point is not None
    thread.save({"n": 9}, node="human", source="update", parent=point.id, status="completed")
    return thread


def test_one_line_a_checkpoint(essay, holdfast_command):
    first = holdfast_command("log", "essay").lines[0].split()
    head = essay.latest()
    assert first == ["*", head.id[-8:], "step", "2", "human", "update", "completed", "0", "s", "ago", "(HEAD)"]


def test_branches_and_labels_are_drawn(essay, holdfast_command):
    assert outline(holdfast_command("log", "essay")) == [
        "* 2 (HEAD)",
        "| * 3",
        "| * 2",
        "|/",
        "* 1 (label:good)",
        "* 0",
    ]


def test_forks_are_named_where_they_start(essay, holdfast_command):
    point = essay.at(step=1)
    for name in ("essay/a", "essay/b"):
        essay.fork(at=point.id, to=name)
    essay.fork(to="essay/c", edits={"n": 0}).fork(to="essay/c/of-c")
    assert outline(holdfast_command("log", "essay"))[0] == "* 2 (HEAD, fork:essay/c)"
    assert outline(holdfast_command("log", "essay"))[4] == "* 1 (label:good, fork:essay/a, fork:essay/b)"
    assert "of-c" not in holdfast_command("log", "essay").out


def test_many_forks_of_one_checkpoint_are_counted(essay, holdfast_command):
    for n in range(6):
        essay.fork(to=f"f{n}")
    assert outline(holdfast_command("log", "essay"))[0] == "* 2 (HEAD, fork:f0, fork:f1, fork:f2, 3 more forks)"


def test_a_fork_shows_the_past_it_shares(essay, holdfast_command):
    essay.fork(at=essay.at(step=1).id, to="fork", edits={"n": 5})
    assert outline(holdfast_command("log", "fork")) == ["* 1 (HEAD)", "* 1 (label:good)", "* 0"]


def test_all_draws_the_tree_from_any_of_its_threads(essay, holdfast_command):
    point = essay.at(step=1)
    essay.fork(at=point.id, to="same")
    edited = essay.fork(at=point.id, to="edited", edits={"n": 5})
    edited.fork(to="edited/2", edits={"n": 6})
    essay.fork(at=point.id, to="alone", history=False)
    shown = outline(holdfast_command("log", "essay", "--all"))
    assert shown == ALL_DRAWN
    other = outline(holdfast_command("log", "edited/2", "--all"))
    assert [line.replace("HEAD, ", "") for line in other] == [line.replace("HEAD, ", "") for line in shown]
    assert "(HEAD, edited/2)" in "\n".join(other)


ALL_DRAWN = [
    "* 1 (alone)",
    "| * 1 (edited/2)",
    "| * 1 (edited)",
    "| | * 2 (HEAD, essay)",
    "| | | * 3",
    "| | | * 2",
    "|_|_|/",
    "|_|/",
    "|/",
    "* 1 (same, label:good)",
    "* 0",
]


def test_a_fork_of_a_deleted_thread_is_a_tree_of_its_own(essay, holdfast_command):
    middle = essay.fork(to="middle", edits={"n": 5})
    middle.fork(to="leaf", edits={"n": 6})
    middle.delete()
    assert outline(holdfast_command("log", "leaf", "--all"))[:3] == ["* 2 (HEAD, leaf)", "* 2", "* 2"]
    assert "leaf" not in holdfast_command("log", "essay", "--all").out


def test_pruned_checkpoints_leave_one_line(essay, holdfast_command):
    essay.prune(holdfast.Retention(keep_last=1))
    assert outline(holdfast_command("log", "essay")) == ["* 2 (HEAD)", "* 1 (label:good)"]


def test_a_second_root_does_not_look_like_a_parent(store, holdfast_command):
    thread = store.thread("t")
    thread.save({})
    thread.save({}, parent=holdfast.ROOT)
    thread.save({})
    assert outline(holdfast_command("log", "t")) == ["* 1 (HEAD)", "* 0", "  * 0"]


def test_the_limit_is_kept_and_reported(store, holdfast_command):
    thread = store.thread("t")
    for n in range(25):
        thread.save({"n": n})
    shown = holdfast_command("log", "t")
    assert (len(shown.lines), shown.err) == (20, "… there are more: --limit 40, or --limit 0 for all\n")
    assert len(holdfast_command("log", "t", "--limit", "3").lines) == 3
    for whole in (("--limit", "0"), ("--limit", "25"), ("--all", "--limit", "25")):
        shown = holdfast_command("log", "t", *whole)
        assert (len(shown.lines), shown.err) == (25, "")
    shown = holdfast_command("log", "t", "--all", "--limit", "4")
    assert ([line.split()[3] for line in shown.lines], bool(shown.err)) == (["24", "23", "22", "21"], True)


def test_what_it_prints_can_be_pasted_back(essay, holdfast_command):
    for info in essay.history():
        (line,) = [line for line in holdfast_command("log", "essay").lines if info.id[-8:] in line]
        short = line.split("step")[0].split()[-1]
        assert holdfast_command("show", "essay", short, "--json").json[0]["id"] == info.id


def test_a_namespace_has_a_history_of_its_own(essay, store, holdfast_command):
    store.thread("essay", "researcher").save({"found": 1}, node="search")
    (line,) = holdfast_command("log", "essay", "--namespace", "researcher").lines
    assert "search" in line
    shown = holdfast_command("log", "essay", "--namespace", "nobody")
    assert shown == (0, "", "thread 'essay', namespace 'nobody', has no checkpoints\n")


def test_json_lines_have_every_field_and_what_points_there(essay, holdfast_command):
    essay.fork(to="fork")
    head, *others = holdfast_command("log", "essay", "--json").json
    assert set(holdfast.CheckpointInfo.__dataclass_fields__) < set(head)
    assert (head["short"], head["is_head"], head["forks"]) == (head["id"][-8:], True, ["fork"])
    assert [one["label"] for one in others] == ["", "", "good", ""]
    assert not any(one["is_head"] for one in others)
    tree = holdfast_command("log", "essay", "--all", "--json").json
    assert sorted(tree[0]["heads"]) == ["essay", "fork"]


def test_an_unknown_thread_is_refused_with_those_that_start_alike(store, holdfast_command):
    store.thread("support/42").save({})
    shown = holdfast_command("log", "support/4")
    assert shown == (2, "", "holdfast: there is no thread 'support/4'; did you mean: support/42\n")
    assert holdfast_command("log", "x").err == "holdfast: there is no thread 'x'; holdfast threads lists all threads\n"


def test_a_deleted_thread_is_refused(store, holdfast_command):
    store.thread("a").save({})
    store.thread("a").delete()
    assert holdfast_command("log", "a").code == 2


def test_hostile_text_is_harmless_and_its_ids_can_be_pasted(store, holdfast_command):
    thread = store.thread("\x1b[31m")
    thread.save({}, id="\x1b[2J" + "x" * 20, node="\x1b\n", label="\u202e", status="\x1b]0;x\x07")
    thread.fork(to="\x1b[1mfork")
    shown = holdfast_command("log", r"\x1b[31m")
    assert len(shown.lines) == 1
    assert shown.out.strip().isprintable()
    assert r"label:\u202e, fork:\x1b[1mfork" in shown.out
    assert holdfast_command("show", r"\x1b[31m", shown.out.split()[1]).code == 0


def test_a_long_history_takes_few_reads(memory):
    with holdfast.open("kept:") as store:
        thread = store.thread("t")
        for n in range(10_000):
            thread.save({"n": n})
    memory.asked.clear()
    assert len(invoke("log", "kept:", "t").lines) == 20
    assert len(memory.asked) < 15
    assert "chunks" not in memory.asked  # no state is read


def test_a_damaged_fork_does_not_hide_its_origin(tmp_path):
    path = tmp_path / "agents.db"
    with holdfast.open(path) as store:
        store.thread("a").save({})
        store.thread("a").fork(to="fork", edits={"n": 1})
    connection = sqlite3.connect(path)
    connection.execute("UPDATE checkpoint SET step = 9 WHERE source = 'fork'")
    connection.commit()
    connection.close()
    shown = invoke("log", str(path), "a")
    assert (shown.code, outline(shown)) == (0, ["* 0 (HEAD)"])
    with pytest.raises(holdfast.Corrupt):
        invoke("log", str(path), "fork", "--all")


def test_a_fork_that_is_damaged_further_down_is_left_out_and_named(tmp_path):
    path = tmp_path / "agents.db"
    with holdfast.open(path) as store:
        store.thread("a").save({})
        store.thread("a").fork(to="fork", edits={"n": 1}).save({})
    connection = sqlite3.connect(path)
    connection.execute("UPDATE checkpoint SET step = 9 WHERE source = 'fork'")
    connection.commit()
    connection.close()
    shown = invoke("log", str(path), "a", "--all")
    assert (shown.code, outline(shown)) == (0, ["* 0 (HEAD, a)"])
    assert shown.err.startswith("thread 'fork' is damaged and was left out: ")


def test_forks_are_searched_for_in_pages_and_up_to_a_limit(monkeypatch, store, holdfast_command):
    monkeypatch.setattr("holdfast.cli.args.fork_family._PAGE", 2)
    monkeypatch.setattr("holdfast.cli.commands.log._SEARCHED", 4)
    store.thread("a").save({})
    for n in range(5):
        store.thread("a").fork(to=f"b{n}")
    shown = holdfast_command("log", "a")
    assert "fork:b0, fork:b1, fork:b2)" in shown.out
    assert shown.err == "only the first 4 threads were searched for forks; --all searches all\n"
    assert "a, b0, b1, b2, b3, b4" in holdfast_command("log", "a", "--all").out

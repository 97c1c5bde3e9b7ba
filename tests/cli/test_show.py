"""`holdfast show`."""

from __future__ import annotations

import re
import sqlite3

import pytest

import holdfast
from holdfast.cli.app import run
from tests.cli.conftest import invoke


@pytest.fixture
def thread(store):
    thread = store.thread("support/42", metadata={"user": "ada"})
    thread.save({"messages": [{"role": "user", "content": "hi"}], "n": 0}, node="input", source="input")
    thread.save(
        {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello\nthere"}], "n": (1,)},
        node="model",
        next=["tools", "end"],
        run_id="r1",
        label="good",
        metadata={"cost": 2},
    )
    thread.put_writes(thread.latest().id, [("n", 5)], task_id="task-1")
    return thread


def test_the_head_is_shown_unless_another_is_named(thread, holdfast_command):
    shown = holdfast_command("show", "support/42")
    head = thread.latest()
    text = re.sub(r"saved .*", "saved …", shown.out)
    assert (shown.code, shown.err) == (0, "")
    assert (
        text
        == f"""\
checkpoint  {head.id}
status      running
label       good
thread      support/42
step        1
node        model
next        tools, end
source      loop
run         r1
parent      {head.parent_id}
saved …
size        {head.size} B

metadata
  cost: 2

state
  messages:
    user: hi
    assistant: hello
      there
  n: (1,)

pending writes
  n by task-1 [0]: 5
"""
    )


@pytest.mark.parametrize("name", ["HEAD~1", "HEAD~", "label:good~1"])
def test_another_is_named_as_in_git(thread, holdfast_command, name):
    assert "step        0\n" in holdfast_command("show", "support/42", name).out


def test_only_the_named_channels_are_shown_and_all_of_them(thread, holdfast_command):
    thread.save({"long": list(range(100)), "text": "x" * 5000, "other": 1})
    cut = holdfast_command("show", "support/42").out
    assert "… 88 more" in cut
    assert "… 4,600 more characters" in cut
    assert "--channel NAME shows one channel in full" in cut
    shown = holdfast_command("show", "support/42", "--channel", "long", "--channel", "text").out
    assert "99" in shown
    assert "x" * 5000 in shown
    assert "other" not in shown
    assert "--channel" not in shown


def test_an_unknown_channel_is_refused_with_a_list_of_channels(thread, holdfast_command):
    shown = holdfast_command("show", "support/42", "--channel", "nope")
    assert (shown.code, shown.out) == (2, "")
    assert "has no channel 'nope'; it has: messages, n" in shown.err


def test_json_is_one_object_with_everything(thread, holdfast_command):
    (found,) = holdfast_command("show", "support/42", "--json").json
    assert set(found) == {*holdfast.CheckpointInfo.__dataclass_fields__, "state", "pending_writes", "extra"}
    assert found["state"]["n"] == {"$tuple": [1]}
    assert found["pending_writes"] == [
        {"task_id": "task-1", "index": 0, "channel": "n", "value": 5, "task_path": ""},
    ]
    (part,) = holdfast_command("show", "support/42", "--json", "--channel", "n").json
    assert part["state"] == {"n": {"$tuple": [1]}}


def test_where_a_fork_came_from(thread, store, holdfast_command):
    thread.fork(to="fork", edits={"n": 3})
    assert f"parent      {thread.latest().id} of support/42" in holdfast_command("show", "fork").out


def test_a_namespace(thread, store, holdfast_command):
    store.thread("support/42", "researcher").save({"found": 7})
    shown = holdfast_command("show", "support/42", "--namespace", "researcher").out
    assert "namespace   researcher" in shown
    assert "found: 7" in shown
    assert f"origin      {thread.latest().id}" in shown


def test_an_empty_namespace_is_refused(thread, holdfast_command):
    shown = holdfast_command("show", "support/42", "--namespace", "nobody")
    assert shown == (2, "", "holdfast: thread 'support/42', namespace 'nobody', has no checkpoints\n")


def test_hostile_values_are_harmless(store, holdfast_command):
    evil = "\x1b[2J\x1b]0;x\x07\u202e\r"
    store.thread("t").save(
        {
            evil: evil,
            "text": f"{evil}\n{evil}",
            "nested": [{evil: {evil}}],
            "messages": [{"role": evil, "content": evil}],
        },
        node=evil,
        next=[evil],
        run_id=evil,
        metadata={evil: evil},
    )
    store.thread("t").put_writes(store.thread("t").latest().id, [(evil, evil)], task_id=evil)
    shown = holdfast_command("show", "t")
    assert shown.code == 0
    assert shown.out.replace("\n", "").isprintable()
    assert holdfast_command("show", "t", "--json").out.isascii()
    assert evil in holdfast_command("show", "t", "--json").json[0]["state"]


def test_a_damaged_checkpoint_is_one_line_on_standard_error(tmp_path, monkeypatch, capsys):
    path = tmp_path / "agents.db"
    with holdfast.open(path) as store:
        store.thread("t").save({})
    connection = sqlite3.connect(path)
    connection.execute("UPDATE checkpoint SET step = step + 1")
    connection.commit()
    connection.close()
    monkeypatch.setattr("sys.argv", ["holdfast", "show", str(path), "t"])
    with pytest.raises(SystemExit) as stopped:
        run()
    said = capsys.readouterr()
    assert (stopped.value.code, said.out) == (1, "")
    assert re.fullmatch(r"holdfast: .*checkpoint.*\n", said.err)
    assert invoke("threads", str(path)).code == 0

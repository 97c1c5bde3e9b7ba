"""Naming a checkpoint: by a part of its id, HEAD, a label, and steps back; and the short form that lists print."""

from __future__ import annotations

import pytest
import typer
from hypothesis import example, given, settings
from hypothesis import strategies as st

import holdfast
from holdfast.cli.args.checkpoint_ref import every, resolve, shorten
from holdfast.ids import new_id


@pytest.fixture
def store():
    with holdfast.open("memory:") as opened:
        yield opened


@pytest.fixture
def thread(store):
    return store.thread("t")


def saved(thread, *ids, **fields):
    return [thread.save({"n": n}, id=id, **fields) for n, id in enumerate(ids)]


def refused(capsys, thread, text):
    with pytest.raises(typer.Exit) as stopped:
        resolve(thread, text)
    assert stopped.value.exit_code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("text", ["one-abc", "one", "o", "abc", "c"])
def test_a_part_at_either_end_is_enough(thread, text):
    saved(thread, "one-abc", "two-xyz")
    assert resolve(thread, text).id == "one-abc"


def test_a_part_in_the_middle_is_not(capsys, thread):
    saved(thread, "one-abc", "two-xyz")
    assert "has no checkpoint 'e-a'" in refused(capsys, thread, "e-a")


def test_a_whole_id_wins_over_the_start_of_another(thread):
    saved(thread, "run", "run-2")
    assert resolve(thread, "run").id == "run"


def test_an_unclear_part_lists_what_it_may_be(capsys, thread):
    saved(thread, "run-1", "run-2", "other", node="model")
    said = refused(capsys, thread, "run")
    assert "'run' matches several checkpoints of thread 't':" in said
    assert [line.split() for line in said.splitlines()[1:]] == [
        ["run-2", "step", "1", "model", "0", "s", "ago"],
        ["run-1", "step", "0", "model", "0", "s", "ago"],
    ]


def test_a_long_choice_says_how_many_more_there_are(capsys, thread):
    saved(thread, *(f"run-{n}" for n in range(15)))
    said = refused(capsys, thread, "run")
    assert len(said.splitlines()) == 12
    assert "… and 5 more" in said


def test_an_unknown_part_lists_the_newest(capsys, thread):
    saved(thread, "a", "b")
    said = refused(capsys, thread, "zz")
    assert "thread 't' has no checkpoint 'zz'; the newest are:\n  b  step 1" in said


@pytest.mark.parametrize("text", ["", "~", "~1", "HEAD~x", "label:", "id:"])
def test_what_means_nothing_is_refused(capsys, thread, text):
    saved(thread, "a", "b")
    assert "has no checkpoint" in refused(capsys, thread, text)


def test_head_and_steps_back(thread):
    saved(thread, "a", "b", "c")
    texts = ("HEAD", "HEAD~0", "HEAD~", "HEAD~1", "HEAD~2", "c~1")
    assert [resolve(thread, text).id for text in texts] == list("ccbbab")


def test_steps_back_follow_the_parents_not_the_order_of_saving(thread):
    saved(thread, "a", "b", "c")
    thread.save({}, id="branch", parent="a")
    assert resolve(thread, "HEAD~1").id == "a"


def test_too_many_steps_back_are_refused(capsys, thread):
    saved(thread, "a", "b")
    assert "'HEAD~2' goes back too far: that branch of thread 't' has 2 checkpoints" in refused(
        capsys, thread, "HEAD~2"
    )


def test_head_of_an_empty_namespace_is_refused(capsys, store, thread):
    saved(thread, "a")
    inner = store.thread("t", "inner")
    assert "thread 't', namespace 'inner', has no checkpoints" in refused(capsys, inner, "HEAD")


def test_a_label(thread):
    saved(thread, "a", "b", "c")
    thread.label("b", "good ~1")
    assert [resolve(thread, text).id for text in ("label:good ~1", "label:good ~1~1")] == ["b", "a"]


def test_a_label_of_several_is_unclear(capsys, thread):
    saved(thread, "a", "b", label="same")
    assert "'label:same' matches several" in refused(capsys, thread, "label:same")


def test_an_unknown_label_is_refused(capsys, thread):
    saved(thread, "a")
    assert "has no checkpoint 'label:none'" in refused(capsys, thread, "label:none")


def test_words_take_precedence_over_ids_spelled_the_same(thread):
    saved(thread, "HEAD", "label:x", "last")
    assert resolve(thread, "HEAD").id == "last"
    assert resolve(thread, "id:HEAD").id == "HEAD"
    assert resolve(thread, "id:label:x").id == "label:x"


def test_ids_that_drive_terminals_are_listed_harmlessly(capsys, thread):
    saved(thread, "x\x1b[2J", "x\u202e\n", node="\x1b[0m")
    said = refused(capsys, thread, "x")
    assert r"x\x1b[2J" in said
    assert r"x\u202e\n" in said
    assert "\x1b" not in said


# ------------------------------------------------------------------------------------------------ short forms


def test_eight_characters_from_the_end_are_enough_for_generated_ids():
    ids = [new_id() for _ in range(1000)]
    short = shorten(ids)
    assert all(id.endswith(short[id]) for id in ids)
    assert {len(one) for one in short.values()} == {8}


def test_ids_that_end_alike_are_shown_longer():
    assert shorten(["first-checkpoint", "second-checkpoint"]) == {
        "first-checkpoint": "t-checkpoint",
        "second-checkpoint": "d-checkpoint",
    }


def test_a_short_form_is_not_taken_for_an_option():
    assert shorten(["run-2024-01", "-x"]) == {"run-2024-01": "n-2024-01", "-x": "id:-x"}


NASTY = st.lists(
    st.sampled_from(["a", "-", "~", "1", "HEAD", "label:", "id:", "\x1b", "x1b", "\u202e", " ", "é", "12345678"]),
    min_size=1,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(NASTY, unique=True, min_size=1, max_size=6))
@example(["HEAD", "xHEAD", "HEADx", "id:HEAD", "HEAD~1", "label:a"])
@example(["12345678", "a12345678", "12345678a"])
def test_what_is_printed_can_be_pasted_back(ids):
    with holdfast.open("memory:") as store:
        thread = store.thread("t")
        saved(thread, *ids)
        for id, short in shorten(ids).items():
            assert resolve(thread, short).id == id


def test_every_checkpoint_is_listed_once_over_several_pages(monkeypatch, thread):
    monkeypatch.setattr("holdfast.cli.args.checkpoint_ref._PAGE", 3)
    ids = [f"c{n}" for n in range(9)]
    saved(thread, *ids)
    assert [info.id for info in every(thread)] == ids[::-1]

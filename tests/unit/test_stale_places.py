"""What a process remembers of a thread may be old: that is never an error, and nothing is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast


def test_a_reducer_that_fails_on_what_was_remembered_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "agents.db"
    with holdfast.open(path) as one, holdfast.open(path) as other:
        one.thread("t").save({"log": ["a list"]})
        other.thread("t").save({"log": {"a": "mapping"}})
        one.thread("t").update({"log": {"b": 1}}, reduce={"log": holdfast.merge})
        found = one.thread("t").latest()
        assert found is not None
        assert found.state == {"log": {"a": "mapping", "b": 1}}


def test_values_that_are_gone_since_are_not_missed(tmp_path: Path) -> None:
    """Another process deleted the thread and started it again; what this one remembers leads nowhere."""
    path = tmp_path / "agents.db"
    with holdfast.open(path, cache=5000) as one, holdfast.open(path) as other:
        one.thread("t").save({"m": "x" * 10_000})
        other.thread("t").delete()
        other.thread("t", reuse=True).save({"m": "y" * 10_000})
        one.thread("t").save({"m": "z" * 10_000})
        found = other.thread("t").latest()
        assert found is not None
        assert found.state == {"m": "z" * 10_000}
        assert [info.step for info in other.thread("t").history()] == [1, 0]


def test_one_that_fails_on_what_is_there_tells(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "agents.db") as store:
        store.thread("t").save({"log": ["a list"]})
        with pytest.raises(TypeError, match="mapping"):
            store.thread("t").update({"log": {"b": 1}}, reduce={"log": holdfast.merge})

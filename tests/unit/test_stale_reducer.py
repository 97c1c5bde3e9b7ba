"""A reducer is not blamed for a state that another handle has replaced since."""

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


def test_one_that_fails_on_what_is_there_tells(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "agents.db") as store:
        store.thread("t").save({"log": ["a list"]})
        with pytest.raises(TypeError, match="mapping"):
            store.thread("t").update({"log": {"b": 1}}, reduce={"log": holdfast.merge})

"""From every backend to every backend."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast.testing.threads.thread_moves import RICH, rich, seen
from tests.support.urls import URLS
from tests.transfer.showing import live, shown


@pytest.mark.parametrize("source", URLS)
@pytest.mark.parametrize("target", URLS)
def test_everything_comes_through(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with holdfast.open(URLS[source](tmp_path / "a")) as one, holdfast.open(URLS[target](tmp_path / "b")) as other:
        rich(one)
        live(one, "pair", 40)
        holdfast.copy(one, other)
        for name in RICH:
            assert seen(other, name, "in") == seen(one, name, "in")
        assert shown(other) == shown(one)
        live(other, "back", 15, removing=False)
        holdfast.copy(other, one)
        assert shown(other) == shown(one)

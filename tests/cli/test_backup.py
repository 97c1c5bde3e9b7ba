"""`holdfast backup`: what it writes, what it says, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import holdfast
from holdfast import Conflict, InvalidArgument
from tests.cli.conftest import Shown


def test_the_copy_is_a_store(holdfast_command: Callable[..., Shown], store: holdfast.Store, tmp_path: Path) -> None:
    saved = store.thread("t").save({"n": 1})
    path = tmp_path / "copy.db"
    shown = holdfast_command("backup", str(path))
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("wrote ")
    assert shown.out.endswith(f" to {path}; open it as {path}\n")
    with holdfast.open(path) as copy:
        assert copy.thread("t").history() == [saved]


def test_as_json(holdfast_command: Callable[..., Shown], store: holdfast.Store, tmp_path: Path) -> None:
    store.thread("t").save({"n": 1})
    path = tmp_path / "copy.db"
    (said,) = holdfast_command("backup", str(path), "--json").json
    assert said == {"url": str(path), "bytes": path.stat().st_size}


def test_nothing_is_written_over(holdfast_command: Callable[..., Shown], store: holdfast.Store, tmp_path: Path) -> None:
    store.thread("t").save({"n": 1})
    path = tmp_path / "copy.db"
    path.write_text("mine")
    with pytest.raises(Conflict, match="already exists"):
        holdfast_command("backup", str(path))
    assert path.read_text() == "mine"


def test_a_url_is_refused_as_a_path(holdfast_command: Callable[..., Shown], store: holdfast.Store) -> None:
    store.thread("t").save({"n": 1})
    with pytest.raises(InvalidArgument, match="not a URL: leave out 'sqlite:'"):
        holdfast_command("backup", "sqlite:copy.db")

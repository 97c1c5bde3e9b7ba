"""`holdfast collect`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import holdfast
from holdfast import Retention
from holdfast.cli.app import build


def filled(path: Path) -> str:
    with holdfast.open(path) as store:
        thread = store.thread("t")
        for number in range(6):
            thread.save({"n": number, "text": f"{number} " * 500})
        thread.prune(Retention(keep_last=2))
    return str(path)


def test_it_says_what_was_freed(tmp_path: Path) -> None:
    url = filled(tmp_path / "agents.db")
    done = CliRunner().invoke(build(), ["collect", url])
    assert (done.exit_code, done.stdout.split(";")[0].split(",")[0]) == (0, "freed 4 checkpoints")
    with holdfast.open(url) as store:
        assert [one.seq for one in store.thread("t").history()] == [6, 5]


def test_it_writes_json(tmp_path: Path) -> None:
    url = filled(tmp_path / "agents.db")
    done = json.loads(CliRunner().invoke(build(), ["collect", url, "--json"]).stdout)
    assert (done["trees"], done["checkpoints"], done["skipped"]) == (1, 4, [])
    assert done["bytes_after"] <= done["bytes_before"]
    again = json.loads(CliRunner().invoke(build(), ["collect", url, "--json"]).stdout)
    assert again["rows"] == 0


def test_a_store_has_to_be_there(tmp_path: Path) -> None:
    done = CliRunner().invoke(build(), ["collect", str(tmp_path / "none.db")])
    assert done.exit_code == 2
    assert not (tmp_path / "none.db").exists()

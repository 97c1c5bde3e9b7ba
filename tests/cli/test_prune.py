"""`holdfast prune`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import holdfast
from holdfast.cli.app import build


@pytest.fixture
def url(tmp_path: Path) -> str:
    with holdfast.open(tmp_path / "agents.db") as store:
        for name in ("a", "b\x1b[31m"):
            for number in range(6):
                store.thread(name).journal.append("event", {"n": number})
                store.thread(name).save({"n": number})
    return str(tmp_path / "agents.db")


def prune(*arguments: str) -> Result:
    return CliRunner().invoke(build(), ["prune", *arguments])


def left(url: str) -> list[int]:
    with holdfast.open(url) as store:
        return [info.checkpoints for info in store.threads()]


def test_it_shows_a_preview_and_removes_nothing(url: str) -> None:
    done = prune(url, "--keep-last", "2")
    assert done.exit_code == 0
    assert done.stdout.startswith("would remove 8 checkpoints of 2 threads and 10 journal entries; 4 stay\n")
    assert "\x1b" not in done.stdout
    assert "--yes removes them" in done.stderr
    assert left(url) == [6, 6]


def test_yes_goes_ahead(url: str) -> None:
    done = prune(url, "--keep-last", "2", "--yes")
    assert done.stdout.startswith("removed 8 checkpoints of 2 threads")
    assert left(url) == [2, 2]


def test_one_thread_alone(url: str) -> None:
    done = json.loads(prune(url, "a", "--keep-last", "1", "--json", "--yes").stdout)
    assert (len(done["removed"]), done["kept"], done["kept_by"], done["dry_run"]) == (
        5, 1, {"head": 1, "keep_last": 1}, False,
    )  # fmt: skip
    assert left(url) == [1, 6]


def test_json_is_a_dry_run_without_yes(url: str) -> None:
    done = json.loads(prune(url, "--max-age", "0s", "--json").stdout)
    assert (len(done["removed"]), done["dry_run"]) == (10, True)
    assert left(url) == [6, 6]


def test_json_of_several_threads_is_one_object(url: str) -> None:
    names = ["a", "b\x1b[31m", "a"]
    done = json.loads(prune(url, *names, "--keep-last", "2", "--json", "--yes").stdout)
    assert (len(done["removed"]), done["kept"], done["threads"], done["dry_run"]) == (8, 4, 2, False)
    assert {name: len(ids) for name, ids in done["by_thread"].items()} == {"a": 4, "b\x1b[31m": 4}
    assert done["kept_by"]["keep_last"] == len(done["kept_ids"]["keep_last"]) == 4
    assert left(url) == [2, 2]


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b\x1b[31m"]])
def test_with_yes_it_is_not_a_dry_run_even_if_nothing_is_removed(url: str, names: list[str]) -> None:
    done = json.loads(prune(url, *names, "--keep-last", "50", "--json", "--yes").stdout)
    assert (done["removed"], done["dry_run"]) == ([], False)


def test_every_rule_can_be_given(url: str) -> None:
    rules = ["--keep-last", "1", "--keep-last-in", "=3", "--keep-every", "1h/1d", "--keep-every", "1d/4w"]
    done = json.loads(prune(url, *rules, "--keep-terminal", "--covered-before", "5", "--json").stdout)
    assert done["kept_by"]["keep_last"] == 6
    assert done["kept_by"]["covered_before"] == 4
    assert {"keep_every", "keep_terminal"} - set(done["kept_by"]) == {"keep_terminal"}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--max-age", "soon"],
        ["--keep-every", "1h"],
        ["--keep-every", "1h/x"],
        ["--keep-last-in", "tools"],
        ["nobody", "--keep-last", "1"],
    ],
)
def test_what_makes_no_sense_is_refused(url: str, arguments: list[str]) -> None:
    done = prune(url, *arguments, "--yes")
    assert done.exit_code == 2
    assert "holdfast:" in done.stderr
    assert left(url) == [6, 6]

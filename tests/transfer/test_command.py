"""`holdfast export`, `import` and `copy`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from tests.transfer.showing import shown


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "holdfast", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.db"
    with holdfast.open(path) as store:
        for name in ("a", "b"):
            for n in range(3):
                store.thread(name).save({"n": n})
        store.thread("a").fork(to="f").save({"n": 9})
    return path


def same(one: Path, other: Path) -> bool:
    with holdfast.open(one) as a, holdfast.open(other) as b:
        return shown(a) == shown(b)


def test_a_store_goes_to_a_file_and_back(source: Path, tmp_path: Path) -> None:
    bundle, target = tmp_path / "x.bundle", tmp_path / "target.db"
    done = command("export", source, bundle, "--all")
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        "wrote 7 checkpoints, 0 writes, 0 journal entries; 7 B of state",
    )
    assert command("import", target, bundle).stdout.startswith("imported 7 checkpoints")
    assert same(source, target)
    again = json.loads(command("import", target, bundle, "--json").stdout)
    assert (again["threads"], again["unchanged"], again["checkpoints"]) == (3, 3, 0)


def test_a_file_is_not_overwritten_without_yes(source: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "x.bundle"
    bundle.write_text("mine")
    refused = command("export", source, bundle, "a")
    assert (refused.returncode, bundle.read_text()) == (2, "mine")
    assert command("export", source, bundle, "a", "--yes").returncode == 0
    assert bundle.read_bytes().startswith(b"holdfast bundle")


def test_lines_of_json(source: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert command("export", source, path, "b", "--json").returncode == 0
    assert [json.loads(line)["kind"] for line in path.read_text().splitlines()] == ["thread"] + ["checkpoint"] * 3


def test_threads_are_copied_and_conflicts_are_reported(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.db"
    assert json.loads(command("copy", source, target, "a", "--json").stdout)["checkpoints"] == 3
    assert command("copy", source, target, "--all").returncode == 0
    assert same(source, target)
    for path, n in ((source, 1), (target, 2)):
        with holdfast.open(path) as store:
            store.thread("a").save({"mine": n})
    refused = command("copy", source, target, "a")
    assert refused.returncode == 1
    assert "thread 'a' has other content in the target" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert command("copy", source, target, "a", "--as", "a=a2").returncode == 0
    with holdfast.open(target) as store:
        assert len(store.thread("a2").history()) == 4


def test_threads_must_be_named_or_all_be_given(source: Path, tmp_path: Path) -> None:
    for wrong in (["copy", source, tmp_path / "x.db"], ["export", source, tmp_path / "x", "a", "--all"]):
        assert command(*wrong).returncode == 2
    assert command("import", tmp_path / "new.db", tmp_path / "nowhere").returncode == 1
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("path", ["", ".", "/"])
@pytest.mark.parametrize("options", [[], ["--yes"], ["--json", "--yes"]])
def test_an_export_to_a_path_that_is_not_a_file_name_is_refused_in_one_line(
    source: Path, path: str, options: list[str]
) -> None:
    done = command("export", source, path, "--all", *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("holdfast: ")
    assert done.stderr.count("\n") == 1

"""`holdfast demo` shows what it says: a kill, a takeover, every effect once, a fork."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast.cli.demo import agent


class Shown:
    """One run of the demo, with its files kept."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "agents.db"
        self.done = demo("--path", str(self.path))
        self.text = self.done.stdout


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "holdfast", "demo", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return Shown(tmp_path_factory.mktemp("demo"))


def test_it_ends_well(shown):
    assert (shown.done.returncode, shown.done.stderr) == (0, "")


def test_it_is_plain_without_a_terminal(shown):
    assert "\x1b" not in shown.text


def test_two_processes_work_and_the_first_is_killed(shown):
    first, second = re.findall(r"worker [12]  process (\d+)", shown.text)
    assert first != second
    assert f"SIGKILL: process {first} was killed: 'receipt' has happened, but its result is not recorded" in shown.text


def test_a_worker_reports_that_it_waits(tmp_path: Path) -> None:
    """In the demo itself the lease may run out before a busy machine has started the second worker."""
    path, notes = tmp_path / "agents.db", tmp_path / "notes.jsonl"
    with holdfast.open(path) as store, store.thread(agent.THREAD).run(input={"messages": []}, worker="other", ttl=600):
        command = [sys.executable, "-m", "holdfast.cli.demo.worker", str(path), str(notes), "second"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            said = json.loads(worker.stdout.readline())
            worker.kill()
    assert said["event"] == "waits"
    assert 0 < said["seconds"] <= 600


def test_the_second_worker_resumes_the_run(shown):
    assert "worker 2  took the thread, resumed the run" in shown.text
    assert "worker 2  not called again, because the result was recorded: refund" in shown.text
    assert "worker 2  called  receipt: the service knows the key and does nothing" in shown.text


def test_every_side_effect_happened_once(shown):
    table = re.findall(r"(support/42/\w+) +(once|twice|\d+ times) +(once|twice|\d+ times)", shown.text)
    assert table == [
        ("support/42/refund", "once", "once"),
        ("support/42/receipt", "twice", "once"),
        ("support/42/mail", "once", "once"),
    ]
    notes = [json.loads(line)["key"] for line in shown.path.with_name("agents-effects.jsonl").read_text().splitlines()]
    assert notes == [*(key for key, *_ in table), "support/42-retry/replacement"]


def test_both_workers_carried_one_run_without_a_gap(shown):
    with holdfast.open(shown.path) as store:
        thread = store.thread(agent.THREAD)
        history = list(reversed(thread.history()))
        assert len({info.run_id for info in history}) == 1
        assert [info.step for info in history] == list(range(len(agent.ORIGINAL)))
        head, info = thread.latest(), thread.info()
        assert head is not None
        assert head.state == agent.states(agent.START, agent.ORIGINAL)[-1]
        assert info is not None
        assert info.lease is None
        assert store.resumable() == []


def test_the_tree_shows_which_worker_saved_each_step(shown):
    steps = re.findall(r"^[├└]── step (\d).*worker ([12])$", shown.text, re.MULTILINE)
    assert steps == [(str(n), "1" if n < 6 else "2") for n in range(10)]


def test_the_fork_starts_in_the_middle_and_ends_well(shown):
    fork = re.findall(r"^│       [├└]── step (\d)  …\w+  (.*)$", shown.text, re.MULTILINE)
    assert fork == [("4", "fork, plan edited"), ("5", "model"), ("6", "tool"), ("7", "end  completed")]
    assert "done after that step, and not undone by the fork: refund, receipt, mail" in shown.text


def test_the_difference_is_shown(shown):
    assert "~ plan[3]['task']: 'refund the order' → 'send a replacement by express'" in shown.text


def test_the_bytes_are_less_than_whole_states_would_take(shown):
    whole, file = (int(found.replace(",", "")) for found in re.findall(r"(?:steps|journal) +([\d,]+)", shown.text))
    assert file < whole


def test_an_existing_file_is_not_changed(tmp_path):
    path = tmp_path / "mine.db"
    path.write_text("mine")
    assert demo("--path", str(path)).returncode == 2
    assert path.read_text() == "mine"

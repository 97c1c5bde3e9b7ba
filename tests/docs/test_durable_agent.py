"""The agent of docs/how-to/durable-runs.md, as a person would run it: killed in the middle of a tool, then resumed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
PROGRAM = HOW_TO / "durable_agent.py"
PAGE = (HOW_TO / "durable-runs.md").read_text("utf-8")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": "error"}
KEY = "support/42/3/refund"


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), *arguments]
    return subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    return out


def killed(process: subprocess.Popen[str], when: Path) -> None:
    """SIGKILL, once this file is there."""
    end = time.monotonic() + 20
    while not when.exists() or not when.read_text():
        assert time.monotonic() < end, "it did not come that far"
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert process.returncode == -9


def test_the_page_shows_the_program_as_it_is() -> None:
    found = re.search(r"<!-- durable_agent.py -->\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    assert found[1] == PROGRAM.read_text("utf-8")


def test_the_loop_is_short() -> None:
    lines = PROGRAM.read_text("utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 32


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """What the processes printed that were not killed, and what was paid before the last."""
    folder = tmp_path_factory.mktemp("agent")
    asked = finished(start(folder))
    killed(start(folder, "yes"), folder / "payments.txt")
    done = finished(start(folder))
    paid = (folder / "payments.txt").read_text()
    return asked, done, paid, finished(start(folder, "retry")), (folder / "payments.txt").read_text()


def test_it_stops_at_the_question(session: tuple[str, ...]) -> None:
    assert session[0] == "support/42 interrupted: Where is my order 7?\n"


def test_killed_in_the_middle_of_the_payment_it_finishes(session: tuple[str, ...]) -> None:
    assert session[1] == "support/42 completed: Sorry! order 7 is lost; 345 EUR refunded\n"


def test_it_has_paid_once(session: tuple[str, ...]) -> None:
    assert session[2] == f"{KEY}\n"


def test_retried_in_a_fork_it_asks_again_and_pays_nothing_before_the_answer(session: tuple[str, ...]) -> None:
    assert session[3] == "support/42-retry interrupted: Where is my order 7?\n"
    assert session[4] == session[2]


def test_the_page_shows_what_was_printed(session: tuple[str, ...]) -> None:
    found = re.search(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    shown = [line for line in found[1].splitlines() if not line.startswith("$")]
    assert shown == [line for printed in session[:4] for line in printed.splitlines()]


def test_declined_it_pays_nothing(tmp_path: Path) -> None:
    finished(start(tmp_path))
    assert "declined" in finished(start(tmp_path, "no"))
    assert not (tmp_path / "payments.txt").exists()

"""Runs cases in processes that may die, and finds which case killed one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).parents[2]
Case = tuple[str, str, int | str]
"""What is tried, the seed, and the number or name of a case."""


class Failure(NamedTuple):
    """A case, what was done to its store, and what went wrong."""

    case: Case
    changes: list[str]
    wrong: list[str]

    def __str__(self) -> str:
        subject, seed, number = self.case
        changes, wrong = ("\n    ".join(lines) for lines in (self.changes, self.wrong))
        return f"{subject} {number} (SEED={seed})\n  changed\n    {changes}\n  went wrong\n    {wrong}"


def run(cases: Iterable[Case]) -> tuple[int, list[Failure]]:
    """How many cases were tried, and which failed. A process that a case has killed is replaced by another."""
    left = deque(cases)
    tried, failures = len(left), list[Failure]()
    while left:
        failures += _run_until_killed(left)
    return tried, failures


def _run_until_killed(left: deque[Case]) -> list[Failure]:
    failures: list[Failure] = []
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.victim"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths},
        ) as victim,
    ):  # fmt: skip
        while left and victim.poll() is None:
            case = left.popleft()
            answer = _asked(victim, case)
            if answer is None:
                failures.append(Failure(case, [], _death(victim, errors)))
            elif answer["wrong"]:
                failures.append(Failure(case, answer["changes"], answer["wrong"]))
        if victim.stdin is not None:
            victim.stdin.close()
    return failures


def _asked(victim: subprocess.Popen[str], case: Case) -> Any:
    """What the process says about a case; None if it died."""
    assert victim.stdin is not None
    assert victim.stdout is not None
    try:
        victim.stdin.write(json.dumps(case) + "\n")
        victim.stdin.flush()
    except BrokenPipeError:
        return None
    line = victim.stdout.readline()
    return json.loads(line) if line else None


def _death(victim: subprocess.Popen[str], errors: IO[str]) -> list[str]:
    code = victim.wait()
    errors.seek(0)
    return [f"the process ended with {code}", *errors.read().splitlines()[-8:]]

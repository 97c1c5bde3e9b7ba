"""Runs LangGraph's own tests of checkpointers on Holdfast: ``make test-langgraph-suite``.

Tests that get their checkpointer from a fixture run on all four backends, and those of LangGraph itself also with
`single_writer=True` on memory and SQLite, since that is decided above the backends. Tests that make their own saver run
on memory. The tests of `langgraph-checkpoint-postgres` look into its tables, and are not run.

Fails on any test that fails and is not in `left_out.py`, and if far fewer tests ran than LangGraph has.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

from tests.langgraph_suite.left_out import LEFT_OUT
from tests.langgraph_suite.sources import tests_of

WORKERS: Final = os.environ.get("WORKERS", "2")
HERE: Final = Path(__file__).parent


class Way(NamedTuple):
    """How the savers are opened."""

    backend: str
    single_writer: bool = False

    def __str__(self) -> str:
        return f"{self.backend}{', single_writer' if self.single_writer else ''}"


class Suite(NamedTuple):
    """Tests of one package that get their savers in the same manner."""

    package: str
    at_least: int  # tests that pass; fewer mean that the plugin no longer finds them
    ways: tuple[Way, ...]
    own_savers: bool = False  # the tests make their savers; otherwise a fixture does
    path: str = "tests"


MEMORY: Final = (Way("memory"),)
BACKENDS: Final = (Way("memory"), Way("sqlite"), Way("files"), Way("postgresql"))
ALL: Final = (*BACKENDS, Way("memory", single_writer=True), Way("sqlite", single_writer=True))
SUITES: Final = (
    Suite("langgraph", 600, ALL),
    Suite("langgraph", 250, MEMORY, own_savers=True),
    Suite("langgraph-prebuilt", 40, BACKENDS),
    Suite("langgraph-checkpoint", 4, MEMORY, own_savers=True, path="tests/test_memory.py"),
    Suite("langgraph-checkpoint-sqlite", 20, MEMORY, own_savers=True),
    Suite("langgraph-checkpoint-conformance", 1, MEMORY, own_savers=True),
)


class Counts(NamedTuple):
    passed: int
    failed: int
    skipped: int


def main() -> int:
    print("left out:")
    for package, tests in LEFT_OUT.items():
        for name, reason in tests.items():
            print(f"  {package}, {name}: {reason}")
    failures = 0
    for suite in SUITES:
        folder = tests_of(suite.package)
        for way in suite.ways:
            start = time.monotonic()
            counts = _run(folder, suite, way)
            print(f"== {folder.name} on {way}: {counts}, {time.monotonic() - start:.0f} s", flush=True)
            failures += counts.failed + (counts.passed < suite.at_least)
    return 1 if failures else 0


def _run(folder: Path, suite: Suite, way: Way) -> Counts:
    """Tests that fail are run again, one after the other: many of LangGraph's sleep for milliseconds and then expect an
    order, which a busy machine does not keep."""
    first = _run_once(folder, suite, way, ["-n", WORKERS, "--dist", "worksteal"])
    if not first.failed or first.passed < suite.at_least:
        return first
    print(f"{first.failed} failed; once more, alone:", flush=True)
    second = _run_once(folder, suite, way, ["-n", "0", "--last-failed", "--last-failed-no-failures", "none"])
    return Counts(first.passed + second.passed, second.failed, first.skipped)


def _run_once(folder: Path, suite: Suite, way: Way, order: list[str]) -> Counts:
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-p", "holdfast_plugin", "-p", "no:langsmith_plugin"]
        command += ["-o", "addopts=", "-q", "--no-header", "-W", "ignore", "-rf", "--tb=short"]
        command += [*order, f"--junitxml={report}", f"--holdfast-backend={way.backend}"]
        command += ["--holdfast-single-writer"] if way.single_writer else []
        command += ["--holdfast-own-savers"] if suite.own_savers else []
        command += [f"--deselect={name}" for name in LEFT_OUT.get(suite.package, ())]
        done = subprocess.run([*command, suite.path], cwd=folder, env=_environment(suite), check=False)
        return _counts(report, done.returncode)


def _environment(suite: Suite) -> dict[str, str]:
    """Without the servers that LangGraph's tests expect on fixed ports. The tests of prune are only there with them;
    they make their savers through functions that the plugin replaces."""
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    servers = "false" if suite.own_savers else "true"
    return {**os.environ, "NO_DOCKER": servers, "LANGGRAPH_TEST_FAST": "true", "PYTHONPATH": os.pathsep.join(paths)}


def _counts(report: Path, code: int) -> Counts:
    if code not in (0, 1):  # interrupted, wrong options, no tests
        return Counts(0, 1, 0)
    suite = ElementTree.parse(report).getroot()[0]  # noqa: S314  # pytest wrote it
    tests, failed, errors, skipped = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    return Counts(tests - failed - errors - skipped, failed + errors, skipped)


if __name__ == "__main__":
    sys.exit(main())

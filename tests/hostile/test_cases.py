"""Readers of hostile stores end in an answer or in an error of Holdfast: never in a crash, a hang or another error."""

from __future__ import annotations

import os

import pytest

from tests.hostile import trials
from tests.hostile.trials import Case
from tests.hostile.written_cases import CASES
from tests.support.postgres import server

SEED = os.environ.get("SEED", "1")
COUNT = int(os.environ.get("CASES", "9"))
"""How many random cases are tried."""
SUBJECTS = ("sqlite", "files", "bundle", "sqlite", "files", "bundle", "sqlite", "memory", "postgres")
"""What a random case is about, in turn: the more it can hold, the more often."""
AT_ONCE = 150
"""Cases for one process, so that many are spread over the workers."""
IS_SAMPLE = "CASES" not in os.environ
WRITTEN_FOR = ("sqlite", "files", "memory", "postgres")


@pytest.fixture(autouse=True)
def _one_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes of a test use its server of PostgreSQL."""
    monkeypatch.setenv("HOLDFAST_TEST_POSTGRES", server())


def _check(cases: list[Case]) -> None:
    tried, failures = trials.run(cases)
    assert tried == len(cases) > 0
    assert failures == [], "\n\n".join(map(str, failures))


@pytest.mark.parametrize("first", range(0, COUNT, AT_ONCE))
def test_random_changes_of_good_stores_and_bundles(first: int) -> None:
    numbers = range(first, min(first + AT_ONCE, COUNT))
    _check([(SUBJECTS[number % len(SUBJECTS)], SEED, number) for number in numbers])


@pytest.mark.parametrize("turn", range(1 if IS_SAMPLE else len(WRITTEN_FOR)))
def test_stores_that_were_thought_of(turn: int) -> None:
    """Every seventh of them in the sample, on one of the backends in turn; otherwise each on all of them."""
    subjects = [WRITTEN_FOR[(number + turn) % len(WRITTEN_FOR)] for number in range(len(CASES))]
    cases: list[Case] = [(subject, SEED, name) for subject, name in zip(subjects, CASES, strict=True)]
    _check(cases[::7] if IS_SAMPLE else cases)


def test_a_case_that_ends_its_process_is_found() -> None:
    cases: list[Case] = [("no such subject", SEED, 1), ("memory", SEED, "no rows")]
    tried, failures = trials.run(cases)
    assert tried == len(cases)
    assert [failure.case for failure in failures] == cases[:1]
    assert "KeyError: 'no such subject'" in str(failures[0])

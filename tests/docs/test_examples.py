"""Every example in the documentation runs and prints what the page says; every link leads somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.postgres import database

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
LINKING = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
RUNNER = Path(__file__).with_name("run_page.py")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Fence(NamedTuple):
    language: str
    text: str
    line: int  # of its first line of text
    start: int
    end: int


def fences(page: str) -> list[Fence]:
    return [
        Fence(found[1], found[2], page.count("\n", 0, found.start(2)) + 1, found.start(), found.end())
        for found in _FENCE.finditer(page)
    ]


def examples(page: str) -> Iterator[dict[str, Any]]:
    """Each python fence, with the output fence that follows it directly, if one does."""
    found = fences(page)
    for fence, after in zip_longest(found, found[1:]):
        if fence.language == "python":
            follows = after is not None and after.language in ("text", "output")
            shown = after.text if after is not None and follows and not page[fence.end : after.start].strip() else ""
            yield {"line": fence.line, "code": fence.text, "output": shown}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_examples_of_a_page_run_and_print_what_it_shows(path: Path, tmp_path: Path) -> None:
    found = list(examples(path.read_text("utf-8")))
    if not found:
        return
    with ExitStack() as stack:
        needs_server = any("DATABASE_URL" in example["code"] for example in found)
        server = {"DATABASE_URL": stack.enter_context(database(f"docs_{os.getpid()}"))} if needs_server else {}
        result = run_page(path, found, tmp_path, server)
    assert result.returncode == 0, result.stderr or result.stdout


def run_page(
    path: Path, found: list[dict[str, Any]], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(RUNNER)],
        input=json.dumps({"page": str(path), "name": name_of(path), "examples": found}),
        cwd=folder,
        env={
            **os.environ,
            **environment,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONIOENCODING": "utf-8",
        },
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_first_page_shows_a_result() -> None:
    assert any(example["output"] for example in examples((ROOT / "README.md").read_text("utf-8")))


# ------------------------------------------------------------------------------------------------ links


def prose(path: Path) -> str:
    return _FENCE.sub("", path.read_text("utf-8"))


def links(path: Path) -> list[tuple[str, str]]:
    """The relative links of a page: the target as written, and its anchor."""
    targets = [link for link in _LINK.findall(prose(path)) if not re.match(r"[a-z]+:", link)]
    return [(target.partition("#")[0], target.partition("#")[2]) for target in targets]


def anchors(path: Path) -> set[str]:
    """As the usual renderers make them: lower case, no punctuation, hyphens for spaces."""
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose(path))]
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("path", LINKING, ids=name_of)
def test_every_link_leads_to_something(path: Path) -> None:
    for target, anchor in links(path):
        there = (path.parent / target).resolve() if target else path
        assert there.exists(), f"{name_of(path)} links to {target}, which does not exist"
        if anchor:
            assert anchor in anchors(there), f"{name_of(path)} links to {target}#{anchor}, and there is no such heading"


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    reached, waiting = {index}, [index]
    while waiting:
        page = waiting.pop()
        linked = {(page.parent / target).resolve() for target, _ in links(page) if target.endswith(".md")}
        fresh = {one for one in linked if one.exists()} - reached
        reached |= fresh
        waiting += fresh
    assert [name_of(page) for page in DOCS if page not in reached] == []

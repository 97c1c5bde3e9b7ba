"""Plain English: words that make a reader stop, in the documentation, in the docstrings, comments and messages of the
code, and in the docstrings and comments of the tests; and what to write instead."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "tests" / "README.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
MODULES = sorted((ROOT / "src").rglob("*.py"))
SCRIPTS = sorted((ROOT / "src").rglob("*.sql"))
TESTS = sorted(
    path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("*.py") if path != Path(__file__)
)

INSTEAD = {
    r"whoever": "the caller, a writer, a reader, a process that",
    r"nobody": "no writer, no process, or a passive",
    r"somebody": "another process, a person, a user",
    r"anew": "again",
    r"meanwhile": "in between, or name the concurrent change",
    r"goes\son": "continues, resumes, keeps running",
    r"of\sours": "Holdfast's, the test's, or name it",
    r"sealed": "with its checksum, or settled",
    r"graves?": "tombstone",
    r"what\sis\sgone": "the deleted rows, threads or checkpoints",
    r"hangs?\son": "depends on, refers to, is re-parented to",
    r"stretch(?:es)?": "a range, a chain",
    r"as\sfar\sas": "where, if, or what can be done",
    r"(?<!there\s)is\sno\s(?!longer|more|other)\w+": "is not a …",
}
AVOIDED = {re.compile(rf"\b(?:{words})\b", re.IGNORECASE): instead for words, instead in INSTEAD.items()}
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


_INDENT = re.compile(r"\n[ \t#-]*")


class Prose(NamedTuple):
    """A text, and the line of the file that it starts in."""

    line: int
    text: str


def prose_of_page(path: Path) -> Iterator[Prose]:
    """A page without its code blocks."""
    yield Prose(1, _FENCE.sub(lambda block: "\n" * block[0].count("\n"), path.read_text("utf-8")))


def prose_of_module(path: Path) -> Iterator[Prose]:
    """The comments and strings of a module."""
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type in kinds:
            yield Prose(token.start[0], token.string)


def prose_of_test(path: Path) -> Iterator[Prose]:
    """The comments and docstrings of a module whose other strings are data."""
    for prose in prose_of_module(path):
        if prose.text.startswith(("#", '"""')):
            yield prose


def prose_of_script(path: Path) -> Iterator[Prose]:
    """The comments of an SQL file."""
    yield Prose(1, "\n".join(line.partition("--")[2] for line in path.read_text("utf-8").splitlines()))


def faults(path: Path, texts: Iterator[Prose]) -> Iterator[str]:
    name = path.relative_to(ROOT).as_posix()
    for line, text in texts:
        plain = _INDENT.sub("\n", text)
        for avoided, instead in AVOIDED.items():
            for found in avoided.finditer(plain):
                yield f"{name}:{line + plain.count(chr(10), 0, found.start())}: {found[0]!r}: write {instead}"


@pytest.mark.parametrize(
    ("paths", "prose"),
    [(PAGES, prose_of_page), (MODULES, prose_of_module), (SCRIPTS, prose_of_script), (TESTS, prose_of_test)],
    ids=["pages", "docstrings, comments and messages", "comments in SQL", "docstrings and comments of tests"],
)
def test_it_is_plain_english(paths: list[Path], prose: Callable[[Path], Iterator[Prose]]) -> None:
    assert paths
    found = [fault for path in paths for fault in faults(path, prose(path))]
    assert not found, "\n".join(found)

"""How commands write: columns and colours on a terminal, the same text without colours elsewhere, JSON on request."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

from holdfast.cli.ui.terminal_text import many_lines, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDEST: Final = 48  # a longer cell is not cut; it moves the cells after it in its row
_STATUS: Final = {"completed": "green", "failed": "red", "cancelled": "red", "damaged": "bold red"}


def console() -> Console:
    """A console that interprets no markup, and neither wraps nor cuts lines."""
    from rich.console import Console

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for characters that the terminal's encoding lacks
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=True)


def cell(text: object, style: str = "") -> Text:
    """Stored text as one cell of a line."""
    from rich.text import Text

    return Text(one_line(str(text)), style)


def status_cell(status: str) -> Text:
    return cell(status, _STATUS.get(status.lower(), "yellow" if status.startswith("interrupt") else ""))


def columns(rows: Sequence[Sequence[Text]], right: Iterable[int] = ()) -> list[Text]:
    """The rows as lines, each column as wide as its widest cell; `right` are the columns of numbers."""
    widths = [max(min(text.cell_len, _WIDEST) for text in column) for column in zip(*rows, strict=True)]
    return [_line(row, widths, frozenset(right)) for row in rows]


def _line(row: Sequence[Text], widths: Sequence[int], right: frozenset[int]) -> Text:
    from rich.text import Text

    line = Text()
    for index, (text, width) in enumerate(zip(row, widths, strict=True)):
        padding = Text(" " * (width - text.cell_len))
        line.append("  " if index else "")
        line.append_text(padding + text if index in right else text + padding)
    line.rstrip()
    return line


def write_json(value: Any) -> None:
    """One line of JSON, in ASCII: safe for every terminal, and for lone surrogates."""
    print(json.dumps(value, allow_nan=False))


def first_lines(lines: Iterable[str], limit: int) -> list[str]:
    """At most `limit` lines, indented; a last one says how many more there are."""
    found = [f"  {line}" for line in lines]
    more = [f"  … and {len(found) - limit:,} more; --json lists all"] if len(found) > limit else []
    return found[:limit] + more


def note(text: str) -> None:
    """A remark on standard error, beside the output."""
    print(many_lines(text), file=sys.stderr)


def refuse(text: str) -> NoReturn:
    """End the command with exit code 2: an argument is missing, unclear, or names something that does not exist."""
    note(f"holdfast: {text}")
    raise typer.Exit(2)

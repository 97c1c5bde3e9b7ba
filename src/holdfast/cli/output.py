"""How commands write: columns and colours on a terminal, the same text without colours elsewhere, JSON on request."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

from holdfast.cli.escapes import many_lines, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDEST: Final = 48  # a longer cell is not cut, it only pushes what follows it in its row
_STATUS: Final = {"completed": "green", "failed": "red", "cancelled": "red", "damaged": "bold red"}


def console() -> Console:
    """Nothing that is printed is taken for markup, and no line is wrapped or cut."""
    from rich.console import Console

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what the terminal's encoding lacks
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=True)


def cell(text: object, style: str = "") -> Text:
    """Stored text, as part of a line."""
    from rich.text import Text

    return Text(one_line(str(text)), style)


def status_cell(status: str) -> Text:
    return cell(status, _STATUS.get(status.lower(), "yellow" if status.startswith("interrupt") else ""))


def columns(rows: Sequence[Sequence[Text]], right: Iterable[int] = ()) -> list[Text]:
    """The rows as lines, each column as wide as its widest cell; `right` are the columns of numbers."""
    widths = [max(min(one.cell_len, _WIDEST) for one in column) for column in zip(*rows, strict=True)]
    return [_line(row, widths, frozenset(right)) for row in rows]


def _line(row: Sequence[Text], widths: Sequence[int], right: frozenset[int]) -> Text:
    from rich.text import Text

    line = Text()
    for place, (one, width) in enumerate(zip(row, widths, strict=True)):
        padding = " " * (width - one.cell_len)
        line.append("  " if place else "")
        line.append_text(Text(padding) + one if place in right else one + Text(padding))
    line.rstrip()
    return line


def write_json(value: Any) -> None:
    """One line of JSON, in ASCII: neither a terminal nor a lone surrogate can trip over it."""
    print(json.dumps(value, allow_nan=False))


def note(text: str) -> None:
    """A remark that is no part of the output."""
    print(many_lines(text), file=sys.stderr)


def refuse(text: str) -> NoReturn:
    """The command names something that is not there, or is not clear."""
    note(f"holdfast: {text}")
    raise typer.Exit(2)

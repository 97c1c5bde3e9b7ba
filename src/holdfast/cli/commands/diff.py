"""`holdfast diff`: what changed from one checkpoint to another."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

import holdfast
from holdfast._json import record_to_json
from holdfast.cli.args.checkpoint_ref import HEAD, resolve, shorten
from holdfast.cli.args.store_url import (
    JsonOption,
    NamespaceOption,
    StoreArgument,
    ThreadArgument,
    find_thread,
    open_existing,
)
from holdfast.cli.ui.humanize import ago
from holdfast.cli.ui.output import cell, console, write_json
from holdfast.cli.ui.render_value import PLAIN_WIDTH, Values

if TYPE_CHECKING:
    from rich.text import Text

_SIGNS: Final = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}
_AROUND: Final = 2
_MOST_LINES: Final = 2_000  # the time to compare lines grows with their square


def command(
    url: StoreArgument,
    thread: ThreadArgument,
    a: Annotated[str, typer.Argument(metavar="A", help="The start or end of an id, HEAD, HEAD~2, label:NAME.")],
    b: Annotated[str, typer.Argument(metavar="[B]", help="The same; the head by default.")] = HEAD,
    to_thread: Annotated[
        str | None, typer.Option("--to-thread", metavar="OTHER", help="B is a checkpoint of this thread.")
    ] = None,
    namespace: NamespaceOption = "",
    as_json: JsonOption = False,
) -> None:
    """Compare the states of two checkpoints. They may be of two threads."""
    with open_existing(url) as store:
        left = find_thread(store, thread, namespace)
        right = left if to_thread is None else find_thread(store, to_thread, namespace)
        old, new = resolve(left, a), resolve(right, b)
        changes = left.diff(old, new)
    if as_json:
        write_json({"a": _json_of(old), "b": _json_of(new), "changes": [change.to_json() for change in changes]})
        return
    out = console()
    values = Values(out.width if out.is_terminal else PLAIN_WIDTH)
    for line in _lines(old, new, changes, values):
        out.print(line)


def _json_of(info: holdfast.CheckpointInfo) -> dict[str, Any]:
    return record_to_json(info, holdfast.CheckpointInfo)


def _lines(
    old: holdfast.CheckpointInfo, new: holdfast.CheckpointInfo, changes: holdfast.Diff, values: Values
) -> Iterator[Text]:
    short = shorten({old.id, new.id})
    yield _title("---", old, short[old.id])
    yield _title("+++", new, short[new.id])
    for change in changes:
        sign, style = _SIGNS[change.kind]
        yield cell(f"{sign} {change.path}", f"bold {style}")
        yield from _change(change, values)
    if not changes:
        yield cell("no difference", "dim")
    if values.has_cut:
        yield cell("some values are cut: --json prints everything", "dim")


def _title(sign: str, info: holdfast.CheckpointInfo, short: str) -> Text:
    words = [sign, info.thread_id, short, f"step {info.step}", info.node, info.status, ago(info.created_at)]
    return cell("  ".join(filter(None, words)), "bold")


def _change(change: holdfast.Difference, values: Values) -> Iterator[Text]:
    if change.kind == "changed" and _are_texts(change.old, change.new):
        yield from _changed_lines(change.old, change.new)
        return
    if change.kind != "added":
        yield from _side("-", change.old, values)
    if change.kind != "removed":
        yield from _side("+", change.new, values)


def _side(sign: str, value: Any, values: Values) -> Iterator[Text]:
    style = "red" if sign == "-" else "green"
    for line in values.lines(value):
        yield cell(f"  {sign} {line.plain}", style)


def _are_texts(*sides: Any) -> bool:
    """Whether both are texts to be compared line by line."""
    return all(isinstance(side, str) and side.count("\n") < _MOST_LINES for side in sides) and any(
        "\n" in side for side in sides
    )


def _changed_lines(old: str, new: str) -> Iterator[Text]:
    compared = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=_AROUND)
    for number, line in enumerate(compared):
        if number >= 2:  # after the two lines for the names of files
            yield cell(f"  {line}", {"-": "red", "+": "green", "@": "cyan"}.get(line[0], "dim"))

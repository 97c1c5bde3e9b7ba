"""`holdfast diff`: what changed from one checkpoint to another."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

import holdfast
from holdfast.cli.output import cell, console, write_json
from holdfast.cli.plain import plain, plain_fields
from holdfast.cli.quantities import ago
from holdfast.cli.references import HEAD, resolve, shorten
from holdfast.cli.stores import JsonOption, NamespaceOption, StoreArgument, ThreadArgument, find_thread, opened
from holdfast.cli.value_show import PLAIN_WIDTH, Values

if TYPE_CHECKING:
    from rich.text import Text

_SIGNS: Final = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}
_AROUND: Final = 2
_MOST_LINES: Final = 2_000  # comparing lines takes time that grows with their square


def command(
    store: StoreArgument,
    thread: ThreadArgument,
    a: Annotated[str, typer.Argument(metavar="A", help="The start or end of an id, HEAD, HEAD~2, label:NAME.")],
    b: Annotated[str, typer.Argument(metavar="[B]", help="The same; the head, if it is not given.")] = HEAD,
    to_thread: Annotated[
        str | None, typer.Option("--to-thread", metavar="OTHER", help="B is a checkpoint of this thread.")
    ] = None,
    namespace: NamespaceOption = "",
    as_json: JsonOption = False,
) -> None:
    """Compare the states of two checkpoints, of one thread or of two."""
    with opened(store) as there:
        one = find_thread(there, thread, namespace)
        other = one if to_thread is None else find_thread(there, to_thread, namespace)
        old, new = resolve(one, a), resolve(other, b)
        found = one.diff(old, new)
    if as_json:
        write_json({"a": _json_of(old), "b": _json_of(new), "changes": list(map(_change_json, found))})
        return
    out = console()
    values = Values(out.width if out.is_terminal else PLAIN_WIDTH)
    for line in _lines(old, new, found, values):
        out.print(line)


def _json_of(info: holdfast.CheckpointInfo) -> dict[str, Any]:
    return plain_fields(info, holdfast.CheckpointInfo)


def _change_json(change: holdfast.Difference) -> dict[str, Any]:
    sides = {"old": change.old, "new": change.new}
    absent = {"added": "old", "removed": "new"}.get(change.kind)
    shown = {side: plain(value) for side, value in sides.items() if side != absent}
    return {"path": change.path, "kind": change.kind, **shown}


def _lines(
    old: holdfast.CheckpointInfo, new: holdfast.CheckpointInfo, found: holdfast.Diff, values: Values
) -> Iterator[Text]:
    short = shorten({old.id, new.id})
    yield _title("---", old, short[old.id])
    yield _title("+++", new, short[new.id])
    for change in found:
        sign, style = _SIGNS[change.kind]
        yield cell(f"{sign} {change.path}", f"bold {style}")
        yield from _change(change, values)
    if not found:
        yield cell("no difference", "dim")
    if values.has_cut:
        yield cell("some of it is cut: --json has all there is", "dim")


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
    """Whether their lines can be compared."""
    return all(isinstance(side, str) and side.count("\n") < _MOST_LINES for side in sides) and any(
        "\n" in side for side in sides
    )


def _changed_lines(old: str, new: str) -> Iterator[Text]:
    compared = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=_AROUND)
    for number, line in enumerate(compared):
        if number >= 2:  # the names of two files come first
            yield cell(f"  {line}", {"-": "red", "+": "green", "@": "cyan"}.get(line[0], "dim"))

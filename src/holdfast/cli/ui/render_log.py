"""What `holdfast log` prints: one line for each checkpoint, beside the drawing of the branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from holdfast._json import record_to_json
from holdfast.cli.args.checkpoint_ref import HEAD, LABEL, shorten
from holdfast.cli.args.fork_family import Key, Node, key_of
from holdfast.cli.ui.branch_graph import draw
from holdfast.cli.ui.humanize import ago
from holdfast.cli.ui.output import cell, columns, status_cell
from holdfast.model import CheckpointInfo

if TYPE_CHECKING:
    from rich.text import Text

_LANES: Final = ("red", "green", "yellow", "blue", "magenta", "cyan")
_NAMED: Final = 3


class Names(NamedTuple):
    """The names that point to a checkpoint."""

    is_head: bool = False
    heads: Sequence[str] = ()
    """Threads whose head it is, in the graph of a tree."""
    forks: Sequence[str] = ()
    """Threads forked from it."""


def lines(nodes: Sequence[Node], names: Mapping[Key, Names], *, cut: bool) -> list[Text]:
    """The history as a graph."""
    from rich.text import Text

    by_key = {key_of(node.info): node.info for node in nodes}
    short = shorten({info.id for info in by_key.values()})
    blank = [Text()] * 7
    rows = []
    for row in draw([(key_of(node.info), node.parent) for node in nodes], cut=cut):
        rest = blank if row.id is None else _cells(by_key[row.id], short, names.get(row.id, Names()))
        rows.append([_coloured(row.drawing), *rest])
    return columns(rows) if rows else []


def _coloured(drawing: str) -> Text:
    from rich.text import Text

    return Text.assemble(
        *((character, "bold" if character == "*" else _lane(at)) for at, character in enumerate(drawing))
    )


def _lane(at: int) -> str:
    return _LANES[(at + 1) // 2 % len(_LANES)]


def _cells(info: CheckpointInfo, short: Mapping[str, str], names: Names) -> list[Text]:
    return [
        cell(short[info.id], "yellow"),
        cell(f"step {info.step}"),
        cell(info.node or "-"),
        cell(info.source, "dim"),
        status_cell(info.status),
        cell(ago(info.created_at), "dim"),
        _references(info, names),
    ]


def _references(info: CheckpointInfo, names: Names) -> Text:
    from rich.text import Text

    shown = [cell(HEAD, "bold cyan")] if names.is_head else []
    shown += [cell(name, "bold green") for name in names.heads]
    shown += [cell(LABEL + info.label, "bold yellow")] if info.label else []
    shown += [cell(f"fork:{name}", "bold green") for name in names.forks[:_NAMED]]
    if len(names.forks) > _NAMED:
        shown.append(cell(f"{len(names.forks) - _NAMED:,} more forks", "green"))
    return Text.assemble("(", Text(", ").join(shown), ")") if shown else Text()


def as_json(nodes: Sequence[Node], names: Mapping[Key, Names]) -> list[dict[str, Any]]:
    short = shorten({node.info.id for node in nodes})
    return [_json_of(node.info, short, names.get(key_of(node.info), Names())) for node in nodes]


def _json_of(info: CheckpointInfo, short: Mapping[str, str], names: Names) -> dict[str, Any]:
    pointing = {"is_head": names.is_head, "heads": list(names.heads), "forks": list(names.forks)}
    return {**record_to_json(info, CheckpointInfo), "short": short[info.id], **pointing}

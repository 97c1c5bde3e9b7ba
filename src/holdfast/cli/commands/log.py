"""`holdfast log`: the history of a thread, drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, Any, Final

import typer

import holdfast
from holdfast.cli import family, log_show
from holdfast.cli.family import Key, Node, key_of
from holdfast.cli.log_show import Names
from holdfast.cli.output import console, note, write_json
from holdfast.cli.references import every, place
from holdfast.cli.stores import JsonOption, NamespaceOption, StoreArgument, ThreadArgument, find_thread, opened

_LOOKED_AT: Final = 10_000  # threads among which forks are looked for, unless --all asks for all

Thread = holdfast.Thread[dict[str, Any]]


def command(
    store: StoreArgument,
    thread: ThreadArgument,
    namespace: NamespaceOption = "",
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="So many checkpoints at most; 0 is all.")] = 20,
    all_threads: Annotated[
        bool, typer.Option("--all", help="One graph of the thread, its origin and all their forks.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw the history of a thread: its branches, labels and forks, newest first."""
    with opened(store) as there:
        found = find_thread(there, thread, namespace)
        looked = _tree(there, found, limit or None) if all_threads else _alone(there, found, limit or None)
    nodes, names, more = looked
    if as_json:
        for line in log_show.as_json(nodes, names):
            write_json(line)
        return
    out = console()
    for text in log_show.lines(nodes, names, cut=more):
        out.print(text)
    if not nodes:
        note(f"{place(found)} has no checkpoints")
    if more:
        note(f"… there are more: --limit {2 * limit}, or --limit 0 for all")


Looked = tuple[list[Node], dict[Key, Names], bool]
"""What to show, what points there, and whether there is more."""


def _alone(store: holdfast.Store, thread: Thread, limit: int | None) -> Looked:
    listed = _newest(thread, limit)
    history = listed[:limit]
    nodes = list(family.merged([history]).values())
    forked = _forks_of(store, thread) if nodes else {}
    names = {
        key_of(node.info): Names(is_head=not number, forks=forked.get(node.info.id, ()))
        for number, node in enumerate(nodes)
    }
    return nodes, names, len(history) < len(listed)


def _newest(thread: Thread, limit: int | None) -> list[holdfast.CheckpointInfo]:
    """One more than wanted, which tells that there are more."""
    return list(every(thread)) if limit is None else thread.history(limit=limit + 1)


def _forks_of(store: holdfast.Store, thread: Thread) -> dict[str, list[str]]:
    """The forks of this thread, by the checkpoint they started from. They cover the root namespace's."""
    found: dict[str, list[str]] = defaultdict(list)
    if thread.namespace:
        return found
    for number, info in enumerate(family.every(store)):
        if number == _LOOKED_AT:
            note(f"forks were looked for among the first {_LOOKED_AT:,} threads; --all looks at all")
            break
        if info.forked_from is not None and info.forked_from.thread_id == thread.id:
            found[info.forked_from.checkpoint_id].append(info.id)
    return found


def _tree(store: holdfast.Store, thread: Thread, limit: int | None) -> Looked:
    members = family.relatives(thread.id, family.every(store))
    others = (store.thread(one, thread.namespace) for one in members if one != thread.id)
    histories = [_newest(thread, limit), *(_readable(other, limit) for other in others)]
    every_node = family.merged(histories)
    shown = family.newest(every_node, limit)
    nodes = [shown[key] for key in family.in_order(shown)]
    return nodes, _heads(thread.id, histories), len(shown) < len(every_node)


def _readable(thread: Thread, limit: int | None) -> list[holdfast.CheckpointInfo]:
    try:
        return _newest(thread, limit)
    except holdfast.Corrupt as error:
        note(f"{place(thread)} is damaged and left out: {error}")
        return []


def _heads(thread_id: str, histories: Iterable[list[holdfast.CheckpointInfo]]) -> dict[Key, Names]:
    """As branches in git: each thread stands at its newest checkpoint."""
    found: dict[Key, Names] = {}
    for head in (history[0] for history in histories if history):
        known = found.get(key_of(head), Names())
        found[key_of(head)] = Names(known.is_head or head.thread_id == thread_id, [*known.heads, head.thread_id])
    return found

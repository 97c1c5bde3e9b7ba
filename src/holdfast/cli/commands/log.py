"""`holdfast log`: the history of a thread, drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, Any, Final

import typer

import holdfast
from holdfast.cli.args import fork_family
from holdfast.cli.args.checkpoint_ref import every, thread_name
from holdfast.cli.args.fork_family import Key, Node, key_of
from holdfast.cli.args.store_url import (
    JsonOption,
    NamespaceOption,
    StoreArgument,
    ThreadArgument,
    find_thread,
    open_existing,
)
from holdfast.cli.ui import render_log
from holdfast.cli.ui.output import console, note, write_json
from holdfast.cli.ui.render_log import Names

_SEARCHED: Final = 10_000  # threads among which forks are searched for without --all

Thread = holdfast.Thread[dict[str, Any]]


def command(
    url: StoreArgument,
    thread: ThreadArgument,
    namespace: NamespaceOption = "",
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="Show at most N checkpoints; 0 for all.")] = 20,
    all_threads: Annotated[
        bool, typer.Option("--all", help="One graph of the thread, its origin and all their forks.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw the history of a thread, newest first. The drawing has its branches, labels and forks."""
    with open_existing(url) as store:
        shown = find_thread(store, thread, namespace)
        find = _whole_tree if all_threads else _one_thread
        nodes, names, more = find(store, shown, limit or None)
    if as_json:
        for line in render_log.as_json(nodes, names):
            write_json(line)
        return
    out = console()
    for text in render_log.lines(nodes, names, cut=more):
        out.print(text)
    if not nodes:
        note(f"{thread_name(shown)} has no checkpoints")
    if more:
        note(f"… there are more: --limit {2 * limit}, or --limit 0 for all")


Graph = tuple[list[Node], dict[Key, Names], bool]
"""The checkpoints to show, the names that point to them, and whether there are more."""


def _one_thread(store: holdfast.Store, thread: Thread, limit: int | None) -> Graph:
    listed = _newest(thread, limit)
    history = listed[:limit]
    nodes = list(fork_family.merged([history]).values())
    forked = _forks_of(store, thread) if nodes else {}
    names = {
        key_of(node.info): Names(is_head=not number, forks=forked.get(node.info.id, ()))
        for number, node in enumerate(nodes)
    }
    return nodes, names, len(history) < len(listed)


def _newest(thread: Thread, limit: int | None) -> list[holdfast.CheckpointInfo]:
    """One more than wanted, if there is one: then there are more."""
    return list(every(thread)) if limit is None else thread.history(limit=limit + 1)


def _forks_of(store: holdfast.Store, thread: Thread) -> dict[str, list[str]]:
    """The forks of this thread, by the checkpoint they started from, which is in the root namespace."""
    forks: dict[str, list[str]] = defaultdict(list)
    if thread.namespace:
        return forks
    for number, info in enumerate(fork_family.every(store)):
        if number == _SEARCHED:
            note(f"only the first {_SEARCHED:,} threads were searched for forks; --all searches all")
            break
        if info.forked_from is not None and info.forked_from.thread_id == thread.id:
            forks[info.forked_from.checkpoint_id].append(info.id)
    return forks


def _whole_tree(store: holdfast.Store, thread: Thread, limit: int | None) -> Graph:
    members = fork_family.relatives(thread.id, fork_family.every(store))
    others = (store.thread(member, thread.namespace) for member in members if member != thread.id)
    histories = [_newest(thread, limit), *(_readable(other, limit) for other in others)]
    every_node = fork_family.merged(histories)
    shown = fork_family.newest(every_node, limit)
    nodes = [shown[key] for key in fork_family.in_order(shown)]
    return nodes, _heads(thread.id, histories), len(shown) < len(every_node)


def _readable(thread: Thread, limit: int | None) -> list[holdfast.CheckpointInfo]:
    try:
        return _newest(thread, limit)
    except holdfast.Corrupt as error:
        note(f"{thread_name(thread)} is damaged and was left out: {error}")
        return []


def _heads(thread_id: str, histories: Iterable[list[holdfast.CheckpointInfo]]) -> dict[Key, Names]:
    """The names of threads at their newest checkpoints, as git shows branches."""
    names: dict[Key, Names] = {}
    for head in (history[0] for history in histories if history):
        before = names.get(key_of(head), Names())
        names[key_of(head)] = Names(before.is_head or head.thread_id == thread_id, [*before.heads, head.thread_id])
    return names

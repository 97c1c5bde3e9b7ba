"""A thread and its relatives by forks, found in the store's list of threads."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import holdfast

_PAGE: Final = 500

Key = tuple[str, str]
"""A checkpoint that several threads may share: its id and its digest, which are the same in all of them."""


class Node(NamedTuple):
    """A checkpoint in the graph of a tree of threads."""

    info: holdfast.CheckpointInfo
    parent: Key | None


def every(store: holdfast.Store) -> Iterator[holdfast.ThreadInfo]:
    """All threads, read in pages."""
    page = store.threads(limit=_PAGE)
    while page:
        yield from page
        page = store.threads(limit=_PAGE, after=page[-1].id) if len(page) == _PAGE else []


def relatives(thread_id: str, known: Iterable[holdfast.ThreadInfo]) -> list[str]:
    """The thread, its origin, its forks, and theirs in turn."""
    near: dict[str, list[str]] = defaultdict(list)
    for info in known:
        if info.forked_from is not None:
            near[info.id].append(info.forked_from.thread_id)
            near[info.forked_from.thread_id].append(info.id)
    reached, unvisited = {thread_id: None}, [thread_id]
    while unvisited:
        new = [neighbour for neighbour in near[unvisited.pop()] if neighbour not in reached]
        reached.update(dict.fromkeys(new))
        unvisited += new
    return list(reached)


def key_of(info: holdfast.CheckpointInfo) -> Key:
    return info.id, info.digest


def merged(histories: Iterable[Iterable[holdfast.CheckpointInfo]]) -> dict[Key, Node]:
    """The checkpoints of several threads, each once even if shared; the record of the first thread that lists it."""
    listed = {(info.thread_id, info.id): info for history in histories for info in history}
    nodes: dict[Key, Node] = {}
    for info in listed.values():
        nodes.setdefault(key_of(info), Node(info, _parent(info, listed)))
    return nodes


def _parent(info: holdfast.CheckpointInfo, listed: dict[tuple[str, str], holdfast.CheckpointInfo]) -> Key | None:
    if info.parent_id is None:
        return None
    keys = ((thread_id, info.parent_id) for thread_id in (info.thread_id, info.parent_thread_id or info.thread_id))
    parent = next((listed[key] for key in keys if key in listed), None)
    return (info.parent_id, "") if parent is None else key_of(parent)


def newest(nodes: dict[Key, Node], limit: int | None) -> dict[Key, Node]:
    keys = nodes.keys() if limit is None else heapq.nlargest(limit, nodes, key=lambda key: _age(nodes[key]))
    return {key: nodes[key] for key in keys}


def in_order(nodes: dict[Key, Node]) -> list[Key]:
    """Children before their parents, branches unbroken where possible, newer branches first."""
    children = Counter(node.parent for node in nodes.values() if node.parent in nodes)
    unvisited = sorted((key for key in nodes if not children[key]), key=lambda key: _age(nodes[key]))
    ordered = []
    while unvisited:
        key = unvisited.pop()
        ordered.append(key)
        parent = nodes[key].parent
        if parent is not None and parent in nodes:
            children[parent] -= 1
            if not children[parent]:
                unvisited.append(parent)
    return ordered


def _age(node: Node) -> tuple[object, int]:
    return node.info.created_at, node.info.seq

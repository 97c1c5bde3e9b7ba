"""Draws a history as `git log --graph` does, from ids and parents.

>>> history = [("e", "b"), ("d", "c"), ("c", "b"), ("b", "a"), ("a", None)]
>>> print("\\n".join(f"{row.drawing} {row.id or ''}".rstrip() for row in draw(history)))
* e
| * d
| * c
|/
* b
* a

A checkpoint has one parent, so lanes only branch. Read from the newest checkpoint, they join.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)


class Row(NamedTuple, Generic[K]):
    """One row of the drawing; a row without an id only joins lanes."""

    drawing: str
    id: K | None = None


def draw(history: Sequence[tuple[K, K | None]], *, cut: bool = False) -> Iterator[Row[K]]:
    """The rows of these (id, parent) pairs, in which a child comes before its parent.

    A parent that is not among them was removed, and its lane ends. If the list was `cut`, the parent may be further
    down, and the lane continues to the end.
    """
    listed = {id for id, _ in history}
    lanes: list[K | None] = []  # the id that each lane leads to; None for a lane that has just ended
    for id, parent in history:
        if id not in lanes:
            lanes.append(id)
        column = lanes.index(id)
        yield from _joins(lanes, id, column)
        yield Row(_with_node(lanes, column), id)
        # A lane that ended stays empty for one row, so that the next id is not drawn below it.
        ended = lanes.index(None) if None in lanes else None
        lanes[column] = parent if cut or parent in listed else None
        if ended is not None:
            yield from _removal(lanes, ended)


def _joins(lanes: list[K | None], id: K, column: int) -> Iterator[Row[K]]:
    """Join the other lanes that lead to this id to its column."""
    for lane in range(len(lanes) - 1, column, -1):
        if lanes[lane] == id:
            yield Row(_joining(lanes, column, lane))
            del lanes[lane]


def _removal(lanes: list[K | None], ended: int) -> Iterator[Row[K]]:
    """Take out a lane that has ended, and move those to its right up."""
    if any(lane is not None for lane in lanes[ended + 1 :]):
        yield Row(_closing(lanes, ended))
        del lanes[ended]
    else:
        del lanes[ended:]


def _with_node(lanes: Sequence[object], column: int) -> str:
    return "".join("* " if index == column else _straight(lane) for index, lane in enumerate(lanes)).rstrip()


def _joining(lanes: Sequence[object], column: int, lane: int) -> str:
    """A lane joins another, below the lanes between them; those to its right move up."""
    left = "".join(map(_straight, lanes[:column]))
    below = "|" + "".join("_ " if between is None else "_|" for between in lanes[column + 1 : lane]) + "/"
    return (left + below + "".join(map(_moving, lanes[lane + 1 :]))).rstrip()


def _closing(lanes: Sequence[object], lane: int) -> str:
    """A lane has ended; those to its right move up."""
    left = "".join(map(_straight, lanes[:lane]))
    return (left + "".join(map(_moving, lanes[lane + 1 :]))).rstrip()


def _straight(lane: object) -> str:
    return "  " if lane is None else "| "


def _moving(lane: object) -> str:
    return "  " if lane is None else " /"

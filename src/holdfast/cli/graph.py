"""A history drawn as `git log --graph` draws one, from nothing but ids and parents.

>>> history = [("e", "b"), ("d", "c"), ("c", "b"), ("b", "a"), ("a", None)]
>>> print("\\n".join(f"{row.drawing} {row.id or ''}".rstrip() for row in draw(history)))
* e
| * d
| * c
|/
* b
* a

Checkpoints have one parent, so lines only ever part. Read from the newest, they meet.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)


class Row(NamedTuple, Generic[K]):
    """One line of the drawing; those without an id only join lines."""

    drawing: str
    id: K | None = None


def draw(history: Sequence[tuple[K, K | None]], *, cut: bool = False) -> Iterator[Row[K]]:
    """The rows of these (id, parent) pairs, in which a child stands before its parent.

    A parent that is not among them was removed, and its line ends. If the list was `cut`, the parent may be further
    down, and the line goes on to the end.
    """
    known = {id for id, _ in history}
    lanes: list[K | None] = []  # which id each lane leads to; None for one that has just ended
    for id, parent in history:
        if id not in lanes:
            lanes.append(id)
        column = lanes.index(id)
        for lane in range(len(lanes) - 1, column, -1):
            if lanes[lane] == id:
                yield Row(_meeting(lanes, column, lane))
                del lanes[lane]
        yield Row(_marked(lanes, column), id)
        ended = lanes.index(None) if None in lanes else None  # it kept its place for a row, so that nothing hangs on it
        lanes[column] = parent if cut or parent in known else None
        if ended is not None:
            if any(lane is not None for lane in lanes[ended + 1 :]):
                yield Row(_closing(lanes, ended))
                del lanes[ended]
            else:
                del lanes[ended:]


def _marked(lanes: Sequence[object], column: int) -> str:
    return "".join("* " if place == column else _straight(lane) for place, lane in enumerate(lanes)).rstrip()


def _meeting(lanes: Sequence[object], column: int, lane: int) -> str:
    """A lane runs into another, below whatever lies between; those to its right move up."""
    left = "".join(map(_straight, lanes[:column]))
    below = "|" + "".join("_ " if one is None else "_|" for one in lanes[column + 1 : lane]) + "/"
    return (left + below + "".join(map(_moving, lanes[lane + 1 :]))).rstrip()


def _closing(lanes: Sequence[object], lane: int) -> str:
    """A lane has ended; those to its right move up."""
    left = "".join(map(_straight, lanes[:lane]))
    return (left + "".join(map(_moving, lanes[lane + 1 :]))).rstrip()


def _straight(lane: object) -> str:
    return "  " if lane is None else "| "


def _moving(lane: object) -> str:
    return "  " if lane is None else " /"

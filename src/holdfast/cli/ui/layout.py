"""Lays out nested text: on one line if it fits, else each part on its own line.

>>> group = Group("{", "}", [("'a': ", "1"), ("'b': ", Group("[", "]", [("", "2"), ("", "3")]))])
>>> print(*lines(group, 80), sep="\\n")
{'a': 1, 'b': [2, 3]}
>>> print(*lines(group, 12), sep="\\n")
{
  'a': 1,
  'b': [
    2,
    3
  ]
}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

_INDENT: Final = "  "


class Group(NamedTuple):
    """Parts between brackets, each with a prefix such as its key."""

    start: str
    end: str
    parts: list[tuple[str, Node]]


Node = str | Group


def lines(node: Node, width: int, before: str = "", after: str = "") -> Iterator[str]:
    flat = before + _flat(node, width) + after
    if isinstance(node, str) or not node.parts or len(flat) <= width:
        yield flat
        return
    yield before + node.start
    for number, (key, part) in enumerate(node.parts, 1):
        comma = "," if number < len(node.parts) else ""
        yield from (_INDENT + line for line in lines(part, width - len(_INDENT), key, comma))
    yield node.end + after


def _flat(node: Node, width: int) -> str:
    """The text on one line; of text longer than the width, at least as much as exceeds it."""
    if isinstance(node, str):
        return node
    parts, length = [], 0
    for key, part in node.parts:
        parts.append(key + _flat(part, width))
        length += len(parts[-1])
        if length > width:
            break
    return f"{node.start}{', '.join(parts)}{node.end}"

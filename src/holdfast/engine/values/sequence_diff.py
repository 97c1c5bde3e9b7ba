"""Where two sequences differ: the part of comparing that knows nothing about what the items mean.

>>> gaps([b"a", b"b", b"c"], [b"a", b"x", b"c", b"d"])
[(1, 2, 1, 2), (3, 3, 3, 4)]
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import compress, count
from operator import ne
from typing import Any, Final

_LONG_TEXT: Final = 256  # changes further apart than this are worth two cuts
_LONGEST_SPLIT: Final = 16 * 1024 * 1024  # lines take several times the memory of their text
_BLOCK: Final = 64 * 1024

Gap = tuple[int, int, int, int]
"""old[a0:a1] became new[b0:b1]; everything between two gaps is the same."""


def gaps(old: Sequence[Any], new: Sequence[Any]) -> list[Gap]:
    """Where two lists of encoded items differ."""
    start, end = _same_ends(old, new)
    a1, b1 = len(old) - end, len(new) - end
    if start in (a1, b1):
        return [(start, a1, start, b1)] if a1 != b1 else []
    if a1 - start == b1 - start:
        changed = _changed_places(old, new, start, a1)
        if 2 * len(changed) <= a1 - start or a1 - start <= 2:
            return _runs(changed)
    return _between_anchors(old, new, start, a1, b1)


def _same_ends(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int]:
    shorter = min(len(old), len(new))
    start = next(compress(count(), map(ne, old, new)), shorter)
    room = shorter - start
    end = next(compress(count(), map(ne, reversed(old), reversed(new))), shorter) if room else 0
    return start, min(end, room)


def _changed_places(old: Sequence[Any], new: Sequence[Any], start: int, end: int) -> list[int]:
    return list(compress(range(start, end), map(ne, old[start:end], new[start:end])))


def _runs(places: list[int]) -> list[Gap]:
    """[3, 4, 9] are the gaps 3..5 and 9..10."""
    found: list[Gap] = []
    for i in places:
        if found and found[-1][1] == i:
            found[-1] = (found[-1][0], i + 1, found[-1][2], i + 1)
        else:
            found.append((i, i + 1, i, i + 1))
    return found


def _between_anchors(old: Sequence[Any], new: Sequence[Any], start: int, a1: int, b1: int) -> list[Gap]:
    """Align the items that occur once on both sides (patience diff), and compare what is between them."""
    found: list[Gap] = []
    a, b = start, start
    for i, j in [*_anchors(old[start:a1], new[start:b1], start), (a1, b1)]:
        lead, tail = _same_ends(old[a:i], new[b:j])
        if a + lead < i - tail or b + lead < j - tail:
            found.append((a + lead, i - tail, b + lead, j - tail))
        a, b = i + 1, j + 1
    return found


def _anchors(old: Sequence[Any], new: Sequence[Any], offset: int) -> list[tuple[int, int]]:
    once_old = _once(old)
    once_new = _once(new)
    pairs = [(i, once_new[item]) for item, i in once_old.items() if item in once_new]
    return [(i + offset, j + offset) for i, j in _longest_rising(pairs)]


def _once(items: Iterable[Any]) -> dict[bytes, int]:
    seen: dict[bytes, int] = {}
    for i, item in enumerate(map(bytes, items)):
        seen[item] = -1 if item in seen else i
    return {item: i for item, i in seen.items() if i >= 0}


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs in which both sides rise, by patience sorting."""
    tops: list[int] = []
    piles: list[int] = []
    back: list[int] = []
    for n, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        back.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        piles[pile : pile + 1] = [n]
    rising = []
    n = piles[-1] if piles else -1
    while n >= 0:
        rising.append(pairs[n])
        n = back[n]
    return rising[::-1]


def text_gaps(a: bytes, b: bytes, a_from: int = 0, b_from: int = 0) -> list[Gap]:
    """Where two texts differ that start at these offsets: one gap, or several if what is between the first and the last
    difference is long enough to share lines, and not too long to be split into them."""
    start = _same_start(a, b, a_from, b_from)
    a0, b0 = a_from + start, b_from + start
    end = _same_end(a, b, a0, b0)
    a1, b1 = len(a) - end, len(b) - end
    if min(a1 - a0, b1 - b0) < _LONG_TEXT or max(a1 - a0, b1 - b0) > _LONGEST_SPLIT:
        return [(start, a1 - a_from, start, b1 - b_from)]
    return _line_gaps(bytes(a[a0:a1]), bytes(b[b0:b1]), start)


def _line_gaps(a: bytes, b: bytes, offset: int) -> list[Gap]:
    old, new = a.splitlines(keepends=True), b.splitlines(keepends=True)
    at_old, at_new = _offsets(old, offset), _offsets(new, offset)
    return [
        (at_old[a0], at_old[a1], at_new[b0], at_new[b1]) for a0, a1, b0, b1 in gaps(old, new)
    ]  # fmt: skip


def _offsets(lines: list[bytes], offset: int) -> list[int]:
    found = [offset]
    for line in lines:
        found.append(found[-1] + len(line))
    return found


def _same_start(a: bytes, b: bytes, i: int, j: int) -> int:
    """The length of what both have in common from these offsets on. Each comparison is a memcmp of two slices: block by
    block, and by halving in the block that differs."""
    size = min(len(a) - i, len(b) - j)
    low, high = 0, min(_BLOCK, size)
    while a[i + low : i + high] == b[j + low : j + high]:
        if high == size:
            return size
        low, high = high, min(high + _BLOCK, size)
    while high - low > 1:
        middle = (low + high) // 2
        if a[i + low : i + middle] == b[j + low : j + middle]:
            low = middle
        else:
            high = middle
    return low


def _same_end(a: bytes, b: bytes, i: int, j: int) -> int:
    """The length of what both have in common at their ends, after these offsets."""
    m, n = len(a), len(b)
    size = min(m - i, n - j)
    low, high = 0, min(_BLOCK, size)
    while a[m - high : m - low] == b[n - high : n - low]:
        if high == size:
            return size
        low, high = high, min(high + _BLOCK, size)
    while high - low > 1:
        middle = (low + high) // 2
        if a[m - middle : m - low] == b[n - middle : n - low]:
            low = middle
        else:
            high = middle
    return low

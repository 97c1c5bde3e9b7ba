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


def text_gaps(a: bytes, b: bytes) -> list[Gap]:
    """One cut, or several if the text between the first and the last difference is long enough to share lines."""
    start = _same_start(a, b)
    end = _same_end(a[start:], b[start:])
    a1, b1 = len(a) - end, len(b) - end
    if min(a1 - start, b1 - start) < _LONG_TEXT:
        return [(start, a1, start, b1)]
    return _line_gaps(a[start:a1], b[start:b1], start)


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


def _same_start(a: bytes, b: bytes) -> int:
    """The length of the common prefix, by halving: each comparison is a memcmp."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _same_end(a: bytes, b: bytes) -> int:
    low, high = 0, min(len(a), len(b))
    if high == 0 or a[len(a) - high :] == b[len(b) - high :]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle
    return low

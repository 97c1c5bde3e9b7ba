"""States that change the way agents' states change: lists that grow, texts that are edited, now and then a surprise.

Everything is made from small numbers, so that a failure shrinks to something that can be read.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from functools import cache
from typing import Any

SIZES = [3, 60, 700, 6000]
_WORDS = [
    "time",
    "agent",
    "plan",
    "tool",
    "call",
    "answer",
    "search",
    "memory",
    "state",
    "fork",
    "branch",
    "merge",
    "user",
    "asked",
    "found",
    "result",
    "next",
    "step",
]


@cache
def text(seed: int, size: int) -> str:
    """Words, the same for the same seed."""
    rng = random.Random(seed)
    found = ""
    while len(found) < size:
        found += rng.choice(_WORDS) + (".\n" if rng.random() < 0.1 else " ")
    return found[:size]


def item(seed: int, size: int) -> Any:
    kind = seed % 4
    if kind == 0:
        return text(seed, size)
    if kind == 1:
        return {"role": "user", "content": text(seed, size), "n": seed}
    if kind == 2:
        return [seed, text(seed, size)]
    return seed


def _append(value: Any, at: int, seed: int, size: int) -> Any:
    return [*value, item(seed, size)] if isinstance(value, list) else [value, item(seed, size)]


def _edit(value: Any, at: int, seed: int, size: int) -> Any:
    if isinstance(value, list) and value:
        place = at % len(value)
        return [*value[:place], _edit(value[place], at, seed, size), *value[place + 1 :]]
    if isinstance(value, dict) and value:
        key = list(value)[at % len(value)]
        return {**value, key: _edit(value[key], at, seed, size)}
    if isinstance(value, str):
        place = at * 97 % (len(value) + 1)
        return value[:place] + text(seed, min(size, 200)) + value[place + at :]
    return seed


def _insert(value: Any, at: int, seed: int, size: int) -> Any:
    if isinstance(value, list):
        place = at % (len(value) + 1)
        return [*value[:place], item(seed, size), *value[place:]]
    if isinstance(value, dict):
        return {f"k{seed}": item(seed, size), **value}
    return item(seed, size)


def _delete(value: Any, at: int, seed: int, size: int) -> Any:
    if isinstance(value, list) and value:
        return [one for place, one in enumerate(value) if place != at % len(value)]
    if isinstance(value, str) and value:
        return value[: at % len(value)] + value[at % len(value) + 1 :]
    if isinstance(value, dict) and value:
        gone = list(value)[at % len(value)]
        return {key: one for key, one in value.items() if key != gone}
    return None


def _truncate(value: Any, at: int, seed: int, size: int) -> Any:
    return value[: len(value) // 2] if isinstance(value, list | str) else value


def _replace(value: Any, at: int, seed: int, size: int) -> Any:
    return item(seed, size)


def _retype(value: Any, at: int, seed: int, size: int) -> Any:
    if isinstance(value, list):
        return {f"k{i}": one for i, one in enumerate(value)}
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, bytes):  # as str() says it, it would have twice the backslashes each time
        return value.decode("utf-8", "replace")
    return value.encode() if isinstance(value, str) else str(value)


def _nest(value: Any, at: int, seed: int, size: int) -> Any:
    """Lists within dicts within dicts, growing in two places."""
    value = copy.deepcopy(value) if isinstance(value, dict) else {}
    for place in (at, at + 3):
        inner = value.get(f"n{place % 4}")
        inner = inner if isinstance(inner, dict) else {"log": []}
        log = inner.get("log")
        value[f"n{place % 4}"] = {**inner, "log": [*(log if isinstance(log, list) else []), item(seed, size)]}
    return value


def _reorder(value: Any, at: int, seed: int, size: int) -> Any:
    if isinstance(value, list):
        return value[::-1]
    return dict(reversed(value.items())) if isinstance(value, dict) else value


def _scatter(value: Any, at: int, seed: int, size: int) -> Any:
    for step in range(3):
        value = _edit(value, at + 5 * step, seed + step, size)
    return value


EDITS: list[Callable[[Any, int, int, int], Any]] = [
    _append, _edit, _insert, _delete, _truncate, _replace, _retype, _nest, _reorder, _scatter,
]  # fmt: skip

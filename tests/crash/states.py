"""States that are named by a few numbers, so that a line of JSON can say what was saved.

A recipe is (seed, messages, edits): the state has that many messages, and its files were edited that often. It is
part of the state itself, so that a process that loads a state can continue from it.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

Recipe = list[int]


@cache
def text(*seed: int) -> str:
    """Some words that are always the same for the same numbers, and do not compress to nothing."""
    rng = random.Random(repr(seed))
    return " ".join(f"{rng.getrandbits(24):x}" for _ in range(rng.randint(5, 30)))


def message(seed: int, place: int) -> dict[str, Any]:
    return {"role": "user" if place % 2 else "model", "text": text(seed, place)}


def state(recipe: Recipe) -> dict[str, Any]:
    seed, messages, edits = recipe
    files = {f"file-{n}": text(seed, n, edits // 4 + (edits % 4 > n)) for n in range(4)}
    return {
        "messages": [message(seed, place) for place in range(messages)],
        "files": files,
        "count": messages,
        "recipe": recipe,
    }


def grown(recipe: Recipe) -> Recipe:
    seed, messages, edits = recipe
    return [seed, messages + 1, edits]


def edited(recipe: Recipe) -> Recipe:
    seed, messages, edits = recipe
    return [seed, messages, edits + 1]


def growth(recipe: Recipe) -> dict[str, Any]:
    """What `update` says to get from a recipe to the grown one, with `extend` for the messages."""
    seed, messages, _ = recipe
    return {"messages": [message(seed, messages)], "count": messages + 1, "recipe": grown(recipe)}

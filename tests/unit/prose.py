"""Text that compresses like prose: words of a made-up language, some far more common than others."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import Final

_LETTERS: Final = "etaoinshrdlucmfwypvbgk"
_SOME: Final = random.Random(42)
_WORDS: Final = ["".join(_SOME.choices(_LETTERS, k=_SOME.choice((2, 3, 4, 5, 6, 7, 8, 9, 10)))) for _ in range(8000)]
_WEIGHTS: Final = list(accumulate(1 / (rank + 3) for rank in range(len(_WORDS))))


def prose(rng: random.Random, size: int) -> str:
    """So many characters of it, with lines as an editor would break them."""
    words = rng.choices(_WORDS, cum_weights=_WEIGHTS, k=size // 4)
    for place in range(12, len(words), 13):
        words[place] += ".\n"
    return " ".join(words)[:size].ljust(size, ".")

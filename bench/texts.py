"""Text that compresses like prose, the same in every run."""

from __future__ import annotations

import json
import random
from string import ascii_lowercase
from typing import Any


class Texts:
    """Words from a vocabulary of two thousand, common ones more often."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        lengths = [self._random.randint(2, 10) for _ in range(2000)]
        self._words = ["".join(self._random.choices(ascii_lowercase, k=length)) for length in lengths]

    def prose(self, size: int) -> str:
        words = self._random.choices(self._words, k=size // 4 + 8)
        return " ".join(words)[:size]

    def message(self, number: int) -> dict[str, Any]:
        """A chat message of about a kilobyte."""
        identity = f"{self._random.getrandbits(128):032x}"
        return {"role": ("user", "assistant")[number % 2], "id": identity, "content": self.prose(950)}

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def noise(self, size: int) -> bytes:
        return self._random.randbytes(size)


def json_bytes(value: Any) -> int:
    return len(json.dumps(value))

"""Run the measurements named on the command line, or all of them."""

from __future__ import annotations

import sys
from importlib import import_module

from bench.report import show

PARTS = (
    "sizes",
    "speed",
    "steps",
    "langgraph",
    "postgres",
)  # each is imported when its turn comes: what it needs weighs on others


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"no measurement is called {', '.join(unknown)}; there are: {', '.join(PARTS)}")
        return 2
    missed = 0
    for name in names or PARTS:
        missed += show(name, import_module(f"bench.{name}").rows())
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

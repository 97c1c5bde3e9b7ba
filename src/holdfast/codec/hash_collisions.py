"""Members of a set and keys of a dict whose hashes are equal, counted before the set or dict is built.

Python compares such members one by one, so that a set of 20,000 numbers which were chosen for it takes seconds to
build. Numbers, UUIDs and tuples of them hash the same in each process. Text and bytes do not, and no collision of those
can be chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

MANY: Final = 1000


def check_hashes(members: Sequence[Any]) -> None:
    """`ValueError` if more than a thousand members have a hash that another one has too."""
    if len(members) > MANY and len(members) - len({*map(hash, members)}) > MANY:
        raise ValueError(f"more than {MANY} members of a set or dict have the same hashes")

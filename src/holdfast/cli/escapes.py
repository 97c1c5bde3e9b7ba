r"""Stored text on a terminal: it is shown, and never obeyed.

Characters that a terminal acts on, that turn the direction of writing, or that can't be written at all are shown as
Python writes them: an escape is ``\x1b``, a right-to-left override ``\u202e``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"  # Persian, Hindi and emoji are written with them
_BREAKS: Final = "\n\t"
_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt])")


def one_line(text: str) -> str:
    """For ids, names and whatever else stands in a line: breaks are escaped too."""
    return text if text.isprintable() else "".join(map(_shown, text))


def many_lines(text: str) -> str:
    """For texts: lines stay lines."""
    return text if text.isprintable() else "".join(one if one in _BREAKS else _shown(one) for one in text)


def _shown(one: str) -> str:
    if one.isprintable() or one in _JOINERS or unicodedata.category(one) == "Zs":
        return one
    return one.encode("unicode_escape").decode("ascii")


def unescaped(text: str) -> str:
    """What was shown in this form: for ids that are pasted back."""
    return _ESCAPE.sub(lambda found: found[0].encode("ascii").decode("unicode_escape"), text)

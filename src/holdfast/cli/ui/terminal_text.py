r"""Makes stored text safe for a terminal.

Characters that control a terminal, change the direction of writing, or can't be printed are shown as Python escapes
them: an escape is ``\x1b``, a right-to-left override ``\u202e``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"  # needed to write Persian, Hindi and emoji
_BREAKS: Final = "\n\t"
_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt])")


def one_line(text: str) -> str:
    """For ids, names and other parts of a line: line breaks are escaped too."""
    return text if text.isprintable() else "".join(map(_shown, text))


def many_lines(text: str) -> str:
    """For texts: line breaks are kept."""
    return text if text.isprintable() else "".join(char if char in _BREAKS else _shown(char) for char in text)


def _shown(char: str) -> str:
    if char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs":
        return char
    return char.encode("unicode_escape").decode("ascii")


def unescaped(text: str) -> str:
    """The text before it was escaped, for ids that are pasted from the output."""
    return _ESCAPE.sub(lambda match: match[0].encode("ascii").decode("unicode_escape"), text)

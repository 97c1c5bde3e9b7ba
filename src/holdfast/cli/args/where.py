"""The option `--where KEY=VALUE`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from holdfast.cli.ui.output import refuse


def conditions(given: Iterable[str] | None, as_text: Collection[str] = ()) -> dict[str, Any]:
    """All conditions in one dict. The values of the keys in `as_text` are always text, even if they read as JSON."""
    return dict(_condition(text, as_text) for text in given or ())


def as_text_instead(condition: tuple[str, Any]) -> str:
    """A hint if nothing was found: a number and its text are different values."""
    key, value = condition
    return "" if isinstance(value, str) else f"; if {key} is text: --where '{key}=\"{json.dumps(value)}\"'"


def _condition(text: str, as_text: Collection[str]) -> tuple[str, Any]:
    """A value that reads as JSON is taken as JSON: `tier=2` is the number, `tier="2"` the text."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        refuse(f"--where takes KEY=VALUE, not {text!r}")
    if key in as_text:
        return key, value
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value

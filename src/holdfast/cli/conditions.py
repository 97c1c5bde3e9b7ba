"""What `--where KEY=VALUE` says."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from holdfast.cli.output import refuse


def conditions(given: Iterable[str] | None, as_text: Collection[str] = ()) -> dict[str, Any]:
    """All of them together; `as_text` are the keys whose values are text, whatever they look like."""
    return dict(_condition(text, as_text) for text in given or ())


def as_text_instead(condition: tuple[str, Any]) -> str:
    """Why nothing may have been found: a number and its text are two values."""
    key, value = condition
    return "" if isinstance(value, str) else f"; if {key} is a text: --where '{key}=\"{json.dumps(value)}\"'"


def _condition(text: str, as_text: Collection[str]) -> tuple[str, Any]:
    """A value that reads as JSON is that value: `tier=2` is the number, `tier="2"` the text."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        refuse(f"--where takes KEY=VALUE, not {text!r}")
    if key in as_text:
        return key, value
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value

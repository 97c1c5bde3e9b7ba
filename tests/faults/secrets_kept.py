"""Whether a secret shows in an error, in any way of printing it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator

from holdfast import HoldfastError


def assert_hidden(error: BaseException, *secrets: str) -> None:
    shown = "\n".join([*_texts(error), "".join(traceback.format_exception(error))])
    for secret in secrets:
        assert secret not in shown, f"{type(error).__name__} shows a password"


def assert_not_logged(records: list[logging.LogRecord], *secrets: str) -> None:
    for record in records:
        assert not any(secret in record.getMessage() for secret in secrets), f"{record.name} logs a password"


def _texts(error: BaseException) -> Iterator[str]:
    """Of the error and of everything that it came from, whether Python would show it or not."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield from (str(one), repr(one), repr(one.args), repr(getattr(one, "__notes__", "")))
        if isinstance(one, HoldfastError):
            yield repr(vars(one))
        left += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]

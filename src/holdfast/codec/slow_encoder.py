"""The slow way to pack: visits every part, and rewrites what the C packer refuses or reports its path.

A value gets here when the packer raised: it holds text with lone surrogates, which is rewritten, or something that
can't be stored, which is reported with its path. The walk keeps its own stack, so that depth and cycles are errors and
never crashes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from msgpack import ExtType

from holdfast._system.interrupts import is_interrupt
from holdfast.codec.handler import Unstorable, dispatch, handler_of
from holdfast.codec.handlers.containers import FROZENSET, SET
from holdfast.codec.handlers.scalars import SURROGATES, pack_surrogates
from holdfast.codec.opaque import Opaque
from holdfast.codec.opaque_mapping import OpaqueMapping
from holdfast.codec.packer import pack
from holdfast.codec.wire import MAX_DEPTH, Key, extension
from holdfast.errors import EncodeError

_LEAVES = frozenset({type(None), bool, float, bytes, bytearray, memoryview, ExtType, Opaque, OpaqueMapping})
_LONGEST_PATH = 300


class _PathStep(NamedTuple):
    """A step of the path, and the step before it."""

    parent: _PathStep | None
    step: str
    depth: int

    def __str__(self) -> str:
        steps: list[str] = []
        path: _PathStep | None = self
        while path is not None:
            steps.append(path.step)
            path = path.parent
        return _shortened("".join(reversed(steps)))


class _Open(NamedTuple):
    """A container whose parts are being walked; `close` makes its packable form from theirs."""

    value: Any
    parts: list[Any]
    target: list[Any]
    slot: int
    close: Callable[[list[Any]], Any]


def pack_slowly(value: Any, path: str) -> bytes:
    packable = _Walk().run(value, path)
    try:
        return pack(packable)
    except Exception as error:
        if is_interrupt(error):
            raise
        raise EncodeError(f"can't be stored: {error}", path=path) from error


class _Walk:
    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._open: set[int] = set()

    def run(self, value: Any, name: str) -> Any:
        result = [None]
        self._stack.append((value, result, 0, _PathStep(None, name, 0)))
        while self._stack:
            task = self._stack.pop()
            if type(task) is _Open:
                self._close(task)
            else:
                self._visit(*task)
        return result[0]

    def _visit(self, value: Any, target: list[Any], index: int, path: _PathStep) -> None:
        kind = type(value)
        if kind in _LEAVES:
            target[index] = value
        elif kind is str:
            target[index] = _packable_text(value)
        elif kind is int:
            target[index] = value if -(1 << 63) <= value < 1 << 64 else _packed(value, path)
        else:
            self._enter(value, target, index, path)

    def _enter(self, value: Any, target: list[Any], index: int, path: _PathStep) -> None:
        if id(value) in self._open:
            raise EncodeError("contains itself, which can't be stored", path=str(path))
        if path.depth >= MAX_DEPTH:
            raise EncodeError(f"nests deeper than {MAX_DEPTH} levels, which can't be stored", path=str(path))
        parts, steps, close = _opened(value, path)
        lowered: list[Any] = [None] * len(parts)
        self._open.add(id(value))
        self._stack.append(_Open(value, lowered, target, index, close))
        for number in range(len(parts) - 1, -1, -1):
            if type(parts[number]) in _LEAVES:
                lowered[number] = parts[number]
            else:
                self._stack.append((parts[number], lowered, number, _PathStep(path, steps(number), path.depth + 1)))

    def _close(self, node: _Open) -> None:
        self._open.discard(id(node.value))
        node.target[node.slot] = node.close(node.parts)


Opened = tuple[list[Any], Callable[[int], str], Callable[[list[Any]], Any]]


def _opened(value: Any, path: _PathStep) -> Opened:
    """A container's parts, the step of the path to each, and the function that makes the packable form from them."""
    if type(value) is list:
        return list(value), lambda index: f"[{index}]", lambda parts: parts
    if type(value) is dict:
        return _opened_dict(value)
    if type(value) is _Attributes:
        return _opened_attributes(value)
    if type(value) in (set, frozenset):
        return _opened_set(value)
    return _opened_record(value, path)


def _opened_dict(value: dict[Any, Any]) -> Opened:
    flat = [part for item in list(value.items()) for part in item]
    return flat, lambda index: f"[{_shown(flat[index - index % 2])}]", _closed_dict


class _Attributes(dict[Any, Any]):
    """A dict whose keys the path shows as attributes."""


def _opened_attributes(value: _Attributes) -> Opened:
    flat, _, close = _opened_dict(value)
    return flat, lambda index: f".{flat[index - index % 2]}", close


def _closed_dict(parts: list[Any]) -> dict[Any, Any]:
    keys = (Key(key) if type(key) in (list, dict) else key for key in parts[::2])
    return dict(zip(keys, parts[1::2], strict=True))


def _opened_set(value: Iterable[Any]) -> Opened:
    marker = extension(SET if type(value) is set else FROZENSET)
    return list(value), lambda index: "{...}", lambda parts: [marker, *sorted(parts, key=pack)]


def _opened_record(value: Any, path: _PathStep) -> Opened:
    parts = _packed(value, path)
    handler = handler_of(parts[0])
    for index in handler.attributes_at if handler else ():
        parts[index : index + 1] = map(_Attributes, parts[index : index + 1])
    return parts, lambda index: handler.label(parts, index) if handler else "", lambda lowered: lowered


def _packed(value: Any, path: _PathStep) -> list[Any]:
    try:
        return dispatch[type(value)](value)
    except Unstorable as error:
        raise EncodeError(str(error), path=str(path)) from None
    except Exception as error:
        if is_interrupt(error):
            raise
        _give_up(value, error, path)


def _give_up(value: Any, error: Exception, path: _PathStep) -> NoReturn:
    reason = f"a {type(value).__qualname__} can't be stored: {type(error).__name__}: {error}"
    raise EncodeError(reason, path=str(path)) from error


def _packable_text(text: str) -> Any:
    try:
        text.encode()
    except UnicodeEncodeError:
        return [extension(SURROGATES), *pack_surrogates(text)]
    return text


def _shown(key: Any) -> str:
    try:
        return _shortened(repr(key))
    except Exception as error:  # a failing __repr__ of a user's class must not hide the error
        if is_interrupt(error):
            raise
        return f"<{type(key).__name__}>"


def _shortened(text: str) -> str:
    half = _LONGEST_PATH // 2
    return text if len(text) <= _LONGEST_PATH else f"{text[:half]}...{text[-half:]}"

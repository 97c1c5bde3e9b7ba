"""The slow way to pack: look at every part, and either rewrite what C could not take or say where it is.

A value gets here when the packer raised: it holds text with lone surrogates, which is rewritten, or something that
can't be stored, which is named by its path. The walk keeps its own stack, so that depth and cycles are errors and never
crashes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from msgpack import ExtType

from holdfast.codec.containers import FROZENSET, SET
from holdfast.codec.opaque import Opaque
from holdfast.codec.packing import pack
from holdfast.codec.registry import Unstorable, dispatch, handler_of
from holdfast.codec.scalars import SURROGATES, pack_surrogates
from holdfast.codec.wire import MAX_DEPTH, Key, extension
from holdfast.errors import EncodeError

_LEAVES = frozenset({type(None), bool, float, bytes, bytearray, memoryview, ExtType, Opaque})
_LONGEST_PATH = 300


class _Place(NamedTuple):
    """A step of the path, and the step before it."""

    parent: _Place | None
    step: str
    depth: int

    def __str__(self) -> str:
        steps: list[str] = []
        place: _Place | None = self
        while place is not None:
            steps.append(place.step)
            place = place.parent
        return _shortened("".join(reversed(steps)))


class _Open(NamedTuple):
    """A container whose parts are being walked; `close` makes the packable form of it from theirs."""

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
        raise EncodeError(f"can't be stored: {error}", path=path) from error


class _Walk:
    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._open: set[int] = set()

    def run(self, value: Any, path: str) -> Any:
        result = [None]
        self._stack.append((value, result, 0, _Place(None, path, 0)))
        while self._stack:
            task = self._stack.pop()
            if type(task) is _Open:
                self._close(task)
            else:
                self._visit(*task)
        return result[0]

    def _visit(self, value: Any, target: list[Any], index: int, place: _Place) -> None:
        kind = type(value)
        if kind in _LEAVES:
            target[index] = value
        elif kind is str:
            target[index] = _packable_text(value)
        elif kind is int:
            target[index] = value if -(1 << 63) <= value < 1 << 64 else dispatch[int](value)
        else:
            self._enter(value, target, index, place)

    def _enter(self, value: Any, target: list[Any], index: int, place: _Place) -> None:
        if id(value) in self._open:
            raise EncodeError("contains itself, which can't be stored", path=str(place))
        if place.depth >= MAX_DEPTH:
            raise EncodeError(f"nests deeper than {MAX_DEPTH} levels, which can't be stored", path=str(place))
        parts, steps, close = _opened(value, place)
        lowered: list[Any] = [None] * len(parts)
        self._open.add(id(value))
        self._stack.append(_Open(value, lowered, target, index, close))
        for number in range(len(parts) - 1, -1, -1):
            if type(parts[number]) in _LEAVES:
                lowered[number] = parts[number]
            else:
                self._stack.append((parts[number], lowered, number, _Place(place, steps(number), place.depth + 1)))

    def _close(self, node: _Open) -> None:
        self._open.discard(id(node.value))
        node.target[node.slot] = node.close(node.parts)


Opened = tuple[list[Any], Callable[[int], str], Callable[[list[Any]], Any]]


def _opened(value: Any, place: _Place) -> Opened:
    """A container's parts, the path's step to each, and what to make of them."""
    if type(value) is list:
        return list(value), lambda index: f"[{index}]", lambda parts: parts
    if type(value) is dict:
        return _opened_dict(value)
    if type(value) is _Attributes:
        return _opened_attributes(value)
    if type(value) in (set, frozenset):
        return _opened_set(value)
    return _opened_record(value, place)


def _opened_dict(value: dict[Any, Any]) -> Opened:
    flat = [part for item in list(value.items()) for part in item]
    return flat, lambda index: f"[{_shown(flat[index - index % 2])}]", _closed_dict


class _Attributes(dict[Any, Any]):
    """A dict whose keys are attributes in the path."""


def _opened_attributes(value: _Attributes) -> Opened:
    flat, _, close = _opened_dict(value)
    return flat, lambda index: f".{flat[index - index % 2]}", close


def _closed_dict(parts: list[Any]) -> dict[Any, Any]:
    keys = (Key(key) if type(key) in (list, dict) else key for key in parts[::2])
    return dict(zip(keys, parts[1::2], strict=True))


def _opened_set(value: Iterable[Any]) -> Opened:
    marker = extension(SET if type(value) is set else FROZENSET)
    return list(value), lambda index: "{...}", lambda parts: [marker, *sorted(parts, key=pack)]


def _opened_record(value: Any, place: _Place) -> Opened:
    parts = _packed(value, place)
    handler = handler_of(parts[0])
    for index in handler.attributes_at if handler else ():
        parts[index : index + 1] = map(_Attributes, parts[index : index + 1])
    return parts, lambda index: handler.label(parts, index) if handler else "", lambda lowered: lowered


def _packed(value: Any, place: _Place) -> list[Any]:
    try:
        return dispatch[type(value)](value)
    except Unstorable as error:
        raise EncodeError(str(error), path=str(place)) from None
    except Exception as error:
        _give_up(value, error, place)


def _give_up(value: Any, error: Exception, place: _Place) -> NoReturn:
    reason = f"a {type(value).__qualname__} can't be stored: {type(error).__name__}: {error}"
    raise EncodeError(reason, path=str(place)) from error


def _packable_text(text: str) -> Any:
    try:
        text.encode()
    except UnicodeEncodeError:
        return [extension(SURROGATES), *pack_surrogates(text)]
    return text


def _shown(key: Any) -> str:
    try:
        return _shortened(repr(key))
    except Exception:  # a repr of the user's that fails must not hide the error
        return f"<{type(key).__name__}>"


def _shortened(text: str) -> str:
    half = _LONGEST_PATH // 2
    return text if len(text) <= _LONGEST_PATH else f"{text[:half]}...{text[-half:]}"

"""Single values msgpack has no type for: large and exact numbers, ids, ranges, paths, and text that is not Unicode."""

from __future__ import annotations

import pathlib
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

from holdfast.codec.registry import Handler, Scalar, install

SURROGATES = 6

_NAN = float("nan")
_PATHS: tuple[type[pathlib.PurePath], ...] = (
    pathlib.PurePosixPath,
    pathlib.PureWindowsPath,
    pathlib.PosixPath,
    pathlib.WindowsPath,
)
_PATH_NAMED = {cls.__name__: cls for cls in _PATHS}


def _pack_int(value: int) -> list[Any]:
    return [value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)]


def _build_int(parts: list[Any]) -> int:
    return int.from_bytes(parts[0], "big", signed=True)


def pack_surrogates(text: str) -> list[Any]:
    return [text.encode("utf-8", "surrogatepass")]


def build_surrogates(parts: list[Any]) -> str:
    return bytes(parts[0]).decode("utf-8", "surrogatepass")


def _pack_decimal(value: Decimal) -> list[Any]:
    # The case of the exponent follows the thread's context. NaNs as dict keys all differ, and so must their records.
    text = str(value).upper()
    return [text, _NAN] if value.is_nan() else [text]


def _build_path(parts: list[Any]) -> pathlib.PurePath:
    name, text = parts
    cls = _PATH_NAMED[name]
    try:
        return cls(text)
    except NotImplementedError:  # a file system path of the other operating system
        return _PATH_NAMED[f"Pure{name}"](text)


install(Scalar(5, (int,), _pack_int, _build_int))
install(Scalar(SURROGATES, (str,), pack_surrogates, build_surrogates))
install(Scalar(13, (Decimal,), _pack_decimal, lambda parts: Decimal(parts[0])))
install(Scalar(14, (uuid.UUID,), lambda value: (value.bytes,), lambda parts: uuid.UUID(bytes=parts[0])))
install(Scalar(15, (Fraction,), lambda value: value.as_integer_ratio(), lambda parts: Fraction(parts[0], parts[1])))
install(Scalar(16, (complex,), lambda value: (value.real, value.imag), lambda parts: complex(parts[0], parts[1])))
install(Scalar(17, (range,), lambda value: (value.start, value.stop, value.step), lambda parts: range(*parts)))
install(Handler(18, (slice,), lambda value: (value.start, value.stop, value.step), lambda parts: slice(*parts)))
install(Scalar(23, _PATHS, lambda value: (type(value).__name__, str(value)), _build_path))

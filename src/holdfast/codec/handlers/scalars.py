"""Single values that msgpack has no type for: large and exact numbers, UUIDs, ranges, paths, text with surrogates."""

from __future__ import annotations

import pathlib
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from holdfast.codec.handler import Handler, Scalar, Unstorable, check_types, install

SURROGATES = 6

_LONGEST_INT: Final = 128 * 1024  # bytes; 315,652 digits
_LONGEST_PART: Final = 4096  # bytes, of a fraction: finding its lowest terms takes time with the square of the size
_LONGEST_DECIMAL: Final = 400_000  # characters
_MOST_EXPONENT: Final = 1_000_026  # what Python's own context for decimals can compute
_NAN = float("nan")
_PATHS: tuple[type[pathlib.PurePath], ...] = (
    pathlib.PurePosixPath,
    pathlib.PureWindowsPath,
    pathlib.PosixPath,
    pathlib.WindowsPath,
)
_PATH_NAMED = {cls.__name__: cls for cls in _PATHS}


def _pack_int(value: int) -> list[Any]:
    size = value.bit_length() // 8 + 1
    if size > _LONGEST_INT:
        raise Unstorable(f"an int of more than {_LONGEST_INT} bytes can't be stored; store its bytes")
    return [value.to_bytes(size, "big", signed=True)]


def _build_int(parts: list[Any]) -> int:
    check_types(parts, bytes)
    if len(parts[0]) > _LONGEST_INT:
        raise ValueError(f"an int has more than {_LONGEST_INT} bytes")
    return int.from_bytes(parts[0], "big", signed=True)


def pack_surrogates(text: str) -> list[Any]:
    return [text.encode("utf-8", "surrogatepass")]


def build_surrogates(parts: list[Any]) -> str:
    check_types(parts, bytes)
    text: str = parts[0].decode("utf-8", "surrogatepass")
    return text


def _pack_decimal(value: Decimal) -> list[Any]:
    # The case of the exponent depends on the decimal context. NaNs as dict keys are all distinct; their records too.
    text = str(value).upper()
    if not _is_usual_decimal(value, text):
        raise Unstorable(f"a Decimal with more than {_LONGEST_DECIMAL} digits, or an exponent that Python's default"
                         " context can't compute, can't be stored; store its text")  # fmt: skip
    return [text, _NAN] if value.is_nan() else [text]


def _build_decimal(parts: list[Any]) -> Decimal:
    text, *nan = parts
    check_types([text, *nan], str, *[float for _ in nan])
    value = Decimal(text[: _LONGEST_DECIMAL + 1])
    if not _is_usual_decimal(value, text):
        raise ValueError("a Decimal is larger than any that is stored")
    return value


def _is_usual_decimal(value: Decimal, text: str) -> bool:
    return len(text) <= _LONGEST_DECIMAL and abs(value.adjusted()) <= _MOST_EXPONENT


def _build_uuid(parts: list[Any]) -> uuid.UUID:
    (data,) = parts
    if type(data) is not bytes:
        raise ValueError("the bytes of a UUID are not bytes")
    return uuid.UUID(bytes=data)


def _pack_fraction(value: Fraction) -> tuple[int, int]:
    pair = value.as_integer_ratio()
    if not _is_usual_fraction(*pair):
        raise Unstorable(f"a Fraction with a part of more than {_LONGEST_PART} bytes can't be stored; store both ints")
    return pair


def _build_fraction(parts: list[Any]) -> Fraction:
    check_types(parts, int, int)
    if not _is_usual_fraction(*parts):
        raise ValueError("a Fraction is larger than any that is stored")
    return Fraction(parts[0], parts[1])


def _is_usual_fraction(numerator: int, denominator: int) -> bool:
    return max(numerator.bit_length(), denominator.bit_length()) <= 8 * _LONGEST_PART


def _build_complex(parts: list[Any]) -> complex:
    check_types(parts, float, float)
    return complex(parts[0], parts[1])


def _pack_range(value: range) -> tuple[int, int, int]:
    # An IntEnum is kept by a range as it is.
    return int(value.start), int(value.stop), int(value.step)


def _build_range(parts: list[Any]) -> range:
    check_types(parts, int, int, int)
    return range(*parts)


def _build_path(parts: list[Any]) -> pathlib.PurePath:
    check_types(parts, str, str)
    name, text = parts
    cls = _PATH_NAMED[name]
    try:
        return cls(text)
    except NotImplementedError:  # a concrete path of another operating system
        return _PATH_NAMED[f"Pure{name}"](text)


install(Scalar(5, (int,), _pack_int, _build_int))
install(Scalar(SURROGATES, (str,), pack_surrogates, build_surrogates))
install(Scalar(13, (Decimal,), _pack_decimal, _build_decimal))
install(Scalar(14, (uuid.UUID,), lambda value: (value.bytes,), _build_uuid))
install(Scalar(15, (Fraction,), _pack_fraction, _build_fraction))
install(Scalar(16, (complex,), lambda value: (value.real, value.imag), _build_complex))
install(Scalar(17, (range,), _pack_range, _build_range))
install(Handler(18, (slice,), lambda value: (value.start, value.stop, value.step), lambda parts: slice(*parts)))
install(Scalar(23, _PATHS, lambda value: (type(value).__name__, str(value)), _build_path))

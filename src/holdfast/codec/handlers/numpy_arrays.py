"""NumPy arrays and scalars: dtype, shape, memory order and bytes. NumPy is imported only when it is needed."""

from __future__ import annotations

import sys
from typing import Any, Final

from holdfast.codec.handler import Build, ClassLookup, Pack, Scalar, Unstorable, install, marked
from holdfast.codec.handlers.numpy_dtypes import count, item_size

_ORDERS: Final = ("C", "F")
_MOST_EMPTY_ITEMS: Final = 1 << 16  # items of no bytes cost nothing to store, and time to copy


class _NumpyHandler(Scalar):
    __slots__ = ()

    def builder(self, record: list[Any], classes: ClassLookup) -> Build | None:
        try:
            import numpy  # noqa: F401
        except ImportError:
            return None
        return super().builder(record, classes)


class _Arrays(_NumpyHandler):
    __slots__ = ()

    def packer(self, cls: type) -> Pack | None:
        is_array = cls.__module__ == "numpy" and cls.__name__ == "ndarray"
        return marked(self.tag, self.pack) if is_array else None


class _Scalars(_NumpyHandler):
    __slots__ = ()

    def packer(self, cls: type) -> Pack | None:
        is_scalar = cls.__module__ == "numpy" and any(base.__name__ == "generic" for base in cls.__mro__)
        return marked(self.tag, self.pack) if is_scalar and cls.__name__ != "record" else None


def _describe(dtype: Any) -> Any:
    from numpy.lib import format as npy

    if dtype.hasobject:
        raise Unstorable(f"a numpy array of dtype {dtype} holds Python objects and can't be stored; use a list")
    description = npy.dtype_to_descr(dtype)
    if npy.descr_to_dtype(description) != dtype:
        raise Unstorable(f"numpy dtype {dtype} can't be stored")
    plain = _plain(description)
    try:
        item_size(plain)
    except ValueError as error:
        raise Unstorable(f"numpy dtype {dtype} can't be stored") from error
    return plain


def _plain(part: Any) -> Any:
    """A description whose names of fields are plain strings, where they were instances of subclasses of str."""
    if isinstance(part, list | tuple):
        return type(part)(map(_plain, part))
    return str.__str__(part) if isinstance(part, str) else part


def _pack_array(array: Any) -> list[Any]:
    if not array.itemsize and array.size > _MOST_EMPTY_ITEMS:
        raise Unstorable(f"a numpy array of {array.size} items without content can't be stored")
    order = "F" if array.flags.fnc else "C"
    return [_describe(array.dtype), list(array.shape), order, array.tobytes(order)]


def _build_array(parts: list[Any]) -> Any:
    description, shape, order, data = parts
    if type(shape) is not list or type(order) is not str or order not in _ORDERS:
        raise ValueError("the record of a numpy array is malformed")
    return _filled(description, shape, order, data)


def _filled(description: Any, shape: list[int], order: Any, data: Any) -> Any:
    """An array with a copy of these bytes. All that NumPy is given is checked first."""
    size, items = item_size(description), count(shape)
    if type(data) is not bytes or len(data) != size * items or (not size and items > _MOST_EMPTY_ITEMS):
        raise ValueError(f"the bytes of a numpy array are not {items} items of {size} bytes")
    import numpy
    from numpy.lib import format as npy

    dtype = npy.descr_to_dtype(description)
    if dtype.hasobject or dtype.itemsize != size:
        raise ValueError(f"a numpy array of dtype {dtype} holds Python objects, or items of another size")
    if not items:
        return numpy.empty(shape, dtype, order)
    array = numpy.ndarray(shape, dtype, data, order=order)
    _check_text(array)
    return array.copy(order="K")


def _check_text(array: Any) -> None:
    """NumPy would make strings of numbers that are not characters, which Python's own functions do not expect."""
    if array.dtype.names is not None:
        for name in array.dtype.names:
            _check_text(array[name])
    elif array.dtype.kind == "U" and array.dtype.itemsize:
        numbers = array.view((f"{array.dtype.str[0]}u4", (array.dtype.itemsize // 4,)))
        if (numbers > sys.maxunicode).any():
            raise ValueError("the text of a numpy array has a character that does not exist")


def _pack_scalar(scalar: Any) -> list[Any]:
    # A dtype of fixed width would drop trailing NULs of a string.
    if isinstance(scalar, str):
        return ["U", str.__str__(scalar)]
    if isinstance(scalar, bytes):
        return ["S", bytes(memoryview(scalar))]
    return [_describe(scalar.dtype), scalar.tobytes()]


def _build_scalar(parts: list[Any]) -> Any:
    import numpy

    description, data = parts
    if type(description) is not str or description not in ("U", "S"):
        return _filled(description, [], "C", data)[()]
    if type(data) is not (str if description == "U" else bytes):
        raise ValueError("the record of a numpy scalar is malformed")
    return numpy.str_(data) if description == "U" else numpy.bytes_(data)


install(_Arrays(24, (), _pack_array, _build_array))
install(_Scalars(25, (), _pack_scalar, _build_scalar))

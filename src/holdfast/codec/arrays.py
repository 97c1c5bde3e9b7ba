"""NumPy arrays and scalars: dtype, shape, memory order and bytes. NumPy is imported only when one is met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.codec.registry import Build, Pack, Scalar, Unstorable, install, marked

if TYPE_CHECKING:
    from holdfast.codec.classes import Classes


class _NumpyHandler(Scalar):
    __slots__ = ()

    def builder(self, record: list[Any], classes: Classes) -> Build | None:
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
    return _plain(description)


def _plain(part: Any) -> Any:
    """A description without subclasses of str, which the names of fields may be instances of."""
    if isinstance(part, list | tuple):
        return type(part)(map(_plain, part))
    return str.__str__(part) if isinstance(part, str) else part


def _dtype(description: Any) -> Any:
    from numpy.lib import format as npy

    return npy.descr_to_dtype(description)


def _pack_array(array: Any) -> list[Any]:
    order = "F" if array.flags.fnc else "C"
    return [_describe(array.dtype), list(array.shape), order, array.tobytes(order)]


def _build_array(parts: list[Any]) -> Any:
    import numpy

    description, shape, order, data = parts
    dtype = _dtype(description)
    if 0 in shape:
        return numpy.empty(shape, dtype, order)
    return numpy.ndarray(shape, dtype, data, order=order).copy(order="K")


def _pack_scalar(scalar: Any) -> list[Any]:
    # A dtype of fixed width would drop the NULs at the end of a text.
    if isinstance(scalar, str):
        return ["U", str.__str__(scalar)]
    if isinstance(scalar, bytes):
        return ["S", bytes(memoryview(scalar))]
    return [_describe(scalar.dtype), scalar.tobytes()]


def _build_scalar(parts: list[Any]) -> Any:
    import numpy

    description, data = parts
    if description == "U":
        return numpy.str_(data)
    if description == "S":
        return numpy.bytes_(data)
    return numpy.ndarray((), _dtype(description), data).copy()[()]


install(_Arrays(24, (), _pack_array, _build_array))
install(_Scalars(25, (), _pack_scalar, _build_scalar))

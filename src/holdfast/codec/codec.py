"""The codec: one object that knows which classes it may build.

::

    codec = Codec([Plan])
    data = codec.encode({"plan": Plan(steps=("search", "answer"))}, path="state")
    codec.decode(data)["plan"].steps  # ("search", "answer")

Encoding needs no classes; decoding builds those it was given and hands out the others as `Opaque`. With
``imported=True`` it also builds those that the program has imported; with a frozenset of full names, those of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from holdfast.codec import (  # noqa: F401  (they fill the registry)
    addresses,
    arrays,
    containers,
    families,
    patterns,
    scalars,
    times,
)
from holdfast.codec.bursts import burst
from holdfast.codec.classes import Classes, Imported, Types, named
from holdfast.codec.conversations import load, load_items, starts_with_message, with_records
from holdfast.codec.packing import pack
from holdfast.codec.revive import revive
from holdfast.codec.walk import pack_slowly
from holdfast.codec.wire import unpack
from holdfast.errors import Corrupt

_LARGE: Final = 32 * 1024  # bytes that are worth telling the garbage collector about


class Codec:
    """Values to bytes and back. Immutable; any number of threads may share one."""

    def __init__(self, types: Types = (), *, imported: Imported = False) -> None:
        self._classes = Classes(named(types), imported)

    def with_types(self, types: Types) -> Codec:
        """A codec that knows these classes too."""
        known = self._classes.by_name
        new = {name: cls for name, cls in named(types).items() if known.get(name) is not cls}
        if not new:
            return self
        codec = Codec()
        codec._classes = Classes({**known, **new}, self._classes.imported)
        return codec

    def encode(self, value: Any, path: str = "value") -> bytes:
        """The bytes of a value, the same for the same value; `EncodeError` names the place of what can't be stored."""
        try:
            return pack(with_records(value) if type(value) is list else value)
        except MemoryError:
            raise
        except Exception:
            return pack_slowly(value, path)

    def decode(self, data: bytes | memoryview | msgspec.Raw) -> Any:
        """The value, made anew at each call; `Corrupt` if these are not bytes that `encode` gave."""
        whole = data if type(data) is bytes else bytes(data)
        try:
            if len(whole) < _LARGE:
                return self._decode(whole)
            with burst:
                return self._decode(whole)
        except (MemoryError, RecursionError):
            raise
        except Exception as error:
            raise Corrupt(f"stored bytes do not decode: {type(error).__name__}: {error}") from error

    def messages(self, items: Sequence[msgspec.Raw]) -> list[Any] | None:
        """The list whose encoded items these are, if all are messages; None if any is something else."""
        if not items or not self._classes.usual_messages:
            return None
        with burst:
            return load_items(items)

    def _decode(self, data: bytes) -> Any:
        if starts_with_message(data) and self._classes.usual_messages:
            messages = load(data)
            if messages is not None:
                return messages
        raw, is_value = unpack(data)
        return raw if is_value else revive(raw, self._classes)

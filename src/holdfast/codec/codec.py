"""The codec: one object that holds the classes it may build.

::

    codec = Codec([Plan])
    data = codec.encode({"plan": Plan(steps=("search", "answer"))}, path="state")
    codec.decode(data)["plan"].steps  # ("search", "answer")

Encoding needs no classes. Decoding builds the classes it was given and returns instances of others as `Opaque`. With
``imported=True`` it also builds classes that the program has imported; with a frozenset of full names, only these.
With ``mappings=True`` an `Opaque` of a pydantic model or a dataclass is also a dict of its fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from holdfast._system.interrupts import is_interrupt
from holdfast.codec.decoder import revive
from holdfast.codec.families import order  # noqa: F401  (fills the list of families)
from holdfast.codec.gc_pause import gc_paused
from holdfast.codec.handlers import containers, ip_addresses, numpy_arrays, objects, regex, scalars, times  # noqa: F401
from holdfast.codec.handlers.langchain_messages import usual
from holdfast.codec.handlers.message_lists import is_message, load, load_items, starts_with_message, with_records
from holdfast.codec.lookup.known_classes import Classes, Imported, Types, named
from holdfast.codec.packer import pack
from holdfast.codec.slow_encoder import pack_slowly
from holdfast.codec.wire import unpack
from holdfast.errors import Corrupt, TooLarge

MAX_VALUE: Final = 256 * 1024 * 1024
"""How many bytes the encoding of a value may have, if the caller states nothing else."""

_LARGE: Final = 32 * 1024  # bytes from which on pausing the garbage collector pays


class Codec:
    """Values to bytes and back. Immutable; any number of threads may share one."""

    def __init__(
        self, types: Types = (), *, imported: Imported = False, mappings: bool = False, max_value: int = MAX_VALUE
    ) -> None:
        self._classes = Classes(named(types), imported, mappings)
        self.max_value = max_value

    def with_types(self, types: Types) -> Codec:
        """A codec that also builds these classes."""
        known = self._classes.by_name
        new = {name: cls for name, cls in named(types).items() if known.get(name) is not cls}
        if not new:
            return self
        codec = Codec(max_value=self.max_value)
        codec._classes = Classes({**known, **new}, self._classes.imported, self._classes.mappings)
        return codec

    def encode(self, value: Any, path: str = "value") -> bytes:
        """The bytes of a value, equal for equal values. `EncodeError` has the path of a part that can't be stored."""
        try:
            if type(value) is list and value and type(value[0]) in usual:
                encoded = pack(with_records(value))
            else:
                encoded = pack(value)
        except MemoryError:
            raise
        except Exception as error:
            if is_interrupt(error):
                raise
            encoded = pack_slowly(value, path)
        if len(encoded) > self.max_value:
            raise self.too_large(len(encoded), path)
        return encoded

    def decode(self, data: bytes | memoryview | msgspec.Raw) -> Any:
        """The value, a new object at each call. `Corrupt` if the bytes are not what `encode` returned."""
        encoded = data if type(data) is bytes else bytes(data)
        if len(encoded) > self.max_value:
            raise self.too_large(len(encoded), "a stored value")
        try:
            if len(encoded) < _LARGE:
                return self._decode(encoded)
            with gc_paused:
                return self._decode(encoded)
        except (MemoryError, RecursionError):
            raise
        except Exception as error:
            if is_interrupt(error):
                raise
            raise Corrupt(f"stored bytes do not decode: {type(error).__name__}: {error}") from error

    def decode_dict(self, data: bytes) -> dict[str, Any]:
        """The same for metadata, which is a dict; no bytes stand for an empty one."""
        value = self.decode(data) if data else {}
        if not isinstance(value, dict):
            raise Corrupt(f"stored metadata is not a dict, but of type {type(value).__name__}")
        return value

    def too_large(self, size: int, what: str) -> TooLarge:
        return TooLarge(
            f"{what} has {size} bytes, and max_value is {self.max_value}; keep large content outside of the state, "
            "or open the store with a larger max_value"
        )

    def messages(self, items: Sequence[msgspec.Raw]) -> list[Any] | None:
        """The list with these encoded items if all are messages, else None."""
        if not items or not is_message(items[0]) or not self._classes.usual_messages:
            return None
        with gc_paused:
            return load_items(items)

    def _decode(self, data: bytes) -> Any:
        if starts_with_message(data) and self._classes.usual_messages:
            messages = load(data)
            if messages is not None:
                return messages
        raw, is_value = unpack(data)
        return raw if is_value else revive(raw, self._classes)

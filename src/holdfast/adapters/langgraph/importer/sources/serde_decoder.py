"""Decodes stored values with LangGraph's own serializer, and reports what it can't rebuild.

The official serializer hides failures: for a class that is not allowed, or that does not accept its fields, it returns
the bare fields or None. Copied, that would be a silent loss. So each object in the data is decoded by itself, and must
become an instance of the class that it names; otherwise it is `Undecodable`.

No module is imported because the data names it. Beyond the types that the serializer considers safe, only plain data
classes that this process has already imported are built: dataclasses, named tuples, enums and pydantic models.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, Final

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from holdfast.adapters.langgraph.importer.sources.source import PLAIN_JSON, Typed

_METHOD, _ARRAY, _SNAPSHOT = 3, 6, 7  # the extension codes whose data is not (module, name, fields)
_FUNCTIONS: Final = {("re", "compile"): "Pattern"}
_OFFICIAL: Final = {"langchain_core", "langgraph", *sys.stdlib_module_names}


class Undecodable(Exception):
    """A stored value that can't be rebuilt as it was. `path` leads to it from the outermost container."""

    def __init__(self, why: str, path: tuple[object, ...] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.path = path


class _Broken:
    """Takes the place of an object that can't be rebuilt, because exceptions do not pass through ormsgpack."""

    def __init__(self, why: str) -> None:
        self.why = why


class Decoder:
    """Decodes values of one source. `classes` are those found so far that the serializer does not allow by default."""

    def __init__(self) -> None:
        self.classes: set[tuple[str, str]] = set()
        self._official = JsonPlusSerializer(allowed_msgpack_modules=None)
        self._any_broken = False
        self._kinds: dict[str | None, Callable[[Any], Any]] = {
            "msgpack": self._msgpack,
            "json": self._json,
            PLAIN_JSON: json.loads,
            "null": lambda data: None,
            "bytes": bytes,
            "bytearray": bytearray,
        }

    def decode(self, stored: Typed) -> Any:
        kind = self._kinds.get(stored.type)
        if kind is None:
            raise Undecodable(_why_unsupported(stored.type))
        self._any_broken = False
        try:
            value = kind(stored.data)
        except Exception as error:  # damaged bytes can raise anything
            raise Undecodable(f"its {stored.type} is damaged ({error})") from error
        if self._any_broken:
            for path, broken in _find_broken(value):
                raise Undecodable(broken.why, path)
        return value

    # ---------------------------------------------------------------- msgpack: objects are extensions

    def _msgpack(self, data: bytes) -> Any:
        return ormsgpack.unpackb(data, ext_hook=self._extension, option=ormsgpack.OPT_NON_STR_KEYS)

    def _extension(self, code: int, data: bytes) -> Any:
        try:
            inner = self._msgpack(data)
            return self._broken_in(inner) or self._rebuild(code, data, inner)
        except Exception as error:
            return self._broken(f"an object in it is damaged ({error})")

    def _rebuild(self, code: int, data: bytes, inner: Any) -> Any:
        packed = Typed("msgpack", ormsgpack.packb(ormsgpack.Ext(code, data)))
        if code == _SNAPSHOT:
            return self._ask_official(packed)
        if code == _ARRAY:
            return self._expect("ndarray", "numpy.ndarray", self._ask_official(packed))
        module, name = inner[:2]
        return self._named(module, name, packed, call=f".{inner[3]}" if code == _METHOD else "")

    # ---------------------------------------------------------------- JSON: objects are {"lc": …} dicts

    def _json(self, data: bytes | str) -> Any:
        return self._revive(json.loads(data))

    def _revive(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self._revive(item) for item in node]
        if not isinstance(node, dict):
            return node
        inner = {key: self._revive(item) for key, item in node.items()}
        if node.get("lc") not in (1, 2) or "id" not in node:
            return inner
        try:
            return self._broken_in(inner) or self._envelope(node)
        except Exception as error:
            return self._broken(f"an object in it can't be rebuilt ({error})")

    def _envelope(self, node: dict[str, Any]) -> Any:
        *path, name = node["id"]
        packed = Typed("json", json.dumps(node))
        if node["lc"] == 1:  # LangChain's own form: only LangChain knows where its classes are now
            return self._expect(name, ".".join(node["id"]), self._ask_official(packed))
        return self._named(".".join(path), name, packed)

    # ---------------------------------------------------------------- objects of both

    def _named(self, module: str, name: str, packed: Typed, call: str = "") -> Any:
        """The object in `packed`, if the class it names can be trusted and accepts the fields."""
        full = f"{module}.{name}{call}"
        cls = _loaded(module, name)
        if _is_plain_data(cls):
            self._allow(module, name)
        elif module.partition(".")[0] not in _OFFICIAL:
            return self._broken(_why_not_built(module, full, cls))
        value = self._ask_official(packed)
        cls = _loaded(module, name)  # again: the serializer may have imported one of its safe types
        fits = isinstance(cls, type) and isinstance(value, cls)
        return value if fits or type(value).__name__ == _FUNCTIONS.get((module, name)) else self._refused(full)

    def _allow(self, module: str, name: str) -> None:
        if (module, name) not in self.classes:
            self.classes.add((module, name))
            self._official = JsonPlusSerializer(
                allowed_msgpack_modules=self.classes,
                allowed_json_modules={(*path.split("."), name) for path, name in self.classes},
            )

    def _ask_official(self, packed: Typed) -> Any:
        data = packed.data.encode() if isinstance(packed.data, str) else packed.data
        return self._official.loads_typed((packed.type or "", data or b""))

    def _expect(self, name: str, full: str, value: Any) -> Any:
        return value if type(value).__name__ == name else self._refused(full)

    def _refused(self, full: str) -> _Broken:
        return self._broken(f"LangGraph's serializer can't rebuild an object of {full}")

    def _broken(self, why: str) -> _Broken:
        self._any_broken = True
        return _Broken(why)

    def _broken_in(self, inner: Any) -> _Broken | None:
        if not self._any_broken:  # a search takes as long as decoding
            return None
        return next((broken for _, broken in _find_broken(inner)), None)


def _loaded(module: str, name: str) -> Any:
    """The object of this name, read from the module's dict: a module's `__getattr__` could import something."""
    return vars(sys.modules[module]).get(name) if module in sys.modules else None


def _is_plain_data(cls: Any) -> bool:
    """Whether creating an instance only sets fields, judged by the kind of class."""
    if not isinstance(cls, type):
        return False
    if dataclasses.is_dataclass(cls) or issubclass(cls, Enum):
        return True
    return (issubclass(cls, tuple) and hasattr(cls, "_fields")) or issubclass(cls, tuple(_pydantic()))


def _pydantic() -> Iterator[type]:
    """The base classes of pydantic that are loaded; without pydantic in the process no value can need them."""
    for module, names in {"pydantic": ("BaseModel", "SecretStr", "SecretBytes"), "pydantic.v1": ("BaseModel",)}.items():
        loaded = sys.modules.get(module)
        yield from (getattr(loaded, name) for name in names if loaded)


def _find_broken(value: Any, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], _Broken]]:
    if isinstance(value, _Broken):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _find_broken(key, path)
            yield from _find_broken(item, (*path, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _find_broken(item, (*path, index))


def _why_not_built(module: str, full: str, cls: Any) -> str:
    return f"{full} is not a plain data class" if cls else f"the class {full} is not known; import {module} first"


def _why_unsupported(type_: str | None) -> str:
    if type_ is None:
        return "its serialization is not recorded"
    if "+" in type_:
        return f"it is encrypted ({type_}), and would be stored unencrypted"
    if type_ == "pickle":
        return "it is pickled, and unpickling can run code from the data"
    return f"its serialization {type_!r} is not known"

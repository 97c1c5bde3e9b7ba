"""Turns decoded containers into values: marked arrays become what they stand for, from the inside out.

The containers are listed breadth first, so that every one comes after the one that holds it; building in the reverse
order needs no recursion, and plain containers are changed in place or not at all.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from holdfast.codec.classes import Classes
from holdfast.codec.messages import started
from holdfast.codec.opaque import Opaque
from holdfast.codec.registry import MESSAGE, Build, builder_of
from holdfast.codec.wire import Key, Marker

_NOTABLE = frozenset({list, dict, tuple, Marker, Key})


def revive(raw: Any, classes: Classes) -> Any:
    return revive_items([raw], classes)[0]


def revive_items(raw: list[Any], classes: Classes) -> list[Any]:
    reviver = _Reviver(classes)
    reviver.visit(raw)
    reviver.build()
    return raw


class _Reviver:
    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._order: list[Any] = []
        self._slots: list[tuple[Any, Any, list[Any], Build]] = []

    def visit(self, root: list[Any]) -> None:
        """List every container and every marked array, outermost first."""
        self._order.append(root)
        for node in self._order:
            if type(node) is dict:
                self._visit_dict(node)
            else:
                self._visit_list(node)

    def build(self) -> None:
        for container, key, record, build in reversed(self._slots):
            container[key] = build(record)

    def _visit_list(self, node: list[Any]) -> None:
        for index, child in enumerate(node):
            if type(child) in _NOTABLE and (child or type(child) is tuple):
                self._place(node, index, child)

    def _visit_dict(self, node: dict[Any, Any]) -> None:
        before = len(self._slots)
        has_rich_keys = False
        for key, child in node.items():
            if type(child) in _NOTABLE and (child or type(child) is tuple):
                self._place(node, key, child)
            if type(key) in _NOTABLE:
                has_rich_keys = True
        if has_rich_keys:
            self._rekey(node, before)

    def _rekey(self, node: dict[Any, Any], before: int) -> None:
        keys = [key.raw if type(key) is Key else key for key in node]
        self._order.append(keys)
        # Values are put under their old keys, so the keys change last: their slot goes in front of the values'.
        self._slots.insert(before, ([None], 0, keys, partial(_set_keys, node)))

    def _place(self, node: Any, key: Any, child: Any) -> None:
        kind = type(child)
        if kind is Marker:
            raise ValueError("a marker that is not at the head of an array")
        if kind is tuple:  # an array inside a dict key
            child = node[key] = list(child)
        if type(child) is list and child and type(child[0]) is Marker:
            self._place_record(node, key, child)
        else:
            self._order.append(child)

    def _place_record(self, node: Any, key: Any, record: list[Any]) -> None:
        if record[0].code == MESSAGE:
            message = started(record, self._classes)
            if message is not None:  # it only waits for what is in its fields
                node[key], fields = message
                self._order.append(fields)
                return
        build = builder_of(record, self._classes)
        if build is None:
            node[key] = Opaque(record, self._classes)
        else:
            del record[0]
            self._order.append(record)
            self._slots.append((node, key, record, build))


def _set_keys(node: dict[Any, Any], keys: list[Any]) -> None:
    values = list(node.values())
    node.clear()
    node.update(zip(keys, values, strict=True))

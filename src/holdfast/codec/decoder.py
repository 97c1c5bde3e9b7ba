"""Turns decoded containers into values: marked arrays are replaced by what they stand for, from the inside out.

The containers are listed breadth first, so each comes after the one that holds it. Building in reverse order needs no
recursion, and plain containers are changed in place or not at all.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from holdfast.codec.handler import MESSAGE, Build, ClassLookup, builder_of
from holdfast.codec.handlers.langchain_messages import begin_message
from holdfast.codec.handlers.regex import MOST_EFFORT, PATTERN, effort
from holdfast.codec.hash_collisions import check_hashes
from holdfast.codec.opaque_mapping import opaque
from holdfast.codec.wire import Key, Marker

_NOTABLE = frozenset({list, dict, tuple, Marker, Key})


def revive(raw: Any, classes: ClassLookup) -> Any:
    return revive_items([raw], classes)[0]


def revive_items(raw: list[Any], classes: ClassLookup) -> list[Any]:
    reviver = _Reviver(classes)
    reviver.visit(raw)
    reviver.build()
    return raw


class _Reviver:
    def __init__(self, classes: ClassLookup) -> None:
        self._classes = classes
        self._order: list[Any] = []
        self._slots: list[tuple[Any, Any, list[Any], Build]] = []
        self._effort = 0  # of compiling regular expressions

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
                self._visit_child(node, index, child)

    def _visit_dict(self, node: dict[Any, Any]) -> None:
        before = len(self._slots)
        has_rich_keys = False
        for key, child in node.items():
            if type(child) in _NOTABLE and (child or type(child) is tuple):
                self._visit_child(node, key, child)
            if type(key) in _NOTABLE:
                has_rich_keys = True
        if has_rich_keys:
            self._rekey(node, before)

    def _rekey(self, node: dict[Any, Any], before: int) -> None:
        keys = [key.raw if type(key) is Key else key for key in node]
        self._order.append(keys)
        # Values are stored under their old keys, so the keys change last: their slot comes before the values' slots.
        self._slots.insert(before, ([None], 0, keys, partial(_set_keys, node)))

    def _visit_child(self, node: Any, key: Any, child: Any) -> None:
        kind = type(child)
        if kind is Marker:
            raise ValueError("a marker is not the first item of an array")
        if kind is tuple:  # an array inside a dict key
            child = node[key] = list(child)
        if type(child) is list and child and type(child[0]) is Marker:
            self._visit_record(node, key, child)
        else:
            self._order.append(child)

    def _visit_record(self, node: Any, key: Any, record: list[Any]) -> None:
        if record[0].code == MESSAGE:
            message = begin_message(record, self._classes)
            if message is not None:  # complete, but for what is in its fields
                node[key], fields = message
                self._order.append(fields)
                return
        takes_long = record[0].code == PATTERN and self._takes_long(record)
        build = None if takes_long else builder_of(record, self._classes)
        if build is None:
            node[key] = opaque(record, self._classes)
        else:
            del record[0]
            self._order.append(record)
            self._slots.append((node, key, record, build))

    def _takes_long(self, record: list[Any]) -> bool:
        """Whether the record is one regular expression too many."""
        self._effort += effort(record)
        return self._effort > MOST_EFFORT


def _set_keys(node: dict[Any, Any], keys: list[Any]) -> None:
    check_hashes(keys)
    values = list(node.values())
    node.clear()
    node.update(zip(keys, values, strict=True))

"""Containers other than list and dict."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from holdfast.codec.handler import Handler, Unstorable, install
from holdfast.codec.hash_collisions import MANY, check_hashes
from holdfast.codec.packer import in_order

SET, FROZENSET = 2, 3

_FACTORIES: dict[str, Callable[[], Any]] = {
    factory.__name__: factory for factory in (bool, int, float, str, list, dict, set, tuple)
}


class Sequence(Handler):
    """The parts are the items, after `skip` other parts."""

    __slots__ = ()
    skip = 1

    def label(self, parts: list[Any], index: int) -> str:
        return f"[{index - self.skip}]" if index >= self.skip else ""


class _Deque(Sequence):
    __slots__ = ()
    skip = 2


class _Pairs(Handler):
    """The parts are keys and values in turn."""

    __slots__ = ()
    first = 1

    def label(self, parts: list[Any], index: int) -> str:
        is_value = index > self.first and (index - self.first) % 2
        return f"[{parts[index - 1]!r}]" if is_value else ""


class _DefaultPairs(_Pairs):
    __slots__ = ()
    first = 2


def _flat(mapping: Mapping[Any, Any]) -> Iterable[Any]:
    return chain.from_iterable(mapping.items())


def _paired(parts: list[Any]) -> Iterable[tuple[Any, Any]]:
    keys = parts[::2]
    check_hashes(keys)
    return zip(keys, parts[1::2], strict=True)


def _build_set(parts: list[Any]) -> set[Any]:
    if len(parts) > MANY:
        check_hashes(parts)
    return set(parts)


def _build_frozenset(parts: list[Any]) -> frozenset[Any]:
    if len(parts) > MANY:
        check_hashes(parts)
    return frozenset(parts)


def _build_deque(parts: list[Any]) -> deque[Any]:
    maxlen, *items = parts
    if maxlen is not None and type(maxlen) is not int:
        raise ValueError("the length of a deque is not a number")
    return deque(items, maxlen)


def _build_counter(parts: list[Any]) -> Counter[Any]:
    counter: Counter[Any] = Counter()
    dict.update(counter, _paired(parts))
    return counter


def _pack_defaultdict(value: defaultdict[Any, Any]) -> Iterable[Any]:
    factory = value.default_factory
    name = getattr(factory, "__name__", None)
    if factory is not None and _FACTORIES.get(str(name)) is not factory:
        raise Unstorable(f"a defaultdict's factory must be one of {', '.join(_FACTORIES)} or None, not {factory!r}")
    return chain((name,), _flat(value))


def _build_defaultdict(parts: list[Any]) -> defaultdict[Any, Any]:
    name, *items = parts
    if name is not None and type(name) is not str:
        raise ValueError("the factory of a defaultdict is not a name")
    return defaultdict(None if name is None else _FACTORIES[name], _paired(items))


install(Sequence(1, (tuple,), lambda value: value, tuple))
install(Handler(SET, (set,), in_order, _build_set))
install(Handler(FROZENSET, (frozenset,), in_order, _build_frozenset))
install(_Deque(19, (deque,), lambda value: (value.maxlen, *value), _build_deque))
install(_Pairs(20, (OrderedDict,), _flat, lambda parts: OrderedDict(_paired(parts))))
install(_Pairs(21, (Counter,), _flat, _build_counter))
install(_DefaultPairs(22, (defaultdict,), _pack_defaultdict, _build_defaultdict))

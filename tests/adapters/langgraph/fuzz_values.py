"""Values that change as those of agents do: messages that are added, edited in place, moved about and taken out."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

CHANNELS: Final = ["messages", "messages", "log", "doc", "n", "tomb", "delta"]


def full_text(value: Any) -> str:
    """All of a value in a text: two texts are equal if the values are, to the last detail."""
    return repr(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseMessage):
        return [type(value).__name__, _plain(value.__dict__), _plain(value.__pydantic_extra__)]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value


def change(rng: random.Random, name: str, values: dict[str, Any]) -> list[Any]:
    """Change one channel, and say what tasks may have written to get there."""
    return _CHANGES[name](rng, values)


# ------------------------------------------------------------------------------------------------ messages


def message(rng: random.Random) -> BaseMessage:
    number = rng.randrange(1 << 20)
    text = f"message {number} " + "word " * rng.choice([0, 3, 60, 800 if rng.random() < 0.1 else 5])
    kind = rng.random()
    if kind < 0.4:
        return HumanMessage(text, id=str(number))
    if kind < 0.7:
        return AIMessage(text, id=str(number))
    if kind < 0.85:
        calls = [{"name": "search", "args": {"query": text, "n": [number]}, "id": str(number)}]
        return AIMessage("", id=str(number), tool_calls=calls, additional_kwargs={"k": {"deep": [number]}})
    return ToolMessage(text, tool_call_id=str(number), id=str(number))


def _messages(rng: random.Random, values: dict[str, Any]) -> list[Any]:
    known: list[Any] | None = values.get("messages")
    if known is None:
        values["messages"] = [message(rng) for _ in range(rng.choice([1, 18, 18, 30]))]
        return [list(values["messages"])]
    fresh = [message(rng) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
    if rng.random() < 0.2:
        known += fresh  # in place
    else:
        known = values["messages"] = [*known, *fresh]
    if rng.random() < 0.5 and known:
        rng.choice(_EDITS)(rng, known)
    return [fresh] if rng.random() < 0.7 else fresh


def _edit_content(rng: random.Random, known: list[Any]) -> None:
    rng.choice(known).content = f"edited {rng.random()}"


def _edit_kwargs(rng: random.Random, known: list[Any]) -> None:
    rng.choice(known).additional_kwargs.setdefault("k", {})["seen"] = rng.random()


def _edit_calls(rng: random.Random, known: list[Any]) -> None:
    found = [call for one in known for call in getattr(one, "tool_calls", ())]
    if found:
        rng.choice(found)["args"]["n"].append(rng.random())


def _edit_metadata(rng: random.Random, known: list[Any]) -> None:
    rng.choice(known).response_metadata["took"] = rng.random()


def _add_attribute(rng: random.Random, known: list[Any]) -> None:
    setattr(rng.choice(known), "extra", rng.choice(["text", None, True, [rng.random()]]))  # noqa: B010  # it has none


def _edit_attribute(rng: random.Random, known: list[Any]) -> None:
    for one in known:
        if isinstance(getattr(one, "extra", None), list):
            one.extra.append(rng.random())


def _swap(rng: random.Random, known: list[Any]) -> None:
    i, j = rng.randrange(len(known)), rng.randrange(len(known))
    known[i], known[j] = known[j], known[i]


def _replace(rng: random.Random, known: list[Any]) -> None:
    i = rng.randrange(len(known))
    known[i] = copy.deepcopy(known[i]) if rng.random() < 0.5 else message(rng)


def _repeat(rng: random.Random, known: list[Any]) -> None:
    known.insert(rng.randrange(len(known) + 1), rng.choice(known))


def _remove(rng: random.Random, known: list[Any]) -> None:
    del known[rng.randrange(len(known)) :][: rng.choice([1, 1, 5])]


def _clear(rng: random.Random, known: list[Any]) -> None:
    known.clear()


def _rename(rng: random.Random, known: list[Any]) -> None:
    rng.choice(known).name = rng.choice(["ann", None])


_EDITS: Final[list[Callable[[random.Random, list[Any]], None]]] = [
    _edit_content, _edit_kwargs, _edit_calls, _edit_metadata, _add_attribute, _edit_attribute, _swap, _replace,
    _repeat, _remove, _clear, _rename,
]  # fmt: skip


# ------------------------------------------------------------------------------------------------ the others


def _log(rng: random.Random, values: dict[str, Any]) -> list[Any]:
    fresh = [f"line {rng.random()}" + "-" * rng.choice([0, 40, 300]) for _ in range(rng.choice([1, 1, 2]))]
    fresh = [fresh] if rng.random() < 0.1 else fresh  # type: ignore[list-item]
    values["log"] = [*values.get("log", ()), *fresh]
    return [fresh] if rng.random() < 0.5 else fresh


def _doc(rng: random.Random, values: dict[str, Any]) -> list[Any]:
    doc = dict(values.get("doc") or {})
    doc[f"k{rng.randrange(8)}"] = rng.choice([None, 1, True, "text" * 30, {"a": [rng.random()]}, (1, "two")])
    values["doc"] = doc
    return [doc]


def _n(rng: random.Random, values: dict[str, Any]) -> list[Any]:
    values["n"] = rng.choice([0, 1, True, 1.0, None, 1 << 70, "x" * 200])
    return [values["n"]]


def _tomb(rng: random.Random, values: dict[str, Any]) -> list[Any]:
    """Is there, or is not."""
    if values.pop("tomb", None) is None:
        values["tomb"] = "here" * rng.choice([1, 30])
    return []


def _delta(rng: random.Random, values: dict[str, Any]) -> list[Any]:
    """Only now and then the value; in between what was written."""
    if rng.random() < 0.2:
        values["delta"] = [f"snapshot {rng.random()}" * 4]
    return [[f"delta {rng.random()} " * rng.choice([1, 5])]]


_CHANGES: Final[dict[str, Callable[[random.Random, dict[str, Any]], list[Any]]]] = {
    "messages": _messages, "log": _log, "doc": _doc, "n": _n, "tomb": _tomb, "delta": _delta,
}  # fmt: skip

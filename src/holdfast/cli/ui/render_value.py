"""Values for people: as Python writes them, but texts and messages as text; long ones are cut unless `full` is set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from holdfast._json import MAX_DEPTH, text_of
from holdfast.cli.args.stored_object import Message, message_of, record_of
from holdfast.cli.ui import layout
from holdfast.cli.ui.humanize import counted
from holdfast.cli.ui.layout import Group, Node
from holdfast.cli.ui.terminal_text import many_lines, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

PLAIN_WIDTH: Final = 100  # without a terminal
_LONGEST_TEXT: Final = 400
_MOST_LINES: Final = 12
_FIRST_ITEMS: Final = 4
_LAST_ITEMS: Final = 8  # the newest items matter most
_MOST_DEPTH: Final = 6
_INDENT: Final = "  "
_LAST_MESSAGES: Final = 6
_BRACKETS: Final[dict[type, tuple[str, str]]] = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}")}
_ROLES: Final = {"human": "green", "user": "green", "ai": "cyan", "assistant": "cyan", "tool": "magenta"}


@dataclass
class Values:
    """Writes values as lines; `has_cut` says whether any was cut."""

    width: int
    full: bool = False
    has_cut: bool = field(default=False, init=False)

    def named(self, name: str, value: Any, style: str = "bold") -> Iterator[Text]:
        """A name and its value, on one line if it fits."""
        from rich.text import Text

        lines = list(self.lines(value))
        title = Text.assemble((one_line(name), style), ":")
        if len(lines) == 1 and not _is_block(value):
            yield Text.assemble(title, " ", lines[0])
            return
        yield title
        yield from (Text.assemble(_INDENT, line) for line in lines)

    def lines(self, value: Any) -> Iterator[Text]:
        if isinstance(value, str) and "\n" in value:
            yield from self._text(value)
        elif _is_conversation(value):
            yield from self._conversation(value)
        else:
            message = message_of(value)
            yield from self._pretty(value) if message is None else self._message(message)

    def _conversation(self, messages: list[Any]) -> Iterator[Text]:
        """The last messages: they show the current situation."""
        from rich.text import Text

        first = 0 if self.full else max(len(messages) - _LAST_MESSAGES, 0)
        if first:
            self.has_cut = True
            yield Text(f"… {counted(first, 'earlier message')}", "dim")
        for message in messages[first:]:
            yield from self.lines(message)

    def _message(self, message: Message) -> Iterator[Text]:
        from rich.text import Text

        role = Text(one_line(message.role), _ROLES.get(message.role, "yellow"))
        first, *rest = self._text(message.text) if message.text else [Text()]
        yield Text.assemble(role, ": ", first)
        yield from (Text.assemble(_INDENT, line) for line in rest)
        for name, value in message.more.items():
            yield from (Text.assemble(_INDENT, line) for line in self.named(name, value, "dim"))

    def _text(self, text: str) -> Iterator[Text]:
        from rich.text import Text

        shown = text if self.full else "\n".join(text[:_LONGEST_TEXT].split("\n")[:_MOST_LINES])
        yield from (Text(line) for line in many_lines(shown).split("\n"))
        if len(shown) < len(text):
            self.has_cut = True
            yield Text(f"… {counted(len(text) - len(shown), 'more character')}", "dim")

    def _pretty(self, value: Any) -> Iterator[Text]:
        from rich.highlighter import ReprHighlighter

        highlight = ReprHighlighter()
        yield from (highlight(one_line(line)) for line in layout.lines(self._node(value, 0), self.width))

    # ---------------------------------------------------------------- parts

    def _node(self, value: Any, depth: int) -> Node:
        taken_apart = None if isinstance(value, str | bytes) else _taken_apart(value)
        if taken_apart is None:
            return self._atom(value)
        if depth >= (MAX_DEPTH if self.full else _MOST_DEPTH):
            return self._shorter("…")
        return self._group(*taken_apart, depth)

    def _group(self, start: str, end: str, parts: list[tuple[str, Any]], depth: int) -> Node:
        if self.full or len(parts) <= _FIRST_ITEMS + _LAST_ITEMS:
            return Group(start, end, self._nodes(parts, depth))
        rest = len(parts) - _FIRST_ITEMS - _LAST_ITEMS
        ends = self._nodes(parts[:_FIRST_ITEMS], depth), self._nodes(parts[-_LAST_ITEMS:], depth)
        return Group(start, end, [*ends[0], ("", self._shorter(f"… {rest:,} more")), *ends[1]])

    def _nodes(self, parts: list[tuple[str, Any]], depth: int) -> list[tuple[str, Node]]:
        return [(key, self._node(part, depth + 1)) for key, part in parts]

    def _atom(self, value: Any) -> str:
        if self.full:
            return text_of(value)
        if isinstance(value, str | bytes) and len(value) > _LONGEST_TEXT:
            unit = "more character" if isinstance(value, str) else "more byte"
            rest = counted(len(value) - _LONGEST_TEXT, unit)
            return self._shorter(f"{text_of(value[:_LONGEST_TEXT])}… {rest}")
        text = text_of(value)
        return text if len(text) <= _LONGEST_TEXT else self._shorter(f"{text[:_LONGEST_TEXT]}…")

    def _shorter(self, text: str) -> str:
        self.has_cut = True
        return text


def _taken_apart(value: Any) -> tuple[str, str, list[tuple[str, Any]]] | None:
    """The brackets of an object or container, and its parts with their prefixes; None for anything else."""
    record = record_of(value)
    if record is not None:
        name = record.name.rpartition(".")[2]
        return f"{name}(", ")", [(f"{key}=", field) for key, field in record.fields.items()]
    if type(value) not in (dict, *_BRACKETS) or not value:
        return None
    if type(value) is dict:
        return "{", "}", [(f"{text_of(key)}: ", item) for key, item in value.items()]
    start, end = ("(", ",)") if type(value) is tuple and len(value) == 1 else _BRACKETS[type(value)]
    return start, end, [("", item) for item in value]


def _is_conversation(value: Any) -> bool:
    return type(value) is list and bool(value) and all(message_of(item) is not None for item in value)


def _is_block(value: Any) -> bool:
    """Whether it is shown as text, on lines of its own."""
    return (isinstance(value, str) and "\n" in value) or _is_conversation(value)

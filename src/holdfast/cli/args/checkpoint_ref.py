"""How a checkpoint is named on the command line, and the short form that lists print.

====================  =================================================================
``3fK9aXbQ``          the start or the end of an id, if it is unique in the thread
``HEAD``              the newest
``label:approved``    the one with this label
``id:…``              this complete id, even if it looks like one of these words
``…~3``               the third ancestor of any of these
====================  =================================================================
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import holdfast
from holdfast.cli.ui.humanize import ago, counted
from holdfast.cli.ui.output import refuse
from holdfast.cli.ui.terminal_text import one_line

HEAD: Final = "HEAD"
LABEL: Final = "label:"
COMPLETE: Final = "id:"
_BACK: Final = re.compile(r"(.+)~(\d{0,9})", re.DOTALL)
_SHORT: Final = 8
_PAGE: Final = 500
_LISTED: Final = 10

Thread = holdfast.Thread[dict[str, Any]]
Info = holdfast.CheckpointInfo


def resolve(thread: Thread, text: str) -> Info:
    """The checkpoint that the text names. If it names none, or several, the command ends with a list of candidates."""
    found = _exact(thread, text)
    back = _BACK.fullmatch(text)
    if found is None and back is not None:
        start = _exact(thread, back[1]) or _searched(thread, back[1])
        return _ancestor(thread, start, int(back[2] or 1), text)
    return found or _searched(thread, text)


def every(thread: Thread) -> Iterator[Info]:
    """All checkpoints, newest first, read in pages."""
    page = thread.history(limit=_PAGE)
    while page:
        yield from page
        page = thread.history(limit=_PAGE, before=page[-1].id) if len(page) == _PAGE else []


def _exact(thread: Thread, text: str) -> Info | None:
    if text == HEAD:
        return next(iter(thread.history(limit=1)), None) or refuse(f"{thread_name(thread)} has no checkpoints")
    if text.startswith(LABEL):
        label = text.removeprefix(LABEL)
        return _only(thread, text, thread.history(limit=None, where={"label": label})) if label else None
    if text.startswith(COMPLETE):
        complete = text.removeprefix(COMPLETE)
        return _loaded(thread, complete) or next(
            (info for info in every(thread) if one_line(info.id) == complete), None
        )
    return _loaded(thread, text)


def _loaded(thread: Thread, checkpoint_id: str) -> Info | None:
    return thread.load(checkpoint_id, channels=()) if checkpoint_id else None


def _searched(thread: Thread, text: str) -> Info:
    matching = [info for info in every(thread) if text and _has_end(info.id, text)]
    complete = [info for info in matching if one_line(info.id) == text]
    found = _only(thread, text, complete or matching)
    if found is None:
        newest = thread.history(limit=_LISTED)
        refuse(f"{thread_name(thread)} has no checkpoint {text!r}" + _choice("; the newest are:", newest, len(newest)))
    return found


def _has_end(checkpoint_id: str, text: str) -> bool:
    return any(name.startswith(text) or name.endswith(text) for name in (checkpoint_id, one_line(checkpoint_id)))


def _only(thread: Thread, text: str, found: Sequence[Info]) -> Info | None:
    if len(found) > 1:
        refuse(
            f"{text!r} matches several checkpoints of {thread_name(thread)}" + _choice(":", found[:_LISTED], len(found))
        )
    return found[0] if found else None


def _choice(intro: str, listed: Sequence[Info], total: int) -> str:
    lines = [f"\n  {one_line(f'{info.id}  step {info.step}  {info.node}')}  {ago(info.created_at)}" for info in listed]
    more = f"\n  … and {total - len(listed):,} more" if total > len(listed) else ""
    return "".join([intro if listed else "", *lines, more])


def _ancestor(thread: Thread, start: Info, back: int, text: str) -> Info:
    """One pass is enough: parents come after their children in the list."""
    wanted: str | None = start.id
    passed = 0
    for info in every(thread):
        if wanted is None:
            break
        if info.id == wanted:
            if passed == back:
                return info
            wanted, passed = info.parent_id, passed + 1
    refuse(f"{text!r} goes back too far: that branch of {thread_name(thread)} has {counted(passed, 'checkpoint')}")


def thread_name(thread: Thread) -> str:
    """The thread as messages name it."""
    inner = f", namespace {thread.namespace!r}," if thread.namespace else ""
    return f"thread {thread.id!r}{inner}"


# ------------------------------------------------------------------------------------------------ short forms


def shorten(ids: Iterable[str]) -> dict[str, str]:
    """For each id the shortest end that `resolve` takes for it among these ids.

    Ends and not starts, because ids that start with the time differ at the end.
    """
    names = {checkpoint_id: one_line(checkpoint_id) for checkpoint_id in ids}
    short: dict[str, str] = {}
    length = _SHORT
    while len(short) < len(names):
        seen = Counter(end for name in names.values() for end in {name[:length], name[-length:]})
        for checkpoint_id, name in names.items():
            if checkpoint_id not in short and _is_enough(name, length, seen):
                short[checkpoint_id] = _reference(name, length)
        length += 1
    return short


def _is_enough(name: str, length: int, seen: Counter[str]) -> bool:
    """Whether the last `length` characters name this id alone, or are all of it."""
    end = name[-length:]
    return len(name) <= length or (seen[end] == 1 and not _is_special(end))


def _reference(name: str, length: int) -> str:
    return COMPLETE + name if len(name) <= length and _is_special(name) else name[-length:]


def _is_special(text: str) -> bool:
    """Whether `resolve` or the command line would not take the text for an id: a word, an option, a step back."""
    return text == HEAD or text.startswith((LABEL, COMPLETE, "-")) or _BACK.fullmatch(text) is not None

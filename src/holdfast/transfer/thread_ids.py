"""The threads that a caller names, and the ids that they get in the target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from holdfast.errors import InvalidArgument
from holdfast.ids import check_id, check_list


def checked_ids(thread_ids: Iterable[str] | None) -> list[str] | None:
    if thread_ids is None:
        return None
    return [check_id(thread_id, "a thread id") for thread_id in check_list(thread_ids, "thread_ids")]


def checked_names(as_: Mapping[str, str] | None) -> dict[str, str]:
    """The new ids of threads, by their ids in the source."""
    renamed = {check_id(old, "a thread id"): check_id(new, "a thread id") for old, new in (as_ or {}).items()}
    check_distinct(renamed, renamed)
    return renamed


def check_distinct(thread_ids: Iterable[str], renamed: Mapping[str, str]) -> None:
    """Two threads must not get the same id."""
    taken: dict[str, str] = {}
    for thread_id in thread_ids:
        new = renamed.get(thread_id, thread_id)
        other = taken.setdefault(new, thread_id)
        if other != thread_id:
            raise InvalidArgument(
                f"the threads {other!r} and {thread_id!r} would both be {new!r} in the target; "
                "give each another id with as_="
            )


def source_ids(target_ids: Iterable[str], renamed: Mapping[str, str]) -> list[str]:
    """The ids that these threads of the target have in the source."""
    old = {new: thread_id for thread_id, new in renamed.items()}
    return [old.get(target_id, target_id) for target_id in target_ids]

"""The change from one record of a LangGraph checkpoint to the next makes exactly the next one's encoding."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapters.langgraph.checkpoint_record import record_change, record_of
from holdfast.codec import Codec
from holdfast.engine.values.patch import replay

CODEC = Codec()
names = st.sampled_from(["a", "b", "messages", "branch:to:x", "\ud800", ""])
versions = st.one_of(st.integers(0, 3), st.sampled_from(["1", "2", 1.0, 2.0, True, None]))
records = st.fixed_dictionaries(
    {"v": st.integers(1, 4), "channel_versions": st.dictionaries(names, versions)},
    optional={
        "ts": st.text(max_size=3),
        "versions_seen": st.dictionaries(names, st.dictionaries(names, versions)),
        "updated_channels": st.one_of(st.none(), st.lists(names)),
        "pending_sends": st.lists(st.tuples(names, versions)),
        "id": st.just("x"),
        "channel_values": st.just({"large": 1}),
    },
)


@given(records, records)
@settings(deadline=None, max_examples=400)
def test_the_change_makes_the_next_record(one: Any, other: Any) -> None:
    old, new = record_of(one), record_of(other)
    change = record_change(old, new, CODEC)
    if change is not None:
        assert replay(CODEC.encode(old), [change]) == CODEC.encode(new)


def test_a_step_is_a_short_change() -> None:
    old = record_of({"v": 4, "ts": "t1", "channel_versions": {"m": "1", "x": "1"}, "versions_seen": {"n": {"x": "1"}}})
    new = record_of({"v": 4, "ts": "t2", "channel_versions": {"m": "2", "x": "1"}, "versions_seen": {"n": {"x": "1"}}})
    change = record_change(old, new, CODEC)
    assert change is not None
    assert len(change) < 40
    assert replay(CODEC.encode(old), [change]) == CODEC.encode(new)


def test_what_the_caller_does_to_its_dicts_does_not_matter() -> None:
    given = {
        "v": 4,
        "channel_versions": {"m": "1"},
        "versions_seen": {"n": {"m": "1"}},
        "id": "x",
        "channel_values": {},
    }
    record = record_of(given)
    given["channel_versions"]["m"] = given["versions_seen"]["n"]["m"] = "2"  # type: ignore[index]
    assert record == {"v": 4, "channel_versions": {"m": "1"}, "versions_seen": {"n": {"m": "1"}}}

"""Tests of LangGraph's that are left out, each with its reason, by package."""

from __future__ import annotations

from typing import Final

_CHANCE: Final = "depends on chance: LangGraph may commit a task after its executor is shut down, with any saver"
_TIMING: Final = (
    "depends on timing: it expects an order of tasks that sleep for 10 ms, and fails under load with any saver"
)
_PRIVATE: Final = "uses private parts of the saver that it is written for"
_SERIALIZER: Final = "passes a serializer; Holdfast has its own"
_FAITHFUL: Final = "expects a tuple of the metadata back as a list; Holdfast returns what was put"
_REFUSAL: Final = "expects that prune refuses threads with delta channels; Holdfast prunes them and keeps their state"
_SQL: Final = "expects an error for a key that could be SQL; Holdfast puts no key into SQL"

LEFT_OUT: Final[dict[str, dict[str, str]]] = {
    "langgraph": {
        "tests/test_retry.py::test_error_handler_resumes_after_crash_multiple_nodes": _CHANCE,
        "tests/test_pregel_async.py::test_imp_nested": _TIMING,
        "tests/test_remote_graph.py": "talks to a LangGraph server on this machine",
        "tests/test_channels.py::test_delta_channel_snapshot_version_based": _PRIVATE,
        "tests/test_delta_channel_supersteps_bound.py::test_anever_written_channel_is_not_walked": _PRIVATE,
        "tests/test_delta_channel_update_state.py::test_bulk_update_state_replays_updates_in_the_order_given": _PRIVATE,
        "tests/test_delta_channel_update_state.py::test_update_state_after_invoke_delta_channel": _FAITHFUL,
        "tests/test_delta_channel_update_state.py::test_consecutive_update_states_delta_channel": _FAITHFUL,
        "tests/test_pregel_async.py::test_checkpoint_errors": _SERIALIZER,
        "tests/test_prune_postgres.py::test_keep_latest_keeps_a_turn_saved_after_it_read_the_heads": _PRIVATE,
        "tests/test_prune_postgres.py::test_keep_latest_refuses_a_thread_that_switches_to_a_delta_channel_mid_batch": (
            _REFUSAL
        ),
        "tests/test_prune_postgres.py::test_keep_latest_keeps_a_delta_channel_turn_saved_after_the_thread_check": (
            _PRIVATE
        ),
        "tests/test_prune_postgres.py::test_keep_latest_refuses_a_batch_with_a_delta_channel_thread": _REFUSAL,
        "tests/test_prune_postgres.py::test_akeep_latest_refuses_a_batch_with_a_delta_channel_thread": _REFUSAL,
    },
    "langgraph-checkpoint": {
        "tests/test_memory.py::test_memory_saver_": _SERIALIZER,
        "tests/test_memory.py::TestInMemorySaverDeltaChannel": _PRIVATE,
        "tests/test_memory.py::TestBaseFallbackGetChannelWrites": _PRIVATE,
        "tests/test_memory.py::TestPreDeltaBlobTerminator": _PRIVATE,
    },
    "langgraph-checkpoint-sqlite": {
        "tests/test_conformance_delta.py": "needs a capability that the published conformance suite does not have",
        "tests/test_delta_parent_walk.py::test_walk_step_looks_up_the_parent_by_primary_key": _PRIVATE,
        "tests/test_sqlite.py::TestSqliteSaver::test_informative_async_errors": (
            "expects that async calls fail; Holdfast's saver has both"
        ),
        "tests/test_sqlite.py::TestSqliteSaver::test_checkpoint_search_sql_injection_prevention": _SQL,
        "tests/test_writes_task_path_migration.py": "migrates tables of its own",
    },
}
"""The start of a test's id, and why it is not run."""

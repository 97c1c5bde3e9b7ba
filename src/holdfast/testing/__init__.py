"""The contract suite: what every Holdfast backend has to hold, as tests that a backend's author inherits.

In a test file of your package::

    from holdfast.testing import SharedStoreContract, SharedRowContract

    class TestMyStore(SharedStoreContract):
        def url(self, folder):
            return f"mine:{folder}/agents"

    class TestMyRows(SharedRowContract):
        def url(self, folder):
            return f"mine:{folder}/agents"

`folder` is an empty directory, another one for every store that a test needs; the same folder must give the same store.
Register the scheme first, in ``holdfast.backends.registry.OPENERS``.

- `StoreContract` goes through the public interface. Every test runs three times: through `holdfast.Store`, through
  `holdfast.AsyncStore`, and without the cache, so that each value comes from the backend.
- `RowContract` speaks to the backend itself: each expectation, each removal, and what a failed batch leaves behind.
- `SharedStoreContract` and `SharedRowContract` add what only a store that several handles can open at once can show.
  A backend that lives in one process and one handle takes the first two.

One subject is one small class in a module of its own (`saving`, `forking`, …), to be run alone while a backend grows.
"""

import pytest

_SUBJECTS = (
    "asking", "backing_up", "closing", "collecting", "concurrency", "copying", "counting", "deleting", "diffing",
    "digesting", "driver", "erasing", "expiring", "forking", "freezing", "history", "journaling", "listing", "moving",
    "naming", "nesting", "pending", "pruning", "reading", "removing", "row_answers", "row_samples", "row_seals", "rows",
    "saving", "sharing", "states", "tending", "updating", "values", "verifying",
)  # fmt: skip
pytest.register_assert_rewrite(*(f"{__name__}.{subject}" for subject in _SUBJECTS))

from holdfast.testing.suite import (  # noqa: E402  # after the line that lets pytest explain their asserts
    RowContract,
    SharedRowContract,
    SharedStoreContract,
    StoreContract,
)

__all__ = ["RowContract", "SharedRowContract", "SharedStoreContract", "StoreContract"]

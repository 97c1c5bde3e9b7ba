"""The contract suite: what every Holdfast backend must do, as tests that a backend's author inherits.

In a test file of your package::

    from holdfast.testing import SharedStoreContract, SharedRowContract

    class TestMyStore(SharedStoreContract):
        def url(self, folder):
            return f"mine:{folder}/agents"

    class TestMyRows(SharedRowContract):
        def url(self, folder):
            return f"mine:{folder}/agents"

`folder` is an empty directory, a different one for each store that a test needs; the same folder must give the same
store. Register the scheme first, in ``holdfast.backends.registry.OPENERS``.

- `StoreContract` uses the public interface. Every test runs three times: through `holdfast.Store`, through
  `holdfast.AsyncStore`, and without the cache, so that each value comes from the backend.
- `RowContract` calls the backend directly: each expectation, each removal, and what a failed batch leaves behind.
- `PlacedContract` is the store contract on a backend that fails on every batch which does not lie in one tree.
- `SharedStoreContract` and `SharedRowContract` add tests for stores that several handles can open at once. A backend
  that supports one handle at a time uses the first two.

Each subject is a small class in a module of its own (`checkpoints.saves`, `threads.thread_forks`, …), to be run alone
while a backend is incomplete.
"""

import pkgutil

import pytest

_SUBJECTS = [module.name for module in pkgutil.iter_modules(__path__) if module.name != "suite"]
pytest.register_assert_rewrite(*(f"{__name__}.{subject}" for subject in _SUBJECTS))

from holdfast.testing.suite import PlacedContract, RowContract, SharedRowContract, SharedStoreContract, StoreContract  # noqa: E402  # after the line that makes pytest explain their asserts

__all__ = ["PlacedContract", "RowContract", "SharedRowContract", "SharedStoreContract", "StoreContract"]

"""Erasing."""

from __future__ import annotations

from holdfast.testing.driver import StoreTests


class Erasing(StoreTests):
    pass

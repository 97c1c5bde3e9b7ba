"""A store whose trees are in four places, between which nothing is atomic, keeps the contract."""

from __future__ import annotations

from pathlib import Path

from holdfast.backends.registry import OPENERS
from holdfast.testing import StoreContract
from tests.contract.four_places import FourPlaces

OPENERS.setdefault("places", lambda rest: FourPlaces())


class TestFourPlaces(StoreContract):
    modes = ("sync",)

    def url(self, folder: Path) -> str:
        return "places:"

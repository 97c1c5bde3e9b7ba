"""The power goes at any moment of a short life: what was acknowledged had been synced."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.crash import settings, shim
from tests.crash.backends import ON_DISK
from tests.crash.checker import check
from tests.crash.ledger import Ledger
from tests.crash.nursery import Nursery
from tests.crash.power import images
from tests.crash.scenario import LANE


@pytest.mark.parametrize("backend", ON_DISK)
def test_a_store_holds_what_was_acknowledged_when_the_power_goes(shimmed: Nursery, quick: Path, backend: str) -> None:
    lived, found = quick / "lived", quick / "found"
    lived.mkdir()
    shimmed.start("scenario:play", shim.trouble(lived), url=ON_DISK[backend](lived).url).ended_well()
    where = ON_DISK[backend](found)
    acknowledged = 0
    for image in images(shim.calls(lived), settings.SEED):
        shutil.rmtree(found, ignore_errors=True)
        found.mkdir()
        image.lay_out(lived, found)
        ledger = Ledger(LANE)
        ledger.hear(image.lines)
        acknowledged = max(acknowledged, ledger.acknowledged)
        with settings.noted(f"the power went after call {image.after}; SEED={settings.SEED}"):
            check(where.url, ledger)
            where.check_all()
    assert acknowledged > 10

"""The power goes at any moment of a short life: what was acknowledged had been synced."""

from __future__ import annotations

from pathlib import Path

from tests.crash import settings, shim
from tests.crash.checker import check, check_file
from tests.crash.ledger import Ledger
from tests.crash.nursery import Nursery
from tests.crash.power import images
from tests.crash.scenario import LANE


def test_a_store_holds_what_was_acknowledged_when_the_power_goes(shimmed: Nursery, quick: Path) -> None:
    lived, found = quick / "lived", quick / "found"
    lived.mkdir()
    found.mkdir()
    shimmed.start("scenario:play", shim.trouble(lived), url=str(lived / "agents.db")).ended_well()
    acknowledged = 0
    for image in images(shim.calls(lived), settings.SEED):
        for old in found.iterdir():
            old.unlink()
        for path, data in image.files.items():
            (found / Path(path).name).write_bytes(data)
        ledger = Ledger(LANE)
        ledger.hear(image.said)
        acknowledged = max(acknowledged, ledger.acknowledged)
        with settings.noted(f"the power went after call {image.after}; SEED={settings.SEED}"):
            check(str(found / "agents.db"), ledger)
            check_file(found / "agents.db")
    assert acknowledged > 10

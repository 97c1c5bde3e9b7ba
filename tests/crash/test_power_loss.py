"""The power goes at any moment of a short life, or of a long operation: what was acknowledged had been synced."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.crash import settings, shim
from tests.crash.backends import ON_DISK
from tests.crash.checker import check
from tests.crash.ledger import Ledger
from tests.crash.nursery import Nursery
from tests.crash.power import Disk, cuts, images
from tests.crash.scenario import LANE
from tests.crash.scenes import SCENES

CUTS = max(1, settings.ROUNDS // 20)


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


@pytest.mark.parametrize("what", SCENES)
@pytest.mark.parametrize("backend", ON_DISK)
def test_an_operation_is_whole_or_can_be_run_again_when_the_power_goes(
    nursery: Nursery, shimmed: Nursery, quick: Path, backend: str, what: str
) -> None:
    lived, found = quick / "lived", quick / "found"
    lived.mkdir()
    before, after = ON_DISK[backend](lived), ON_DISK[backend](found)
    scene = SCENES[what]()
    scene.prepare(before, quick)
    disk = Disk.of(lived, keeps_names=False)
    work: dict[str, Any] = {"what": what, "path": scene.path, "often": True}
    shimmed.start("keepers:keep", shim.trouble(lived), url=before.url, **work).ended_well()
    calls = shim.calls(lived)
    rng = random.Random(f"{settings.SEED}/{what}")
    chosen = {*rng.sample(range(1, len(calls) + 1), min(CUTS, len(calls))), acknowledged(calls, what)}
    for image in cuts(calls, disk, rng, chosen):
        shutil.rmtree(found, ignore_errors=True)
        found.mkdir()
        image.lay_out(lived, found)
        with settings.noted(f"the power went after call {image.after} of {len(calls)}; SEED={settings.SEED}"):
            scene.check(after, acknowledged={"done": what} in image.lines)
            nursery.start("keepers:keep", url=after.url, **work).ended_well()
            scene.check(after, acknowledged=True)


def acknowledged(calls: list[shim.Call], what: str) -> int:
    """The moment at which the caller has just been told."""
    (found,) = [number for number, call in enumerate(calls, 1) if call.kind == "M" and what.encode() in call.data]
    return found

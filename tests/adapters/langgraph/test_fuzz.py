"""The same random calls to LangGraph's saver in memory and to Holdfast's, on every backend: all they show is the same.

``FUZZ=500 SEED=7 pytest tests/adapters/langgraph/test_fuzz.py`` plays more games, from a seed.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.adapters.langgraph.fuzzing import Game

GAMES = int(os.environ.get("FUZZ") or 8)
SEED = os.environ.get("SEED") or str(random.randrange(1 << 32))
SHARDS = 4


@pytest.mark.parametrize("shard", range(SHARDS))
def test_all_savers_show_the_same(shard: int, tmp_path: Path) -> None:
    for number in range(shard, GAMES, SHARDS):
        folder = tmp_path / str(number)
        folder.mkdir()
        with Game(f"{SEED}/{number}", folder) as game:
            try:
                game.play()
            except BaseException as error:
                error.add_note(f"game {number} of seed {SEED}: try again with SEED={SEED} FUZZ={number + 1}")
                error.add_note("\n".join(game.calls[-25:]))
                raise

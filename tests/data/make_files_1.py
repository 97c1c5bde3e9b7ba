"""Makes `files-1` and `files-1.json`: a folder of format 1, and what it holds.

PYTHONPATH=src:. python -m tests.data.make_files_1
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import holdfast
from tests.data.golden import contents, fill, graph_contents

FOLDER = Path(__file__).parent


def make() -> None:
    root = FOLDER / "files-1"
    shutil.rmtree(root, ignore_errors=True)
    with holdfast.open(f"file:{root}") as store:
        fill(store)
        held = {"threads": contents(store), "graph": graph_contents(store)}
    (root / "lock").unlink()  # names the process that wrote last
    (FOLDER / "files-1.json").write_text(json.dumps(held, indent=0) + "\n")


if __name__ == "__main__":
    make()

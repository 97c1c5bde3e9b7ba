"""Made `format-2.db` and `format-2.json`: a store as Holdfast wrote it before frames stood alone, and what it held.

Run once, with the code of commit 69e625a, and kept for reference; the files are data now and are not made again::

    PYTHONPATH=<that tree>/src:. python tests/data/make_format_2.py tests/data
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import holdfast
from tests.data.make_format_1 import contents, fill


def fill_more(store: holdfast.Store) -> None:
    """Several frames after one another, a fork in the middle of one, a journal, and a run that was left."""
    fill(store)
    long = store.thread("long")
    for n in range(150):
        message = {"role": "user", "content": f"message {n}: " + " ".join(str(n * m * 7919) for m in range(30))}
        long.update({"messages": [message]}, reduce={"messages": holdfast.extend})
    long.fork(long.history(limit=None)[50].id, to="long/fork")
    store.thread("long/fork").update({"messages": [{"content": "on"}]}, reduce={"messages": holdfast.extend})
    long.journal.append("note", {"n": 1}, key="first")
    with store.thread("worked").run(input={"n": 0}) as run:
        run.save({"n": run.step("one", lambda: 1)})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with holdfast.open(folder / "format-2.db") as made:
        fill_more(made)
        (folder / "format-2.json").write_text(json.dumps(contents(made)) + "\n")

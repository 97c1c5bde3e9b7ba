"""A process that reads hostile stores, one after the other, with little memory and time.

It reads which case to try from its standard input, one a line, as JSON: a subject, a seed and a number. It answers each
with a line before it reads the next, so that its parent knows which case has killed it.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from random import Random
from typing import Any, Final

import holdfast
from holdfast import HoldfastError
from tests.docs import bundle_reader
from tests.hostile import bundle_mutations, carriers, good_store, row_mutations, written_cases
from tests.hostile.readers import Readers

SECONDS: Final = 20
"""Of processor time for one case; a usual one takes a tenth of a second."""
MEMORY: Final = 384 << 20
"""Bytes beyond those that the process has when it starts; values have at most a megabyte."""


class Victim:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._good = good_store.make(folder / "good.db")
        with holdfast.open(folder / "good.db") as store:
            store.export(None, folder / "good.hfb")
        self._records = [[*record] for record in bundle_reader.records(folder / "good.hfb")]
        self._warm_up()
        self._modules = set(sys.modules)
        self._events: list[str] = []
        sys.addaudithook(self._audit)

    def _warm_up(self) -> None:
        place = self._folder / "case"
        place.mkdir()
        readers = Readers(carriers.sqlite(place, self._good, Random(1)), place, commands=True)
        readers.run()
        assert readers.failures == [], readers.failures
        carriers.remove(place)
        # What a good store may import when it is read: modules of Holdfast, and the libraries whose values it builds.
        for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
            if module.name != "holdfast.__main__":
                importlib.import_module(module.name)
        for name in (
            "numpy",
            "encodings.unicode_escape",
            "ipaddress",
            "zoneinfo",
            "fractions",
            "langchain_core.messages.ai",
        ):
            importlib.import_module(name)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note what reaches outside of the folder."""
        if event in _STARTS:
            self._events.append(f"{event} {arguments!r:.100}")
        elif event in _CHANGES and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.fsdecode(arguments[0])
            writes = event != "open" or (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR))
            if writes and os.path.isabs(path) and not path.startswith((str(self._folder), "/dev/")):
                self._events.append(f"{event} {path}")

    def attempt(self, subject: str, seed: str, number: int | str) -> tuple[list[str], list[str]]:
        """What was done, and what went wrong."""
        random = Random(f"{seed} {subject} {number}")
        place = self._folder / "case"
        place.mkdir()
        (place / "outside").mkdir()
        (place / "outside" / "kept").write_text("kept")
        self._events.clear()
        try:
            changes, wrong = self._read(place, subject, number, random)
            if (place / "outside" / "kept").read_text() != "kept" or len(os.listdir(place / "outside")) != 1:
                wrong.append("a file outside of the store was touched")
            wrong += [f"reached out: {event}" for event in dict.fromkeys(self._events)]
            wrong += [f"imported {name}" for name in sorted(set(sys.modules) - self._modules)][:3]
            self._modules = set(sys.modules)
            return changes, wrong
        finally:
            carriers.remove(place)

    def _read(self, place: Path, subject: str, number: int | str, random: Random) -> tuple[list[str], list[str]]:
        if subject == "bundle":
            return self._read_bundle(place, random)
        commands = random.random() < 0.1
        if isinstance(number, str):
            rows, changes = row_mutations.sealed_all(self._good, written_cases.CASES[number](self._good)), [number]
        else:
            case = row_mutations.Case(self._good, random, typed=subject not in carriers.LOOSE)
            rows, changes = case.rows, case.changes
        readers = Readers(
            carriers.CARRIERS[subject](place, rows, random), place, commands=commands and subject != "memory"
        )
        readers.run()
        return changes, readers.failures

    def _read_bundle(self, place: Path, random: Random) -> tuple[list[str], list[str]]:
        records, changes = bundle_mutations.changed(self._records, random)
        bundle_mutations.write(place / "hostile.hfb", records, random)
        url = str(place / "store.db")
        wrong: list[str] = []
        with holdfast.open(url, max_value=good_store.MAX_VALUE) as store:
            for _ in range(2):
                try:
                    store.import_(place / "hostile.hfb")
                except HoldfastError:
                    pass
                except Exception as error:
                    wrong.append(f"import_: {error!r}")
        readers = Readers(url, place, commands=False)
        readers.run()
        return changes, wrong + readers.failures


_STARTS: Final = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "ctypes.dlopen", "socket.bind")
_CHANGES: Final = (
    "open",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "os.link",
    "os.symlink",
    "os.chmod",
)


def _limit() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    warnings.simplefilter("ignore")
    memory = Path("/dev/shm")  # noqa: S108  a folder of its own in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        victim = Victim(Path(name).resolve())
        _limit()
        for line in sys.stdin:
            subject, seed, number = json.loads(line)
            # The default action of the signal ends the process: a hang is found as one.
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            changes, wrong = victim.attempt(subject, seed, number)
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps({"changes": changes, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main()

"""Draws architecture.svg, the picture of docs/explanation/architecture.md: `python docs/pictures/architecture.py`.

Standard library only. The picture has a background of its own, in a light and a dark version, so that it can be read on
any page. Change this file, never the SVG; a test compares the two.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

WIDTH, HEIGHT = 960, 896
STYLE = """
  .page { fill: #fbfbfa; stroke: #d5d5d0 }
  .box { fill: #ffffff; stroke: #8a8f98; stroke-width: 1.5 }
  .outside { fill: none; stroke: #8a8f98; stroke-width: 1.5; stroke-dasharray: 5 4 }
  .package { fill: #e4eefb; stroke: #3f6fb0; stroke-width: 1.5 }
  .engine { fill: #f1f6fd; stroke: #3f6fb0; stroke-width: 1.5 }
  .contract { fill: #fdf0d8; stroke: #b07d1f; stroke-width: 1.5 }
  .disk { fill: #e7f3e8; stroke: #4b8a53; stroke-width: 1.5 }
  .arrow { fill: none; stroke: #5b616b; stroke-width: 1.6; marker-end: url(#head) }
  .head { fill: #5b616b }
  text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; text-anchor: middle }
  .name { fill: #1c2733; font-size: 17px; font-weight: 600 }
  .note { fill: #434b56; font-size: 14px }
  .left { text-anchor: start }
  @media (prefers-color-scheme: dark) {
    .page { fill: #12171d; stroke: #39414c }
    .box { fill: #1b222b; stroke: #7d8794 }
    .outside { stroke: #7d8794 }
    .package { fill: #1d3350; stroke: #7aa7e0 }
    .engine { fill: #16212f; stroke: #7aa7e0 }
    .contract { fill: #3a2e14; stroke: #d8a84a }
    .disk { fill: #1a3020; stroke: #77b680 }
    .arrow { stroke: #a3adb9 }
    .head { fill: #a3adb9 }
    .name { fill: #eef2f6 }
    .note { fill: #c3cbd5 }
  }
"""


def box(kind: str, x: int, y: int, width: int, height: int, name: str, *notes: str) -> str:
    """A box with its name in bold and its notes below, centred."""
    middle, line = x + width // 2, 20
    top = y + height / 2 - line * len(notes) / 2 + 6
    return "\n".join(
        [
            f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>',
            text(middle, top, name, "name"),
            *(text(middle, top + line * number, note, "note") for number, note in enumerate(notes, 1)),
        ]
    )


def disk(x: int, y: int, width: int, height: int, name: str, note: str) -> str:
    """A cylinder."""
    right, bottom, lid = x + width, y + height, 9
    half = width / 2
    side = f"M{x} {y + lid} V{bottom - lid} A{half} {lid} 0 0 0 {right} {bottom - lid} V{y + lid}"
    return "\n".join(
        [
            f'<path class="disk" d="{side}"/>',
            f'<ellipse class="disk" cx="{x + half}" cy="{y + lid}" rx="{half}" ry="{lid}"/>',
            text(x + half, y + 44, name, "name"),
            text(x + half, y + 64, note, "note"),
        ]
    )


def text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(words)}</text>'


def arrow(*points: tuple[int, int]) -> str:
    path = " L".join(f"{x} {y}" for x, y in points)
    return f'<path class="arrow" d="M{path}"/>'


def drawn() -> str:
    parts = [
        # Who calls.
        box("outside", 40, 28, 180, 44, "a terminal"),
        box("outside", 290, 28, 300, 44, "your code"),
        box("outside", 660, 28, 260, 44, "LangGraph"),
        # The ways in.
        box("box", 40, 112, 180, 66, "cli", "commands, rendering"),
        box("box", 290, 112, 300, 66, "store · aio", "typed façades, sync and async"),
        box("box", 660, 112, 260, 66, "adapters.langgraph", "HoldfastSaver, importer"),
        # What a call means.
        box("package", 40, 232, 180, 66, "transfer", "copy, export, import"),
        box("package", 250, 232, 170, 66, "runs", "lease, steps, replay"),
        box("package", 450, 232, 180, 66, "operations", "arguments, encoding"),
        box("box", 660, 232, 150, 66, "codec", "values ⇄ bytes"),
        # The engine: a package may call those below it and to its right.
        '<rect class="engine" x="40" y="346" width="880" height="334" rx="8"/>',
        text(62, 376, "engine", "name left"),
        text(140, 376, "plans batches; imports no database", "note left"),
        box("contract", 820, 356, 86, 36, "port"),
        box("package", 60, 404, 412, 54, "maintenance", "prune, expire, collect, erase, statistics, backups"),
        box("package", 492, 404, 412, 54, "integrity", "verify, repair"),
        box("package", 60, 472, 412, 54, "checkpoints", "save, read, fork, diff, delete"),
        box("package", 492, 472, 412, 54, "journal", "entries: append, read"),
        box("package", 60, 540, 412, 54, "writes", "what tasks wrote: early, pending, settled"),
        box("package", 492, 540, 412, 54, "threads", "location, views, leases, tags, deletion"),
        box("package", 60, 608, 844, 54, "values", "value logs, patches, digests, manifests"),
        # The contract and what keeps it.
        box("contract", 40, 712, 880, 60, "backends.base: the Backend contract", "commit(Batch(expects, puts, drops))"),
        disk(40, 800, 196, 78, "sqlite", "one file"),
        disk(268, 800, 196, 78, "postgres", "one schema"),
        disk(496, 800, 196, 78, "files", "a folder of logs"),
        disk(724, 800, 196, 78, "memory", "tables in Python"),
        # Which calls which.
        arrow((130, 72), (130, 110)),
        arrow((440, 72), (440, 110)),
        arrow((790, 72), (790, 110)),
        arrow((220, 145), (288, 145)),
        arrow((660, 145), (592, 145)),
        arrow((735, 178), (735, 230)),
        arrow((320, 178), (320, 205), (130, 205), (130, 230)),
        arrow((365, 178), (365, 230)),
        arrow((540, 178), (540, 230)),
        arrow((420, 265), (448, 265)),
        arrow((630, 265), (658, 265)),
        arrow((863, 178), (863, 354)),
        arrow((130, 298), (130, 344)),
        arrow((335, 298), (335, 344)),
        arrow((540, 298), (540, 344)),
        *(arrow((x, y), (x, y + 12)) for x in (266, 698) for y in (458, 526, 594)),
        arrow((472, 567), (490, 567)),
        arrow((480, 680), (480, 710)),
        *(arrow((x, 772), (x, 798)) for x in (138, 366, 594, 822)),
    ]
    title = "The packages of Holdfast and which calls which"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"',
            ' orient="auto">',
            '<path class="head" d="M0 0 L10 5 L0 10 z"/></marker></defs>',
            f'<rect class="page" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="12"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(drawn(), "utf-8")

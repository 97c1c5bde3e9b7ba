"""Where bytes of a file are damaged, an answer may lack what was in them: then it is an error, and not an answer.

What can be told to be whole is given: numbers without a gap, and lines whose row was written after the damage.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from holdfast.backends.base import Found, Piece, Want
from holdfast.backends.files.shelf import Look
from holdfast.backends.files.tree import Tree
from holdfast.backends.rows import CheckpointRow, JournalRow, LineRow


def check_found(look: Look, found: Found) -> None:
    """What is found may not be the last that was saved, and what is not found may have been there."""
    if found.thread is None:
        look.check_directory()
        return
    tree = _damaged(look, found.thread.tree)
    if tree is not None:
        tree.check_line(found.root)
        if found.line is not None:
            tree.check_line(found.line)


def check_checkpoints(look: Look, number: int, line: int, lo: int, hi: int) -> None:
    tree = _damaged(look, number)
    row: LineRow | None = tree.tables[LineRow].get(number, line) if tree else None
    if tree is not None and row is not None:
        wanted = range(max(lo, row.base_seq + 1), min(hi, row.seq) + 1)
        if any(tree.tables[CheckpointRow].get(number, line, seq) is None for seq in wanted):
            raise tree.damaged()


def check_journal(look: Look, number: int, line: int, lo: int, hi: int) -> None:
    tree = _damaged(look, number)
    row: LineRow | None = tree.tables[LineRow].get(number, line) if tree else None
    if tree is not None and row is not None:
        wanted = range(max(lo, row.base_journal + 1), min(hi, row.journal) + 1)
        if any(tree.tables[JournalRow].get(number, line, seq) is None for seq in wanted):
            raise tree.damaged()


def check_chunks(look: Look, number: int, wants: Sequence[Want], found: list[list[Piece]]) -> None:
    tree = _damaged(look, number)
    if tree is not None and not all(map(_reaches, found, wants)):
        raise tree.damaged()


def _damaged(look: Look, number: int) -> Tree | None:
    tree = look.whole(number)
    return tree if tree is not None and tree.damage else None


def _reaches(found: list[Piece], want: Want) -> bool:
    """Whether the chunks lead to the wanted version without a gap."""
    chunks = [piece.chunk for piece in found]
    if not chunks or chunks[-1].log != want.log or chunks[-1].hi < want.pos:
        return False
    return all(after.log != before.log or after.lo == before.hi + 1 for before, after in pairwise(chunks))

"""The drawing of a history, from ids and parents alone."""

from __future__ import annotations

from itertools import pairwise
from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.ui.branch_graph import draw


def drawn(*history: str, cut: bool = False) -> str:
    """Pairs written as `child-parent`; a root is `child`."""
    pairs = [(one.partition("-")[0], one.partition("-")[2] or None) for one in history]
    return "\n".join(f"{row.drawing} {row.id or ''}".rstrip() for row in draw(pairs, cut=cut))


def expected(text: str) -> str:
    return dedent(text).strip("\n")


def test_nothing_is_drawn_of_nothing():
    assert drawn() == ""


def test_a_line():
    assert drawn("c-b", "b-a", "a") == "* c\n* b\n* a"


def test_a_branch_hangs_from_where_it_parted():
    assert drawn("e-b", "d-c", "c-b", "b-a", "a") == expected("""
        * e
        | * d
        | * c
        |/
        * b
        * a
    """)


def test_branches_that_grow_by_turns():
    assert drawn("f-d", "e-c", "d-b", "c-b", "b") == expected("""
        * f
        | * e
        * | d
        | * c
        |/
        * b
    """)


def test_many_branches_of_one_checkpoint():
    assert drawn("d-a", "c-a", "b-a", "a") == expected("""
        * d
        | * c
        | | * b
        |_|/
        |/
        * a
    """)


def test_a_line_between_is_passed_under():
    assert drawn("e-a", "d-b", "c-a", "b-x", "a", "x") == expected("""
        * e
        | * d
        | | * c
        | * | b
        |_|/
        * | a
          * x
    """)


def test_what_lies_to_the_right_moves_up():
    assert drawn("g-a", "f-a", "e-b", "a", "b") == expected("""
        * g
        | * f
        | | * e
        |/ /
        * | a
          * b
    """)


def test_branches_of_branches():
    assert drawn("f-c", "e-c", "d-b", "c-b", "b-a", "a") == expected("""
        * f
        | * e
        | | * d
        |/ /
        * | c
        |/
        * b
        * a
    """)


def test_two_roots_do_not_look_like_one_line():
    assert drawn("d-c", "c", "b-a", "a") == expected("""
        * d
        * c
          * b
         /
        * a
    """)


def test_three_roots_in_a_row():
    assert drawn("c", "b", "a") == "* c\n  * b\n* a"


def test_a_removed_parent_ends_the_line():
    assert drawn("d-gone", "c-b", "b") == "* d\n  * c\n /\n* b"


def test_two_children_of_a_removed_parent_stay_apart():
    assert drawn("c-gone", "b-gone", "a") == "* c\n  * b\n* a"


def test_in_a_list_that_was_cut_a_lane_continues():
    assert drawn("d-further", "c-b", "b-further", cut=True) == "* d\n| * c\n| * b"


@st.composite
def histories(draw_from: st.DrawFn) -> list[tuple[int, int | None]]:
    """Checkpoints numbered as they were saved, newest first, each with an older parent or none; some are removed."""
    count = draw_from(st.integers(0, 25))
    parents = [None if n == 0 else draw_from(st.none() | st.integers(max(0, n - 6), n - 1)) for n in range(count)]
    removed = draw_from(st.sets(st.integers(0, 24), max_size=4))
    return [(n, parents[n]) for n in reversed(range(count)) if n not in removed]


@given(histories(), st.booleans())
def test_every_drawing_can_be_followed_from_child_to_parent(history, cut):
    rows = list(draw(history, cut=cut))
    assert [row.id for row in rows if row.id is not None] == [id for id, _ in history]
    places = {row.id: number for number, row in enumerate(rows) if row.id is not None}
    for id, parent in history:
        if parent in places:
            column = rows[places[id]].drawing.index("*")
            below = [row.drawing for row in rows[places[id] + 1 : places[parent] + 1]]
            assert follow(column, below) == rows[places[parent]].drawing.index("*")


def follow(column: int, drawings: list[str]) -> int:
    """Where a line that starts at this column comes out: down, or to the left along a slash."""
    for drawing in drawings:
        if drawing[column : column + 1] in ("|", "*"):
            continue
        assert drawing[column - 1] == "/", (column, drawing)
        column -= 2
        while column > 0 and drawing[column - 1] == "_":
            column -= 2
    return column


@given(histories())
def test_lines_that_do_not_belong_together_do_not_touch(history):
    """Below a root there is nothing in its column until another row has passed."""
    rows = list(draw(history))
    known = {id for id, _ in history}
    roots = {id for id, parent in history if parent not in known}
    for row, after in pairwise(rows):
        if row.id in roots:
            assert after.drawing[row.drawing.index("*") :][:1] in ("", " ")

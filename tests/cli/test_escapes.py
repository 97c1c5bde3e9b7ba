"""What is stored may be hostile: it is shown, never obeyed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.ui.terminal_text import many_lines, one_line, unescaped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("\ud800", r"\ud800"),
        ("\u2028\ufeff\U000e0041", r"\u2028\ufeff\U000e0041"),
        ("grün 日本 👩\u200d💻 می\u200cخواهم\xa0!", "grün 日本 👩\u200d💻 می\u200cخواهم\xa0!"),
    ],
)
def test_in_a_line(text, shown):
    assert one_line(text) == shown


def test_the_lines_of_a_text_stay_lines():
    assert many_lines("a\n\tb\r\x1bc") == "a\n\tb\\r\\x1bc"


@given(st.text(st.characters()))
def test_nothing_that_a_terminal_acts_on_is_left(text):
    for shown in (one_line(text), many_lines(text)):
        assert not [one for one in shown if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") and one not in "\n\t"]
        assert not [one for one in shown if unicodedata.bidirectional(one) in BIDI_CONTROLS]
        shown.encode()
    assert "\n" not in one_line(text)


BIDI_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(st.text(st.characters(exclude_characters="\\")))
def test_what_is_shown_can_be_given_back(text):
    assert unescaped(one_line(text)) == text

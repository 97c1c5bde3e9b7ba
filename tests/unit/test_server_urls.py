"""URLs of servers: taken apart as libpq does it, and shown without any part of a password."""

from __future__ import annotations

import pytest

import holdfast
from holdfast import InvalidArgument
from holdfast.backends import server_url
from holdfast.backends.registry import shown


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("pg://host/db", ("pg", "", None, "host/db", ())),
        ("pg://me@host/db?a=1&b=2", ("pg", "me", None, "host/db", ["a=1", "b=2"])),
        ("pg://me:x#?y[@host/db", ("pg", "me", "x#?y[", "host/db", ())),
        ("pg://me:@/db?host=/tmp", ("pg", "me", "", "/db", ["host=/tmp"])),
        ("pg:///db?host=/tmp", ("pg", "", None, "/db", ["host=/tmp"])),
        ("pg://[::1]:5,h:6/db?password=a@b", ("pg", "", None, "[::1]:5,h:6/db", ["password=a@b"])),
    ],
)
def test_the_parts_of_a_url_and_back(url, parts):
    assert server_url.split(url) == parts
    assert server_url.split(url).text == url


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("agents.db", "agents.db"),
        ("sqlite:///home/me@work:x@y.db", "sqlite:///home/me@work:x@y.db"),
        ("pg://me:SECRET@host:1/db?schema=x", "pg://me@host:1/db?schema=x"),
        ("pg://me:SEC#R?E[T@host/db", "pg://me@host/db"),
        ("pg://me@host/a@b", "pg://me@host/a@b"),
        ("pg://host/db?password=SECRET", "pg://host/db"),
        ("pg://host/db?x=1&PASSWORD=SEC&RET&RET=2&schema=y", "pg://host/db?x=1&schema=y"),
        ("pg://host/db?sslpassword=SECRET&oauth_client_secret=SECRET&sslmode=require", "pg://host/db?sslmode=require"),
        ("pg://host/db?password=SEC@RET&schema=y", "pg://host/db?schema=y"),
        ("pg://me:S@ECRET@host/db", "pg://…"),
        ("pg://me:S/ECRET@host/db", "pg://…"),
        ("pg://me:S/E?CRET@host/db", "pg://…"),
        ("pg://me:S/E?CR=ET@host/db", "pg://…"),
        ("pg://me:SECREThost/db", "pg://…"),
    ],
)
def test_no_part_of_a_password_is_shown(url, seen):
    assert shown(url) == seen


def test_a_schema_given_as_an_argument_is_an_option_whatever_the_password_is():
    with pytest.raises(InvalidArgument, match="leave one out"):
        holdfast.open("postgresql://me:a?b@host/db?schema=one", schema="two")


def test_an_argument_finds_the_options_behind_a_question_mark_in_the_password():
    from holdfast.backends.registry import _with_schema

    assert _with_schema("postgresql://me:a?b@h/db", "x y") == "postgresql://me:a?b@h/db?schema=x%20y"
    assert _with_schema("postgresql://h/db?", "x") == "postgresql://h/db?schema=x"
    assert _with_schema("postgresql://h/db?a=1", "x") == "postgresql://h/db?a=1&schema=x"
    assert _with_schema("postgresql://h/db?schema=a+b", "a+b") == "postgresql://h/db?schema=a+b"

"""What a URL says is what libpq would understand, and an error about it has no password in it."""

from __future__ import annotations

import traceback

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

import holdfast
from holdfast import HoldfastError, InvalidArgument
from holdfast.backends.postgres.connection.address import parse
from tests.support.postgres import server


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada@h/db?password=a+b",
        "postgresql://h/db?application_name=my+app&password=a%2Bb%20c",
        "postgresql:///db?host=/tmp/some+where&user=ada",
        "postgresql://?host=h",
        "postgresql://ada:hun#ter2@localhost/db#x",
        "postgresql://ada:hun?ter2@localhost/db",
        "postgresql://ada:hun[ter2@localhost/db",
        "postgresql://ada:hunter\uff1a2@localhost/db",
        "postgresql://ada:x%40y@[::1]:5433,h2:5434/db?target_session_attrs=any",
        "postgresql://%2Ftmp%2Fsocket/db",
        "postgresql://me@h/d@b",
    ],
)
def test_libpq_gets_what_was_written(url):
    assert conninfo_to_dict(parse(url).conninfo) == conninfo_to_dict(url)
    joint = "&" if "?" in url.rpartition("@")[2] else "?"
    ours = parse(f"{url}{joint}schema=a+b%20c&pool=3")
    assert conninfo_to_dict(ours.conninfo) == conninfo_to_dict(url)
    assert (ours.schema, ours.pool) == ("a+b c", 3)


def test_three_slashes_and_a_host_among_the_options(opened, schema):
    known = conninfo_to_dict(server())
    options = "&".join(f"{name}={known[name]}" for name in ("host", "port", "user") if known.get(name))
    url = f"postgresql:///{known['dbname']}?{options}"
    psycopg.connect(url).close()
    with holdfast.open(url, schema=schema) as store:
        assert store.thread("t").save({"n": 1}).seq == 1
        assert store.url.startswith("postgresql:///")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:HUN@TER@localhost:1/db",
        "postgresql://ada:HUN/TER@localhost:1/db",
        "postgresql://ada:HUN/T?ER@localhost:1/db",
        "postgresql://ada:HUN/T?ER=1@localhost:1/db",
        "postgresql://ada:HUN%zzTER@localhost:1/db",
        "postgresql://ada:HUN%00TER@localhost:1/db",
        'postgresql://ada:"HUN"%zzTER@localhost:1/db',
        "postgresql://ada:HUN\ud800TER@localhost:1/db",
        "postgresql://ada:HUNTERlocalhost/db",
        "postgresql://ada:x@localhost:HUNTER/db",
        "postgresql://localhost:1/db?password=HUN%zzTER",
        "postgresql://localhost:1/db?password=x&hun",
        "postgresql://localhost:1/db?password=x&hun=ter",
        "postgresql://localhost:1/db?password=x&pool=HUNTER",
        "postgresql:ada:HUNTER@localhost/db",
    ],
)
@pytest.mark.parametrize("of", [holdfast.open, lambda url: parse(url)])
def test_a_url_that_makes_no_sense_is_refused_without_a_word_of_its_password(url, of):
    with pytest.raises(InvalidArgument) as caught:
        of(url)
    error = caught.value
    said = "".join(traceback.format_exception_only(error)) + repr(error.__cause__) + repr(error.__context__)
    assert "hun" not in said.lower()


@pytest.mark.parametrize("password", ["HUN#TER", "HUN?TER", "HUN[TER", "HUN\uff1aTER", "HUN\u2100TER", "HUN:TER"])
def test_a_server_that_is_not_there_is_reported_without_the_password(password):
    with pytest.raises(HoldfastError) as caught:
        holdfast.open(f"postgresql://ada:{password}@localhost:1/db")
    assert "hun" not in (str(caught.value) + repr(caught.value.__cause__)).lower()
    assert "postgresql://ada@localhost:1/db" in str(caught.value)


def test_an_unknown_option_is_named():
    with pytest.raises(InvalidArgument, match="no option 'no_such_option'"):
        parse("postgresql://ada:x@h/db?no_such_option=1")

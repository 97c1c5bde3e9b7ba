"""A store that can't be opened says which of the many possible reasons it is, and never shows the password."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import NamedTuple

import pytest

import holdfast
from holdfast import AccessDenied, HoldfastError, NewerFormat, NotAStore, Unreachable
from holdfast.testing.driver import OPENERS
from tests.faults.conftest import new_database
from tests.faults.secrets_kept import assert_hidden, assert_not_logged
from tests.servers.postgres import PASSWORD, QUOTED, Server
from tests.servers.programs import free_ports

ROLE, ITS_PASSWORD = "visitor", "s3cret-of-the-visitor"


class Case(NamedTuple):
    url: str
    error: type[HoldfastError]
    says: str  # what a person needs in order to mend it


@pytest.fixture(scope="session")
def visitor(server: Server) -> str:
    """A role that may log in, and nothing else.

    Made once a server, so once a session: a worker that runs tests of other modules in between makes the fixtures of a
    module again.
    """
    server.run(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{ITS_PASSWORD}'")
    return ROLE


def wrong_password(server: Server) -> Case:
    return Case(server.url(password="wrong-" + QUOTED), AccessDenied, "password")


def unknown_role(server: Server) -> Case:
    return Case(server.url(user="nobody_knows"), AccessDenied, "nobody_knows")


def unknown_host(server: Server) -> Case:
    host = "x" * 64 + ".invalid"  # longer than a name may be, so that no server outside is asked
    return Case(server.url().replace("127.0.0.1", host), Unreachable, host)


def refused_port(server: Server) -> Case:
    (port,) = free_ports(1)
    return Case(server.url(port=port), Unreachable, str(port))


def missing_database(server: Server) -> Case:
    return Case(server.url("not_there"), NotAStore, "not_there")


def no_right_to_make_it(server: Server) -> Case:
    database = new_database(server)
    return Case(server.url(database, user=ROLE, password=ITS_PASSWORD), AccessDenied, "rights")


def no_right_to_read_it(server: Server) -> Case:
    database = new_database(server)
    holdfast.open(server.url(database)).close()
    return Case(server.url(database, user=ROLE, password=ITS_PASSWORD), AccessDenied, "rights")


def made_by_something_else(server: Server) -> Case:
    database = new_database(server)
    server.run("CREATE SCHEMA holdfast", "CREATE TABLE holdfast.thread (id int)", database=database)
    return Case(server.url(database), NotAStore, "holdfast")


def made_by_a_newer_version(server: Server) -> Case:
    database = new_database(server)
    holdfast.open(server.url(database)).close()
    server.run("UPDATE holdfast.format SET number = 99, needed = 99", database=database)
    return Case(server.url(database), NewerFormat, "99")


CASES = [
    wrong_password, unknown_role, unknown_host, refused_port, missing_database, no_right_to_make_it,
    no_right_to_read_it, made_by_something_else, made_by_a_newer_version,
]  # fmt: skip


@pytest.mark.parametrize("facade", ["sync", "async"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_error_says_what_is_wrong_and_hides_the_password(
    server: Server, visitor: str, caplog: pytest.LogCaptureFixture, case: object, facade: str
) -> None:
    url, error, says = case(server)  # type: ignore[operator]
    with ExitStack() as stack, caplog.at_level(logging.DEBUG), pytest.raises(HoldfastError) as raised:
        OPENERS[facade](stack, url)
    assert type(raised.value) is error
    assert says in str(raised.value)
    assert_hidden(raised.value, PASSWORD, QUOTED, ITS_PASSWORD)
    assert_not_logged(caplog.records, PASSWORD, QUOTED, ITS_PASSWORD)


def test_a_role_that_may_only_read_can_read(server: Server, database: str, visitor: str) -> None:
    with holdfast.open(server.url(database)) as store:
        store.thread("t").save({"n": 1})
    server.run(
        f"GRANT USAGE ON SCHEMA holdfast TO {ROLE}", f"GRANT SELECT ON ALL TABLES IN SCHEMA holdfast TO {ROLE}",
        database=database,
    )  # fmt: skip
    with holdfast.open(server.url(database, user=ROLE, password=ITS_PASSWORD)) as store:
        head = store.thread("t").latest()
        assert head is not None
        assert head.state == {"n": 1}
        with pytest.raises(AccessDenied, match="rights") as raised:
            store.thread("t").save({"n": 2})
    assert_hidden(raised.value, PASSWORD, QUOTED, ITS_PASSWORD)


def test_a_password_is_in_no_error_of_a_connection_that_breaks(doomed: Server) -> None:
    with holdfast.open(doomed.url(options="?retry=0")) as store:
        store.thread("t").save({"n": 1})
        assert PASSWORD not in repr(store)
        assert QUOTED not in repr(store)
        doomed.kill()
        with pytest.raises(HoldfastError) as raised:
            store.thread("t").save({"n": 2})
    assert_hidden(raised.value, PASSWORD, QUOTED)

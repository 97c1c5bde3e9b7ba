"""Other spellings of a PostgreSQL server are refused with the right one; no password becomes a file or a message."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import holdfast
from holdfast import InvalidArgument
from holdfast.backends import registry, server_spelling
from holdfast.cli.app import build

SERVERS = [
    "host=localhost password=HUNTER",
    "password=HUNTER host=localhost",
    "  host = localhost  password = 'HUN TER' ",
    "host='local host' user=ada password='HUN\\'TER'",
    "user=ada\npassword=HUNTER\ndbname=x",
    "password=HUNTER",
    "PASSWORD=HUNTER",
    "sslpassword=HUNTER.db",
    "host=h pasword=HUNTER",
    "dbname=agents user=ada",
    "dbname=agents",
    "service=production",
    "host=/var/run/postgresql",
    "host=db.example.com",
    "hostaddr=127.0.0.1 port=5432",
    "dbname=postgresql://ada:HUNTER@h/db",
    "Host=localhost;Username=ada;Password=HUNTER",
    "Server=localhost;Database=agents;User Id=ada;Pwd=HUNTER",
    "pgsql:host=localhost;dbname=agents;password=HUNTER",
    "postgres:/ada:HUNTER@localhost/db",
    "postgresql:ada:HUNTER@localhost/db",
    "POSTGRESQL:ada:HUNTER@localhost/db",
    " postgresql:/ada:HUNTER@localhost/db",
    "postgresql+psycopg://ada:HUNTER@localhost/db",
    "postgresql+asyncpg://ada:HUNTER@localhost/db",
    "Postgres+Psycopg2:ada:HUNTER@localhost/db",
    "pgsql://ada:HUNTER@localhost/db",
    "PGSQL:/ada:HUNTER@localhost/db",
    "psql://ada:HUNTER@localhost/db",
    "jdbc:postgresql://localhost/db?user=ada&password=HUNTER",
    "'postgresql://ada:HUNTER@localhost/db'",
    '"postgres://ada:HUNTER@localhost/db"',
    "DATABASE_URL=postgresql://ada:HUNTER@localhost/db",
    "psql postgresql://ada:HUNTER@localhost/db",
    "ada:HUNTER@localhost:5432/db",
    "ada:HUN@TER@localhost",
    "ada:HUN/TER@localhost",
    "//ada:HUNTER@localhost/db",
    "a:HUNTER@localhost",
    ":HUNTER@localhost",
    "postgres//ada:HUNTER@localhost/db",
    "postgresql;//ada:HUNTER@localhost/db",
    "host:localhost password:HUNTER",
    "host=localhost # mine\npassword=HUNTER",
    "{'host': 'localhost', 'password': 'HUNTER'}",
    "localhost/db?user=ada&password=HUNTER",
    "localhost:5432/db?password=HUNTER",
    "localhost:5432:db:ada:HUNTER",
]
AFTER_A_SCHEME = [
    "postgresql://ada:HUNTER@localhost/db",
    "postgres:ada:HUNTER@localhost/db",
    "//ada:HUNTER@localhost/db",
    "ada:HUNTER@localhost/db",
    "host=localhost password=HUNTER",
    "password=HUNTER",
]
PATHS = [
    "runs/a=b.db", "a=b.db", "a=b c=d.db", "./password=1.db", "user=42/agents.db", "runs/user=ada password=x.db",
    "user=ada.db", "host=web1/day=3/agents.db", "dbname=x.sqlite3", "my notes.db", " agents.db", "me@work.db",
    "runs/12:30@home.db", "postgres.db", "postgresql", "pg", "password.db", "the password=.db", "a;b.db", "x==y",
    "C:\\Users\\me@work\\agents.db",
]  # fmt: skip


def said_by(error: BaseException) -> str:
    chain: list[BaseException | None] = [error, error.__cause__, error.__context__]
    return "".join("".join(traceback.format_exception_only(one)) for one in chain if one is not None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def take(text: str) -> Any:
    with holdfast.open("memory:") as store:
        store.thread("t").save({"n": 1})
        return store.backup(text)


def export(text: str) -> Any:
    with holdfast.open("memory:") as store:
        store.thread("t").save({"n": 1})
        return store.export(["t"], text)


def import_from(text: str) -> Any:
    from holdfast.adapters.langgraph.importer import open_source

    return open_source(text)


@pytest.mark.parametrize("text", SERVERS)
@pytest.mark.parametrize(
    "use", [holdfast.open, lambda text: holdfast.open(Path(text)), take, export, import_from, server_spelling.check]
)
def test_a_server_in_another_spelling_is_refused(
    folder: Path, caplog: pytest.LogCaptureFixture, use: Callable[[str], Any], text: str
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(InvalidArgument) as caught:
        use(text)
    said = said_by(caught.value) + caplog.text
    assert "hun" not in said.lower()
    assert "ter" not in said.lower().replace("alternative", "").replace("after", "").replace("letter", "")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("text", AFTER_A_SCHEME)
@pytest.mark.parametrize("scheme", ["sqlite:", "SQLITE:", "file:", "memory:"])
def test_a_password_after_the_scheme_of_another_backend_is_refused(folder: Path, scheme: str, text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        holdfast.open(scheme + text)
    assert "hun" not in said_by(caught.value).lower()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("text", [text for text in SERVERS if "://" not in text])
def test_the_right_spelling_is_in_the_message(folder: Path, text: str) -> None:
    with pytest.raises(InvalidArgument, match="postgresql://user"):
        holdfast.open(text)


@pytest.mark.parametrize("text", SERVERS)
@pytest.mark.parametrize("command", ["threads", "stats", "init", "verify"])
def test_commands_refuse_it_too(folder: Path, text: str, command: str) -> None:
    ran = CliRunner().invoke(build(), [command, text])
    assert ran.exit_code != 0
    said = ran.output + ("" if ran.exception is None else said_by(ran.exception))
    assert "hun" not in said.lower()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("text", PATHS)
def test_a_path_with_such_characters_is_a_file(folder: Path, text: str) -> None:
    path = Path(text)
    path.parent.mkdir(parents=True, exist_ok=True)
    for url in (text, path.absolute(), f"sqlite:{text}"):
        with holdfast.open(url) as store:
            store.thread("t").save({"n": 1})
    assert path.is_file()
    with holdfast.open(text) as store:
        assert store.thread("t").latest() is not None
        store.backup(f"{text}.db")


@pytest.mark.parametrize("use", [take, export, lambda text: holdfast.open(Path(text))])
def test_a_url_is_not_a_path(folder: Path, use: Callable[[str], Any]) -> None:
    for url in (
        "postgresql://ada:HUNTER@localhost/db",
        " Postgres://ada:HUNTER@localhost/db",
        "mysql://ada:HUNTER@h/db",
    ):
        with pytest.raises(InvalidArgument) as caught:
            use(url)
        assert "hun" not in said_by(caught.value).lower()
    assert list(folder.iterdir()) == []


def test_what_is_said_explicitly_is_a_file(folder: Path) -> None:
    for url in ("sqlite:dbname=agents", "./dbname=more", folder / "dbname=other"):
        with holdfast.open(url) as store:
            store.thread("t").save({"n": 1})
    assert {"dbname=agents", "dbname=more", "dbname=other"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("url", ["SQLITE:a.db", "Sqlite:a.db", "FILE:a", "Memory:"])
def test_the_case_of_a_scheme_does_not_count(folder: Path, url: str) -> None:
    with holdfast.open(url) as store:
        store.thread("t").save({"n": 1})
        assert (
            store._calls.engine.backend.capabilities.name
            == {"s": "sqlite", "f": "files", "m": "memory"}[url[0].lower()]
        )
    assert not [path for path in folder.iterdir() if ":" in path.name]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("POSTGRESQL://Ada@Host/Db", "postgresql://Ada@Host/Db"),
        ("  Postgres://ada@h/db\n", "postgres://ada@h/db"),
        ("postgresql://ada@h/db", "postgresql://ada@h/db"),
        (" notes.db ", " notes.db "),
    ],
)
def test_urls_of_servers_lose_their_spaces_and_capitals(text: str, url: str) -> None:
    assert server_spelling.normalized(text) == url
    assert registry.shown(text) == url


@pytest.mark.parametrize(
    "text", ["POSTGRESQL://ada:HUNTER@localhost:1/db?retry=0", " postgres://ada:HUNTER@localhost:1/db?retry=0 \n"]
)
def test_such_urls_are_used(text: str) -> None:
    with pytest.raises(holdfast.Unreachable) as caught:
        holdfast.open(text)
    assert "postgresql://ada@localhost:1/db" in str(caught.value)
    assert "hun" not in said_by(caught.value).lower()


def test_a_scheme_that_is_none_is_not_shown(folder: Path) -> None:
    with pytest.raises(InvalidArgument) as caught:
        holdfast.open("my HUNTER is: x://y")
    assert "HUNTER" not in str(caught.value)

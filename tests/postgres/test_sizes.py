"""What a thread of a graph costs on the server, in bytes: never in seconds."""

from __future__ import annotations

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.test_sizes import loop

TABLES = "thread grave tag waiting line checkpoint mark log chunk pending sealed journal run".split()


def stored(url, beside, steps):
    """The bytes of all tables and indexes after one run, once what was removed has been cleaned up, and the messages'."""
    beside.rollback()
    beside.autocommit = True
    beside.execute("TRUNCATE " + ", ".join(TABLES))
    with HoldfastSaver.from_url(url) as saver:
        content = loop(saver, steps)
        beside.execute("VACUUM " + ", ".join(TABLES))
        print(steps, [(r[0], r[1]) for r in beside.execute("select relname, pg_total_relation_size(oid) t, pg_relation_size(oid), pg_indexes_size(oid) from pg_class where relnamespace=current_schema()::regnamespace and relkind=$$r$$ order by 2 desc limit 7")])
        return saver.store.bytes_stored(), content


def test_a_thousand_steps_take_at_most_half_more_than_their_messages(url, beside):
    """With every checkpoint, and every pending write."""
    empty, _ = stored(url, beside, 10)
    half, _ = stored(url, beside, 500)
    whole, content = stored(url, beside, 1000)
    assert whole <= 1.5 * content, f"{whole} bytes for {content}: {whole / content:.3f}"
    assert whole - empty <= 2.1 * (half - empty), f"{whole} is more than twice {half}"

"""The server that the other tests use: it is real, empty, and goes on after a crash."""

from signal import SIGQUIT

import pytest


def test_each_database_is_empty_and_has_its_own_tables(postgres):
    first, second = postgres.make_database(), postgres.make_database()
    postgres.execute("CREATE TABLE only_here (number INTEGER)", first)
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    assert postgres.execute(tables, first).split() == ["only_here"]
    assert postgres.execute(tables, second) == ""


def test_what_is_committed_survives_a_crash_of_the_server(postgres):
    address = postgres.make_database()
    postgres.execute("CREATE TABLE kept AS SELECT 4711 AS number", address)
    postgres.stop(SIGQUIT)
    with pytest.raises(RuntimeError, match="refused"):
        postgres.execute("SELECT 1", address)
    postgres.start()
    assert postgres.execute("SELECT number FROM kept", address) == "4711\n"

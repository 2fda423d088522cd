"""What is written in a transaction is there in whole, or not at all."""

import sqlite3

import pytest

from moot.ledger.transaction import transaction


@pytest.fixture
def connection():
    made = sqlite3.connect(":memory:", isolation_level=None)
    made.execute("CREATE TABLE words (word TEXT UNIQUE)")
    yield made
    made.close()


def words(connection):
    return [word for (word,) in connection.execute("SELECT word FROM words ORDER BY word")]


def test_what_ends_well_is_committed(connection):
    with transaction(connection):
        connection.execute("INSERT INTO words VALUES ('a')")
    assert not connection.in_transaction
    assert words(connection) == ["a"]


def write(connection, error=None):
    with transaction(connection):
        connection.execute("INSERT INTO words VALUES ('a')")
        if error is not None:
            raise error


def write_within_another(connection):
    with transaction(connection):
        write(connection)
        assert connection.in_transaction
        raise ValueError


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_undoes_all_of_it(connection, error):
    with pytest.raises(error):
        write(connection, error)
    assert not connection.in_transaction
    assert words(connection) == []


def test_an_inner_one_is_a_part_of_the_outer_one(connection):
    with pytest.raises(ValueError):  # noqa: PT011 - its own
        write_within_another(connection)
    assert not connection.in_transaction
    assert words(connection) == []

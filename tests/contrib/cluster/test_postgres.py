"""What only the store in PostgreSQL does: it waits for its server, and says what is wrong."""

import asyncio
import signal
import subprocess
import sys

import pytest

from moot.core.calls import Reply
from moot.core.errors import RunBusy, StoreError, UnknownName
from moot.core.events import Opened, Transcript
from moot.core.questions import Question
from moot.core.stored import BudgetTerms

pytest.importorskip("asyncpg")
import asyncpg

from moot.contrib.cluster import postgres as postgres_database
from moot.contrib.cluster.postgres import MIGRATIONS
from moot.contrib.cluster.postgres_link import PostgresConnection, PostgresLink
from moot.ledger.storage import DatabaseFault
from moot.ledger.store import Store
from support.pgbouncer import find_pgbouncer, start_pgbouncer


def cut_off(postgres, address, store):
    """As if the network were cut: its process does not notice, others can take all over."""
    store.database.writer.on_lost = None
    end_writer(postgres, address, store)


def end_writer(postgres, address, store):
    postgres.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
        f"AND objsubid = 2 AND objid = {store.sessions.own.id}",
        address,
    )


async def test_replies_are_kept_over_a_crash_of_the_server(postgres, address, asked):
    async with Store.open(address) as store:
        run = store.begin_run("a-1", "a", b"")
        store.run = run.id
        await store.record(*asked(0), Reply(text="before", cost=0.5))
        postgres.stop(signal.SIGQUIT)
        recording = asyncio.create_task(store.record(*asked(1), Reply(text="paid", cost=0.25)))
        looking = asyncio.create_task(store.find(asked(0)[0]))
        await asyncio.sleep(0.3)
        assert store.blocked
        assert not recording.done()
        assert not looking.done()
        postgres.start()
        assert (await asyncio.wait_for(recording, 20)).text == "paid"
        assert (await asyncio.wait_for(looking, 20)).text == "before"
        assert not store.blocked
        assert store.sum_spent(run.id).cost == 0.75
        async with Store.open(address) as other:
            with pytest.raises(RunBusy):  # the session lives on, by its lock
                other.begin_run("a-1", "a", b"")


ONE_DEADLOCK = """
CREATE SEQUENCE moot.tried;
CREATE FUNCTION moot.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF nextval('moot.tried') = 1 THEN
            RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected';
        END IF;
        RETURN NEW;
    END
$$;
CREATE TRIGGER refuse BEFORE INSERT ON moot.replies FOR EACH ROW EXECUTE FUNCTION moot.refuse();
"""


async def test_a_statement_that_the_server_has_undone_leaves_the_claims_of_the_session(
    postgres, address, asked
):
    """Its connection has the lock of the session: without it another pays for the same calls."""
    async with Store.open(address) as store, Store.open(address) as other:
        assert await store.claim(asked(1)[0]) is None
        process = store.database.writer.server_process
        postgres.execute(ONE_DEADLOCK, address)
        assert (await store.record(*asked(0), Reply(text="paid"))).text == "paid"
        assert store.database.writer.server_process == process
        waiting = asyncio.create_task(other.claim(asked(1)[0]))
        await asyncio.sleep(0.2)
        assert not waiting.done()  # the call is still that of the first
        await store.record(*asked(1), Reply(text="paid, too"))
        assert (await asyncio.wait_for(waiting, 20)).text == "paid, too"


@pytest.mark.soak
async def test_many_processes_may_make_the_tables_at_once(postgres, address):
    make = "import sys; from moot.ledger.store import Store; Store.open(sys.argv[1])"
    made = [subprocess.Popen([sys.executable, "-c", make, address]) for _ in range(4)]
    assert [each.wait(60) for each in made] == [0] * 4
    done = postgres.execute("SELECT version FROM moot.schema ORDER BY 1", address).split()
    assert done == [str(number) for number in range(1, len(MIGRATIONS) + 1)]


async def test_a_grant_waits_for_replies_that_have_a_number_and_no_commit(address, asked):
    """Numbers are given before the commit: a grant that did not wait would never count them."""
    link = PostgresLink()
    try:
        other = PostgresConnection(link, address)
        async with Store.open(address) as store:
            lease = store.open_lease(BudgetTerms("x", 10, None, None))
            await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")  # as a grant does
            unpaid = asyncio.create_task(store.record(*asked(0), Reply(text="free")))
            assert (await asyncio.wait_for(unpaid, 10)).text == "free"
            store.lease = lease.id
            paid = asyncio.create_task(store.record(*asked(1), Reply(text="paid")))
            await asyncio.sleep(0.2)
            assert not paid.done()
            await asyncio.to_thread(other.execute, "COMMIT")
            assert (await asyncio.wait_for(paid, 10)).text == "paid"
        other.close()
    finally:
        link.close()


async def test_a_claim_whose_result_was_lost_with_the_connection_is_claimed_again(
    address, asked, monkeypatch
):
    fetch, lost = asyncpg.Connection.fetch, list[str]()

    async def lose_result(connection, statement, *values):
        found = await fetch(connection, statement, *values)
        if "FROM claim(" in statement and not lost:
            lost.append(statement)
            raise ConnectionResetError("the connection was lost")
        return found

    async with Store.open(address, patience=10.0) as store:
        store.begin_run("a-1", "a", b"")
        assert await store.find(asked(1)[0]) is None  # connects
        monkeypatch.setattr(asyncpg.Connection, "fetch", lose_result)
        assert await asyncio.wait_for(store.claim(asked(0)[0]), 5) is None
        assert lost


@pytest.mark.parametrize("how", ["ended", "gone", "confused"])
async def test_a_connection_that_ends_as_it_is_made_is_made_again(address, monkeypatch, asked, how):
    """The server is killed at that moment."""
    connect, made = asyncpg.connect, []

    async def connect_in_vain(*of, **settings):
        connection = await connect(*of, **settings)
        made.append(connection)
        if len(made) == 1:
            transport = connection._transport
            connection.terminate()
            transport.abort()
            if how == "gone":  # as uvloop leaves it
                connection._transport = None
            if how == "confused":
                raise asyncpg.InternalClientError("got result for unknown protocol state")
        return connection

    async with Store.open(address, patience=10.0) as store:
        store.run = store.begin_run("a-1", "a", b"").id
        monkeypatch.setattr(asyncpg, "connect", connect_in_vain)
        store.database._link.run(_drop(store.database.writer))
        assert (await store.record(*asked(0), Reply(text="kept"))).text == "kept"
        assert not store.blocked
    assert len(made) > 1


async def _drop(connection):
    connection._drop()


@pytest.mark.skipif(find_pgbouncer() is None, reason="no PgBouncer: apt-get install pgbouncer")
@pytest.mark.parametrize("user", ["moot", "lab"])
async def test_behind_a_pooler_of_sessions_all_is_as_without(postgres, asked, user):
    """Its settings are as they come; ``lab`` has no schema of its name, where tables could go."""
    postgres.execute("DROP ROLE IF EXISTS lab; CREATE ROLE lab LOGIN SUPERUSER")
    direct = postgres.make_database().replace("moot@", f"{user}@")
    with start_pgbouncer(direct, "session") as address:
        async with Store.open(address) as store:
            store.run = store.begin_run("a-1", "a", b"").id
            await store.record(*asked(0), Reply(text="kept"))
            async with Store.open(address, readonly=True) as reading:
                assert (await reading.find(asked(0)[0])).text == "kept"
                with pytest.raises(DatabaseFault, match="read-only"):
                    reading.database.reader.execute("DELETE FROM replies")
    assert postgres.execute("SELECT COUNT(*) FROM moot.replies", direct) == "1\n"


@pytest.mark.skipif(find_pgbouncer() is None, reason="no PgBouncer: apt-get install pgbouncer")
async def test_a_pooler_of_transactions_is_refused_at_once(postgres, address):
    await Store.open(address).close()
    with start_pgbouncer(address, "transaction") as pooled:
        for _ in range(3):
            with pytest.raises(StoreError, match="have the pooler pool sessions"):
                Store.open(pooled)
        others = [await asyncpg.connect(pooled, statement_cache_size=0) for _ in range(6)]
        for other in others:
            await other.execute("BEGIN")
        for other in others[:3]:
            await other.execute("COMMIT")
        try:
            with pytest.raises(StoreError, match="have the pooler pool sessions"):
                Store.open(pooled)
        finally:
            for other in others:
                await other.close()


async def test_schemas_of_an_older_and_of_a_newer_moot(postgres, address, asked, monkeypatch):
    """Calls were not yet looked up and claimed by a function, or moot does not know the schema."""
    with pytest.raises(StoreError, match="open it for writing once"):
        Store.open(address, readonly=True)
    with monkeypatch.context() as older:
        older.setattr(postgres_database, "MIGRATIONS", MIGRATIONS[:3])
        async with Store.open(address) as store:
            await store.record(*asked(0), Reply(text="kept"))
    schema = "SELECT MAX(version) FROM moot.schema"
    assert postgres.execute(schema, address) == "3\n"
    async with Store.open(address, readonly=True) as store:
        assert (await store.find(asked(0)[0])).text == "kept"
    async with Store.open(address) as store:
        assert (await store.claim(asked(0)[0])).text == "kept"
        assert await store.claim(asked(1)[0]) is None
    assert postgres.execute(schema, address) == f"{len(MIGRATIONS)}\n"
    postgres.execute("INSERT INTO moot.schema VALUES (99, '7.7')", address)
    for readonly in (True, False):
        with pytest.raises(StoreError, match=r"schema 99 is newer .* needs moot 7\.7"):
            Store.open(address, readonly=readonly)


def test_what_is_wrong_with_an_address_is_said_without_its_password(postgres, address):
    postgres.execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
    wrong = {
        f"postgresql://moot:secret@127.0.0.1:1/{address[-3:]}": "check that a server listens",
        postgres.address("absent"): r'database "absent" does not exist; make it first',
        postgres.address(user="stranger:secret"): r'role "stranger" does not exist; check user',
        address.replace("moot@", "guest@"): r"permission denied for database .* GRANT CREATE",
    }
    for place, said in wrong.items():
        with pytest.raises(StoreError, match=said) as caught:
            Store.open(place)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("debates", [False, True])
async def test_who_lost_the_connection_and_its_run_stops(postgres, address, asked, debates):
    """Another process took the run over while this one was cut off, or its debates waited."""
    terms = BudgetTerms("x", 10, None, None)
    question = Question(id="q", kind="number", text="2 + 2?", answer="4")
    held = Transcript((Opened(question=question, protocol="single", settings={}, pack="ab"),))
    async with Store.open(address) as store, Store.open(address) as other:
        run = store.begin_run("a-1", "a", b"")
        shared, _ = await store.open_debate("b-1", "b", b"")  # this one is nobody's own
        store.run, store.lease = run.id, store.open_lease(terms).id
        cut_off(postgres, address, store)
        await asyncio.sleep(0.1)
        assert other.begin_run("a-1", "a", b"").id == run.id
        lease = other.open_lease(terms)
        if debates:
            await other.save_debate(run.id, "x", "d", "q", 0, held, {"calls": 7})
            await other.flush()
            for number in (run.id, shared.id):
                await store.save_debate(number, "x", "d", "q", 0, held, {"calls": 1})
        else:  # what was paid for is kept all the same
            assert (await store.record(*asked(0), Reply(text="paid"))).text == "paid"
            with pytest.raises(StoreError, match=r"taken over run a-1, the budget of x meanwhile"):
                await store.find(asked(1)[0])
            store.set_status(run.id, "done")
            assert other.find_run("a-1").status == "running"
            assert other.find_run("a-1").session == other.sessions.own
            lease.end()
        with pytest.raises(StoreError, match="taken over run a-1"):
            await store.flush()
        assert [row.values["calls"] for row in other.values(run.id)] == [7] * debates
        assert [row.values["calls"] for row in other.values(shared.id)] == [1] * debates


async def test_a_run_that_was_lost_stays_the_others_after_it_was_said(postgres, address):
    """Its program caught the error, ended the run, and had one more debate to keep."""
    question = Question(id="q", kind="number", text="2 + 2?", answer="4")
    held = Transcript((Opened(question=question, protocol="single", settings={}, pack="ab"),))
    async with Store.open(address) as store, Store.open(address) as other:
        run = store.begin_run("a-1", "a", b"").id
        cut_off(postgres, address, store)
        await asyncio.sleep(0.1)
        other.begin_run("a-1", "a", b"")
        await other.save_debate(run, "x", "d", "q", 0, held, {"calls": 7})
        await other.flush()
        await store.save_debate(run, "x", "d", "q", 0, held, {"calls": 1})
        with pytest.raises(StoreError, match="taken over run a-1"):
            await store.flush()
        for status in ("stopped", "done"):
            store.set_status(run, status)
        await store.save_debate(run, "x", "d", "q", 0, held, {"calls": 1})
        with pytest.raises(StoreError, match="these are not stored"):
            await store.flush()
        assert [row.values["calls"] for row in other.values(run)] == [7]
        assert other.find_run("a-1").session == other.sessions.own


@pytest.mark.parametrize("readonly", [False, True])
async def test_a_closed_store_says_so(address, asked, readonly):
    await Store.open(address).close()
    store = Store.open(address, readonly=readonly)
    assert await store.find(asked(0)[0]) is None
    await store.close()
    with pytest.raises(StoreError, match="it is closed"):
        await store.find(asked(0)[0])


def test_a_database_that_nobody_brings_is_named():
    with pytest.raises(UnknownName, match=r"database 'mysql'.*postgres"):
        Store.open("mysql://lab/moot")


def test_without_its_driver_it_is_said_how_to_get_it(address):
    opened = "import sys; sys.modules['asyncpg'] = None; from moot.ledger.store import Store; "
    command = [sys.executable, "-c", opened + "Store.open(sys.argv[1])", address]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "a store in PostgreSQL needs asyncpg: pip install 'moot[postgresql]'" in done.stderr


async def test_a_store_serves_one_event_loop_after_another(address, asked):
    store = Store.open(address)

    async def check() -> None:
        assert await store.find(asked(0)[0]) is None

    for _ in range(2):
        await asyncio.to_thread(lambda: asyncio.run(check()))
        await check()
    await store.close()

"""Passwords, TLS, a server without free connections, and a disk that is full."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest

from moot.core.calls import Reply
from moot.core.errors import StoreError
from support.pgbouncer import find_pgbouncer, start_pgbouncer
from support.postgres import give_to_server, postgres_server

pytest.importorskip("asyncpg")
from moot.ledger.store import Store

PASSWORD = "s3cret of a lab"


@pytest.fixture(scope="module")
def own_server(postgres):
    """A server with few connections."""
    with postgres_server(
        max_connections="5", superuser_reserved_connections="0", max_wal_senders="0"
    ) as server:
        yield server


def make_certificate(folder):
    key, certificate = folder / "server.key", folder / "server.crt"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=moot"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    key.chmod(0o600)
    give_to_server(key, certificate)


@pytest.fixture
def lab(own_server, monkeypatch, tmp_path):
    """The address of a database whose owner needs a password; none is known yet."""
    for name in ("PGPASSWORD", "PGPASSFILE", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    address = own_server.make_database()
    name = address.rpartition("/")[2]
    own_server.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
    own_server.execute(f"ALTER DATABASE {name} OWNER TO {name}")
    own_server.ask_password(name)
    return address.replace("moot@", f"{name}@")


async def check_opens(address):
    async with Store.open(address) as store:
        store.begin_run("a-1", "a", b"")


async def test_a_password_is_taken_from_the_variable_and_the_file(lab, monkeypatch, tmp_path):
    with pytest.raises(StoreError, match="password") as caught:
        Store.open(lab)
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(StoreError, match="check user and password") as refused:
        Store.open(lab)
    assert "wrong" not in f"{caught.value} {refused.value}"
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    await check_opens(lab)
    monkeypatch.delenv("PGPASSWORD")
    user = lab.rpartition("/")[2]
    for file, variable in ((tmp_path / ".pgpass", ""), (tmp_path / "own", "PGPASSFILE")):
        file.write_text(f"127.0.0.1:*:{user}:{user}:{PASSWORD}\n")
        file.chmod(0o600)
        if variable:
            monkeypatch.setenv(variable, str(file))
        await check_opens(lab)
        file.unlink()
    (tmp_path / "own").write_text(f"*:*:*:*:{PASSWORD}\n")
    (tmp_path / "own").chmod(0o644)  # others may read it: it is not used
    with (
        pytest.warns(UserWarning, match="permissions should be"),
        pytest.raises(StoreError, match="password"),
    ):
        Store.open(lab)


@pytest.mark.skipif(find_pgbouncer() is None, reason="no PgBouncer: apt-get install pgbouncer")
async def test_tls_is_used_as_the_address_says(postgres, monkeypatch):
    """The server of the wheel has no TLS: PgBouncer takes it, and asks for it."""
    monkeypatch.delenv("PGSSLMODE", raising=False)
    direct = postgres.make_database()
    own, other = Path(mkdtemp()), Path(mkdtemp())
    try:
        for folder in (own, other):
            make_certificate(folder)
        give_to_server(own)
        root = own / "server.crt"
        tls = {"sslmode": "require", "key_file": own / "server.key", "cert_file": root}
        settings = {f"client_tls_{name}": value for name, value in tls.items()}
        with start_pgbouncer(direct, "session", **settings) as address:
            await check_opens(f"{address}?sslmode=require")
            await check_opens(f"{address}?sslmode=verify-full&sslrootcert={root}")
            with pytest.raises(StoreError, match="SSL required"):
                Store.open(f"{address}?sslmode=disable")
            with pytest.raises(StoreError, match="certificate verify failed"):
                Store.open(f"{address}?sslmode=verify-full&sslrootcert={other / 'server.crt'}")
            monkeypatch.setenv("PGSSLMODE", "disable")
            with pytest.raises(StoreError, match="SSL required"):
                Store.open(address)
    finally:
        for folder in (own, other):
            shutil.rmtree(folder)


async def test_without_a_free_connection_it_is_said_and_waited_for(own_server, asked):
    address = own_server.make_database()
    async with Store.open(address) as store:
        store.run = store.begin_run("a-1", "a", b"").id
        await store.record(*asked(0), Reply(text="before"))
        others = [own_server.hold_connection() for _ in range(3)]
        try:
            with pytest.raises(StoreError, match=r"too many clients.*raise max_connections"):
                Store.open(address)
            # One that has lost its connection waits until there is a free one.
            store.database.writer.on_lost = None  # it does not try before another has its place
            own_server.execute_over(
                others[0],
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
                f"AND objsubid = 2 AND objid = {store.sessions.own.id}",
            )
            await asyncio.sleep(0.2)
            others.append(own_server.hold_connection())
            recording = asyncio.create_task(store.record(*asked(1), Reply(text="paid")))
            await asyncio.sleep(1.0)
            assert not recording.done()
            assert store.blocked
        finally:
            for each in others:
                each.kill()
                each.communicate()
        assert (await asyncio.wait_for(recording, 20)).text == "paid"


@pytest.fixture
def small_tables(postgres):
    """A real file system of 24 MB that has the tables of a database; its address and its folder."""
    folder = Path(mkdtemp(prefix="moot-small-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        folder.rmdir()
        pytest.skip("no right to mount a file system here")
    try:
        place = folder / "tables"
        place.mkdir()
        folder.chmod(0o755)
        give_to_server(place)
        postgres.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
        postgres.execute("CREATE DATABASE small TABLESPACE small")
        yield postgres.address("small"), folder
        resize(folder, 200)
        postgres.execute("DROP DATABASE small WITH (FORCE)")
        postgres.execute("DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def resize(folder, megabytes):
    subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(folder)], check=True)


@pytest.mark.soak
async def test_a_full_disk_of_the_server_stops_calls_and_room_lets_them_go_on(small_tables, asked):
    address, folder = small_tables

    async def fill(store):
        for number in range(4000):
            text = os.urandom(20_000).hex()
            await store.record(*asked(number), Reply(text=text))
            kept.append(number)

    kept = list[int]()
    async with Store.open(address, patience=1.0) as store:
        with pytest.raises(StoreError, match="make room on the server's disk") as caught:
            await fill(store)
        assert "1 reply that had been paid for" in str(caught.value)
        assert kept
        with pytest.raises(StoreError, match="make room"):  # no further call is paid for
            await store.find(asked(5000)[0])
        with pytest.raises(StoreError, match="make room"):
            await store.flush()
    resize(folder, 40)
    async with Store.open(address, patience=60.0) as store:
        assert (await store.find(asked(kept[-1])[0])) is not None
        recording = asyncio.create_task(fill(store))
        async with asyncio.timeout(30):
            while not store.blocked:
                await asyncio.sleep(0.02)
        before = len(kept)
        resize(folder, 200)
        async with asyncio.timeout(30):
            while len(kept) < before + 50:
                await asyncio.sleep(0.02)
        recording.cancel()

import subprocess
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from moot.core.calls import Call, Draw, Message, identity
from moot.ledger.sqlite_store import Store
from moot.ledger.store_runs import StoreRuns

Asked = tuple[bytes, Call, bytes]


@pytest.fixture
def asked() -> Callable[..., Asked]:
    """A call with its identity and request."""

    def make(number: int = 0, text: str = "What is 2 + 2?", **draw: int) -> Asked:
        messages = (Message("system", f"You are agent {number}."), Message("user", text))
        call = Call(model="scripted/a", messages=messages, draw=Draw(**draw))
        request = call.request()
        return identity(request, call.draw), call, request

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def open_store(request, tmp_path) -> Callable[..., StoreRuns]:
    """Opens one store, again and again: once all tests of a kind use SQLite, once PostgreSQL."""
    if request.param == "sqlite":
        return partial(Store.open, tmp_path)
    address = request.getfixturevalue("postgres").make_database()
    return partial(import_module("moot.contrib.cluster.postgres_store").PostgresStore.open, address)


@pytest.fixture
def writing() -> Callable[[str, Path], list[str]]:
    """Runs Python that has ``write(count)``, which fills the store in a folder; gives its lines."""

    def run(code: str, folder: Path) -> list[str]:
        script = WRITE + textwrap.dedent(code)
        # -B: bytecode cut off at a limit of file sizes would break other processes.
        command = [sys.executable, "-B", "-W", "error", "-c", script, str(folder)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return done.stdout.splitlines()

    return run


WRITE = """
import asyncio, os, resource, sys, tempfile
from pathlib import Path
from moot.core.calls import Call, Message, Reply, identity
from moot.core.errors import StoreError
from moot.ledger.sqlite_store import Store

folder = Path(sys.argv[1])

async def write(count):
    async with Store.open(folder, patience=0.5) as store:
        for number in range(count):
            call = Call(model="m", messages=(Message("user", str(number)),))
            key = identity(call.request(), call.draw)
            await store.record(key, call, call.request(), Reply(text="x" * 20_000))
            print(key.hex())
"""

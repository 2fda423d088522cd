"""What holds for every test: no network but loopback, and an environment of its own."""

import asyncio
import gc
import os
import shutil
import signal
import sys
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from random import randrange

import pytest
from hypothesis import settings

from moot.ledger.store import Store
from moot.models import weights
from support import beside
from support.forks import Forks
from support.jumping_clock import let_clock_jump
from support.postgres import postgres_server

KEPT = {"MOOT_CI", "MOOT_CLIENTS", "MOOT_SOCIETY", "MOOT_FUZZ_SEED", "MOOT_FUZZ_SECONDS"}
"""What says where things are and that nothing may be skipped; the workers of xdist read it too."""

# Fuzzing begins elsewhere in every run, and the workers in the same place.
os.environ.setdefault("MOOT_FUZZ_SEED", str(randrange(2**32)))
os.environ.setdefault("MOOT_FUZZ_SECONDS", "0.5")

# Else each of hundreds of processes would compile all it imports. No other place is named for
# bytecode: there, that of the installed packages would be lacking.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The threads of a product of matrices wait for each other by running on, and take more time than
# they save: here all cores have other tests, and matrices are small. numpy is not imported yet.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 * 2**30:
    # On a disk a commit takes fifteen times the processor's time, and a hundred times the clock's.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

settings.register_profile("here", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("ci" if beside.IN_CI else "here")


class NetworkRefused(BaseException):
    """A test wanted to reach another machine: no test may, and no retry shall hide it."""


def _is_loopback(host: object) -> bool:
    host = host.decode() if isinstance(host, bytes) else host
    if host in (None, "", "localhost"):
        return True
    try:
        address = ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _refuse(event: str, args: tuple[object, ...]) -> None:
    """Raise where a socket would leave this machine; Unix sockets have no host and may be used."""
    if event == "socket.getaddrinfo":
        host: object = args[0]
    elif event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = args[1]
        host = address[0] if isinstance(address, tuple) else None
    else:
        return
    if not _is_loopback(host):
        raise NetworkRefused(f"{event} to {host!r}: tests use loopback alone")


sys.addaudithook(_refuse)

# A process started with "&" ignores SIGINT, and so would all that a test starts and ends by it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until all tests are collected, see below

for _name in list(os.environ):
    ours = _name.startswith("MOOT_") and _name not in KEPT
    if ours or _name.lower().endswith(("_proxy", "_api_key")):
        del os.environ[_name]


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and never among the tests and modules, which stay to the end.

    They become old objects, and do not stay frozen: every run asks how many are frozen, and to
    count them takes longer than many a test.
    """
    gc.freeze()
    gc.unfreeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 20)


def pytest_sessionstart(session) -> None:
    """Say once what is not here; in CI nothing may be missing, and no test runs."""
    if hasattr(session.config, "workerinput"):
        return
    chosen = "not soak" not in session.config.option.markexpr
    missing = beside.list_missing(soak=chosen)
    for each in missing:
        session.config.get_terminal_writer().line(f"not here: {each}")
    if missing and beside.IN_CI:
        pytest.exit("MOOT_CI is set, and CI must have what is not here", returncode=1)


def pytest_terminal_summary(terminalreporter) -> None:
    """Say from which seed was fuzzed, so that a run can be had again, and what was skipped."""
    skipped = terminalreporter.stats.get("skipped", ())
    for line in beside.count_skipped(each.longrepr[2] for each in skipped):
        terminalreporter.write_line(line)
    seed, seconds = os.environ["MOOT_FUZZ_SEED"], os.environ["MOOT_FUZZ_SECONDS"]
    terminalreporter.write_line(
        f"fuzzed for {seconds} s a test: MOOT_FUZZ_SEED={seed} MOOT_FUZZ_SECONDS={seconds}"
    )


@pytest.fixture
def refused() -> type[BaseException]:
    """What is raised where a test would leave this machine."""
    return NetworkRefused


@pytest.fixture(scope="session")
def smollm2() -> str:
    """The path of the embedded model's weights."""
    beside.need(beside.miss_weights())
    return weights.find_weights("smollm2").path


@pytest.fixture(autouse=True)
def own_environment(tmp_path, monkeypatch):
    """Whatever a test does not place itself goes into a folder of its own."""
    monkeypatch.setenv("MOOT_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("MOOT_DATA", str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def no_methods_by_path():
    """A method that a test names by its file is no other test's."""
    from moot.debate.protocol import registry

    before = set(registry._found)
    yield
    for name in set(registry._found) - before:
        module = sys.modules.get(registry._found[name].algorithm.__module__)
        file = getattr(module, "__file__", None) or ""
        if module is None or "@" in name or "/test_" in file:
            del registry._found[name]
            registry._sorted = None


@pytest.fixture(scope="session")
async def chromium():
    """The browser, started once."""
    beside.need(beside.miss_chromium())
    from support.browser import started

    async with started() as made:
        yield made


@pytest.fixture
def browser(chromium):
    """Open tabs: ``async with browser(width=…, …) as tab``; see ``browsing.opened``."""
    from support.browser import opened

    return partial(opened, chromium)


@pytest.fixture
async def jumping_clock():
    """The loop's clock jumps where all wait; see ``support.jumping_clock``."""
    loop = asyncio.get_running_loop()
    with let_clock_jump(loop):
        yield loop.time


@pytest.fixture(scope="session")
def forks():
    """What starts ``moot`` in processes of its own that need not import it."""
    made = Forks()
    yield made
    made.close()


@pytest.fixture(scope="session")
async def empty_store(tmp_path_factory):
    """A store without records, to be copied: that takes half the time of making one."""
    folder = tmp_path_factory.mktemp("empty") / "store"
    await Store.open(folder).close()
    return folder


@pytest.fixture
async def store(tmp_path, empty_store):
    """An open store."""
    async with Store.open(shutil.copytree(empty_store, tmp_path / "store")) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres():
    """A real PostgreSQL server, started once; see ``support.postgres``."""
    beside.need(beside.miss_postgres())
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The copies of published data; a test that needs them fails in CI where they are missing."""
    beside.need(beside.miss_data())
    return beside.SHARED_DATA

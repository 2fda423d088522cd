import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest

from moot.core.calls import Call, Draw, Message, identity
from moot.core.events import Closed, Failed, Opened, Transcript, Turn, Verdict
from moot.core.questions import Question
from moot.ledger.store import Store

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
def open_store(request, tmp_path) -> Callable[..., Store]:
    """Opens one store, again and again: once all tests of a kind use SQLite, once PostgreSQL."""
    if request.param == "sqlite":
        return partial(Store.open, tmp_path)
    address = request.getfixturevalue("postgres").make_database()
    return partial(Store.open, address)


@pytest.fixture
def hold():
    """Starts processes that open a store, begin its run ``a-1`` and claim calls."""
    children = []

    def start(place: object, *identities: bytes) -> subprocess.Popen[str]:
        words = [sys.executable, "-c", HOLD, str(place), *(each.hex() for each in identities)]
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        children.append(subprocess.Popen(words, text=True, **piped))
        return children[-1]

    yield start
    for child in children:
        child.kill()
        child.communicate()


def hold_debate(question="q1", *, failed=False, text="It is 4.") -> Transcript:
    asked = Question(id=question, kind="number", text="2 + 2?", answer="4")
    opened = Opened(question=asked, protocol="single", settings={"n": 1}, pack="ab12")
    where = {"agent": "A", "seat": 0, "role": "solver", "step": "ask", "round": 1}
    said = {"model": "scripted/a", "text": text, "answer": "4", "reads": (), "call": "00ff"}
    closed = Closed(verdict=Verdict(answer="4", turn=1))
    end = Failed(kind="ModelError", reason="no") if failed else closed
    return Transcript((opened, Turn(id=1, **where, **said), end))


@pytest.fixture(scope="session")
def transcript():
    """Makes the transcript of a debate with one turn."""
    return hold_debate


HOLD = """
import asyncio, sys, time
from moot.studies.lab import open_lab

async def main():
    async with open_lab(sys.argv[1]) as lab:
        lab.store.begin_run("a-1", "a", b"")
        for identity in sys.argv[2:]:
            assert await lab.store.claim(bytes.fromhex(identity)) is None
        print("held", flush=True)
        time.sleep(60)

asyncio.run(main())
"""

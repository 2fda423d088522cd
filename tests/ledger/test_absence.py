"""What is known to be absent without asking SQLite is absent, whoever writes."""

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from moot.core.calls import Call, Message, Reply
from moot.ledger import absence as module
from moot.ledger.store import Store

CALL = Call(model="m", messages=(Message("user", "?"),))
WRITER = """
import asyncio, sys
from pathlib import Path
from moot.core.calls import Call, Message, Reply
from moot.ledger.store import Store

async def main():
    async with Store.open(Path(sys.argv[1])) as store:
        call = Call(model="m", messages=(Message("user", "?"),))
        for line in sys.stdin:
            await store.record(bytes.fromhex(line), call, call.request(), Reply(text=line))
            print("kept", flush=True)

asyncio.run(main())
"""


async def keep(store, *identities):
    for identity in identities:
        await store.record(identity, CALL, CALL.request(), Reply(text=identity.hex()))


def warm(store):
    """Ask often enough for the filter to be made."""
    for _ in range(module._WORTH):
        assert store.find(os.urandom(16)) is None
    assert store._absence._shared is not None


async def test_few_questions_make_no_filter(tmp_path):
    async with Store.open(tmp_path) as store:
        assert store.find(os.urandom(16)) is None
        assert store._absence._shared is None


async def test_what_was_there_before_and_what_comes_is_found(tmp_path):
    old, new = [os.urandom(16) for _ in range(50)], [os.urandom(16) for _ in range(50)]
    async with Store.open(tmp_path) as store:
        await keep(store, *old)
    async with Store.open(tmp_path) as store:
        warm(store)
        for identity in new:
            assert store.find(identity) is None
            await keep(store, identity)
            assert store.find(identity).text == identity.hex()
        assert all(store.find(identity) is not None for identity in old)


async def test_most_new_ones_need_no_question(tmp_path):
    async with Store.open(tmp_path) as store:
        await keep(store, *[os.urandom(16) for _ in range(200)])
        warm(store)
        sure = [store._absence.sure(os.urandom(16)) for _ in range(1000)]
        assert sum(sure) > 950


async def test_after_other_work_of_this_process_it_is_sure_again(tmp_path):
    async with Store.open(tmp_path) as store:
        warm(store)
        store.begin_run("key", "name", b"{}")
        assert not store._absence.sure(os.urandom(16))
        store._absence._looked = 0.0
        store.find(os.urandom(16))
        assert store._absence.sure(os.urandom(16))


async def test_what_another_process_records_is_found_at_once(tmp_path):
    async with Store.open(tmp_path) as store:
        warm(store)
        command = [sys.executable, "-c", WRITER, str(tmp_path)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, **pipes) as other:
            for number in range(200):
                identity = os.urandom(16)
                assert store.find(identity) is None
                if number % 3 == 0:
                    await keep(store, os.urandom(16))
                other.stdin.write(identity.hex() + "\n")
                other.stdin.flush()
                assert other.stdout.readline() == "kept\n"
                assert store.find(identity) is not None
            other.stdin.close()


@given(st.lists(st.binary(min_size=16, max_size=16), min_size=1, max_size=40, unique=True))
def test_the_filter_never_denies_what_was_added(identities):
    class Idle:
        busy, commits = False, 0

    filter_ = module.Absence(Path("none"), None, Idle())
    filter_._bits = bytearray(module._BITS >> 3)
    filter_._shared = bytearray(64)
    filter_._base = 0
    filter_._look = lambda: None
    for identity in identities:
        filter_.add(identity)
    assert not any(filter_.sure(identity) for identity in identities)

"""A connection to PostgreSQL that is cut once, at each message of a small run."""

import asyncio
from contextlib import suppress

import pytest

import moot
from support.cut_proxy import CutProxy
from support.faulty_runs import CALLS, HANGS, STUDY, give_reply

MOST = 400


async def run(address, asked):
    """Run the study; return its rows, or why it stopped."""
    model = moot.Scripted(lambda call: give_reply(call, asked.append), name="put")
    async with asyncio.timeout(HANGS):
        try:
            outcome = await moot.run(STUDY, store=address, models=[model])
        except moot.MootError as error:
            return [], f"{error}"
    names = ("arm", "debates", "failed", "accuracy", "calls", "tokens")
    return [[row[name] for name in names] for row in outcome.records], outcome.stopped


async def check_all(postgres, numbers, *, forwarded):
    """Cut at each of these messages; return how many were met."""
    plain, stopped = await run(postgres.make_database(), [])
    assert stopped is None
    assert len(plain) == 2
    met = 0
    with CutProxy(postgres.port) as proxy:
        for number in numbers:
            address = postgres.make_database()
            asked = []
            proxy.cut(number, forwarded=forwarded)
            through = address.replace(f":{postgres.port}/", f":{proxy.port}/")
            rows, stopped = await run(through, asked)
            if not stopped:
                assert rows == plain, number
            durable = 0
            with suppress(RuntimeError):  # the table may not be there yet
                durable = int(postgres.execute("SELECT count(*) FROM moot.replies", address))
            again = []
            assert await run(address, again) == (plain, None), number
            assert len(again) == CALLS - durable, number
            assert len(set(asked + again)) == CALLS, number
            assert len(asked + again) - CALLS == len(asked) - durable, number
            if not proxy.met:
                break
            met += 1
    return met


async def test_the_first_messages_may_be_lost(postgres):
    assert await check_all(postgres, (2, 15), forwarded=False) == 2


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("forwarded", [False, True], ids=["message", "answer"])
async def test_any_message_and_any_answer_may_be_lost(postgres, forwarded, part):
    numbers = range(1 + part, MOST + 1, 4)
    assert await check_all(postgres, numbers, forwarded=forwarded) > 3

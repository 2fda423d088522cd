"""What is wrong before the first call is found once, and by a replay never."""

import asyncio

import pytest

import moot
from moot.core.errors import InputError
from moot.runtime.first import BeforeFirstCall
from moot.runtime.path import CallPath
from support.call_path import Speaker, a_call, ask


async def test_it_is_checked_once_before_any_call_and_never_for_a_replay(store):
    says, checks = Speaker(), []

    async def check():
        assert not says.asked
        checks.append(1)
        await asyncio.sleep(0.01)

    model = moot.Scripted(says)
    path = CallPath(store, first=BeforeFirstCall(check))
    await asyncio.gather(*(ask(path, model, a_call(seat=seat)) for seat in range(9)))
    assert (len(says.asked), len(checks)) == (9, 1)
    again = CallPath(store, first=BeforeFirstCall(check))
    await asyncio.gather(*(ask(again, model, a_call(seat=seat)) for seat in range(9)))
    assert len(checks) == 1


async def test_what_is_wrong_is_told_to_all_and_nothing_is_asked(store):
    says = Speaker()

    async def check():
        await asyncio.sleep(0)
        raise InputError("no key")

    path = CallPath(store, first=BeforeFirstCall(check))
    asking = (ask(path, moot.Scripted(says), a_call(seat=seat)) for seat in range(9))
    found = await asyncio.gather(*asking, return_exceptions=True)
    assert {str(error) for error in found} == {"no key"}
    assert not says.asked


async def test_a_caller_that_gives_up_leaves_the_check_to_the_others(store):
    release = asyncio.Event()
    path = CallPath(store, first=BeforeFirstCall(release.wait))
    one, other = (
        asyncio.create_task(ask(path, moot.Scripted(["fine", "fine"]), a_call(seat=seat)))
        for seat in range(2)
    )
    await asyncio.sleep(0.01)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    release.set()
    assert (await other).text == "fine"

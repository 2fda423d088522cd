"""Work that must end although its task is cancelled."""

import asyncio

import pytest

from moot.core.finish import finish


async def test_a_result_is_returned_and_an_error_raised():
    async def work(number):
        await asyncio.sleep(0)
        return 1 / number

    assert await finish(work(2)) == 0.5
    with pytest.raises(ZeroDivisionError):
        await finish(work(0))


@pytest.mark.parametrize("early", [True, False])
async def test_a_cancelled_task_ends_its_work_first(early):
    ended = []

    async def work():
        await asyncio.sleep(0.01)
        ended.append("work")

    async def call():
        if early:  # before the work has begun
            asyncio.current_task().cancel()
        await finish(work())

    task = asyncio.create_task(call())
    await asyncio.sleep(0)
    if not early:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["work"]

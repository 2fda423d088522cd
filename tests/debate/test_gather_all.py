"""What several agents are asked at once: all of it ends before anything is told."""

import asyncio

import pytest

from moot.core.errors import BudgetReached, RefusedError
from moot.debate.gather_all import gather_all


async def after(seconds: float, ends: list[str], comes: str | Exception) -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        ends.append("cancelled")
        raise
    if isinstance(comes, Exception):
        ends.append("failed")
        raise comes
    ends.append(comes)
    return comes


async def test_in_their_order_whatever_comes_first():
    ends: list[str] = []
    asked = [after((3 - number) / 100, ends, str(number)) for number in range(3)]
    assert await gather_all(asked) == ["0", "1", "2"]
    assert ends == ["2", "1", "0"]
    assert await gather_all([]) == []


@pytest.mark.parametrize("place", range(3))
async def test_all_end_before_a_failure_is_raised(place):
    ends: list[str] = []
    comes: list[str | Exception] = ["a", "b", "c"]
    comes[place] = RefusedError("no")
    with pytest.raises(RefusedError, match=r"^no$"):
        await gather_all([after(0.01 * number, ends, each) for number, each in enumerate(comes)])
    assert len(ends) == 3


async def test_what_no_model_is_to_blame_for_goes_first():
    ends: list[str] = []
    asked = [after(0, ends, RefusedError("no")), after(0.01, ends, BudgetReached("b"))]
    with pytest.raises(BudgetReached):
        await gather_all(asked)


@pytest.mark.parametrize("done", range(3))
async def test_who_gives_up_gives_up_all_and_waits_for_them(done):
    ends: list[str] = []
    asked = [after(0 if number < done else 5, ends, str(number)) for number in range(3)]
    waiting = asyncio.create_task(gather_all(asked))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ends == [*map(str, range(done)), *["cancelled"] * (3 - done)]


@pytest.mark.parametrize("becomes", [ValueError("cleaning up failed"), None])
@pytest.mark.parametrize("place", range(3))
async def test_what_becomes_of_a_cancellation_does_not_hide_it(place, becomes):
    ends: list[str] = []

    async def stubborn() -> str:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            if becomes is not None:
                raise becomes from None
        return "kept on"

    asked = [after(5, ends, "late"), after(5, ends, "late")]
    asked.insert(place, stubborn())
    waiting = asyncio.create_task(gather_all(asked))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ends == ["cancelled"] * 2

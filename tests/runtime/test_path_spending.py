"""What goes down the call path is paid for within the budget, at the price that holds."""

import asyncio
from collections import Counter

import pytest

import moot
from callers import Speaker, a_call, ask, found, until
from moot.core.calls import Reply
from moot.core.errors import BudgetReached
from moot.runtime.budget import Budget, Purse
from moot.runtime.path import CallPath


@pytest.mark.parametrize("cap", [1, 40])
async def test_the_budget_holds_among_256_callers(store, cap):
    says = Speaker()
    path = CallPath(store, purse=Purse(Budget(calls=cap)))
    model = moot.Scripted(says, latency=0.001)
    ended = await asyncio.gather(
        *(ask(path, model, a_call(seat=seat)) for seat in range(256)), return_exceptions=True
    )
    assert Counter(map(type, ended)) == {Reply: cap, BudgetReached: 256 - cap}
    assert len(says.asked) == cap
    kept = [await found(store, a_call(seat=seat)) for seat in range(256)]
    assert 256 - kept.count(None) == cap


async def test_near_the_cap_the_most_urgent_call_goes_first(store):
    says = Speaker()
    says.open.clear()
    path, model = CallPath(store, purse=Purse(Budget(tokens=700))), moot.Scripted(says)
    urgencies = {"now": (-1, 0), "new": (-1, 9), "old": (-1, 2), "later": (-2, 9)}
    asking = asyncio.gather(
        *(ask(path, model, a_call(text), urgency=urgency) for text, urgency in urgencies.items())
    )  # each may take 512 tokens and more, and takes few
    await until(lambda: says.asked)
    says.open.set()
    await asking
    assert [call.messages[0].content for call in says.asked] == ["now", "later", "old", "new"]


async def test_replies_from_the_ledger_are_free(store):
    await ask(CallPath(store), moot.Scripted(["x"]), a_call())
    broke = CallPath(store, purse=Purse(Budget(calls=0)))
    assert (await ask(broke, moot.Scripted([]), a_call())).replayed
    with pytest.raises(BudgetReached):
        await ask(broke, moot.Scripted(["y"]), a_call(seat=1))


async def test_a_stated_price_goes_before_the_models_own(store):
    prices = {"scripted/dear": lambda reply: reply.completion_tokens * 2.0}
    path = CallPath(store, prices=prices)
    reply = await ask(path, moot.Scripted(["two words"], name="dear"), a_call())
    own = await ask(path, moot.Scripted(["two words"], name="own"), a_call(seat=1))
    assert (reply.cost, own.cost) == (4.0, 0.0)
    assert path.traffic.cost == 4.0


async def test_an_unknown_price_is_unknown_and_not_zero(store):
    path = CallPath(store, prices={"scripted/script": lambda _: None})
    assert (await ask(path, moot.Scripted(["x"]), a_call())).cost is None
    assert (path.traffic.unpriced, path.traffic.cost) == (1, 0.0)


async def test_a_cap_on_money_counts_what_is_in_flight(store):
    path = CallPath(
        store,
        purse=Purse(Budget(cost=1.0)),
        prices={"scripted/script": lambda _: 0.25},
    )
    model = moot.Scripted(Speaker(), latency=0.001)
    ended = await asyncio.gather(
        *(ask(path, model, a_call(seat=seat)) for seat in range(64)), return_exceptions=True
    )
    assert Counter(map(type, ended)) == {Reply: 4, BudgetReached: 60}
    assert path.traffic.cost == 1.0

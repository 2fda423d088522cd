"""What goes down the call path is paid for within the budget, at the price that holds."""

import asyncio

import pytest

import moot
from moot.core.calls import Call, Draw, Reply
from moot.core.errors import BudgetReached
from moot.core.ports import Limits
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.path import CallPath
from support.call_path import a_call, ask, until


class Lengthy:
    """Replies of these many tokens each, whatever is asked; told or not."""

    def __init__(self, *tokens, told=True, dearness=0.0, context=None):
        self.name, self.endpoint, self.simulated = "lengthy/model", "lengthy", True
        self.limits = Limits(context=context)
        self.tokens, self.told, self.dearness, self.asked = tokens, told, dearness, 0

    async def reply(self, _):
        self.asked += 1
        await asyncio.sleep(0.001)
        tokens = self.tokens[min(self.asked, len(self.tokens)) - 1]
        if not self.told:
            return Reply(text="word " * tokens)
        return Reply(text="x", prompt_tokens=20, completion_tokens=tokens)

    def cost(self, reply):
        if reply.completion_tokens is None:
            return None
        return reply.completion_tokens * self.dearness

    async def close(self):
        pass


async def spent(store, model, **budget):
    path = CallPath(store, guard=BudgetGuard(Budget(**budget)))

    async def caller(seat):
        for replicate in range(40):
            await ask(path, model, Call(model=model.name, messages=(), draw=Draw(replicate, seat)))

    await asyncio.gather(*(caller(seat) for seat in range(64)), return_exceptions=True)
    return path.guard


@pytest.mark.parametrize(
    "budget", [{"tokens": 100_000}, {"cost": 1.0}, {"tokens": 3000}, {"cost": 0.03}]
)
async def test_long_replies_without_max_tokens_keep_to_the_cap(store, budget):
    guard = await spent(store, Lengthy(2000, dearness=1e-5), **budget)
    (cap,) = guard.caps()
    assert 0.5 * cap.most < cap.spent <= cap.most * (1 + 1e-9)
    assert cap.in_flight == 0


async def test_what_no_endpoint_tells_is_estimated_and_counted_as_such(store):
    model = Lengthy(1000, told=False, dearness=1e-3)
    guard = await spent(store, model, tokens=20_000, cost=100.0)
    tokens, cost = guard.caps()
    assert tokens.estimated == cost.estimated == model.asked
    assert 10_000 < tokens.spent <= 20_000
    assert cost.spent == pytest.approx(model.asked * 1250 * 1e-3)


@pytest.mark.parametrize(("context", "flying", "more"), [(None, 1, None), (4096, 7, 0)])
async def test_what_may_be_taken_beyond_the_cap_is_stated(store, context, flying, more):
    await asyncio.wrap_future(store.begin_session())  # else the first calls wait for it
    path = CallPath(store, guard=BudgetGuard(Budget(tokens=30_000)))
    model = Lengthy(100, context=context)
    calls = [Call(model=model.name, messages=(), draw=Draw(0, seat)) for seat in range(64)]
    asking = [asyncio.create_task(ask(path, model, call)) for call in calls]
    await until(lambda: model.asked)
    (cap,) = path.guard.caps()
    # A reply that fills the context is set aside as that; where there is none, nothing limits one.
    assert (cap.in_flight, cap.more) == (flying, more)
    await until(lambda: model.asked > 40)
    (cap,) = path.guard.caps()
    assert cap.more is None if context is None else cap.more > 0
    await asyncio.gather(*asking, return_exceptions=True)


async def test_replies_from_the_ledger_are_free_and_a_stated_price_goes_first(store):
    prices = {"scripted/dear": lambda reply: reply.completion_tokens * 2.0}
    path = CallPath(store, prices=prices | {"scripted/odd": lambda _: None})
    told = [
        await ask(path, moot.Scripted(["two words"] * 3, name=name), a_call(seat=seat))
        for seat, name in enumerate(("dear", "own", "odd"))
    ]
    assert [reply.cost for reply in told] == [4.0, 0.0, None]
    assert (path.traffic.unpriced, path.traffic.cost) == (1, 4.0)
    broke = CallPath(store, guard=BudgetGuard(Budget(calls=0)))
    assert (await ask(broke, moot.Scripted([]), a_call())).replayed
    with pytest.raises(BudgetReached):
        await ask(broke, moot.Scripted(["y"]), a_call(seat=9))


async def test_replies_longer_than_all_before_exceed_a_cap_by_one_at_the_most(store):
    model = Lengthy(5000)
    guard = await spent(store, model, tokens=1000)
    assert (model.asked, guard.tokens) == (1, 5020)
    model = Lengthy(*[2000] * 3, 300)  # strangers wait until replies have shown their length
    model.name = "lengthy/other"
    assert (await spent(store, model, tokens=20_000)).tokens <= 20_000

"""Leases: parts of a budget that several sessions spend."""

import asyncio
from pathlib import Path

import pytest

from moot.core.calls import Reply
from moot.core.errors import StoreError
from moot.core.stored import Amount, BudgetTerms
from moot.ledger.locks import LOCKS
from moot.ledger.sqlite_store import Store

TERMS = BudgetTerms("run 1", 10, None, None)


async def test_a_session_that_others_have_taken_for_ended_is_told(tmp_path: Path):
    """Their lock file is another one: each sees only the sessions of its own."""
    async with Store.open(tmp_path) as one:
        lease = one.open_lease(TERMS)
        assert (await lease.ask(Amount(), None, 3)).granted == Amount()
        (tmp_path / LOCKS).unlink()
        async with Store.open(tmp_path) as other:
            other.open_lease(TERMS)
            async with asyncio.timeout(5):
                with pytest.raises(StoreError, match="taken this one for ended"):
                    await lease.ask(Amount(1), None, 3)


async def test_two_sessions_share_what_is_left_and_an_ended_one_gives_back(open_store, asked):
    async with open_store() as one, open_store() as two:
        run = one.begin_run("a-1", "a", b"")
        terms = BudgetTerms("run a-1", 10, None, None, runs=(run.id,))
        first = one.open_lease(terms)
        one.run, one.lease = run.id, first.id
        assert first.first.granted == Amount(10)
        second = two.open_lease(terms)
        assert (await second.ask(Amount(1), None, 3)).granted is None
        assert first.is_wanted_elsewhere()
        await asyncio.gather(*[one.record(*asked(each), Reply(text="4")) for each in range(4)])
        first.give_back(Amount(5), 3)
        await one.flush()
        answer = await second.ask(Amount(2), None, 3)
        assert (answer.granted, answer.spent.calls) == (Amount(2), 4)
        first.end()
        async with asyncio.timeout(5):
            with pytest.raises(StoreError, match="the run has ended meanwhile"):
                await first.ask(Amount(1), None, 3)
        await one.flush()
        assert (await second.ask(Amount(1), None, 3)).granted == Amount(4)


async def test_what_rounding_has_left_of_a_cost_is_not_waited_for(open_store, asked):
    """A grant may be a billionth larger than what is left; no call costs so little."""
    async with open_store() as one, open_store() as two:
        run = one.begin_run("a-1", "a", b"")
        terms = BudgetTerms("run a-1", 10, None, 1.5, runs=(run.id,))
        first = one.open_lease(terms)
        one.run, one.lease = run.id, first.id
        spent = [one.record(*asked(each), Reply(text="4", cost=0.15)) for each in range(9)]
        await asyncio.gather(*spent, one.record(*asked(9), Reply(text="4", cost=0.15 - 2e-9)))
        second = two.open_lease(terms)
        answer = await second.ask(Amount(1, 0, 0.15), Amount(1, 0, 0.15), 3)
        assert (answer.granted, answer.elsewhere) == (None, False)

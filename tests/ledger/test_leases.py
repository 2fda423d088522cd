"""Leases: parts of a budget that several sessions spend."""

import asyncio
from pathlib import Path

import pytest

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


async def test_nothing_is_granted_once_a_lease_has_ended(tmp_path: Path):
    async with Store.open(tmp_path) as store:
        lease = store.open_lease(TERMS)
        lease.end()
        async with asyncio.timeout(5):
            with pytest.raises(StoreError, match="the run has ended meanwhile"):
                await lease.ask(Amount(1), None, 3)

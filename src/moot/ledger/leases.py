"""Budgets that several sessions share: each session leases a part of the rest.

A row of ``leases`` has the amount that a session may still spend, as of the reply ``since``. Later
replies of that session are subtracted. So the rest of a budget is the budget, less all
recorded replies, less what the leases of living sessions allow. A session that is alone leases the
whole rest. Several lease parts, which become smaller as the rest does, and give back what they do
not need when another session wants more.

The lease of a session that died becomes free, except for the calls that it may have had in flight:
they may have been paid for. Each of them counts as spent, with the mean of a reply.
"""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from time import time
from typing import Any

from moot.core.errors import LeaseLost, StoreError
from moot.core.stored import Amount, BudgetTerms, LeaseAnswer
from moot.ledger.sessions import Sessions
from moot.ledger.storage import DATABASE_ERRORS, StoreConnection, transaction

_PROMPT = "COALESCE(prompt_tokens, LENGTH(request) / 4)"
_REPLY = "COALESCE(completion_tokens, LENGTH(reply) / 4)"
_NOTHING = Amount()
_FRACTION = 1e-8
"""US dollars, of one and of each dollar of a budget, that rounding may leave in a lease."""
_PART = 60.0
"""The seconds of a period that are counted together."""


Do = Callable[[Callable[[StoreConnection], Any]], "Future[Any]"]


class Lease:
    """The part of a budget that this store's session may spend.

    Args:
        terms: the terms of the budget.
        sessions: the sessions of the store; its own has begun.
        reader: the connection that reads.
        do: queues work for the connection that writes.

    Attributes:
        id: the number of the lease. Replies paid from it are recorded with it.
        first: the answer when it was opened, with the first grant.
    """

    def __init__(
        self, terms: BudgetTerms, sessions: Sessions, reader: StoreConnection, do: Do
    ) -> None:
        self._terms, self._sessions, self._reader, self._do = terms, sessions, reader, do
        self._spent = _Spent(terms)
        self._ended = False
        self.id = 0
        self.first: LeaseAnswer = do(self._open).result()

    def ask(self, need: Amount, alone: Amount | None, flying: int) -> Awaitable[LeaseAnswer]:
        """Ask for more; a session that gets nothing is recorded as wanting more.

        Args:
            need: the least amount that is of use.
            alone: a smaller amount that is enough where no other session has a part of the budget;
                None where only ``need`` is.
            flying: the calls that this session may have in flight at once from now on.
        """
        asking = partial(self._grant, need=need, alone=alone, flying=flying)
        return asyncio.wrap_future(self._do(asking))

    def give_back(self, amount: Amount, flying: int) -> None:
        """Give an amount back that this session does not need."""
        change = (
            "UPDATE leases SET calls = calls - ?, tokens = tokens - ?, cost = cost - ?, flying = ? "
            "WHERE id = ? AND ended IS NULL"
        )
        self._do(lambda connection: connection.execute(change, (*amount, flying, self.id)))

    def is_wanted_elsewhere(self) -> bool:
        """Return whether another session wants more of the budget than it could get."""
        query = (
            "SELECT id FROM leases WHERE budget = ? AND ended IS NULL AND wanting <> 0 AND id <> ?"
        )
        try:
            found = self._reader.execute(query, (self._terms.budget, self.id)).fetchall()
        except DATABASE_ERRORS:  # the next look-up of a reply raises the error
            return False
        return bool(found)

    def end(self) -> None:
        """Give back all that was not spent, once all queued replies are recorded."""
        if not self._ended:
            self._ended = True
            change = "UPDATE leases SET ended = ? WHERE id = ? AND ended IS NULL"
            self._sessions.leases.discard(self.id)
            self._do(lambda connection: connection.execute(change, (time(), self.id)))

    # In the thread that writes

    def _open(self, connection: StoreConnection) -> LeaseAnswer:
        own = self._sessions.own
        assert own is not None
        with transaction(connection):
            (self.id,) = connection.execute(
                "INSERT INTO leases (budget, session, began, since) "
                "VALUES (?, ?, ?, (SELECT COALESCE(MAX(id), 0) FROM replies)) RETURNING id",
                (self._terms.budget, own.id, time()),
            ).fetchone()
            first = self._grant(connection, _NOTHING, None, 0)
        self._sessions.leases.add(self.id)
        return first

    def _grant(
        self, connection: StoreConnection, need: Amount, alone: Amount | None, flying: int
    ) -> LeaseAnswer:
        """Decide what is granted, write it, and return the answer."""
        with transaction(connection):
            terms, now = self._terms, time()
            spent = self._spent.count(connection, now)
            rows = self._living(connection, now, spent)
            lost = self._sum_lost(connection, now)
            spent = spent.add(lost)
            own = rows.pop(self.id, None)
            if own is None and self._ended:
                raise StoreError("the run has ended meanwhile: no more of its budget is spent")
            if own is None:
                raise LeaseLost(
                    "another process has taken this one for ended, and spends its part of the "
                    "budget: moot.locks in the store's folder was removed or replaced; run again "
                    "to go on"
                )
            left = Amount(terms.calls or 0, terms.tokens or 0, terms.cost or 0.0)
            left = left.add(_keep_capped(terms, spent), -1)
            # What another session has spent beyond its part is in ``spent``. What this one still
            # has is part of its need as well, so it is subtracted once.
            left = left.add(own, -1)
            for outstanding in rows.values():
                left = left.add(outstanding.without_negatives(), -1)
            elsewhere = any(max(outstanding) > 0 for outstanding in rows.values())
            need, granted = _keep_capped(terms, need), None
            if need.is_within(left):
                share = _NOTHING.add(left, 1 / (2 * len(rows) + 2) if rows else 1)
                granted = need.maximum(share).without_negatives()
            elif alone is not None and not elsewhere and _keep_capped(terms, alone).is_within(left):
                granted = left.without_negatives()
            connection.execute(
                "UPDATE leases SET calls = ?, tokens = ?, cost = ?, flying = ?, wanting = ?, "
                "since = (SELECT COALESCE(MAX(id), 0) FROM replies) WHERE id = ?",
                (*own.add(granted or _NOTHING), flying, granted is None and elsewhere, self.id),
            )
        wait = 0.0 if granted is not None else self._spent.wait(now)
        return LeaseAnswer(granted, spent, lost.calls, elsewhere, wait)

    def _living(self, connection: StoreConnection, now: float, spent: Amount) -> dict[int, Amount]:
        """Return what the leases of living sessions still allow, and end those of others.

        A row has what was left at the reply ``since``; later replies are subtracted.
        """
        terms, living = self._terms, dict[int, Amount]()
        found = connection.execute(
            "SELECT id, session, since, flying, calls, tokens, cost FROM leases "
            "WHERE budget = ? AND ended IS NULL",
            (terms.budget,),
        )
        for lease, session, since, flying, *outstanding in found.fetchall():
            _, used = _sum(connection, terms, "lease = ? AND id > ?", (lease, since))
            left = Amount(*outstanding).add(_keep_capped(terms, used), -1)
            if lease == self.id or self._sessions.is_alive(session):
                # Rounding must not leave a fraction of money that others would wait for.
                spare = abs(left.cost) > _FRACTION * max(1.0, terms.cost or 0.0)
                living[lease] = left if spare else left._replace(cost=0.0)
                continue
            calls = flying if terms.calls is None else max(0, min(flying, left.calls))
            mean = calls / spent.calls if spent.calls else 0.0
            connection.execute(
                "UPDATE leases SET ended = ?, lost_calls = ?, lost_tokens = ?, lost_cost = ? "
                "WHERE id = ?",
                (now, calls, int(mean * spent.tokens), mean * spent.cost, lease),
            )
        return living

    def _sum_lost(self, connection: StoreConnection, now: float) -> Amount:
        """Return the amount that counts as spent by sessions that died."""
        period = self._terms.period
        found = connection.execute(
            "SELECT COALESCE(SUM(lost_calls), 0), COALESCE(SUM(lost_tokens), 0), "
            "COALESCE(SUM(lost_cost), 0.0) FROM leases "
            "WHERE budget = ? AND ended > ?",
            (self._terms.budget, 0.0 if period is None else now - period),
        ).fetchone()
        return Amount(int(found[0]), int(found[1]), found[2])


class _Spent:
    """The amount spent of a budget. Each count adds only the replies since the last one."""

    def __init__(self, terms: BudgetTerms) -> None:
        self._terms = terms
        self._seen: dict[int, int] = {}
        """The newest reply that was counted, by run; for a budget with a period, by lease."""
        self._parts: dict[int, Amount] = {}
        """The amount by part of the period; one part where there is no period."""

    def count(self, connection: StoreConnection, now: float) -> Amount:
        """Return the calls, tokens and US dollars spent so far, or within the period until now."""
        terms = self._terms
        if terms.period is None:
            for run in terms.runs:
                self._add(connection, 0, run, "run = ? AND id > ?")
        else:
            start = now - terms.period
            first = int(start // _PART)
            for part in [part for part in self._parts if part < first]:
                del self._parts[part]
            leases = connection.execute(
                "SELECT id FROM leases WHERE budget = ? AND (ended IS NULL OR ended > ?)",
                (terms.budget, start),
            ).fetchall()
            for (lease,) in leases:
                self._add_recent(connection, lease, first)
        whole = _NOTHING
        for amount in self._parts.values():
            whole = whole.add(amount)
        return whole

    def wait(self, now: float) -> float:
        """Return the seconds until the oldest part of the period ends; 0 without a period."""
        if self._terms.period is None or not self._parts:
            return 0.0
        return max(1.0, (min(self._parts) + 1) * _PART + self._terms.period - now)

    def _add(self, connection: StoreConnection, part: int, key: int, where: str) -> None:
        newest, amount = _sum(connection, self._terms, where, (key, self._seen.get(key, 0)))
        self._seen[key] = max(newest, self._seen.get(key, 0))
        self._parts[part] = self._parts.get(part, _NOTHING).add(amount)

    def _add_recent(self, connection: StoreConnection, lease: int, first: int) -> None:
        """Count the replies of a lease from this part of the period on, the newest first."""
        seen = newest = self._seen.get(lease, 0)
        for number, then, *took in connection.execute(
            f"SELECT id, created, model, 1, {_PROMPT}, {_REPLY}, cost FROM replies "  # noqa: S608
            "WHERE lease = ? AND id > ? ORDER BY id DESC",
            (lease, seen),
        ):
            part = int(then // _PART)
            if part < first:
                break
            newest = max(newest, number)
            self._parts[part] = self._parts.get(part, _NOTHING).add(_amount(self._terms, *took))
        self._seen[lease] = newest


def _sum(
    connection: StoreConnection, terms: BudgetTerms, where: str, values: tuple[int, int]
) -> tuple[int, Amount]:
    """Return the number of the newest of some replies, and the amount of all."""
    newest, whole = 0, _NOTHING
    found = connection.execute(
        f"SELECT MAX(id), model, COUNT(*), SUM({_PROMPT}), SUM({_REPLY}), SUM(cost) "  # noqa: S608
        f"FROM replies WHERE {where} GROUP BY model, cost IS NULL",
        values,
    )
    for last, model, calls, prompt, reply, cost in found:
        # PostgreSQL gives sums of integers as decimal numbers.
        amount = _amount(terms, model, calls, int(prompt), int(reply), cost)
        newest, whole = max(newest, last), whole.add(amount)
    return newest, whole


def _amount(
    terms: BudgetTerms, model: str, calls: int, prompt: int, reply: int, cost: float | None
) -> Amount:
    """Return the amount of replies; where their cost is not recorded, by the model's price."""
    if cost is None:
        cost = 0.0 if terms.cost is None else terms.price(model, prompt, reply)
    return Amount(calls, prompt + reply, cost)


def _keep_capped(terms: BudgetTerms, amount: Amount) -> Amount:
    """Return an amount with 0 for everything that has no cap."""
    return Amount(
        0 if terms.calls is None else amount.calls,
        0 if terms.tokens is None else amount.tokens,
        0.0 if terms.cost is None else amount.cost,
    )

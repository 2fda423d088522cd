"""The debates that a server holds: the one place where they are started, watched and stopped."""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable
from time import monotonic

from moot.core.errors import InputError, MootError
from moot.core.plain import many
from moot.core.stored import RunRow
from moot.debate.cast import speaking
from moot.ledger.account import Account
from moot.models.prices import Price
from moot.runtime.budget import Budget, BudgetGuard
from moot.server.allowance import HOUR, Allowance, Purses, lesser, shared
from moot.server.config import ServerConfig
from moot.server.held import Ended, LiveDebate
from moot.server.names import NotAllowed, check
from moot.server.places import Full, Place, Places
from moot.studies.ask import QuestionPlan
from moot.studies.lab import Lab

ANYBODY = "anybody"
"""The client of a server that asks nobody who they are."""
RECENT = 64
"""Ended debates that can still be listened to from the beginning."""
REMEMBERED = 32_000_000
"""The most characters they may have said together: what is longer is in the store alone."""
MODELS = 1000
"""Different models in one process: each stays in memory, and a pattern allows any number."""

log = logging.getLogger("moot.server")


class Busy(MootError):
    """A debate is not begun because too much is going on, or too much was spent.

    Attributes:
        retry_after: seconds after which it may be asked for again.
        closing: True where the server is about to stop.
    """

    def __init__(self, message: str, retry_after: float, *, closing: bool = False) -> None:
        super().__init__(message)
        self.retry_after, self.closing = retry_after, closing


class Debates:
    """All debates of one server.

    Args:
        lab: where its models and its store are.
        config: what its owner allows.
        watch: is told how each debate ended and after how many seconds.

    Attributes:
        counts: how many debates ended how, and how many were refused.
        closing: set once no more are begun, for whoever streams something without an end.
    """

    def __init__(
        self, lab: Lab, config: ServerConfig, watch: Callable[[Ended, float], None] | None = None
    ) -> None:
        self.lab, self.config = lab, config
        self.counts: Counter[Ended] = Counter()
        self.closing = asyncio.Event()
        self._watch = watch
        self._live: dict[str, LiveDebate] = {}
        self._recent: OrderedDict[str, LiveDebate] = OrderedDict()
        limits = config.limits
        self._places = Places(limits.debates, limits.client_debates, limits.queue)
        self._allowances: dict[str, Allowance | None] = {}
        self._number = 0
        self._usual = 1.0
        self._models: set[str] = set()
        self._deadline = 0.0

    @property
    def live(self) -> list[LiveDebate]:
        """Those in progress or in the queue, the first asked for first."""
        return list(self._live.values())

    @property
    def in_progress(self) -> int:
        """How many have their place."""
        return self._places.taken

    @property
    def waiting(self) -> int:
        """How many wait in the queue for one."""
        return self._places.waiting

    def get(self, name: str) -> LiveDebate | None:
        """The debate of this ``Held.id``, in progress or ended of late; else None."""
        return self._live.get(name) or self._recent.get(name)

    async def start(
        self,
        prepared: QuestionPlan,
        *,
        budget: Budget | None = None,
        share: int = 1,
        client: str = ANYBODY,
        replicate: int | None = None,
        linger: float | None = 0.0,
    ) -> LiveDebate:
        """Begin a debate, or have it wait for its place in order of arrival.

        Args:
            prepared: what is debated and how.
            budget: the most its request may spend, where that is less than the owner allows.
            share: among how many debates of one request that is divided.
            client: who asks, see ``guard``.
            replicate: which of several debates of the same question it is; None: a new one.
            linger: the seconds that it goes on after the last listener has gone; None: to its end.

        Raises:
            Busy: too many are in progress and in the queue, or the server is stopping.
            HourReached: the client has spent what it may within an hour.
            InputError: a model, protocol or file that the owner does not allow, or a debate that
                cannot end within the budget; nothing was called.
            StoreError: the store cannot be written.
        """
        allowance = self._allowance(client)
        caps = shared(lesser(budget or Budget(), self.config.limits.request), share)
        try:
            check(self.config, prepared)
            self._short(prepared)
            _fits(prepared, caps)
            if allowance is not None:
                await allowance.check()
            place = self._enter(client)
        except MootError:
            self.counts["refused"] += 1
            raise
        try:
            row, replicate = await self._begin(prepared, replicate)
            self._number += 1
            lease = None if allowance is None else allowance.lease.id
            path = self.lab.path.branch(
                Account(self.lab.store, row.id, lease),
                Purses(caps, allowance or BudgetGuard(Budget())),
            )
            held = LiveDebate(row, client, prepared, replicate, place, linger, self._ended)
            self._live[held.id] = held
            held.begin(self.lab, path, self._number)
        except BaseException:
            self._places.leave(place)
            raise
        try:
            await asyncio.sleep(0)  # it is under way, so that stopping it ends its run as well
        except asyncio.CancelledError:
            held.stop()
            raise
        return held

    async def end(self) -> None:
        """Begin no more debates; let those in progress end, within the limit, then stop them.

        Those in the queue are stopped at once.

        A second call waits for what is left of the first one's time.
        """
        if not self.closing.is_set():
            self.closing.set()
            self._deadline = monotonic() + self.config.limits.shutdown
            log.info("stopping: %d debates are in progress", self.in_progress)
            for held in self.live:
                if held.waits:
                    held.stop("the server stopped")
        while self._live or self.in_progress or self.waiting:  # a place comes before its debate
            left = self._deadline - monotonic()
            if left <= 0:
                self.stop()
            tasks = [held.task for held in self.live]
            if tasks:
                await asyncio.wait(tasks, timeout=max(left, 0.1))
            else:
                await asyncio.sleep(0.01)
        for allowance in filter(None, self._allowances.values()):
            allowance.close()
        await self.lab.store.flush()  # and whoever waited for one of them is told

    def stop(self) -> None:
        """Stop every debate in progress; what was paid for is kept."""
        self._deadline = 0.0
        for held in self.live:
            held.stop("the server stopped")

    async def _begin(self, prepared: QuestionPlan, replicate: int | None) -> tuple[RunRow, int]:
        for name in speaking(prepared.settings):
            self._models.add(name)
            if len(self._models) > MODELS:
                self._models.remove(name)
                raise NotAllowed(f"model: {MODELS} others were asked for since the server began")
            self.lab.model(name)
        return await prepared.begin(self.lab, replicate)

    def _short(self, prepared: QuestionPlan) -> None:
        """Raises ``InputError`` for a question longer than allowed."""
        asked = prepared.question
        if (size := asked.size) > (most := self.config.limits.question):
            raise InputError(
                f"question: it has {size} characters with all that comes before it and its "
                f"choices; it may have {most}"
            )

    def _enter(self, client: str) -> Place:
        """A place, or one in the queue. Raises ``Busy`` where there is neither."""
        if self.closing.is_set():
            raise Busy("the server is stopping and begins no debate", 30.0, closing=True)
        try:
            return self._places.enter(client)
        except Full:
            waiting, most = self.waiting, self.config.limits.debates
            wait = min(300.0, max(1.0, self._usual * (waiting + 1) / most))
            told = f"{many(self.in_progress, 'debate')} in progress and {waiting} in the queue"
            raise Busy(f"{told}, which is the most; ask again in {wait:.0f} s", wait) from None

    def _allowance(self, client: str) -> Allowance | None:
        """What a client may spend within an hour; None: any amount."""
        if client not in self._allowances:
            known = self.config.clients.get(client)
            hour = known.hour if known and known.hour else self.config.limits.hour
            self._allowances[client] = None
            if hour != Budget():
                prices = prices_of(self.lab, self.config)
                lease = self.lab.lease(f"hour of {client}", hour, prices, period=HOUR)
                self._allowances[client] = Allowance(hour, lease, client)
        return self._allowances[client]

    def _ended(self, held: LiveDebate, how: Ended) -> None:
        """A debate has ended: make room, count it, keep it for whoever comes late."""
        del self._live[held.id]
        self._places.leave(held.place)
        seconds = monotonic() - held.began
        self.counts[how] += 1
        if not held.begun:  # else its run says by itself how it ended
            self._leave(held.row)
        else:
            self._usual += (seconds - self._usual) / 8
            if self._watch is not None:
                self._watch(how, seconds)
        log.info("debate %s of %s: %s after %.1f s", held.run, held.client, how, seconds)
        self._recent[held.id] = held
        while self._recent and (
            len(self._recent) > RECENT
            or sum(each.size for each in self._recent.values()) > REMEMBERED
        ):
            self._recent.popitem(last=False)

    def _leave(self, row: RunRow) -> None:
        """Say how a run stands that one of its debates leaves before it was begun.

        As before, where the run has other debates: that none of them goes on is told by the last.
        """
        if any(other.row.id == row.id for other in self.live):
            return
        store = self.lab.store
        if next(store.values(row.id), None) is None and row.status == "running":
            store.leave_status(row.id, "stopped")


def prices_of(lab: Lab, config: ServerConfig) -> dict[str, Price]:
    """The stated prices, by the names under which the models' calls go."""
    return {lab.model(name).name: price for name, price in config.prices.items()}


def _fits(prepared: QuestionPlan, caps: Budget) -> None:
    """Raises ``InputError`` for a debate that makes more calls than it may, however it goes."""
    fewest, _ = prepared.protocol.count(prepared.settings)
    if caps.calls is not None and fewest > caps.calls:
        raise InputError(
            f"protocol {prepared.protocol.name}: with these settings a debate makes {fewest} calls "
            f"or more, and this one may make {caps.calls}"
        )

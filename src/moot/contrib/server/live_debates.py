"""The debates of a server: the one place where they are started, found and stopped."""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Literal

from moot import Budget, InputError, Model, MootError, Price
from moot.contrib.people.human import Human
from moot.contrib.server.allowance import HOUR, divide, lower_of, refuse_for_hour
from moot.contrib.server.allowed_names import NotAllowed, check_plan
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.debate_queue import DebatePlace, DebatePlaces, QueueFull
from moot.contrib.server.live_debate import DebateEnd, LiveDebate
from moot.contrib.server.people_desk import AskingDebate, PeopleDesk
from moot.contrib.server.uploads import Uploads
from moot.extend.calls import LeasedGuard
from moot.extend.protocols import models_in
from moot.extend.records import RunRow
from moot.extend.stores import RunLedger
from moot.extend.studies import Lab, QuestionPlan
from moot.extend.words import format_things

ANONYMOUS = "anybody"
"""The name of every client of a server without tokens."""
RECENT = 64
"""The number of ended debates that can still be listened to."""
RECENT_CHARACTERS = 32_000_000
"""The most characters of their messages together; longer ones are only in the store."""
MODELS = 1000
"""The most models of one process: each stays in memory, and a pattern allows any number."""

Way = Literal["remark", "extend", "decide"]
"""A remark for all agents, one more round, or the decision now."""

log = logging.getLogger("moot.contrib.server")


class Busy(MootError):
    """A debate is refused because too many are in progress, or the server stops.

    Attributes:
        retry_after: seconds after which the client may ask again.
        closing: whether the server is about to stop.
    """

    def __init__(self, message: str, retry_after: float, *, closing: bool = False) -> None:
        super().__init__(message)
        self.retry_after, self.closing = retry_after, closing


class QuestionTooLong(InputError):
    """A question is longer than the server allows."""


class LiveDebates:
    """All debates of one server.

    Args:
        lab: the laboratory with the models and the store.
        config: what the owner allows.
        people: asks people; None where there is no page on which they reply.
        uploads: the documents of clients; None where there is no page on which they upload any.

    Attributes:
        counts: the number of debates by how they ended, and of refused ones.
        closing: is set when no more debates begin; streams without an end must end then.
        on_end: is called with how a debate ended and after how many seconds.
    """

    def __init__(
        self,
        lab: Lab,
        config: ServerConfig,
        people: PeopleDesk | None = None,
        uploads: Uploads | None = None,
    ) -> None:
        self.lab, self.config, self.people, self.uploads = lab, config, people, uploads
        self.counts: Counter[DebateEnd] = Counter()
        self.closing = asyncio.Event()
        self.on_end: Callable[[DebateEnd, float], None] = lambda _how, _seconds: None
        self._live: dict[str, LiveDebate] = {}
        self._recent: OrderedDict[str, LiveDebate] = OrderedDict()
        limits = config.limits
        self._places = DebatePlaces(limits.debates, limits.client_debates, limits.queue)
        self._allowances: dict[str, LeasedGuard | None] = {}
        self._number = 0
        self._usual = 1.0
        self._models: set[str] = set()
        self._deadline = 0.0

    @property
    def live(self) -> list[LiveDebate]:
        """Debates in progress or in the queue, the first asked for first."""
        return list(self._live.values())

    @property
    def in_progress(self) -> int:
        """The number of debates in progress."""
        return self._places.taken

    @property
    def waiting(self) -> int:
        """The number of debates in the queue."""
        return self._places.waiting

    def get(self, name: str) -> LiveDebate | None:
        """Return the debate of this ``LiveDebate.id``, in progress or recent; else None."""
        return self._live.get(name) or self._recent.get(name)

    async def start(
        self,
        prepared: QuestionPlan,
        *,
        budget: Budget | None = None,
        share: int = 1,
        client: str = ANONYMOUS,
        replicate: int | None = None,
        linger: float | None = 0.0,
        stream: bool = False,
        further: int = 0,
    ) -> LiveDebate:
        """Start a debate; it waits for its place in order of arrival.

        Args:
            prepared: the question, the protocol and the settings.
            budget: the most its request may spend, if that is less than the owner allows.
            share: the number of debates of the request, among which the budget is divided.
            client: the name of the client.
            replicate: its number among the debates of the same question; None for a new debate.
            linger: the seconds that it goes on without listeners; None for to its end.
            stream: whether it is going to be followed from its beginning, piece by piece.
            further: the fewest calls after the debate, which its budget must allow as well.

        Raises:
            Busy: too many are in progress and in the queue, or the server is stopping.
            HourReached: the client has spent its limit of an hour.
            InputError: a model, protocol or file that the owner does not allow, a question that is
                too long, or a debate that cannot end within the budget; nothing was called.
            StoreError: the store cannot be written.
        """
        allowance = self._allowance(client)
        caps = divide(lower_of(budget or Budget(), self.config.limits.request), share)
        try:
            is_uploaded = (lambda _: False) if self.uploads is None else self.uploads.holds
            check_plan(self.config, prepared, is_uploaded)
            self._check_length(prepared)
            _check_calls(prepared, caps, further)
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
            ledger = RunLedger(self.lab.store, row.id, lease)
            path = self.lab.path.branch(ledger, budget=caps, within=allowance)
            live = LiveDebate(row, client, prepared, replicate, place, linger, self._finish)
            if self.people is not None:
                live.steering = await prepared.load_steering(ledger, row, replicate)
            self._live[live.id] = live
            live.begin(self.lab, path, self._number, stream=stream)
        except BaseException:
            self._places.leave(place)
            raise
        try:
            await asyncio.sleep(0)  # its task has started, so that stopping it ends its run as well
        except asyncio.CancelledError:
            live.stop()
            raise
        return live

    def load_models(self, prepared: QuestionPlan) -> list[Model]:
        """Return the models of a debate, loaded; ``MODELS`` at most in all debates of the server.

        Raises:
            NotAllowed: there are too many already.
            InputError: there is no such model.
        """
        found = list[Model]()
        for name in models_in(prepared.settings):
            if len(self._models) >= MODELS and name not in self._models:
                raise NotAllowed(f"model: this server has already loaded {MODELS} other models")
            found.append(self.lab.model(name))
            self._models.add(name)
        return found

    async def steer(self, live: LiveDebate, way: Way, text: str = "") -> None:
        """Add a step to those that steer a debate; return once it is recorded.

        Args:
            live: the debate.
            way: what is asked of it.
            text: of a remark.

        Raises:
            InputError: it has no further round, it has ended, or the remark has no words.
            StoreError: the step cannot be written.
        """
        live.plan.require_steerable()
        if live.done or live.steering is None:
            raise InputError("the debate has ended, so it cannot be steered")
        ledger = RunLedger(self.lab.store, live.row.id)
        await live.steering.record(ledger, live.row.key, live.replicate, way, text)

    def _waits_for_people(self, live: LiveDebate) -> bool:
        """Whether all calls of a debate that are under way are people's."""
        name = AskingDebate(live.run, live.replicate).name
        asked = self.people.list_waiting(debate=name) if self.people is not None else []
        return bool(asked) and len(asked) == live.in_flight

    async def end(self) -> None:
        """Start no more debates; wait for those in progress, up to the limit, then stop them.

        Those in the queue, and those that wait for people alone, are stopped at once. A second call
        waits for the first one's deadline.
        """
        if not self.closing.is_set():
            self.closing.set()
            self._deadline = monotonic() + self.config.limits.shutdown
            log.info("stopping: %d debates are in progress", self.in_progress)
            for live in self.live:
                if live.waits or self._waits_for_people(live):
                    live.stop("the server stopped")
        while self._live or self.in_progress or self.waiting:  # a place comes before its debate
            left = self._deadline - monotonic()
            if left <= 0:
                self.stop()
            tasks = [live.task for live in self.live]
            if tasks:
                await asyncio.wait(tasks, timeout=max(left, 0.1))
            else:
                await asyncio.sleep(0.01)
        for allowance in filter(None, self._allowances.values()):
            allowance.close()
        await self.lab.store.flush()

    def stop(self) -> None:
        """Stop every debate in progress; calls that were paid for are kept."""
        self._deadline = 0.0
        for live in self.live:
            live.stop("the server stopped")

    async def _begin(self, prepared: QuestionPlan, replicate: int | None) -> tuple[RunRow, int]:
        for model in self.load_models(prepared):
            if isinstance(model, Human):
                model.ask_person = None if self.people is None else self.people.ask
                await model.check()
        return await prepared.begin(self.lab, replicate)

    def _check_length(self, prepared: QuestionPlan) -> None:
        size, most = prepared.question.size, self.config.limits.question
        if size > most:
            raise QuestionTooLong(
                f"question: it has {size:,} characters with its context and choices and the "
                f"messages before it; this server takes {most:,} at most"
            )

    def _enter(self, client: str) -> DebatePlace:
        """Return a place, or one in the queue. Raises ``Busy`` if both are full."""
        if self.closing.is_set():
            raise Busy("the server is stopping and starts no debate", 30.0, closing=True)
        try:
            return self._places.enter(client)
        except QueueFull:
            waiting, most = self.waiting, self.config.limits.debates
            wait = min(300.0, max(1.0, self._usual * (waiting + 1) / most))
            going = (
                f"{format_things(self.in_progress, 'debate')} in progress and {waiting} in the "
                "queue"
            )
            raise Busy(f"{going}, which is the most; ask again in {wait:.0f} s", wait) from None

    def _allowance(self, client: str) -> LeasedGuard | None:
        """Return the guard of a client's hourly budget, made on first use; None without a cap."""
        if client not in self._allowances:
            known = self.config.clients.get(client)
            hour = known.hour if known and known.hour else self.config.limits.hour
            self._allowances[client] = None
            if hour != Budget():
                prices = model_prices(self.lab, self.config)
                lease = self.lab.lease(f"hour of {client}", hour, prices, period=HOUR)
                self._allowances[client] = LeasedGuard(
                    hour, lease, refuse=partial(refuse_for_hour, client, hour)
                )
        return self._allowances[client]

    def _finish(self, live: LiveDebate, how: DebateEnd) -> None:
        """Free the place of an ended debate, count it, and keep it for late listeners."""
        del self._live[live.id]
        self._places.leave(live.place)
        seconds = monotonic() - live.began
        self.counts[how] += 1
        if live.has_begun:
            self._usual += (seconds - self._usual) / 8
            self.on_end(how, seconds)
        else:  # a debate that began sets the status of its run itself
            self._leave_run(live.row)
        log.info("debate %s of %s: %s after %.1f s", live.run, live.client, how, seconds)
        self._recent[live.id] = live
        while self._recent and (
            len(self._recent) > RECENT
            or sum(each.size for each in self._recent.values()) > RECENT_CHARACTERS
        ):
            self._recent.popitem(last=False)

    def _leave_run(self, row: RunRow) -> None:
        """Set the status of a run without debates, one of which ended before it began.

        The last of several debates in progress sets it.
        """
        if any(other.row.id == row.id for other in self.live):
            return
        store = self.lab.store
        if next(store.values(row.id), None) is None and row.status == "running":
            store.set_status(row.id, "stopped", wait=False)


def model_prices(lab: Lab, config: ServerConfig) -> dict[str, Price]:
    """Return the prices of the configuration, by the full names of the models."""
    return {lab.model(name).name: price for name, price in config.prices.items()}


def _check_calls(prepared: QuestionPlan, caps: Budget, further: int) -> None:
    """Raise ``InputError`` for a debate whose fewest calls, and further ones, exceed its cap."""
    fewest, _ = prepared.protocol.count(prepared.settings)
    if caps.calls is not None and fewest + further > caps.calls:
        then = f", and {further} more to fill in the schema," if further else ","
        raise InputError(
            f"protocol {prepared.protocol.name}: with these settings a debate makes {fewest} calls "
            f"or more{then or ','} and this one may make {caps.calls}"
        )

"""One debate in progress on the server, and those who listen to it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing, contextmanager
from itertools import groupby
from secrets import token_urlsafe
from time import monotonic
from traceback import extract_tb
from typing import Literal, NamedTuple

import msgspec

from moot import Call, Event, Model, MootError, Reply, Steering, Transcript, Turn
from moot.contrib.server.debate_queue import DebatePlace
from moot.contrib.server.people_desk import ask_for
from moot.extend.calls import CallPath
from moot.extend.records import Closed, Failed, Opened, ReplyPiece, RunRow, Searched
from moot.extend.studies import Lab, QuestionPlan

DebateEnd = Literal["done", "failed", "stopped", "refused"]
"""How a debate ended: with a verdict, without one, before its end, or before its beginning."""

log = logging.getLogger("moot.contrib.server")


class Stopped(MootError):
    """A debate was stopped before its end; the calls that were paid for are in the store."""


class InternalFailure(MootError):
    """A debate ended by a mistake in moot itself; the server's log says where."""


class DebateNews(NamedTuple):
    """What happened in a debate.

    Attributes:
        events: all events so far.
        pieces: of replies under way, those that this listener has not been given; words that follow
            one another are one piece.
    """

    events: tuple[Event, ...]
    pieces: tuple[ReplyPiece, ...]


class LiveDebate:
    """A debate in progress or ended, and its listeners. ``Debates.start`` makes it.

    Attributes:
        id: a random name of this execution of the debate, by which ``Debates.get`` finds it.
        row: its run in the store.
        run: the run's key, by which ``moot show`` finds it.
        client: the name of the client that asked for it.
        plan: the question, the protocol and the settings.
        replicate: its number among the debates of the same question.
        place: among those that go on at once, or in the queue.
        began: when it began on the monotonic clock; of a waiting one, when it was asked for.
        has_begun: whether any call was made; False while it waits.
        size: the number of characters said so far.
        task: the task that runs it.
        steering: what people ask of it while it runs; None where no one can.
    """

    task: asyncio.Task[Transcript]

    def __init__(
        self,
        row: RunRow,
        client: str,
        prepared: QuestionPlan,
        replicate: int,
        place: DebatePlace,
        linger: float | None,
        on_end: "Callable[[LiveDebate, DebateEnd], None]",
    ) -> None:
        self.id = token_urlsafe(12)
        self.row, self.run, self.client = row, row.key, client
        self.plan, self.replicate, self.place = prepared, replicate, place
        self.began, self.has_begun, self.size = monotonic(), False, 0
        self.steering: Steering | None = None
        self._linger, self._on_end = linger, on_end
        self._events: list[Event] = []
        self._under_way: dict[int, list[ReplyPiece]] = {}
        self._news = asyncio.Event()
        self._end: asyncio.Future[Transcript] = asyncio.get_running_loop().create_future()
        self._listeners = 0
        self._timer: asyncio.TimerHandle | None = None
        self._why = ""

    def begin(self, lab: Lab, path: CallPath, number: int, *, stream: bool) -> None:
        """Run it as soon as it has its place.

        Args:
            lab: where its models and its store are.
            path: its own path, where its calls go.
            number: its number on this server.
            stream: whether its models are asked to tell replies as they write them; else they are
                from the moment when it is followed.
        """
        self._path = path
        if stream:
            path.listen = self._hear
        self.task = asyncio.create_task(self._run(lab, path, number))
        self.task.add_done_callback(self._finish)

    async def _run(self, lab: Lab, path: CallPath, number: int) -> Transcript:
        if self.waits:
            await self.place.turn
            # Another debate of it may have ended.
            lab.store.set_status(self.row.id, "running", wait=False)
        self.began, self.has_begun = monotonic(), True
        with ask_for(self.run, self.replicate):
            return await self.plan.debate(
                lab,
                self.row,
                self.replicate,
                number,
                path=path,
                listen=self._record,
                steering=self.steering,
            )

    @property
    def under_way(self) -> list[ReplyPiece]:
        """The pieces so far of all replies under way, in the order of their turns.

        Words that follow one another are one piece. Without a listener, and before the first one
        where it was begun with ``stream=False``, there are none.
        """
        every = sorted(self._under_way.items())
        return [piece for _, pieces in every for piece in _join(pieces)]

    @property
    def in_flight(self) -> int:
        """The number of its calls that are under way, those of people included."""
        return self._path.traffic.in_flight

    @property
    def waits(self) -> bool:
        """Whether it is still in the queue."""
        return not self.place.turn.done()

    @property
    def done(self) -> bool:
        """Whether it has ended, with or without a verdict."""
        return self._end.done()

    @property
    def failed(self) -> bool:
        """Whether it has ended without a verdict."""
        return self.done and isinstance(self._events[-1], Failed)

    async def follow(self) -> AsyncGenerator[DebateNews]:
        """Yield all events so far and the pieces of replies under way, each time there is news.

        A reply ends with its ``Turn``, which has all of its text; pieces that were not yielded
        before that are not yielded. Otherwise as ``snapshots``.
        """
        self._path.listen = self._hear
        given: dict[int, tuple[list[ReplyPiece], int]] = {}
        with self._listening():
            while True:
                news, done, fresh = self._news, self.done, list[ReplyPiece]()
                for turn, pieces in self._under_way.items():
                    before, count = given.get(turn, (pieces, 0))
                    fresh += _join(pieces[count if before is pieces else 0 :])
                given = {turn: (each, len(each)) for turn, each in self._under_way.items()}
                yield DebateNews(tuple(self._events), tuple(fresh))
                if done:
                    return
                await news.wait()

    async def snapshots(self) -> AsyncGenerator[tuple[Event, ...]]:
        """Yield all events so far, now and each time that there are more, until the end.

        Turns come in the order in which they were said. A debate that was stopped ends with a
        ``Failed`` event as well. It counts as listened to until the generator is closed: close it
        with ``contextlib.aclosing``, so that a debate without listeners is stopped.
        """
        with self._listening():
            seen = -1
            while True:
                news, done = self._news, self.done
                if done or len(self._events) > seen:
                    yield tuple(self._events)
                    seen = len(self._events)
                if done:
                    return
                await news.wait()

    async def events(self) -> AsyncGenerator[Event]:
        """Yield every event from the beginning, then each as it happens; see ``snapshots``."""
        seen = 0
        async with aclosing(self.snapshots()) as snapshots:
            async for events in snapshots:
                for event in events[seen:]:
                    yield event
                seen = len(events)

    async def transcript(self) -> Transcript:
        """Wait for the end, as a listener, and return the transcript.

        Raises:
            BudgetReached: the budget of the request or the client is too small.
            InputError: the debate is impossible, e.g. a cap on cost and a model without a price.
            StoreError: the store cannot be written.
            Stopped: it was stopped.
            InternalFailure: a mistake in moot.
        """
        with self._listening():
            return await asyncio.shield(self._end)

    async def call_after(self, model: Model, call: Call) -> Reply:
        """Make a further call for the request of an ended debate, within the debate's budget."""
        return await self._path.reply(model, call, call.request())

    def stop(self, why: str = "it was stopped") -> None:
        """End it now. Calls in flight are cancelled; those that were paid for are kept."""
        if not self.task.done() and not self._is_decided:  # a decided one is about to be kept
            self._why = why
            self.task.cancel()

    @property
    def _is_decided(self) -> bool:
        return bool(self._events) and isinstance(self._events[-1], Closed | Failed)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        self._listeners += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            yield
        finally:
            self._listeners -= 1
            if not self._listeners and not self.done and self._linger is not None:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._linger, self.stop, "nothing listens to it")

    def _record(self, event: Event) -> None:
        self._events.append(event)
        if isinstance(event, Turn):
            self._under_way.pop(event.id, None)
            self.size += len(event.text)
        elif isinstance(event, Searched):
            self.size += len(event.query) + sum(len(each.text) for each in event.passages)
        elif isinstance(event, Opened):
            self.size += len(event.question.text) + len(event.question.context or "")
        self._announce()

    def _hear(self, piece: ReplyPiece) -> None:
        if self.done:
            return
        if piece.kind in {"begun", "restarted"}:  # what was said before is void
            self._under_way[piece.turn] = []
        self._under_way[piece.turn].append(piece)
        self._announce()

    def _announce(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _finish(self, task: asyncio.Task[Transcript]) -> None:
        """Pass the transcript or the error to all listeners."""
        self._under_way.clear()
        error = Stopped(self._why) if task.cancelled() else task.exception()
        how: DebateEnd = "failed"
        if error is None:
            how = "failed" if task.result().verdict is None else "done"
            self._end.set_result(task.result())
        else:
            if isinstance(error, Stopped):
                how = "stopped"
            elif not isinstance(error, MootError):
                _log(self.run, error)
                error = InternalFailure(f"moot failed ({type(error).__name__}); its log says where")
            error.__traceback__ = error.__context__ = None  # they hold the whole debate in memory
            self._end.set_exception(error)
            self._end.exception()  # marks it as seen: there may be no listener
        if self._is_decided:
            self._announce()
        else:
            seconds = monotonic() - self.began
            self._record(Failed(kind=type(error).__name__, reason=str(error), seconds=seconds))
        self._on_end(self, how)


def _join(pieces: Iterable[ReplyPiece]) -> Iterator[ReplyPiece]:
    """Yield pieces of one reply, with those that follow one another and are of one kind joined."""
    for _, same in groupby(pieces, key=lambda each: each.kind):
        [first, *more] = same
        if more:
            text = first.text + "".join(each.text for each in more)
            first = msgspec.structs.replace(first, text=text)
        yield first


def _log(run: str, error: BaseException) -> None:
    """Log where it happened, without the error's text: that may contain prompts and replies."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in extract_tb(error.__traceback__)[-6:]]
    log.error("debate %s: %s at %s", run, type(error).__name__, ", ".join(places))

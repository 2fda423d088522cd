"""One debate in progress, with whoever listens to it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from secrets import token_urlsafe
from time import monotonic
from traceback import extract_tb
from typing import Literal

from moot.core.errors import MootError
from moot.core.events import Closed, Event, Failed, Opened, Searched, Transcript, Turn
from moot.core.stored import RunRow
from moot.runtime.path import CallPath
from moot.server.places import Place
from moot.studies.lab import Lab
from moot.studies.prepared import Prepared

Ended = Literal["done", "failed", "stopped", "refused"]
"""How a debate ended: with a verdict, without one, before its end, or before its beginning."""

log = logging.getLogger("moot.server")


class Stopped(MootError):
    """A debate was stopped before its end; what was paid for is in the store."""


class Broken(MootError):
    """A debate ended by a mistake in moot itself; the server's log says where."""


class LiveDebate:
    """A debate that goes on by itself. Made by ``Debates.start``.

    Attributes:
        id: of this holding of it, not to be guessed; ``Debates.get`` finds it.
        run: the key of its run in the store, by which ``moot show`` finds it.
        row: that run.
        client: who asked for it.
        prepared: what is debated and how.
        replicate: which of several debates of the same question it is.
        place: among those that go on at once, or in the queue.
        began: when, on the monotonic clock; of one that waits, when it was asked for.
        begun: whether anything was asked; False while it waits.
        size: characters that were said so far.
        task: what holds it.
    """

    task: asyncio.Task[Transcript]

    def __init__(
        self,
        row: RunRow,
        client: str,
        prepared: Prepared,
        replicate: int,
        place: Place,
        linger: float | None,
        ended: "Callable[[LiveDebate, Ended], None]",
    ) -> None:
        self.id = token_urlsafe(12)
        self.row, self.run, self.client = row, row.key, client
        self.prepared, self.replicate, self.place = prepared, replicate, place
        self.began, self.begun, self.size = monotonic(), False, 0
        self._linger, self._when_ended = linger, ended
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self._end: asyncio.Future[Transcript] = asyncio.get_running_loop().create_future()
        self._listeners = 0
        self._patience: asyncio.TimerHandle | None = None
        self._why = "nobody listened any more"

    def begin(self, lab: Lab, path: CallPath, number: int) -> None:
        """Have it go on as soon as it has its place; ``number`` is its number on this server."""
        self.task = asyncio.create_task(self._hold(lab, path, number))
        self.task.add_done_callback(self._ended)

    async def _hold(self, lab: Lab, path: CallPath, number: int) -> Transcript:
        if self.waits:
            await self.place.turn
            lab.store.leave_status(self.row.id, "running")  # another debate of it may have ended
        self.began, self.begun = monotonic(), True
        return await self.prepared.hold(
            lab, self.row, path, replicate=self.replicate, number=number, listen=self._tell
        )

    @property
    def waits(self) -> bool:
        """Whether it is still in the queue."""
        return not self.place.turn.done()

    @property
    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self._end.done()

    async def events(self) -> AsyncGenerator[Event]:
        """Every event from the beginning, then each as it happens; the last is the end.

        Turns come in the order in which they were said. A debate that was stopped ends with a
        ``Failed`` as well. Whoever iterates listens: close it where you leave early
        (``contextlib.aclosing``), so that a debate without listeners is stopped.
        """
        with self._listening():
            at = 0
            while True:
                news = self._news
                while at < len(self._events):
                    at += 1
                    yield self._events[at - 1]
                if self.done:
                    return
                await news.wait()

    async def transcript(self) -> Transcript:
        """Wait for the end. Whoever waits listens.

        Raises:
            BudgetReached: the budget of the request or the client does not suffice.
            InputError: e.g. a cap on cost and a model without a price.
            StoreError: the store cannot be written.
            Stopped: it was stopped.
            Broken: a mistake in moot.
        """
        with self._listening():
            return await asyncio.shield(self._end)

    def stop(self, why: str = "it was stopped") -> None:
        """End it now; its calls in flight are given up, what was paid for is kept."""
        if not self.task.done() and not self._decided:  # else it is about to be kept
            self._why = why
            self.task.cancel()

    @property
    def _decided(self) -> bool:
        return bool(self._events) and isinstance(self._events[-1], Closed | Failed)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        self._listeners += 1
        if self._patience is not None:
            self._patience.cancel()
        try:
            yield
        finally:
            self._listeners -= 1
            self._left()

    def _left(self) -> None:
        """Stop it once nobody has listened for a while."""
        if self._listeners or self.done or self._linger is None:
            return
        if self._linger:
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(self._linger, self._alone)
        else:
            self._alone()

    def _alone(self) -> None:
        if not self._listeners and not self.done:
            self.stop("nobody listened any more")

    def _tell(self, event: Event) -> None:
        self._events.append(event)
        if isinstance(event, Turn):
            self.size += len(event.text)
        elif isinstance(event, Searched):
            self.size += len(event.query) + sum(len(each.text) for each in event.passages)
        elif isinstance(event, Opened):
            self.size += len(event.question.text) + len(event.question.context or "")
        self._news.set()
        self._news = asyncio.Event()

    def _ended(self, task: asyncio.Task[Transcript]) -> None:
        """Tell everyone who waits how it ended."""
        error = Stopped(self._why) if task.cancelled() else task.exception()
        how: Ended = "done"
        if error is None:
            how = "done" if task.result().verdict is not None else "failed"
            self._end.set_result(task.result())
        else:
            how = "stopped" if isinstance(error, Stopped) else "failed"
            if not isinstance(error, MootError):
                _log(self.run, error)
                error = Broken(f"moot failed ({type(error).__name__}); its log says where")
            error.__traceback__ = error.__context__ = None  # they hold the whole debate in memory
            self._end.set_exception(error)
            self._end.exception()  # nobody may be waiting, and that is fine
        if not self._decided:
            seconds = monotonic() - self.began
            self._tell(Failed(kind=type(error).__name__, reason=str(error), seconds=seconds))
        self._news.set()
        self._when_ended(self, how)


def _log(run: str, error: BaseException) -> None:
    """Say where it happened, and not the error's text: prompts and replies may stand in it."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in extract_tb(error.__traceback__)[-6:]]
    log.error("debate %s: %s at %s", run, type(error).__name__, ", ".join(places))

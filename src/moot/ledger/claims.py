"""Claims of calls: of the sessions that want the same call at the same time, one makes it.

A claim is a lock on a range of bytes of the store's lock file: where it lies says which call it is,
how long it is says whose. It ends with its holder, and nothing is written for it. It is taken
before a call is paid for and freed when the reply is durable, or when there will be none. Another
session that wants the call tries to take the claim again and again: when it gets it, the reply is
in the store, or it makes the call itself.

As long as a session has never seen another, it only remembers its claims: locks for hundreds of
calls in flight would cost it a sixth of its CPU time. A session that is not the first makes no call
until the first has noticed it, within some 20 ms, and has locked what it remembers. The first
notices it in a thread of its own, so also while its event loop is busy, but not while the process
is suspended: then the other waits, and says so.

A caller that waits for a claim holds nothing else: no place at an endpoint and no part of a budget.
So no two processes wait for each other.
"""

import asyncio
import logging
from collections import Counter
from threading import Event, Lock, Thread
from time import monotonic

from moot.core.errors import StoreError
from moot.ledger.locks import LockFile
from moot.ledger.sessions import Sessions

_BITS = 21
_SESSIONS = (1 << _BITS) - 1
"""Sessions that claims tell apart; ranges are shorter than their distance, so that none touch."""
_END = 1 << 62
"""Where the ranges of claims end."""
_SOONEST, _LATEST = 0.005, 1.0
_NOTICE = 0.02
"""Seconds between two looks at whether another session has come."""
_LONG = 60.0
"""Seconds after which it is said whose call is waited for."""

log = logging.getLogger("moot.ledger")


class Claims:
    """The claims of a store's own session, and its callers that wait for those of others.

    Args:
        sessions: of the store; its own has begun before anything is claimed.

    Attributes:
        waiting: calls that wait now, by the session that makes them; 0 where that is not known.
        shared: replies that were waited for and came from other sessions, by session.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._mine: set[int] = set()
        self.waiting: Counter[int] = Counter()
        self.shared: Counter[int] = Counter()
        self._said: set[int] = set()
        self._changing = Lock()
        self._locked = False
        """Whether claims are locks; else they are only remembered."""
        self.heard = False
        """Whether all other sessions have shown which calls they make."""
        self._length = 1
        self._closed = Event()
        self._watch: Thread | None = None

    def begin(self) -> None:
        """Begin to claim, once the own session has begun: silently, where it is the first."""
        own = self._sessions.own
        assert own is not None
        self._length = 1 + own.id % _SESSIONS
        self.heard = self._sessions.first
        self._locked = not self.heard
        if self._locked:
            return
        self._watch = Thread(target=self._notice, name="moot-claims", daemon=True)
        self._watch.start()

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        if self._watch is not None:
            self._watch.join()

    def _notice(self) -> None:
        """Lock what is claimed as soon as another session has come."""
        while not self._closed.wait(_NOTICE):
            if self._sessions.alone:
                continue
            try:
                self._lock_all()
            except StoreError as error:  # others wait meanwhile
                if 0 not in self._said:
                    self._said.add(0)
                    log.warning("%s; other processes wait until that has passed", error)
            else:
                return

    def _lock_all(self) -> None:
        """Show other sessions what is claimed, and let them begin."""
        with self._changing:
            if not self._locked:
                try:
                    for start in self._mine:
                        self._locks().take(start, self._length)
                except StoreError:
                    self._locks().free(0, _END)  # until the next attempt all are only remembered
                    raise
                self._locked = True
                self._sessions.speak()

    def take(self, identity: bytes) -> bool:
        """Claim a call; False where another session, or another caller in this one, has it."""
        start = _start(identity)
        with self._changing:
            if start in self._mine or (
                self._locked and not self._locks().take(start, self._length)
            ):
                return False
            self._mine.add(start)
        return True

    def free(self, identity: bytes) -> None:
        """Give a claim back; may be called in any thread."""
        start = _start(identity)
        with self._changing:
            if start in self._mine:
                self._mine.discard(start)
                if self._locked:
                    self._locks().free(start, self._length)

    async def hear(self) -> None:
        """Return when all other sessions have shown which calls they make."""
        began, pause = monotonic(), _SOONEST
        while self._sessions.others_silent:
            waited = monotonic() - began
            if waited > _LONG and 0 not in self._said:
                self._said.add(0)
                log.warning(
                    "%s has not told for %.0f s which calls it makes; it may be suspended: this "
                    "process makes none until it goes on, or ends",
                    self._oldest,
                    _LONG,
                )
            await asyncio.sleep(pause)
            pause = min(_LATEST, max(_SOONEST, waited / 3))
        self.heard = True

    async def wait(self, identity: bytes) -> int:
        """Claim a call as soon as whoever makes it has ended; return that session, 0 if unknown."""
        maker = self._maker(identity)
        self.waiting[maker] += 1
        began, pause = monotonic(), _SOONEST
        try:
            while True:
                await asyncio.sleep(pause)
                if self.take(identity):
                    return maker
                waited = monotonic() - began
                pause = min(_LATEST, max(_SOONEST, waited / 3))
                if waited > _LONG:
                    self._say(self._maker(identity))
        finally:
            self.waiting[maker] -= 1

    @property
    def _oldest(self) -> str:
        """The process of the session that has begun first, of those that live."""
        living = self._sessions.living()
        return living[-1].process if living else "another process"

    def _maker(self, identity: bytes) -> int:
        """The session that has claimed a call; 0 where it is not known."""
        start, own = _start(identity), self._sessions.own
        if start in self._mine and own is not None:
            return own.id
        length = self._locks().held(start)
        found = self._sessions.find_by_remainder(length - 1, _SESSIONS) if length else None
        return 0 if found is None else found.id

    def _say(self, maker: int) -> None:
        """Say once that a session has been waited for long."""
        if maker in self._said:
            return
        self._said.add(maker)
        session = self._sessions.get(maker)
        log.warning(
            "%s holds %d calls that this one has waited for longer than %.0f s; they go on when it "
            "does, or when it ends",
            "another process" if session is None else session.process,
            self.waiting[maker],
            _LONG,
        )

    def _locks(self) -> LockFile:
        locks = self._sessions.locks
        if locks is None:
            raise StoreError("the store was opened for reading only")
        return locks


def _start(identity: bytes) -> int:
    """Where the claim of a call lies."""
    return int.from_bytes(identity[:6], "big") >> 7 << _BITS

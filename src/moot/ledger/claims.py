"""Claims of calls: when several sessions want the same call, only one makes it.

A claim is a lock on a range of bytes of the store's lock file. Its position is the call, its length
is the session. Nothing is written for it, and it ends with its process. It is taken before a call
is paid for, and freed when the reply is durable or the call has failed. Another session that wants
the call tries to take the claim again and again. When it gets it, the reply is in the store, or it
makes the call itself.

A session that is alone keeps its claims in memory: locks for hundreds of calls in flight would cost
a sixth of its CPU time. A second session makes no call until the first has noticed it, within about
20 ms, and has locked its claims. The first notices it in a thread, so also while its event loop is
busy, but not while its process is suspended. The second then waits, and logs that it does.

A caller that waits for a claim holds no place at an endpoint and no part of a budget. So no two
processes wait for each other.
"""

import asyncio
import logging
from collections import Counter
from threading import Event, Lock, Thread
from time import monotonic

from moot.core.calls import Reply
from moot.core.errors import StoreError
from moot.core.stored import Session
from moot.ledger.locks import LockFile
from moot.ledger.lookup import Lookup
from moot.ledger.session_locks import SessionLocks
from moot.ledger.sessions import Sessions

_BITS = 21
_SESSIONS = (1 << _BITS) - 1
"""The number of sessions that claims tell apart. Ranges of different calls never touch."""
_END = 1 << 62
"""The end of all ranges of claims."""
_SOONEST, _LATEST = 0.005, 1.0
_NOTICE = 0.02
"""Seconds between two checks for another session."""
_LONG = 60.0
"""Seconds of waiting after which a warning names the other session."""

log = logging.getLogger("moot.ledger")


class Claims:
    """The claims of a store's own session.

    Args:
        sessions: the sessions of the store; its own has begun before the first claim.
        living: the locks of sessions.
        lookup: finds recorded replies.

    Attributes:
        waiting: the number of calls that wait now, by the session that makes them; 0 for unknown.
        shared: the number of replies from other sessions after waiting, by session.
        locked: whether claims are locks. While they are only in memory, no other session makes
            calls.
        others_known: whether all other sessions show their claims.
    """

    def __init__(self, sessions: Sessions, living: SessionLocks, lookup: Lookup) -> None:
        self._sessions, self._living, self._lookup = sessions, living, lookup
        self._mine: set[int] = set()
        self.waiting: Counter[int] = Counter()
        self.shared: Counter[int] = Counter()
        self._warned: set[int] = set()
        self._changing = Lock()
        self.locked = self.others_known = False
        self._length = 1
        self._closed = Event()
        self._watch: Thread | None = None

    def begin(self, own: Session) -> None:
        """Begin, once the own session has begun. The first session keeps its claims in memory."""
        self._length = 1 + own.id % _SESSIONS
        self.others_known = self._living.is_alone
        self.locked = not self.others_known
        if self.locked:
            # The first session, too, where another began at the same time.
            self._living.show_claims()
            return
        self._watch = Thread(target=self._notice, name="moot-claims", daemon=True)
        self._watch.start()

    def close(self) -> None:
        """Stop the thread that watches claims, and wait for its end."""
        self._closed.set()
        if self._watch is not None:
            self._watch.join()

    def _notice(self) -> None:
        """Wait for another session, and then lock all claims."""
        while not self._closed.wait(_NOTICE):
            try:
                if self._living.is_alone:
                    continue
                self._lock_all()
            except StoreError as error:  # the other sessions wait meanwhile
                self._warn(0, f"{error}; other processes wait until that has passed")
            else:
                return

    def _lock_all(self) -> None:
        """Lock all claims, and let other sessions begin."""
        with self._changing:
            if not self.locked:
                try:
                    for start in self._mine:
                        self._locks().take(start, self._length)
                except StoreError:
                    self._locks().free(
                        0, _END
                    )  # until the next attempt all claims are only in memory
                    raise
                self.locked = True
                self._living.show_claims()

    def take(self, identity: bytes) -> bool:
        """Claim a call; return False where another session or another caller of this one has it."""
        start = _start(identity)
        with self._changing:
            if start in self._mine or (self.locked and not self._locks().take(start, self._length)):
                return False
            self._mine.add(start)
        return True

    def free(self, identity: bytes) -> None:
        """Free a claim; may be called in any thread."""
        start = _start(identity)
        with self._changing:
            if start in self._mine:
                self._mine.discard(start)
                if self.locked:
                    self._locks().free(start, self._length)

    async def wait_for_others(self) -> None:
        """Wait, without a time limit, until every other live session shows which calls it makes.

        A long wait is logged once as a warning.
        """
        began = monotonic()
        while self._living.others_silent:
            waited = monotonic() - began
            if waited > _LONG:
                self._warn(
                    0,
                    f"{self._oldest} has not told for {_LONG:.0f} s which calls it makes; it may "
                    "be suspended: this process makes none until it goes on, or ends",
                )
            await _pause(waited)
        self.others_known = True

    async def obtain(self, identity: bytes) -> Reply | None:
        """Return the recorded reply of a call, or claim the call; see ``CallClaims``."""
        reply = await self._lookup.find(identity)
        if reply is not None:
            return reply
        maker = None
        if not self.take(identity):
            maker = await self._wait(identity)
        elif not self.locked:
            return None  # while claims are only in memory, no other session records a reply
        try:
            reply = await self._lookup.find(identity)
        except BaseException:
            self.free(identity)
            raise
        if reply is not None:
            self.free(identity)
            if maker is not None:
                self.shared[maker] += 1
        return reply

    async def _wait(self, identity: bytes) -> int | None:
        """Wait for the session that makes a call, then claim the call.

        Returns:
            The number of that session, 0 where it is unknown; None where it had ended the call
            before this one began to wait.
        """
        while (maker := self._find_maker(identity)) is None:
            if self.take(identity):
                return None
        self.waiting[maker] += 1
        began = monotonic()
        try:
            while True:
                waited = monotonic() - began
                await _pause(waited)
                if self.take(identity):
                    return maker
                if waited > _LONG:
                    self._warn_of(self._find_maker(identity) or 0)
        finally:
            self.waiting[maker] -= 1

    @property
    def _oldest(self) -> str:
        """The process of the oldest living session, in words."""
        living = self._sessions.list_living()
        return living[-1].process if living else "another process"

    def _find_maker(self, identity: bytes) -> int | None:
        """Return the number of the session that has claimed a call.

        Returns:
            0 where the number is unknown; None where no session has claimed it now.
        """
        start, own = _start(identity), self._sessions.own
        if start in self._mine and own is not None:
            return own.id
        length = self._locks().find_lock(start)
        if length is None:
            return None
        found = self._sessions.find_by_remainder(length - 1, _SESSIONS) if length else None
        return 0 if found is None else found.id

    def _warn_of(self, maker: int) -> None:
        """Log once that calls have waited long for a session."""
        session = self._sessions.get(maker)
        process = "another process" if session is None else session.process
        self._warn(
            maker,
            f"{process} holds {self.waiting[maker]} calls that this one has waited for longer "
            f"than {_LONG:.0f} s; they go on when it does, or when it ends",
        )

    def _warn(self, about: int, text: str) -> None:
        if about not in self._warned:
            self._warned.add(about)
            log.warning("%s", text)

    def _locks(self) -> LockFile:
        locks = self._living.file
        if locks is None:
            raise StoreError("the store was opened for reading only")
        return locks


def _start(identity: bytes) -> int:
    """Return the position of a call's claim in the lock file."""
    return int.from_bytes(identity[:6], "big") >> 7 << _BITS


async def _pause(waited: float) -> None:
    """Sleep longer, the longer a call has waited."""
    await asyncio.sleep(min(_LATEST, max(_SOONEST, waited / 3)))

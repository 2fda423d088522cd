"""The places for debates in progress, and the queue in front of them, in order of arrival."""

import asyncio
from collections import Counter, deque


class QueueFull(Exception):
    """All places are taken, and the queue is full."""


class DebatePlace:
    """The place of a debate, or its wait for one. Made by ``DebatePlaces.enter``.

    Attributes:
        client: the name of the debate's client.
        turn: is done when the debate has its place.
    """

    def __init__(self, client: str, queue: "deque[DebatePlace]") -> None:
        self.client = client
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue = queue

    @property
    def is_taken(self) -> bool:
        """Whether the debate has left the queue and may run. It stays true after the debate."""
        return self.turn.done() and not self.turn.cancelled()

    @property
    def ahead(self) -> int:
        """The number of debates that wait before this one; 0 if it does not wait."""
        return self._queue.index(self) if self in self._queue else 0


class DebatePlaces:
    """The places of a server.

    Args:
        debates: the number of places.
        client: the most places of one client; None for all.
        queue: the most debates that wait.
    """

    def __init__(self, debates: int, client: int | None, queue: int) -> None:
        self._debates, self._client, self._most = debates, client or debates, queue
        self._taken: Counter[str] = Counter()
        self._queue: deque[DebatePlace] = deque()

    @property
    def taken(self) -> int:
        """The number of places that are taken."""
        return self._taken.total()

    @property
    def waiting(self) -> int:
        """The number of debates in the queue."""
        return len(self._queue)

    def enter(self, client: str) -> DebatePlace:
        """Take a place, or one at the end of the queue. Raises ``QueueFull``."""
        place = DebatePlace(client, self._queue)
        if self._is_free(client):
            self._take(place)
        elif len(self._queue) < self._most:
            self._queue.append(place)
        else:
            raise QueueFull
        return place

    def leave(self, place: DebatePlace) -> None:
        """Give up a place, or the wait for one; the first in the queue that may take it does."""
        if place.is_taken:
            self._taken[place.client] -= 1
        else:
            self._queue.remove(place)
        for waiting in list(self._queue):
            if self._is_free(waiting.client) and not waiting.turn.done():  # cancelled ones leave
                self._queue.remove(waiting)
                self._take(waiting)

    def _is_free(self, client: str) -> bool:
        return self.taken < self._debates and self._taken[client] < self._client

    def _take(self, place: DebatePlace) -> None:
        self._taken[place.client] += 1
        place.turn.set_result(None)

"""A debate as a stream: what its agents say while they say it, then the answer."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import msgspec
from msgspec import UNSET, UnsetType
from starlette.types import Receive, Scope, Send

from moot.core.errors import MootError
from moot.core.events import Searched, Turn
from moot.server.chat import reply
from moot.server.chat.errors import Refused, failed, refused
from moot.server.chat.request import REPLICATE, Asked
from moot.server.chat.wire import Along, Chunk, Delta, Details, Piece, Turned, Usage
from moot.server.held import LiveDebate

QUIET = 10.0
"""Seconds without a word after which a comment shows that the server is still there."""
ALIVE = b": the debate goes on\n\n"
DONE = b"data: [DONE]\n\n"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy in between is to pass on every event at once
]

_encode = msgspec.json.Encoder().encode
_News = tuple[int, Turn | Searched | None]


class Stream:
    """Server-sent events of all debates of one request; a client that goes away stops them.

    Args:
        head: stands on every chunk.
        asked: the request.
        debates: under way, one for each choice.
    """

    def __init__(self, head: reply.Head, asked: Asked, debates: Sequence[LiveDebate]) -> None:
        self._head, self._asked, self._debates = head, asked, debates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send it all, or as much as the client waits for."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            ends = await asyncio.gather(sending, leaving, return_exceptions=True)
            for debate in self._debates:
                debate.stop("its client went away")
        if isinstance(ends[0], Exception) and not isinstance(ends[0], OSError):
            raise ends[0]

    async def _send(self, send: Send) -> None:
        which = (REPLICATE.encode(), numbers(self._debates).encode())
        headers = [*HEADERS, which]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for part in self._parts():
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _parts(self) -> AsyncIterator[bytes]:
        """The events, encoded."""
        opening = [
            self._chunk([Piece(index=index, delta=Delta(role="assistant", content=""))])
            for index in range(len(self._debates))
        ]
        yield b"".join(opening)
        try:
            async for index, event in self._turns():
                if event is None:
                    yield ALIVE
                    continue
                delta = Delta(reasoning_content=reply.told(event))
                if isinstance(event, Searched):
                    yield self._chunk([Piece(index=index, delta=delta)])
                    continue
                about = msgspec.convert(event, Turned, from_attributes=True)
                yield self._chunk([Piece(index=index, delta=delta, moot=Along(turn=about))])
            for part in await self._ends():
                yield part
        except Refused as error:
            yield b"data: " + error.encoded() + b"\n\n"
        except MootError as error:
            yield b"data: " + refused(error).encoded() + b"\n\n"
        yield DONE

    async def _turns(self) -> AsyncIterator[_News]:
        """Each turn and search with the number of its choice; None where there was none lately."""
        news: asyncio.Queue[_News | None] = asyncio.Queue()
        listening = [
            asyncio.create_task(_listen(index, debate, news))
            for index, debate in enumerate(self._debates)
        ]
        going = len(listening)
        try:
            while going:
                try:
                    async with asyncio.timeout(QUIET):
                        item = await news.get()
                except TimeoutError:
                    yield 0, None
                    continue
                if item is None:
                    going -= 1
                else:
                    yield item
        finally:
            for task in listening:
                task.cancel()
            await asyncio.gather(*listening, return_exceptions=True)

    async def _ends(self) -> list[bytes]:
        """The answers, how they ended, and what all took. Raises ``Refused`` for a failed one."""
        transcripts = [await debate.transcript() for debate in self._debates]
        for transcript in transcripts:
            if transcript.failed is not None:
                raise failed(transcript.failed)
        parts = []
        whole = reply.details(transcripts, self._debates[0].run)
        for index, transcript in enumerate(transcripts):
            text, refusal, finish = reply.said(self._asked, transcript)
            delta = Delta(refusal=refusal or "") if text is None else Delta(content=text)
            parts.append(self._chunk([Piece(index=index, delta=delta)]))
            came = Along(debate=reply.debated(transcript))
            last = Piece(index=index, delta=Delta(), finish_reason=finish, moot=came)
            parts.append(self._chunk([last], whole if index == len(transcripts) - 1 else UNSET))
        if self._asked.usage:
            parts.append(self._chunk([], usage=reply.usage(transcripts)))
        return parts

    def _chunk(
        self,
        pieces: list[Piece],
        moot: Details | UnsetType = UNSET,
        usage: Usage | None = None,
    ) -> bytes:
        head, tells = self._head, self._asked.usage
        chunk = Chunk(
            id=head.id,
            created=head.created,
            model=head.model,
            choices=pieces,
            usage=usage if tells else UNSET,
            moot=moot,
        )
        return b"data: " + _encode(chunk) + b"\n\n"


async def _listen(index: int, debate: LiveDebate, news: "asyncio.Queue[_News | None]") -> None:
    """Pass on what is said in one debate, then that it has ended."""
    async with aclosing(debate.events()) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, Turn | Searched):
                news.put_nowait((index, event))
    news.put_nowait(None)


def numbers(debates: Sequence[LiveDebate]) -> str:
    """The header that says which replicate each choice is, so that it can be asked for again."""
    return ", ".join(str(debate.replicate) for debate in debates)


async def left(receive: Receive) -> None:
    """Return once the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass

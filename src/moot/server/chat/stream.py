"""A debate as a stream: what its agents say as they say it, then the answer."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

import msgspec
from msgspec import UNSET, UnsetType

from moot.core.errors import MootError
from moot.core.events import Searched, Turn
from moot.server.chat import reply
from moot.server.chat.chat_json import (
    Chunk,
    ChunkChoice,
    ChunkExtension,
    Completion,
    CompletionExtension,
    Delta,
    TokenUsage,
    TurnBody,
)
from moot.server.chat.reply import ReplyHead
from moot.server.chat.request import ChatRequest
from moot.server.http_errors import HttpRefusal, refusal_from
from moot.server.live_debate import LiveDebate

QUIET = 10.0
"""Seconds without an event after which a comment shows that the connection is alive."""
ALIVE = b": the debate goes on\n\n"
DONE = b"data: [DONE]\n\n"

_encode = msgspec.json.Encoder().encode
_News = tuple[int, Turn | Searched | None]


async def stream(
    head: ReplyHead, asked: ChatRequest, debates: Sequence[LiveDebate]
) -> AsyncGenerator[bytes]:
    """Yield the server-sent events of all debates of a request.

    Args:
        head: the fields that every chunk has.
        asked: the request.
        debates: in progress, one for each choice.
    """
    try:
        first = Delta(role="assistant", content="")
        for index in range(len(debates)):
            yield _encode_chunk(head, asked, ChunkChoice(index=index, delta=first))
        async with aclosing(_turns(debates)) as turns:
            async for index, event in turns:
                if event is None:
                    yield ALIVE
                    continue
                piece = ChunkChoice(
                    index=index, delta=Delta(reasoning_content=reply.describe(event))
                )
                if isinstance(event, Turn):
                    turn = msgspec.convert(event, TurnBody, from_attributes=True)
                    piece = msgspec.structs.replace(piece, moot=ChunkExtension(turn=turn))
                yield _encode_chunk(head, asked, piece)
        transcripts = [await debate.transcript() for debate in debates]
        for part in _endings(
            head, reply.build_completion(head, asked, transcripts, debates[0].run), asked
        ):
            yield part
    except (HttpRefusal, MootError) as error:
        refusal = error if isinstance(error, HttpRefusal) else refusal_from(error)
        yield b"data: " + refusal.encode() + b"\n\n"
    yield DONE


async def _turns(debates: Sequence[LiveDebate]) -> AsyncGenerator[_News]:
    """Yield each turn and search with the index of its choice; None after a quiet time."""
    news: asyncio.Queue[_News | None] = asyncio.Queue()

    async def listen(index: int, debate: LiveDebate) -> None:
        async with aclosing(debate.events()) as events:
            async for event in events:
                if isinstance(event, Turn | Searched):
                    news.put_nowait((index, event))
        news.put_nowait(None)

    listening = [asyncio.create_task(listen(*each)) for each in enumerate(debates)]
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


def _endings(head: ReplyHead, whole: Completion, asked: ChatRequest) -> Iterator[bytes]:
    """Yield the chunks with the answers, how each debate ended, and the totals of all."""
    for choice in whole.choices:
        message = choice.message
        delta = Delta(refusal=message.refusal or "")
        if message.content is not None:
            delta = Delta(content=message.content)
        yield _encode_chunk(head, asked, ChunkChoice(index=choice.index, delta=delta))
        end = ChunkChoice(
            index=choice.index,
            delta=Delta(),
            finish_reason=choice.finish_reason,
            moot=ChunkExtension(debate=choice.moot),
        )
        last = choice is whole.choices[-1]
        yield _encode_chunk(head, asked, end, moot=whole.moot if last else UNSET)
    if asked.usage:
        yield _encode_chunk(head, asked, usage=whole.usage)


def _encode_chunk(
    head: ReplyHead,
    asked: ChatRequest,
    *pieces: ChunkChoice,
    moot: CompletionExtension | UnsetType = UNSET,
    usage: TokenUsage | None = None,
) -> bytes:
    chunk = Chunk(
        **head._asdict(),
        choices=list(pieces),
        usage=usage if asked.usage else UNSET,
        moot=moot,
    )
    return b"data: " + _encode(chunk) + b"\n\n"

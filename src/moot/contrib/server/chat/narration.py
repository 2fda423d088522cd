"""What a stream tells of the debates of a request, in any form of events."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import NamedTuple

from moot import Turn
from moot.contrib.server.chat.closing_words import ClosingWords, find_closing
from moot.contrib.server.chat.request import ChatRequest
from moot.contrib.server.live_debate import LiveDebate
from moot.extend.records import Noted, ReplyPiece, Searched, describe_event

QUEUED = 64
"""The most items of a stream that wait for its client; pieces that come later are joined."""

Happening = Turn | Searched | Noted | ReplyPiece
"""What happens in a debate while it is streamed."""


class Narrated(NamedTuple):
    """What a stream adds to one choice.

    Attributes:
        choice: its index.
        content: words of the answer.
        reasoning: words of the debate before the answer.
        turn: the turn that the words are from, if it is over.
        piece: a piece of a reply under way, where the request asks for them.
    """

    choice: int
    content: str = ""
    reasoning: str = ""
    turn: Turn | None = None
    piece: ReplyPiece | None = None


def describe(event: Turn | Searched | Noted) -> str:
    """Return a part of the reasoning: a message with its agent and round, or a search."""
    if isinstance(event, Turn):
        text = describe_event(event)
        return f"{event.agent}, round {event.round}:\n{text}\n\n"
    if isinstance(event, Noted):
        return f"{describe_event(event).capitalize()}\n\n"
    queries = "; ".join(event.query.split("\n"))
    passages = "\n".join(f"[{each.number}] {each.source}: {each.text}" for each in event.passages)
    return f"Looked up in the documents: {queries}\n{passages or 'Nothing was found.'}\n\n"


def prepare_closing(asked: ChatRequest, debates: Sequence[LiveDebate]) -> list[ClosingWords]:
    """Return for each choice what finds the words of its answer that can be sent ahead.

    None can where the request cuts or forms the answer: its text is not a reply's then.
    """
    formed = bool(asked.stop or asked.form.is_json)
    return [ClosingWords("" if formed else find_closing(each.plan)) for each in debates]


async def narrate(
    asked: ChatRequest, debates: Sequence[LiveDebate], closing: Sequence[ClosingWords]
) -> AsyncGenerator[Narrated]:
    """Yield what happens in the debates of a request until all have ended.

    Args:
        asked: the request.
        debates: in progress, one for each choice.
        closing: finds the words of each answer.
    """
    async with aclosing(_follow_all(debates)) as happenings:
        async for index, said in happenings:
            if not isinstance(said, ReplyPiece):
                is_content = isinstance(said, Turn) and closing[index].closes(said)
                told = "" if is_content else describe(said)
                turn = said if isinstance(said, Turn) else None
                yield Narrated(index, reasoning=told, turn=turn)
                continue
            words = closing[index].take(said)
            piece = said if asked.pieces and said.kind != "thought" else None
            if words or piece:
                yield Narrated(index, content=words, piece=piece)


async def _follow_all(debates: Sequence[LiveDebate]) -> AsyncGenerator[tuple[int, Happening]]:
    """Yield what happens in all debates as it happens, with the index of its choice."""
    news: asyncio.Queue[tuple[int, Happening] | None] = asyncio.Queue(QUEUED)

    async def listen(index: int, debate: LiveDebate) -> None:
        seen = 0
        async with aclosing(debate.follow()) as followed:
            async for events, pieces in followed:
                for event in events[seen:]:
                    if isinstance(event, Turn | Searched | Noted):
                        await news.put((index, event))
                seen = len(events)
                for piece in pieces:
                    await news.put((index, piece))
        await news.put(None)

    listening = [asyncio.create_task(listen(*each)) for each in enumerate(debates)]
    try:
        for _ in listening:
            while (item := await news.get()) is not None:
                yield item
    finally:
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)

"""The answer to a request, whole or as a stream: texts, verdicts, calls and costs."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from moot.core.errors import MootError
from moot.core.events import Closed, Failed, Noted, Searched, Transcript, Turn
from moot.debate.dissents import list_dissents
from moot.reports.transcript import describe_between, explain_empty
from moot.server.chat import chat_json
from moot.server.chat.chat_json import ChunkChoice, ChunkExtension, Delta
from moot.server.chat.form import is_whole_reply, write_content
from moot.server.chat.request import ChatRequest
from moot.server.event_stream import encode_event
from moot.server.http_errors import refusal_from, refusal_of
from moot.server.live_debate import LiveDebate

FINISHES: dict[str, chat_json.FinishReason] = {"length": "length", "filter": "content_filter"}
DONE = b"data: [DONE]\n\n"


class ReplyHead(NamedTuple):
    """The fields that everything sent for one request has."""

    id: str
    created: int
    model: str


def describe(event: Turn | Searched | Noted) -> str:
    """Return a part of the reasoning: a message with its agent and round, or a search."""
    if isinstance(event, Turn):
        text = event.text.strip() or explain_empty(event)
        return f"{event.agent}, round {event.round}:\n{text}\n\n"
    if isinstance(event, Noted):
        return f"{describe_between(event).capitalize()}\n\n"
    queries = "; ".join(event.query.split("\n"))
    passages = "\n".join(f"[{each.number}] {each.source}: {each.text}" for each in event.passages)
    return f"Looked up in the documents: {queries}\n{passages or 'Nothing was found.'}\n\n"


def stop_all(debates: Iterable[LiveDebate]) -> None:
    """Stop the debates of a request whose answer was sent, or whose client disconnected."""
    for debate in debates:
        debate.stop("its client went away")


async def stream(
    head: ReplyHead, asked: ChatRequest, debates: Sequence[LiveDebate]
) -> AsyncGenerator[bytes]:
    """Yield the server-sent events of all debates of a request.

    Args:
        head: the fields that every chunk has.
        asked: the request.
        debates: in progress, one for each choice.
    """
    usage = None if asked.usage else UNSET

    def encode(*pieces: ChunkChoice, **more: Any) -> bytes:  # noqa: ANN401 -- fields of a chunk
        fields = {"usage": usage, **more}
        return encode_event(chat_json.Chunk(**head._asdict(), choices=list(pieces), **fields))

    try:
        for index in range(len(debates)):
            yield encode(ChunkChoice(index=index, delta=Delta(role="assistant", content="")))
        async with aclosing(_listen(debates)) as events:
            async for index, event in events:
                piece = ChunkChoice(index=index, delta=Delta(reasoning_content=describe(event)))
                if isinstance(event, Turn):
                    turn = msgspec.convert(event, chat_json.TurnBody, from_attributes=True)
                    piece = msgspec.structs.replace(piece, moot=ChunkExtension(turn=turn))
                yield encode(piece)
        transcripts = [await debate.transcript() for debate in debates]
        whole = build_completion(head, asked, transcripts, debates[0].run)
        for choice in whole.choices:
            said = choice.message
            delta = Delta(refusal=said.refusal or "")
            if said.content is not None:
                delta = Delta(content=said.content)
            yield encode(ChunkChoice(index=choice.index, delta=delta))
            end = ChunkChoice(
                index=choice.index,
                delta=Delta(),
                finish_reason=choice.finish_reason,
                moot=ChunkExtension(debate=choice.moot),
            )
            yield encode(end, moot=whole.moot if choice is whole.choices[-1] else UNSET)
        if asked.usage:
            yield encode(usage=whole.usage)
    except MootError as error:
        yield b"data: %b\n\n" % refusal_from(error).encode()
    yield DONE


async def _listen(
    debates: Sequence[LiveDebate],
) -> AsyncGenerator[tuple[int, Turn | Searched | Noted]]:
    """Yield each turn and search of all debates as it happens, with the index of its choice."""
    news: asyncio.Queue[tuple[int, Turn | Searched | Noted] | None] = asyncio.Queue()

    async def listen(index: int, debate: LiveDebate) -> None:
        async with aclosing(debate.events()) as events:
            async for event in events:
                if isinstance(event, Turn | Searched | Noted):
                    news.put_nowait((index, event))
        news.put_nowait(None)

    listening = [asyncio.create_task(listen(*each)) for each in enumerate(debates)]
    try:
        for _ in listening:
            while (item := await news.get()) is not None:
                yield item
    finally:
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


def build_completion(
    head: ReplyHead, asked: ChatRequest, transcripts: Sequence[Transcript], run: str
) -> chat_json.Completion:
    """Return the whole answer to a request. Raises ``HttpRefusal`` if one of its debates failed."""
    choices = [_choice(at, asked, transcript) for at, transcript in enumerate(transcripts)]
    opened = transcripts[0].opened
    return chat_json.Completion(
        **head._asdict(),
        choices=choices,
        usage=count_usage(transcripts),
        moot=chat_json.CompletionExtension(
            run=run,
            protocol=opened.protocol,
            kind=opened.question.kind,
            simulated=opened.simulated,
            verdict=choices[0].moot.verdict,
            **_add_up(transcripts),
        ),
    )


def _choice(index: int, asked: ChatRequest, transcript: Transcript) -> chat_json.CompletionChoice:
    if transcript.failed is not None:
        raise refusal_of(transcript.failed)
    parts = [describe(e) for e in transcript.events if isinstance(e, Turn | Searched | Noted)]
    text, refusal = write_content(asked.form, transcript)
    if text is not None and not asked.form.fields:
        text = cut_at(text, asked.stop)
    return chat_json.CompletionChoice(
        index=index,
        message=chat_json.ReplyMessage(
            content=text, reasoning_content="".join(parts).rstrip(), refusal=refusal
        ),
        finish_reason=_finish(transcript),
        moot=chat_json.DebateBody(
            replicate=transcript.opened.replicate,
            dissents=list_dissents(transcript),
            verdict=msgspec.convert(
                transcript.verdict, chat_json.VerdictBody, from_attributes=True
            ),
            **_add_up([transcript]),
        ),
    )


def _finish(transcript: Transcript) -> chat_json.FinishReason:
    """Return why a choice ended: the reason of the deciding message if that is the answer."""
    decided, verdict = transcript.deciding, transcript.verdict
    if verdict is not None and verdict.answer is not None and not is_whole_reply(transcript):
        return "stop"
    return FINISHES.get(decided.finish if decided else "stop", "stop")


def cut_at(text: str, stop: Iterable[str]) -> str:
    """Return a text up to the first of these texts."""
    places = [at for each in stop if (at := text.find(each)) >= 0]
    return text[: min(places)] if places else text


def count_usage(transcripts: Iterable[Transcript]) -> chat_json.TokenUsage:
    """Return the tokens of all calls of all debates.

    Prompts of replayed calls count as served from a cache. Replies of replayed calls do not count:
    no model has written them this time.
    """
    turns = [turn for transcript in transcripts for turn in transcript.turns]
    paid = [turn for turn in turns if not turn.replayed]
    prompt = sum(turn.prompt_tokens or 0 for turn in turns)
    completion = sum(turn.completion_tokens or 0 for turn in paid)
    replayed = prompt - sum(turn.prompt_tokens or 0 for turn in paid)
    return chat_json.TokenUsage(
        prompt,
        completion,
        prompt + completion,
        chat_json.CachedTokens(replayed + sum(turn.cached_tokens for turn in paid)),
        chat_json.ReasoningTokens(sum(turn.reasoning_tokens or 0 for turn in paid)),
    )


def _add_up(transcripts: Sequence[Transcript]) -> dict[str, Any]:
    """Return the fields of ``DebateTotals`` with the calls, the costs and the time of debates."""
    turns = [turn for transcript in transcripts for turn in transcript.turns]
    costs = [turn.cost for turn in turns]
    spent = [0.0 if turn.replayed else turn.cost for turn in turns]
    ends = [each.events[-1] for each in transcripts]
    return {
        "calls": len(turns),
        "replayed": sum(turn.replayed for turn in turns),
        "cost": None if None in costs else sum(filter(None, costs)),
        "spent": None if None in spent else sum(filter(None, spent)),
        "seconds": max(end.seconds for end in ends if isinstance(end, Closed | Failed)),
    }

"""The answer to a request, whole or as a stream: texts, verdicts, calls and costs."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from moot import MootError, Reply, Transcript, Turn, Verdict
from moot.contrib.server.chat import chat_json
from moot.contrib.server.chat.chat_json import ChunkChoice, ChunkExtension, Delta
from moot.contrib.server.chat.closing_words import ClosingWords
from moot.contrib.server.chat.fill_schema import FilledSchema, fill_schema
from moot.contrib.server.chat.form import fit_answer, is_whole_reply, write_content
from moot.contrib.server.chat.narration import Narrated, describe, narrate, prepare_closing
from moot.contrib.server.chat.request import ChatRequest
from moot.contrib.server.event_stream import encode_event
from moot.contrib.server.http_errors import refusal_from, refusal_of
from moot.contrib.server.live_debate import LiveDebate
from moot.extend.records import (
    Closed,
    Failed,
    Noted,
    Searched,
    ToolCall,
    Unread,
    list_dissents,
    list_unread,
    tell_by,
)
from moot.extend.studies import Lab

FINISHES: dict[str, chat_json.FinishReason] = {"length": "length", "filter": "content_filter"}
DONE = b"data: [DONE]\n\n"


class ReplyHead(NamedTuple):
    """The fields that everything sent for one request has."""

    id: str
    created: int
    model: str


def stop_all(debates: Iterable[LiveDebate]) -> None:
    """Stop the debates of a request whose answer was sent, or whose client disconnected."""
    for debate in debates:
        debate.stop("its client went away")


class DebateOutcome(NamedTuple):
    """How the debate behind a choice came out.

    Attributes:
        transcript: of the debate.
        filled: its verdict in the client's JSON schema; None where none was asked for.
    """

    transcript: Transcript
    filled: FilledSchema | None = None

    @property
    def calls(self) -> Sequence[Turn | Reply]:
        """All calls, those after the debate included."""
        return (*self.transcript.turns, *(self.filled.replies if self.filled else ()))


async def conclude(asked: ChatRequest, debate: LiveDebate, lab: Lab) -> DebateOutcome:
    """Wait for the end of a debate, and put its verdict into the schema of the request."""
    transcript = await debate.transcript()
    if transcript.failed is not None:
        raise refusal_of(transcript.failed)
    verdict = transcript.verdict
    if asked.form.schema is None or verdict is None or not verdict.answer:
        return DebateOutcome(transcript)
    if list_tool_calls(transcript):  # they are the answer
        return DebateOutcome(transcript)
    known: dict[str, Any] = {}
    if asked.form.kind is not None:
        known["answer"], why = fit_answer(asked.form, transcript.question, verdict.answer)
        if why:
            return DebateOutcome(transcript, FilledSchema(None, why))
    schema = dict(asked.form.schema)
    return DebateOutcome(transcript, await fill_schema(debate, lab, transcript, schema, known))


async def stream(
    head: ReplyHead, asked: ChatRequest, debates: Sequence[LiveDebate], lab: Lab
) -> AsyncGenerator[bytes]:
    """Yield the server-sent events of all debates of a request.

    Args:
        head: the fields that every chunk has.
        asked: the request.
        debates: in progress, one for each choice.
        lab: where the models are.
    """
    usage = None if asked.usage else UNSET
    closing = prepare_closing(asked, debates)

    def encode(*pieces: ChunkChoice, **more: Any) -> bytes:  # noqa: ANN401 -- fields of a chunk
        fields = {"usage": usage, **more}
        return encode_event(chat_json.Chunk(**head._asdict(), choices=list(pieces), **fields))

    try:
        for index in range(len(debates)):
            yield encode(ChunkChoice(index=index, delta=Delta(role="assistant", content="")))
        async with aclosing(narrate(asked, debates, closing)) as parts:
            async for part in parts:
                yield encode(_chunk_of(part))
        outcomes = [await conclude(asked, debate, lab) for debate in debates]
        whole = build_completion(head, asked, outcomes, debates)
        for choice, words in zip(whole.choices, closing, strict=True):
            if delta := _rest_of(choice, words):
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


def _chunk_of(part: Narrated) -> ChunkChoice:
    """Return the part of a chunk that tells what happened."""
    delta = Delta(
        content=part.content or UNSET,
        reasoning_content=part.reasoning or UNSET,
    )
    more: dict[str, Any] = {}
    if part.turn is not None:
        more["turn"] = msgspec.convert(part.turn, chat_json.TurnBody, from_attributes=True)
    if part.piece is not None:
        more["piece"] = part.piece
    return ChunkChoice(
        index=part.choice, delta=delta, moot=ChunkExtension(**more) if more else UNSET
    )


def _rest_of(choice: chat_json.CompletionChoice, words: ClosingWords) -> Delta | None:
    """Return the part of a choice's message that was not sent when its debate ended, or None."""
    said = choice.message
    rest, calls = words.finish(said.content or ""), said.tool_calls or ()
    if not (rest or said.refusal or calls):
        return None
    told = tuple(
        chat_json.ToolCallDelta(index=at, id=each.id, function=each.function)
        for at, each in enumerate(calls)
    )
    return Delta(content=rest or UNSET, refusal=said.refusal or UNSET, tool_calls=told or UNSET)


def build_completion(
    head: ReplyHead,
    asked: ChatRequest,
    outcomes: Sequence[DebateOutcome],
    debates: Sequence[LiveDebate],
) -> chat_json.Completion:
    """Return the whole answer to a request."""
    closing = prepare_closing(asked, debates)
    choices = [
        _choice(at, asked, *each) for at, each in enumerate(zip(outcomes, closing, strict=True))
    ]
    transcripts = [each.transcript for each in outcomes]
    opened = transcripts[0].opened
    return chat_json.Completion(
        **head._asdict(),
        choices=choices,
        usage=count_usage(outcomes),
        moot=chat_json.CompletionExtension(
            run=debates[0].run,
            protocol=opened.protocol,
            kind=opened.question.kind,
            simulated=opened.simulated,
            verdict=choices[0].moot.verdict,
            **_add_up(outcomes),
        ),
    )


def _choice(
    index: int, asked: ChatRequest, outcome: DebateOutcome, closing: ClosingWords
) -> chat_json.CompletionChoice:
    transcript = outcome.transcript
    told = [each for each in transcript.events if isinstance(each, Turn | Searched | Noted)]
    parts = [describe(e) for e in told if not (isinstance(e, Turn) and closing.closes(e))]
    text, refusal = write_content(asked.form, transcript, outcome.filled)
    if text is not None and not asked.form.is_json:
        text = cut_at(text, asked.stop)
    unread = list_unread(transcript)
    return chat_json.CompletionChoice(
        index=index,
        message=chat_json.ReplyMessage(
            content=text,
            reasoning_content="".join(parts).rstrip(),
            refusal=refusal,
            tool_calls=list_tool_calls(transcript) or UNSET,
        ),
        finish_reason=_finish(transcript),
        moot=chat_json.DebateBody(
            replicate=transcript.opened.replicate,
            dissents=list_dissents(transcript),
            unread=unread,
            verdict=_tell_verdict(transcript.verdict, unread),
            **_add_up([outcome]),
        ),
    )


def _tell_verdict(
    verdict: Verdict | None, unread: Sequence[Unread]
) -> chat_json.VerdictBody | None:
    if verdict is None:
        return None
    by = tell_by(verdict, unread)
    return chat_json.VerdictBody(verdict.answer, by, verdict.turn, verdict.votes)


def _finish(transcript: Transcript) -> chat_json.FinishReason:
    """Return why a choice ended: the reason of the deciding message if that is the answer."""
    decided, verdict = transcript.deciding, transcript.verdict
    if decided is not None and decided.tool_calls:
        return "tool_calls"
    if verdict is not None and verdict.answer is not None and not is_whole_reply(transcript):
        return "stop"
    return FINISHES.get(decided.finish if decided else "stop", "stop")


def list_tool_calls(transcript: Transcript) -> tuple[ToolCall, ...]:
    """Return the client's tools that the deciding message wants called."""
    decided = transcript.deciding
    return decided.tool_calls if decided is not None else ()


def cut_at(text: str, stop: Iterable[str]) -> str:
    """Return a text up to the first of these texts."""
    places = [at for each in stop if (at := text.find(each)) >= 0]
    return text[: min(places)] if places else text


def count_usage(outcomes: Iterable[DebateOutcome]) -> chat_json.ChatUsage:
    """Return the tokens of all calls of all debates.

    Prompts of replayed calls count as served from a cache. Replies of replayed calls do not count:
    no model has written them this time.
    """
    turns = [call for outcome in outcomes for call in outcome.calls]
    paid = [turn for turn in turns if not turn.replayed]
    prompt = sum(turn.prompt_tokens or 0 for turn in turns)
    completion = sum(turn.completion_tokens or 0 for turn in paid)
    replayed = prompt - sum(turn.prompt_tokens or 0 for turn in paid)
    return chat_json.ChatUsage(
        prompt,
        completion,
        prompt + completion,
        chat_json.CachedTokens(replayed + sum(turn.cached_tokens for turn in paid)),
        chat_json.ReasoningTokens(sum(turn.reasoning_tokens or 0 for turn in paid)),
    )


def _add_up(outcomes: Sequence[DebateOutcome]) -> dict[str, Any]:
    """Return the fields of ``DebateTotals`` with the calls, the costs and the time of debates."""
    turns = [call for outcome in outcomes for call in outcome.calls]
    costs = [turn.cost for turn in turns]
    spent = [0.0 if turn.replayed else turn.cost for turn in turns]
    ends = [each.transcript.events[-1] for each in outcomes]
    return {
        "calls": len(turns),
        "replayed": sum(turn.replayed for turn in turns),
        "cost": None if None in costs else sum(filter(None, costs)),
        "spent": None if None in spent else sum(filter(None, spent)),
        "seconds": max(end.seconds for end in ends if isinstance(end, Closed | Failed)),
    }

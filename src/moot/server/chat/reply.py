"""The end of a debate as a completion: its text, its verdict, its calls and costs."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from moot.core.events import Closed, Failed, Searched, Transcript, Turn
from moot.reports.transcript import explain_empty
from moot.server.chat import chat_json
from moot.server.chat.form import is_whole_reply, write_content
from moot.server.chat.request import ChatRequest
from moot.server.http_errors import refusal_of
from moot.server.live_debate import LiveDebate

FINISHES: dict[str, chat_json.FinishReason] = {"length": "length", "filter": "content_filter"}


class ReplyHead(NamedTuple):
    """The fields that everything sent for one request has."""

    id: str
    created: int
    model: str


def describe(event: Turn | Searched) -> str:
    """Return a part of the reasoning: a message with its agent and round, or a search."""
    if isinstance(event, Turn):
        text = event.text.strip() or explain_empty(event)
        return f"{event.agent}, round {event.round}:\n{text}\n\n"
    queries = "; ".join(event.query.split("\n"))
    passages = "\n".join(f"[{each.number}] {each.source}: {each.text}" for each in event.passages)
    return f"Looked up in the documents: {queries}\n{passages or 'Nothing was found.'}\n\n"


def stop_all(debates: Iterable[LiveDebate]) -> None:
    """Stop the debates of a request whose answer was sent, or whose client disconnected."""
    for debate in debates:
        debate.stop("its client went away")


def build_completion(
    head: ReplyHead, asked: ChatRequest, transcripts: Sequence[Transcript], run: str
) -> chat_json.Completion:
    """Return the whole answer to a request. Raises ``HttpRefusal`` if one of its debates failed."""
    choices = []
    for index, transcript in enumerate(transcripts):
        if transcript.failed is not None:
            raise refusal_of(transcript.failed)
        parts = [describe(e) for e in transcript.events if isinstance(e, Turn | Searched)]
        text, refusal = write_content(asked.form, transcript)
        if text is not None and not asked.form.fields:
            text = cut_at(text, asked.stop)
        choices.append(
            chat_json.CompletionChoice(
                index=index,
                message=chat_json.ReplyMessage(
                    content=text, reasoning_content="".join(parts).rstrip(), refusal=refusal
                ),
                finish_reason=_finish(transcript),
                moot=summarise(transcript),
            )
        )
    return chat_json.Completion(
        **head._asdict(),
        choices=choices,
        usage=count_usage(transcripts),
        moot=_sum_up(transcripts[0], [choice.moot for choice in choices], run),
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
    prompt = completion = cached = thought = 0
    for transcript in transcripts:
        for turn in transcript.turns:
            read = turn.prompt_tokens or 0
            prompt += read
            completion += 0 if turn.replayed else turn.completion_tokens or 0
            thought += 0 if turn.replayed else turn.reasoning_tokens or 0
            cached += read if turn.replayed else turn.cached_tokens
    return chat_json.TokenUsage(
        prompt,
        completion,
        prompt + completion,
        chat_json.CachedTokens(cached),
        chat_json.ReasoningTokens(thought),
    )


def summarise(transcript: Transcript) -> chat_json.DebateBody:
    """Return the verdict of one debate, its calls, costs and time."""
    turns, end, verdict = transcript.turns, transcript.events[-1], transcript.verdict
    assert isinstance(end, Closed | Failed)
    return chat_json.DebateBody(
        replicate=transcript.opened.replicate,
        verdict=None
        if verdict is None
        else msgspec.convert(verdict, chat_json.VerdictBody, from_attributes=True),
        calls=len(turns),
        replayed=sum(turn.replayed for turn in turns),
        cost=_add([turn.cost for turn in turns]),
        spent=_add([0.0 if turn.replayed else turn.cost for turn in turns]),
        seconds=end.seconds,
        failed=f"{end.kind}: {end.reason}" if isinstance(end, Failed) else None,
    )


def _sum_up(
    first: Transcript, each: Sequence[chat_json.DebateBody], run: str
) -> chat_json.CompletionExtension:
    """Return the verdict of the first debate, and the calls, costs and time of all."""
    opened = first.opened
    return chat_json.CompletionExtension(
        run=run,
        protocol=opened.protocol,
        kind=opened.question.kind,
        simulated=opened.simulated,
        verdict=each[0].verdict,
        calls=sum(one.calls for one in each),
        replayed=sum(one.replayed for one in each),
        cost=_add([one.cost for one in each]),
        spent=_add([one.spent for one in each]),
        seconds=max(one.seconds for one in each),
    )


def _add(costs: Sequence[float | None]) -> float | None:
    """Return the sum of costs; None if any is unknown."""
    return None if None in costs else sum(filter(None, costs))

"""The answer to a request of ``/v1/responses``, whole or as a stream of its events."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from moot import MootError
from moot.contrib.server.chat.chat_json import Completion, CompletionChoice, TurnBody
from moot.contrib.server.chat.closing_words import ClosingWords
from moot.contrib.server.chat.narration import Narrated, narrate, prepare_closing
from moot.contrib.server.chat.reply import ReplyHead, build_completion, conclude
from moot.contrib.server.chat.request import ChatRequest
from moot.contrib.server.chat.responses_json import (
    ReasoningOptions,
    ResponseBody,
    ResponseExtension,
    ResponseFailure,
    ResponsesRequest,
    ResponseUsage,
    TextFormat,
)
from moot.contrib.server.event_stream import encode_event
from moot.contrib.server.http_errors import refusal_from
from moot.contrib.server.live_debate import LiveDebate
from moot.extend.studies import Lab

_PART = {"reasoning": {"summary_index": 0}, "message": {"content_index": 0}}
"""The place of the one part of an item, by the item's type."""
_CUT_OFF = {"length": "max_output_tokens", "content_filter": "content_filter"}


def begin_response(head: ReplyHead, request: ResponsesRequest) -> ResponseBody:
    """Return a response of which nothing is known but the request."""
    form = (request.text and request.text.format) or TextFormat()
    shown = {"type": form.type}
    if form.type == "json_schema":
        shown = {name: getattr(form, name) for name in form.__struct_fields__}
    return ResponseBody(
        id=head.id,
        created_at=head.created,
        status="in_progress",
        model=head.model,
        instructions=request.instructions,
        max_output_tokens=request.max_output_tokens,
        metadata=request.metadata or {},
        parallel_tool_calls=request.parallel_tool_calls is not False,
        reasoning=request.reasoning or ReasoningOptions(),
        temperature=request.temperature,
        text={"format": shown},
        tool_choice=request.tool_choice or "auto",
        tools=request.tools or [],
        top_p=request.top_p,
    )


def build_response(begun: ResponseBody, completion: Completion) -> ResponseBody:
    """Return the whole response: a chat completion's answer in the form of this API.

    Args:
        begun: the response before it.
        completion: the answer, with one choice.
    """
    [choice] = completion.choices
    reason, used = _CUT_OFF.get(choice.finish_reason), completion.usage
    own = msgspec.structs.asdict(choice.moot) | msgspec.structs.asdict(completion.moot)
    return msgspec.structs.replace(
        begun,
        status="incomplete" if reason else "completed",
        incomplete_details={"reason": reason} if reason else None,
        output=list(_list_items(begun.id, choice)),
        usage=ResponseUsage(
            input_tokens=used.prompt_tokens,
            input_tokens_details=used.prompt_tokens_details,
            output_tokens=used.completion_tokens,
            output_tokens_details=used.completion_tokens_details,
            total_tokens=used.total_tokens,
        ),
        moot=ResponseExtension(**own),
    )


def _list_items(response: str, choice: CompletionChoice) -> Iterator[dict[str, Any]]:
    """Yield the debate, the answer, and the calls of tools, as items of the output."""
    said = choice.message
    if said.reasoning_content:
        yield _reasoning(response, said.reasoning_content)
    if said.refusal is not None or said.content is not None:
        cut_off = choice.finish_reason in _CUT_OFF
        yield _message(response, _part_of(choice), "incomplete" if cut_off else "completed")
    for at, each in enumerate(said.tool_calls or ()):
        function = {"name": each.function.name, "arguments": each.function.arguments}
        yield _call(response, at, call_id=each.id, **function)


def _part_of(choice: CompletionChoice) -> dict[str, Any]:
    said = choice.message
    if said.refusal is not None:
        return {"type": "refusal", "refusal": said.refusal}
    return _text_part(said.content or "")


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _reasoning(response: str, text: str, status: str = "completed") -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": text}] if text else []
    name = response.replace("resp_", "rs_", 1)
    return {"id": name, "type": "reasoning", "summary": summary, "status": status}


def _message(response: str, part: dict[str, Any] | None, status: str) -> dict[str, Any]:
    name = response.replace("resp_", "msg_", 1)
    content = [] if part is None else [part]
    item = {"id": name, "type": "message", "role": "assistant", "status": status}
    return {**item, "content": content}


def _call(response: str, at: int, *, status: str = "completed", **call: str) -> dict[str, Any]:
    name = f"{response.replace('resp_', 'fc_', 1)}_{at}"
    return {"id": name, "type": "function_call", "status": status, **call}


class ResponseEvents:
    """Makes the events of a streamed response; each has the next number.

    Args:
        begun: the response before its answer.
    """

    def __init__(self, begun: ResponseBody) -> None:
        self._begun, self._number = begun, -1
        self._places: dict[str, int] = {}
        self._said = ""

    def event(self, kind: str, /, **fields: Any) -> bytes:  # noqa: ANN401 -- any JSON
        """Return an event."""
        self._number += 1
        data = {"type": kind, "sequence_number": self._number, **fields}
        return encode_event(data, name=kind)

    def begin(self) -> Iterator[bytes]:
        """Yield the events before all others."""
        yield self.event("response.created", response=self._begun)
        yield self.event("response.in_progress", response=self._begun)

    def tell(self, part: Narrated) -> Iterator[bytes]:
        """Yield the events of what happens in the debate."""
        if part.reasoning:
            yield from self._open("reasoning")
            more: dict[str, Any] = {}
            if part.turn is not None:
                turn = msgspec.convert(part.turn, TurnBody, from_attributes=True)
                more = {"moot": {"turn": turn}}
            yield self._add("reasoning", part.reasoning, **more)
        if part.content:
            yield from self._open("message")
            yield self._add("message", part.content)
        if part.piece is not None:
            yield self.event("moot.piece", piece=part.piece)

    def end(
        self, whole: ResponseBody, choice: CompletionChoice, words: ClosingWords
    ) -> Iterator[bytes]:
        """Yield the events after the end of the debate, and the whole response."""
        said = choice.message
        if self._item("reasoning")["id"] in self._places:
            yield from self._close_reasoning(said.reasoning_content)
        if said.refusal is not None:
            yield from self._refuse(said.refusal)
        elif said.content is not None:
            rest = words.finish(said.content)
            yield from self._open("message")
            if rest:
                yield self._add("message", rest)
            yield from self._close_message(whole)
        for at, each in enumerate(said.tool_calls or ()):
            name, arguments = each.function.name, each.function.arguments
            yield from self._tell_call(at, each.id, name, arguments)
        output = sorted(whole.output, key=lambda item: self._places[item["id"]])
        whole = msgspec.structs.replace(whole, output=output)
        yield self.event(f"response.{whole.status}", response=whole)

    def fail(self, code: str, message: str) -> bytes:
        """Return the event of a debate that failed."""
        failure = ResponseFailure(code, message)
        failed = msgspec.structs.replace(self._begun, status="failed", error=failure)
        return self.event("response.failed", response=failed)

    def _place(self, item: dict[str, Any]) -> dict[str, Any]:
        place = {"item_id": item["id"], "output_index": self._places[item["id"]]}
        return place | _PART.get(item["type"], {})

    def _item(self, kind: str) -> dict[str, Any]:
        if kind == "reasoning":
            return _reasoning(self._begun.id, "", "in_progress")
        return _message(self._begun.id, None, "in_progress")

    def _begin_item(self, item: dict[str, Any]) -> bytes:
        at = self._places[item["id"]] = len(self._places)
        return self.event("response.output_item.added", output_index=at, item=item)

    def _end_item(self, item: dict[str, Any]) -> bytes:
        at = self._places[item["id"]]
        return self.event("response.output_item.done", output_index=at, item=item)

    def _open(self, kind: str) -> Iterator[bytes]:
        """Yield the events that begin an item, if it has not begun."""
        item = self._item(kind)
        if item["id"] in self._places:
            return
        yield self._begin_item(item)
        name, part = "response.content_part.added", _text_part("")
        if kind == "reasoning":
            name = "response.reasoning_summary_part.added"
            part = {"type": "summary_text", "text": ""}
        yield self.event(name, **self._place(item), part=part)

    def _add(self, kind: str, text: str, **more: Any) -> bytes:  # noqa: ANN401 -- any JSON
        place = self._place(self._item(kind))
        if kind == "reasoning":
            name = "response.reasoning_summary_text.delta"
            return self.event(name, **place, delta=text, **more)
        self._said += text
        return self.event("response.output_text.delta", **place, delta=text, logprobs=[])

    def _close_reasoning(self, text: str) -> Iterator[bytes]:
        item = _reasoning(self._begun.id, text)
        place, part = self._place(item), {"type": "summary_text", "text": text}
        yield self.event("response.reasoning_summary_text.done", **place, text=text)
        yield self.event("response.reasoning_summary_part.done", **place, part=part)
        yield self._end_item(item)

    def _close_message(self, whole: ResponseBody) -> Iterator[bytes]:
        [item] = [each for each in whole.output if each["type"] == "message"]
        place, [part] = self._place(item), item["content"]
        part["text"] = self._said
        yield self.event("response.output_text.done", **place, text=self._said, logprobs=[])
        yield self.event("response.content_part.done", **place, part=part)
        yield self._end_item(item)

    def _refuse(self, refusal: str) -> Iterator[bytes]:
        """Yield the events of a refusal in place of an answer."""
        part = {"type": "refusal", "refusal": refusal}
        item = self._item("message")
        yield self._begin_item(item)
        place = self._place(item)
        yield self.event("response.content_part.added", **place, part=part | {"refusal": ""})
        yield self.event("response.refusal.delta", **place, delta=refusal)
        yield self.event("response.refusal.done", **place, refusal=refusal)
        yield self.event("response.content_part.done", **place, part=part)
        yield self._end_item(_message(self._begun.id, part, "completed"))

    def _tell_call(self, at: int, call_id: str, name: str, arguments: str) -> Iterator[bytes]:
        """Yield the events of a call of a tool."""
        begun = {"call_id": call_id, "name": name, "arguments": ""}
        item = _call(self._begun.id, at, status="in_progress", **begun)
        yield self._begin_item(item)
        place = self._place(item)
        yield self.event("response.function_call_arguments.delta", **place, delta=arguments)
        done = {**place, "name": name, "arguments": arguments}
        yield self.event("response.function_call_arguments.done", **done)
        yield self._end_item(item | {"arguments": arguments, "status": "completed"})


async def stream_response(
    begun: ResponseBody,
    head: ReplyHead,
    asked: ChatRequest,
    debates: Sequence[LiveDebate],
    lab: Lab,
) -> AsyncGenerator[bytes]:
    """Yield the server-sent events of a response.

    Args:
        begun: the response before its answer.
        head: the fields that every answer has.
        asked: the request.
        debates: the one in progress.
        lab: where the models are.
    """
    events, closing = ResponseEvents(begun), prepare_closing(asked, debates)
    try:
        for event in events.begin():
            yield event
        async with aclosing(narrate(asked, debates, closing)) as parts:
            async for part in parts:
                for event in events.tell(part):
                    yield event
        outcomes = [await conclude(asked, debate, lab) for debate in debates]
        completion = build_completion(head, asked, outcomes, debates)
        whole = build_response(begun, completion)
        for event in events.end(whole, completion.choices[0], closing[0]):
            yield event
    except MootError as error:
        refusal = refusal_from(error)
        yield events.fail(refusal.code, refusal.message)

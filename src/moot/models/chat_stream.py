"""A chat completion that comes as server-sent events, put together again.

The words are told as they come. At the end the pieces make the completion that the endpoint would
have sent whole, so that everything else is read from it as ever. Some endpoints send events though
none were asked for, and some send JSON lines in their place: ``assemble_unasked`` reads both.
"""

import codecs
from itertools import pairwise
from typing import Any

import msgspec

from moot.core.errors import NOT_JSON
from moot.core.ports import TellWords
from moot.models.chat_format import MessageBody, read_text, read_thought

STREAMED: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
"""The parameters that ask for a stream, with the token counts at its end."""
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""What a line of server-sent events begins with; a colon begins a comment."""


class _FunctionPiece(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _CallPiece(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _FunctionPiece | None = None


class _Delta(MessageBody):
    tool_calls: list[_CallPiece] | None = None


class _ChunkChoice(msgspec.Struct):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: Any = None
    logprobs: Any = None


class _Chunk(msgspec.Struct):
    choices: list[_ChunkChoice] | None = None
    usage: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(_Chunk).decode


class CompletionStream:
    """Collects the events of one completion.

    Args:
        tell: is called with the words as they come.
    """

    def __init__(self, tell: TellWords) -> None:
        self._tell = tell
        self._line = self._event = b""
        self._message: dict[str, list[str]] = {"content": [], "refusal": [], "reasoning": []}
        self._logprobs: list[Any] = []
        self._calls: list[dict[str, str]] = []
        self._open_calls: dict[int, dict[str, str]] = {}
        self._usage: Any = None
        self._error: Any = None
        self._finish: Any = None
        self._begun = self._ended = self._replied = False
        self._whole: list[_Delta] = []
        """Messages that came in place of pieces."""

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the response."""
        data = self._line + data
        *lines, self._line = data.split(b"\n") if b"\r" not in data else _split_lines(data)
        for line in lines:
            name, _, value = line.removeprefix(codecs.BOM_UTF8).partition(b":")
            if name == b"data":
                self._begun = True
                self._read_line(value.strip())
            elif not name.strip():
                self._end_event()
            elif name == b"error" and self._begun:  # so llama.cpp breaks a stream off
                self._read_event(b'{"error":%b}' % value.strip())

    def assemble(self, body: bytes) -> bytes:
        """Return the completion; the body itself where the endpoint sent no stream.

        A stream that ended before its reply was whole makes a completion that was broken off.
        """
        self.feed(b"\n\n")
        if not self._begun:
            return body
        for each in _last_messages(self._whole):
            self._add(each)
        if self._error is not None:
            return msgspec.json.encode({"error": self._error})
        if not self._replied:
            return msgspec.json.encode({"choices": []})
        message = {name: "".join(pieces) for name, pieces in self._message.items()}
        whole = self._ended or self._finish is not None
        made: dict[str, Any] = {name: text for name, text in message.items() if text}
        if self._calls:
            made["tool_calls"] = [
                {"id": each["id"], "type": "function", "function": each} for each in self._calls
            ]
        choice = {
            "message": made,
            "finish_reason": self._finish if whole else "error",
            "logprobs": {"content": self._logprobs} if self._logprobs else None,
        }
        return msgspec.json.encode({"choices": [choice], "usage": self._usage})

    def _read_line(self, data: bytes) -> None:
        """Read a line of data: an event, or a part of one that has several lines.

        Some endpoints end events with one line break, so that two events may follow one another.
        """
        whole = self._event + b"\n" + data if self._event else data
        if self._read_event(whole):
            self._event = b""
        elif self._event and self._read_event(data):
            self._end_event()  # the part before it was none of this event
        else:
            self._event = whole

    def _end_event(self) -> None:
        if self._event:
            self._event = b""
            self._error = self._error or {"message": "a piece of the stream cannot be read"}

    def _read_event(self, data: bytes) -> bool:
        """Read the data of an event; False where it cannot be read."""
        if data in {b"[DONE]", b""}:
            self._ended = self._ended or bool(data)
            return True
        try:
            chunk = _decode(data)
        except NOT_JSON:
            return False
        self._take(chunk)
        return True

    def _take(self, chunk: _Chunk) -> None:
        self._error = self._error or chunk.error
        self._usage = chunk.usage or self._usage
        if not chunk.choices:
            return
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        if isinstance(choice.logprobs, dict):
            found = choice.logprobs.get("content")
            self._logprobs += found if isinstance(found, list) else []
        self._replied |= choice.delta is not None or choice.message is not None
        if choice.delta is not None:
            self._add(choice.delta)
        elif choice.message is not None:
            self._whole.append(choice.message)

    def _add(self, delta: _Delta) -> None:
        for each in delta.tool_calls or ():
            self._add_call(each)
        text, refusal = read_text(delta.content), read_text(delta.refusal)
        thought = read_thought(delta)
        for name, piece in (("content", text), ("refusal", refusal), ("reasoning", thought)):
            if piece:
                self._message[name].append(piece)
        if thought:
            self._tell("thought", thought)
        if text or refusal:
            self._tell("text", text or refusal)

    def _add_call(self, piece: _CallPiece) -> None:
        """Add a piece of a call of a tool: its name at first, its arguments in several pieces.

        Some endpoints give several calls the same index; then a name with another id begins a call.
        Others give each piece an id of its own.
        """
        if (function := piece.function) is None:
            return
        at = len(self._calls) if piece.index is None else piece.index
        call = self._open_calls.get(at)
        if call is None or (function.name and piece.id and call["id"] not in {"", piece.id}):
            call = self._open_calls[at] = {"id": "", "name": "", "arguments": ""}
            self._calls.append(call)
        call["id"] = call["id"] or piece.id or ""
        call["name"] = call["name"] or function.name or ""
        call["arguments"] += function.arguments or ""


def assemble_unasked(body: bytes) -> bytes | None:
    """Return the completion in a body of events or of JSON lines; None where it is neither."""
    begins = body.removeprefix(codecs.BOM_UTF8).lstrip()
    if not begins.startswith((b"{", *_FIELDS)):
        return None
    stream = CompletionStream(_keep_quiet)
    stream.feed(_join_json_lines(begins) if begins.startswith(b"{") else body)
    made = stream.assemble(body)
    return None if made is body else made


def _join_json_lines(body: bytes) -> bytes:
    """Return JSON lines as events; nothing where a line is no piece of a completion."""
    lines = [line for line in body.splitlines() if line.strip()]
    try:
        pieces = [piece for line in lines for piece in _decode(line).choices or ()]
    except NOT_JSON:
        return b""
    if not any(piece.delta for piece in pieces):
        return b""
    return b"".join(b"data: %b\n\n" % line for line in lines)


def _keep_quiet(kind: object, text: str) -> None:
    """Tell nobody."""


def _split_lines(data: bytes) -> list[bytes]:
    """Return the lines of data that end with any of the three line ends, and what is unfinished."""
    lines = data.splitlines(keepends=True)
    # A line feed may follow the carriage return at the end.
    unfinished = lines.pop() if not lines[-1].endswith(b"\n") else b""
    return [*(line.rstrip(b"\r\n") for line in lines), unfinished]


def _last_messages(messages: list[_Delta]) -> list[_Delta]:
    """Return the messages to join: the last alone where each goes on from the one before it."""
    texts = [read_text(each.content) for each in messages]
    grows = all(later.startswith(text) for text, later in pairwise(texts))
    return messages[-1:] if grows and texts and texts[-1] != texts[0] else messages

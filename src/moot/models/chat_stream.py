"""A chat completion that comes as server-sent events, put together again.

The words are told as they come. At the end the pieces make the completion that the endpoint would
have sent whole, so that everything else is read from it as ever.
"""

from typing import Any

import msgspec

from moot.core.errors import NOT_JSON
from moot.core.pieces import TellWords
from moot.models.chat_format import MessageBody, read_text, read_thought

STREAMED: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
"""The parameters that ask for a stream, with the token counts at its end."""


class _ChunkChoice(msgspec.Struct):
    delta: MessageBody | None = None
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
        self._line = b""
        self._message: dict[str, list[str]] = {"content": [], "refusal": [], "reasoning": []}
        self._logprobs: list[Any] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._usage: Any = None
        self._error: Any = None
        self._finish: Any = None
        self._begun = self._ended = False

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the response."""
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._begun = True
                self._read_event(value.strip())
            elif name == b"error" and self._begun:  # so llama.cpp breaks a stream off
                self._read_event(b'{"error":%b}' % value.strip())

    def assemble(self, body: bytes) -> bytes:
        """Return the completion; the body itself where the endpoint sent no stream.

        A stream that ended before its reply was whole makes a completion that was broken off.
        """
        self.feed(b"\n")
        if not self._begun:
            return body
        if self._error is not None:
            return msgspec.json.encode({"error": self._error})
        message = {name: "".join(pieces) for name, pieces in self._message.items()}
        whole = self._ended or self._finish is not None
        made: dict[str, Any] = {name: text for name, text in message.items() if text}
        if self._calls:
            made["tool_calls"] = [
                {"id": each["id"], "type": "function", "function": each}
                for each in self._calls.values()
            ]
        choice = {
            "message": made,
            "finish_reason": self._finish if whole else "error",
            "logprobs": {"content": self._logprobs} if self._logprobs else None,
        }
        return msgspec.json.encode({"choices": [choice], "usage": self._usage})

    def _read_event(self, data: bytes) -> None:
        if data == b"[DONE]":
            self._ended = True
            return
        try:
            chunk = _decode(data)
        except NOT_JSON:
            self._error = self._error or {"message": "a piece of the stream is not JSON"}
            return
        self._error = self._error or chunk.error
        self._usage = chunk.usage or self._usage
        if not chunk.choices:
            return
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        probabilities = choice.logprobs.get("content") if choice.logprobs else None
        self._logprobs += probabilities or []
        if choice.delta is not None:
            self._add(choice.delta)

    def _add(self, delta: MessageBody) -> None:
        for each in delta.tool_calls if isinstance(delta.tool_calls, list) else ():
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

    def _add_call(self, piece: Any) -> None:  # noqa: ANN401 -- any JSON
        """Add a piece of a call of a tool: its name at first, its arguments in several pieces."""
        if not isinstance(piece, dict) or not isinstance(piece.get("function"), dict):
            return
        function = piece["function"]
        call = self._calls.setdefault(
            piece.get("index", len(self._calls)), {"id": "", "name": "", "arguments": ""}
        )
        call["id"] = call["id"] or piece.get("id") or ""
        call["name"] = call["name"] or function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""

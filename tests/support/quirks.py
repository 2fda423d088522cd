"""What servers of chat completions send in practice, and what moot must make of each.

One row a quirk: who sends so, what comes, and what it must become. ``support.chaos`` replays them
by name. A row that changes a completion comes as a stream and as a line of a batch, too. Sources
are public bug reports, or the server or provider that sends so; ``(*)`` marks forms without a
report. Nothing of a report is copied but its situation.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from moot.core.errors import (
    AccessError,
    ContextTooLong,
    ModelError,
    NotFoundError,
    RefusedError,
    TransientError,
)

Completion = dict[str, Any]
Request = dict[str, Any]
USUAL = ...
"""The words that the server has for these messages and this seed."""
THOUGHT = "The user wants a sum. SECRET: 2 and 2 are 4."
SAID = "It is 4."


_LINES = "ruby-openai PR 332, AiNiee PR 920"
_ODD = "autogen issues 5020 and 4875, dstack PR 2229"
_CASE = "qwen-code issue 9882, Portkey issue 1200, ferro-labs issue 142"
_LISTED = "hermes-agent PR 4748 and issue 66809, llm-mistral issue 38"
_NO_REPLY = "nanobot issue 2138 and five like it"
_THINK = "lighteval issue 869, gaia issue 3945, LifeOS PR 568"
_MARKS = "hermes-agent PR 42906, kouhai-bot PR 63, mlx-lm PR 1867, macprovider issue 743"
_THOUGHT_ALONE = "vLLM issues 52640 and 45736, mindcraft issue 789"


class Made(NamedTuple):
    """The reply that moot must read.

    Attributes:
        beside: whether the endpoint is known to count thought beside the completion tokens.
    """

    text: Any = USUAL
    finish: str = "stop"
    prompt: int | None = 20
    written: int | None = 8
    cached: int = 0
    thought: str = ""
    reasoning: int | None = None
    beside: bool = False


class Fault(NamedTuple):
    """The error that moot must raise, and what it says, as a pattern."""

    kind: type[ModelError]
    says: str
    after: float | None = None
    """Seconds to wait, where the server says it."""


class Shape(NamedTuple):
    """A change of a usual completion; it comes whole, in pieces, or in a line of a batch."""

    change: Callable[[Completion, Any, Any], object]


class Sent(NamedTuple):
    """A response that comes as it is, whether a stream was asked for or not."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = {}  # noqa: RUF012 -- never changed


class Broken(NamedTuple):
    """Bytes after which the connection is closed; none for a reset."""

    data: bytes


class Refuses(NamedTuple):
    """What a server says to a request with something that it does not take; else its usual reply.

    Moot must leave that out, or send it otherwise, and go on.
    """

    refuse: Callable[[Request], bytes | None]
    status: int = 400


class Quirk(NamedTuple):
    """One row.

    Attributes:
        source: who sends so.
        sends: what comes.
        makes: what moot must make of it.
        stream: the same of a stream, where that is another thing.
    """

    source: str
    sends: Shape | Sent | Broken | Refuses
    makes: Made | Fault = Made()
    stream: Made | Fault | None = None


def completion(text: str) -> Completion:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28}
    return {"id": "c-1", "object": "chat.completion", "choices": [choice], "usage": usage}


def error(**parts: Any) -> bytes:
    return json.dumps({"error": parts}).encode()


# How a completion that is sent whole would come as a stream.


def as_events(data: Completion) -> bytes:
    """Return a completion as the events of a stream: role, thought, words in two pieces, end."""
    return b"".join(b"data: %b\n\n" % each for each in [*map(_encode, _chunks(data)), b"[DONE]"])


def _encode(data: object) -> bytes:
    return json.dumps(data).encode()


def _chunks(data: Completion) -> Iterator[Completion]:
    choices = data.get("choices")
    if not choices or "message" not in choices[0]:
        yield data
        return
    choice = {**choices[0]}
    said = choice.pop("message")
    rest = {name: each for name, each in data.items() if name not in {"choices", "usage"}}
    content = said.get("content")
    half = len(content or "") // 2
    parts = [each for each in (content[:half], content[half:]) if each] if content else [content]
    for delta in ({**said, "content": None}, *({"content": each} for each in parts)):
        yield rest | {"choices": [{**choice, "delta": delta, "finish_reason": None}]}
    yield rest | {"choices": [{**choice, "delta": {}}]}
    if "usage" in data:
        yield rest | {"choices": [], "usage": data["usage"]}


def _chunk(word: object, finish: str | None = None, usage: object = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": word}, "finish_reason": finish}
    return _encode({"choices": [choice], "usage": usage} | more)


_TOLD = {"prompt_tokens": 20, "completion_tokens": 8}
_PIECES = _chunk("The answer "), _chunk("is 4.", "stop", _TOLD)
_WHOLE = _encode(completion("The answer is 4."))
_FOUR = Made("The answer is 4.")
_UNCOUNTED = Made("The answer is 4.", prompt=None, written=None)


def _events(*pieces: bytes, done: bool = True, form: str = "data: %b\n\n") -> Sent:
    lines = [form.encode() % piece for piece in (pieces or _PIECES)]
    return Sent(b"".join(lines) + (form.encode() % b"[DONE]" if done else b""))


def _ends(end: bytes) -> Sent:
    """A stream whose lines end so."""
    return Sent(_events().body.replace(b"\n", end))


_passing = partial(Fault, TransientError)

STREAMS = {
    "events": Quirk("LiteLLM issue 25766, unsloth issue 6570: unasked", _events(), _FOUR),
    "jsonlines": Quirk("Ollama: JSON lines, unasked (*)", Sent(b"\n".join(_PIECES)), _FOUR),
    "jsonline": Quirk("the same, one line (*)", Sent(_chunk(SAID, "stop", _TOLD)), Made(SAID)),
    "close": Quirk("term-llm PR 487, openai-python issue 498", _events(form="data:%b\n\n"), _FOUR),
    "single": Quirk("one line end behind an event (*)", _events(form="data: %b\n"), _FOUR),
    "comments": Quirk(
        "sglang PR 37986, omlx PR 1011, OpenRouter",
        Sent(b": ready\r\n\r\n" + _events(form=": so\r\nevent: chunk\r\ndata: %b\r\n\r\n").body),
        _FOUR,
    ),
    "commentdata": Quirk(
        "llm-gateway issue 2053: a comment in data",
        _events(_PIECES[0], b": keep-alive", _PIECES[1]),
        _passing("a piece of the stream cannot be read"),
    ),
    "nodone": Quirk("perplexity issue 209, minimind PR 738", _events(done=False), _FOUR),
    "nofinish": Quirk(
        "the same, without a finish reason either: broken off",
        _events(_chunk("The answer "), _chunk("is 4."), done=False),
        _passing("broke off"),
    ),
    "severallines": Quirk(
        f"{_LINES}: several lines",
        Sent(_events().body.replace(b'"choices": ', b'\ndata: "choices":\ndata: ')),
        _FOUR,
    ),
    "crlf": Quirk("line ends of Windows (*)", _ends(b"\r\n"), _FOUR),
    "cr": Quirk(f"{_LINES}: carriage returns", _ends(b"\r"), _FOUR),
    "emptydata": Quirk(
        f"{_LINES}: empty data",
        Sent(_events().body.replace(b"data: ", b"data:\n\ndata: ")),
        _FOUR,
    ),
    "markedevents": Quirk(
        "a byte-order mark before events (*)", Sent(b"\xef\xbb\xbf" + _events().body), _FOUR
    ),
    "messages": Quirk(
        "perplexity issue 209: message in place of delta",
        _events(
            _encode({"choices": [{"message": {"content": "The answer "}}]}),
            _encode({"choices": [{"message": {"content": "is 4."}, "finish_reason": "stop"}]}),
        ),
        _UNCOUNTED,
    ),
    "growing": Quirk(
        "perplexity issue 209: each message has all words so far",
        _events(
            _encode({"choices": [{"message": {"content": "The answer "}}]}),
            _encode({"choices": [{"message": {"content": _FOUR.text}, "finish_reason": "stop"}]}),
        ),
        _UNCOUNTED,
    ),
    "errorevent": Quirk(
        "OpenRouter: an error in the middle of a stream",
        _events(_PIECES[0], error(message="upstream is busy", code=502)),
        _passing("502: upstream is busy"),
    ),
    "llamaerror": Quirk(
        "llama.cpp: error: in place of data:",
        Sent(b'data: %b\n\nerror: {"message": "busy", "code": 503}\n\n' % _PIECES[0]),
        _passing("503: busy"),
    ),
    "onlydone": Quirk("a gateway whose server is gone (*)", _events(b""), _passing("no reply")),
    "usagealone": Quirk(
        "Azure: a first chunk with filters and no choice",
        _events(_encode({"choices": [], "prompt_filter_results": [{}]}), *_PIECES),
        _FOUR,
    ),
}
"""Streams. Each comes where one is asked for and where none is."""


def _usage(usage: Any) -> Shape:
    return Shape(lambda data, _choice, _message: data.update(usage=usage))


def _message(**parts: Any) -> Shape:
    return Shape(lambda _data, _choice, message: message.update(parts))


def _finish(reason: Any) -> Shape:
    return Shape(lambda _data, choice, _message: choice.update(finish_reason=reason))


def _cut_short(_data: Completion, choice: Any, message: Any) -> None:
    message.update(content="We add them up. The answer is 1")
    choice.update(finish_reason="MAX_TOKENS")


_PARTS = [{"type": "text", "text": "The answer "}, {"type": "text", "text": "is 4."}, 7]
_uncounted = Made(prompt=None, written=None)
_EMPTY = _passing("holds no reply")

SHAPES = {
    "nousage": Quirk(f"{_ODD}: no usage", Shape(lambda data, *_: data.pop("usage")), _uncounted),
    "nullusage": Quirk(f"{_ODD}: null usage", _usage(None), _uncounted),
    "textusage": Quirk(f"{_ODD}: usage in words", _usage("a lot"), _uncounted),
    "listusage": Quirk(f"{_ODD}: usage as a list", _usage([1]), _uncounted),
    "wrongusage": Quirk(
        f"{_ODD}: impossible counts",
        _usage({"prompt_tokens": -3, "completion_tokens": "many"}),
        _uncounted,
    ),
    "stringusage": Quirk(
        f"{_ODD}: counts as text", _usage({"prompt_tokens": "20", "completion_tokens": 8.0})
    ),
    "hugeusage": Quirk(
        "counts beyond any integer (*)",
        _usage({"prompt_tokens": 10**30, "completion_tokens": True}),
        _uncounted,
    ),
    "cachedusage": Quirk(
        "OpenAI, vLLM: tokens of a cache",
        _usage({"prompt_tokens": 20, "prompt_tokens_details": {"cached_tokens": 12}}),
        Made(written=None, cached=12),
    ),
    "hitusage": Quirk(
        "DeepSeek: hits beyond the prompt",
        _usage({"prompt_tokens": 20, "prompt_cache_hit_tokens": 99}),
        Made(written=None, cached=20),
    ),
    "nullfinish": Quirk(f"{_ODD}: no finish reason", _finish(None)),
    "emptyfinish": Quirk(f"{_ODD}: an empty one", _finish("")),
    "numberfinish": Quirk(f"{_ODD}: a number", _finish(7)),
    "upperstop": Quirk(f"{_CASE}: STOP", _finish("STOP")),
    "eostoken": Quirk("Text Generation Inference", _finish("eos_token")),
    "endturn": Quirk("gateways to Anthropic", _finish("end_turn")),
    "maxtokens": Quirk(
        f"{_CASE}: MAX_TOKENS",
        Shape(_cut_short),
        Made("We add them up. The answer is 1", "length"),
    ),
    "maxoutput": Quirk("gateways to Gemini", _finish("max_output_tokens"), Made(finish="length")),
    "length": Quirk("OpenAI", _finish("length"), Made(finish="length")),
    "safety": Quirk("gateways to Gemini: SAFETY", _finish("SAFETY"), Made(finish="filter")),
    "filter": Quirk("Azure: a filter, with 200", _finish("content_filter"), Made(finish="filter")),
    "brokenoff": Quirk("OpenRouter", _finish("error"), _passing("broke off")),
    "networkerror": Quirk("Zhipu", _finish("network_error"), _passing("broke off")),
    "null": Quirk(f"{_THOUGHT_ALONE}: null content", _message(content=None), Made("")),
    "refusal": Quirk(
        "OpenAI: a refusal",
        _message(content=None, refusal="I will not."),
        Made("I will not."),
    ),
    "parts": Quirk(_LISTED, _message(content=_PARTS), _FOUR),
    "texts": Quirk(f"{_LISTED}: bare texts", _message(content=["The answer ", "is 4."]), _FOUR),
    "noparts": Quirk(f"{_LISTED}: none (*)", _message(content=[]), Made("")),
    "huge": Quirk(
        "a million letters (*)", _message(content="é" * 1_000_000), Made("é" * 1_000_000)
    ),
    "control": Quirk(
        "control characters and templates (*)",
        _message(content="\x00\x07{{ 7*7 }}\u202e{% raw %}\u2028"),
        Made("\x00\x07{{ 7*7 }}\u202e{% raw %}\u2028"),
    ),
    "empty": Quirk(_NO_REPLY, Shape(lambda data, *_: data.update(choices=[])), _EMPTY),
    "nochoices": Quirk(_NO_REPLY, Shape(lambda data, *_: data.pop("choices")), _EMPTY),
    "nullchoices": Quirk(_NO_REPLY, Shape(lambda data, *_: data.update(choices=None)), _EMPTY),
    "nomessage": Quirk(
        _NO_REPLY, Shape(lambda _data, choice, _message: choice.pop("message")), _EMPTY
    ),
    "extras": Quirk(
        "unknown fields, two choices (*)",
        Shape(lambda data, choice, _: data.update(x=1, error=None, choices=[choice, choice])),
    ),
    "toolcalls": Quirk(
        "a call of a tool that nobody has (*)",
        _message(content=SAID, tool_calls=[{"id": 7}, "x"]),
        Made(SAID),
        stream=_passing("a piece of the stream cannot be read"),
    ),
}
"""Completions that are not as OpenAI's."""


def _thinks(written: int, usage: Completion | None = None, **message: Any) -> Shape:
    """A reply with hidden thought; 20 tokens were read."""
    content = message.get("content")
    finish = "length" if not content or "\nSo" in content else "stop"
    told = {"prompt_tokens": 20, "completion_tokens": written, "total_tokens": 20 + written}

    def shape(data: Any, choice: Any, own: Any) -> None:
        own.update(message)
        choice.update(finish_reason=finish)
        data.update(usage=told | (usage or {}))

    return Shape(shape)


def _hidden(tokens: int, **usage: int) -> Completion:
    return {"completion_tokens_details": {"reasoning_tokens": tokens}, **usage}


def _said(source: str, content: str) -> Quirk:
    """A reply whose thought stands in its text."""
    return Quirk(source, _thinks(30, content=content), Made(SAID, written=30, thought=THOUGHT))


_BESIDE = Made(SAID, written=30, reasoning=22, beside=True)
_SHOWN = Made(SAID, written=30, thought=THOUGHT)
_COUNTED = _SHOWN._replace(reasoning=22)

THINKING = {
    "deepseek": Quirk(
        "DeepSeek", _thinks(30, _hidden(22), content=SAID, reasoning_content=THOUGHT), _COUNTED
    ),
    "openai": Quirk(
        "OpenAI: counted, not shown",
        _thinks(30, _hidden(24), content=SAID),
        Made(SAID, written=30, reasoning=24),
    ),
    "openaispent": Quirk(
        "OpenAI: all of it thought",
        _thinks(64, _hidden(64), content=""),
        Made("", "length", written=64, reasoning=64),
    ),
    "vllm": Quirk("vLLM", _thinks(30, content=SAID, reasoning=THOUGHT), _SHOWN),
    "oldvllm": Quirk(
        "vLLM: both names",
        _thinks(30, content=SAID, reasoning=THOUGHT, reasoning_content=THOUGHT),
        _SHOWN,
    ),
    "vllmspent": Quirk(
        _THOUGHT_ALONE,
        _thinks(64, content=None, reasoning=THOUGHT),
        Made("", "length", written=64, thought=THOUGHT, reasoning=64),
    ),
    "openrouter": Quirk(
        "OpenRouter",
        _thinks(
            30, _hidden(22), content=SAID, reasoning=THOUGHT, reasoning_details=[{"text": THOUGHT}]
        ),
        _COUNTED,
    ),
    "xai": Quirk(
        "xAI: counted beside",
        _thinks(8, _hidden(22, total_tokens=50), content=SAID, reasoning_content=THOUGHT),
        _BESIDE._replace(thought=THOUGHT),
    ),
    "gemini": Quirk(
        "Gemini: counted in the total alone",
        _thinks(8, {"total_tokens": 50}, content=SAID),
        _BESIDE,
    ),
    "sglang": Quirk(
        "SGLang",
        _thinks(30, {"reasoning_tokens": 22}, content=SAID, reasoning_content=THOUGHT),
        _COUNTED,
    ),
    "mistral": Quirk(
        f"{_LISTED}: thinking parts",
        _thinks(
            30,
            content=[
                {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                {"type": "text", "text": SAID},
            ],
        ),
        _SHOWN,
    ),
    "think": _said(f"{_THINK}: paired", f"<think>\n{THOUGHT}\n</think>\n\n{SAID}"),
    "unopened": _said(f"{_THINK}: only closed", f"{THOUGHT}\n</think>\n\n{SAID}"),
    "unclosed": Quirk(
        f"{_THINK}: cut off",
        _thinks(30, content=f"<think>\n{THOUGHT}\nSo"),
        Made("", "length", written=30, thought=f"{THOUGHT}\nSo", reasoning=30),
    ),
    "harmony": _said(
        f"{_MARKS}: gpt-oss",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{SAID}",
    ),
    "bareharmony": _said(
        f"{_MARKS}: gpt-oss without its marks", f"analysis{THOUGHT}assistantfinal{SAID}"
    ),
    "thinking": _said(_MARKS, f"<thinking>\n{THOUGHT}\n</thinking>\n{SAID}"),
    "thought": _said(_MARKS, f"<thought>\n{THOUGHT}\n</thought>\n{SAID}"),
    "upperthink": _said(_MARKS, f"<THINK>\n{THOUGHT}\n</THINK>\n{SAID}"),
    "seedthink": _said(f"{_MARKS}: Seed-OSS", f"<seed:think>\n{THOUGHT}\n</seed:think>\n{SAID}"),
    "kimithink": _said(f"{_MARKS}: Kimi", f"◁think▷\n{THOUGHT}\n◁/think▷\n{SAID}"),
    "cohere": _said(
        f"{_MARKS}: Cohere",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{SAID}<|END_RESPONSE|>",
    ),
    "magistral": _said(f"{_MARKS}: Magistral", f"[THINK]{THOUGHT}[/THINK]{SAID}"),
    "cutthinking": Quirk(
        f"{_MARKS}: cut off",
        _thinks(30, content=f"<thinking>\n{THOUGHT} But let me verify\nSo"),
        Made("", "length", written=30, thought=f"{THOUGHT} But let me verify\nSo", reasoning=30),
    ),
}
"""Replies of reasoning models."""


def _put(bad: bytes) -> Sent:
    return Sent(_WHOLE.replace(b"is 4", bad))


_QUOTA = error(message="You exceeded your quota", code="insufficient_quota")
_DETAIL = _encode({"detail": [{"type": "missing", "loc": ["body", "x"], "msg": "no"}]})
_FILTERED = error(
    message="The response was filtered due to the prompt triggering Azure OpenAI's content "
    "management policy.",
    code="content_filter",
    status=400,
)
_used_up = Fault(AccessError, "the account behind MOOT_API_KEY is used up")

BODIES = {
    "html": Quirk(
        f"{_NO_REPLY}: a web page, with 200",
        Sent(b"<html><style>p{}</style><body><p>502 Bad Gateway</p></body></html>"),
        _passing("not JSON: 502 Bad Gateway$"),
    ),
    "malformed": Quirk(f"{_NO_REPLY}: torn", Sent(_WHOLE[:-30]), _passing("not JSON")),
    "nothing": Quirk(f"{_NO_REPLY}: no body", Sent(b""), _passing("not JSON")),
    "deep": Quirk("(*)", Sent(b'{"choices": ' + b"[" * 100_000), _passing("not JSON")),
    "list": Quirk("(*)", Sent(b"[1]"), _passing("no chat completion")),
    "gateway": Quirk(
        f"{_NO_REPLY}: an error, with 200",
        Sent(error(message="upstream is busy", code=429)),
        _passing("429: upstream is busy"),
    ),
    "code429": Quirk(
        "a code as text (*)",
        Sent(error(message="upstream is busy", code="429")),
        _passing("429: upstream is busy"),
    ),
    "code401": Quirk(
        "no key, with 200 (*)",
        Sent(error(message="no such key", code="401")),
        Fault(AccessError, "401: no such key"),
    ),
    "gatewaytext": Quirk(
        "an error as text (*)", Sent(_encode({"error": "upstream is busy"})), _passing("is busy")
    ),
    "surrogate": Quirk("half of a surrogate pair", _put(b"\\ud83d"), Made("The answer ?.")),
    "notutf8": Quirk("cp1252", _put(b"\xff"), Made("The answer �.")),
    "rawbreak": Quirk("a raw line break", _put(b"is\n4"), Made("The answer is\n4.")),
    "nan": Quirk(
        "NaN of json.dumps",
        Sent(_WHOLE.replace(b'"index": 0', b'"index": NaN, "logprobs": {"content": [NaN]}')),
        _FOUR,
    ),
    "rawnul": Quirk("a raw NUL", _put(b"is \x004"), Made("The answer is \x004.")),
    "marked": Quirk("a byte-order mark", Sent(b"\xef\xbb\xbf" + _WHOLE), _FOUR),
    "gzip": Quirk("gzip", Sent(gzip.compress(_WHOLE), headers={"Content-Encoding": "gzip"}), _FOUR),
    "binary": Quirk("(*)", Sent(b"\xff\xfe no \x00 json", 500), _passing("500: .*no json$")),
    "detail": Quirk("FastAPI: vLLM", Sent(_DETAIL, 422), Fault(RefusedError, r"422: .*body")),
    "context": Quirk(
        "OpenAI",
        Sent(
            error(
                message="This model's maximum context length is 2048 tokens; lower max_tokens.",
                code="context_length_exceeded",
            ),
            400,
        ),
        Fault(ContextTooLong, "maximum context length is 2048"),
    ),
    "quota": Quirk("OpenAI: insufficient_quota", Sent(_QUOTA, 429), _used_up),
    "azurefilter": Quirk(
        "Azure: a filter, with 400", Sent(_FILTERED, 400), Fault(RefusedError, "was filtered")
    ),
    "toofast": Quirk(
        "agentao PR 88: Bedrock",
        Sent(error(message="Too many tokens, please wait before trying again."), 429),
        _passing("please wait"),
    ),
    "toolarge": Quirk(
        "OpenAI: a cap above its own is no matter of context",
        Sent(error(message="max_tokens is too large: 9"), 400),
        Fault(RefusedError, "too large"),
    ),
    "moderated": Quirk(
        "OpenRouter", Sent(error(message="flagged"), 403), Fault(RefusedError, "flagged")
    ),
    "elsewhere": Quirk(
        "a gateway that moved (*)",
        Sent(b"", 307, {"Location": "http://127.0.0.1:1/v1"}),
        Fault(RefusedError, "307: the endpoint redirects"),
    ),
}
"""Responses as they are."""


def _status(status: int, makes: Fault, **headers: str) -> Quirk:
    return Quirk("any server", Sent(error(message="it did not work"), status, headers), makes)


STATUSES = {
    **{
        str(each): _status(each, _passing(f"{each}: it did not work"))
        for each in (408, 409, 425, 429, 500, 502, 503, 504, 529)
    },
    "400": _status(400, Fault(RefusedError, "400: it did not work$")),
    "404": _status(404, Fault(NotFoundError, r"is the model's name right\?")),
    **{str(each): _status(each, Fault(RefusedError, str(each))) for each in (405, 501)},
    "413": _status(413, Fault(ContextTooLong, "413")),
    **{
        str(each): _status(each, Fault(AccessError, "the key in MOOT_API_KEY is not accepted"))
        for each in (401, 403)
    },
    "402": _status(402, _used_up),
}
"""Statuses alone. The server has them by number, so that words and counts can be added."""


def _wait(source: str, asked: str, after: float | None) -> Quirk:
    return _status(429, _passing("429", after), **{"Retry-After": asked})._replace(source=source)


WAITS = {
    "wait": _wait("RFC 9110: seconds", "7", 7.0),
    "waitparts": _wait("hiring-agent issue 386: parts of a second", "0.493", 0.493),
    "waitnegative": _wait("SpaceTraders issue 24: a negative number", "-1", None),
    "waitword": _wait("cowrie PR 40539: a word", "soon", None),
    "waitdate": _wait("RFC 9110: a date that has passed", "Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
}
"""What servers write in Retry-After."""

BREAKS = {
    "nothttp": Quirk("(*)", Broken(b"\x16\x03 this is not HTTP\r\n\r\n"), _passing("not HTTP")),
    "cut": Quirk(
        "llama.cpp when it is ended (*)",
        Broken(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(_WHOLE) + _WHOLE[:50]),
        _passing("cut off"),
    ),
    "chunkcut": Quirk(
        "a proxy that gives up (*)",
        Broken(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n32\r\n" + _WHOLE[:50]),
        _passing("cut off"),
    ),
    "headcut": Quirk("(*)", Broken(b"HTTP/1.1 200 OK\r\nContent-"), _passing("was closed")),
    "reset": Quirk("(*)", Broken(b""), _passing("was closed")),
}
"""Connections that break."""


_TOO_LONG = {
    "This model's maximum context length is 4096 tokens.": "OpenAI, vLLM",
    "the request exceeds the available context size, try increasing it": "llama.cpp",
    "prompt is too long: 210000 tokens > 200000 maximum": "Anthropic",
    "The input token count (40000) exceeds the maximum number of tokens allowed.": "Gemini",
    "Please reduce the length of the messages or completion.": "Groq",
    "This request would exceed the context window": "gateways",
    "The maximum prompt length is 1500 but the request contains 2269 tokens.": "xAI",
    "Input length 131393 exceeds the maximum allowed input length of 131040.": "Poolside, GLM",
    "Your request exceeded model token limit: 262144 (requested: 291351)": "Moonshot",
    "Prompt 超长": "Zhipu",
    "输入长度超过模型上限": "new-api",
    "`inputs` tokens + `max_new_tokens` must be <= 2048": "Text Generation Inference",
    "`inputs` must have less than 1024 tokens. Given: 2000": "Text Generation Inference",
    "Range of input length should be [1, 30720]": "DashScope",
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000": "Anthropic",
    "prompt tokens exceeds limit": "gateways",
    "prompt token count of 9000 exceeds the limit of 8192": "Copilot",
    "tokens in request more than max tokens allowed": "gateways",
    "This sequence has exceeded max_seq_len": "TensorRT-LLM",
    "Invalid 'messages[0].content': string too long.": "OpenAI",
    "Malformed input request: expected maxLength: 200000, actual: 300000": "Bedrock",
    "The prompt (9000 tokens) is longer than the maximum model length of 8192": "Together, vLLM",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081": "Cohere",
    "Input is too long for requested model.": "Bedrock",
    "token limit exceeded for this model": "gateways",
}
TOO_LONG = {
    f"toolong{number}{'' if status == 400 else status}": Quirk(
        source, Sent(error(message=words), status), Fault(ContextTooLong, f"{status}: ")
    )
    for number, (words, source) in enumerate(_TOO_LONG.items())
    for status in (400, 422, 500)
    if status == 400 or number == 0
}
"""Wordings of a prompt that does not fit: pi issues 5677 and 4943, Switchyard PR 314, archestra
PR 6044, octo PR 2124, cline issue 3120, vellum PR 40740, and the providers named."""


def _refuses(parameter: str, **words: Any) -> Refuses:
    """A server that refuses a parameter in these words."""
    sent = error(**words) if "detail" not in words else _encode(words)
    return Refuses(lambda request: sent if parameter in request else None)


def _unsupported(name: str) -> str:
    return f"Unsupported parameter: '{name}' is not supported with this model."


PARAMETERS = {
    "refusesmax": Quirk(
        "forgecode issue 1081, UltraRAG PR 138: max_tokens",
        _refuses(
            "max_tokens",
            message="Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        ),
    ),
    "refusestemperature": Quirk(
        "forgecode issue 1081, UltraRAG PR 138: temperature",
        _refuses(
            "temperature",
            message="Unsupported value: 'temperature' does not support 0.2 with this model. Only "
            "the default (1) value is supported.",
            param="temperature",
            code="unsupported_value",
        ),
    ),
    "refusesseed": Quirk(
        "pydantic: vLLM, Mistral",
        _refuses(
            "seed",
            detail=[{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}],
        ),
    ),
    "refusesgemini": Quirk(
        "Gemini, in a list",
        Refuses(
            lambda request: (
                _encode(
                    [{"error": {"message": 'Invalid JSON payload: Unknown name "seed": no field.'}}]
                )
                if "seed" in request
                else None
            )
        ),
    ),
    "refuseschinese": Quirk("new-api", _refuses("seed", message="参数 seed 不支持")),
    "refusesnobody": Quirk(
        "gateways that name it in words alone", _refuses("seed", message=_unsupported("seed"))
    ),
}
"""Parameters that servers refuse, and how they name them."""


NO_SYSTEM_WORDS = {
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.": "o1-mini",
    "System role not supported": "Gemma 2",
    "Developer instruction is not enabled for models/gemma-3-27b-it": "Gemini (new-api issue 989)",
    "role 'system' is not supported on this model": "claude-code issue 61412",
    "Model does not support system role.": "openai-dotnet issue 330",
    "This model doesn't support system messages": "gateways",
    "system messages are unsupported by this model": "gateways",
    "Invalid role: system": "gateways",
    "模型不支持的 message role: system": "Intern (cherry-studio issue 8589)",
    "Only user and assistant roles are supported!": "Mistral, Zephyr",
    "Conversation roles must alternate user/assistant/user/assistant/...": "Mistral 7B, Gemma",
}


def _refuse_system(words: str, request: Request) -> bytes | None:
    roles = [each["role"] for each in request["messages"]]
    return error(message=words) if "system" in roles else None


NO_SYSTEM = {
    f"nosystem{number}{'' if status == 400 else status}": Quirk(
        source, Refuses(partial(_refuse_system, words), status)
    )
    for number, (words, source) in enumerate(NO_SYSTEM_WORDS.items())
    for status in (400, 422, 500)
}
"""Models that take no system message: forgecode issue 1177, sglang issue 892, chat-ui issue 1432,
autogen issues 1037 and 3597, and those named."""

QUIRKS: dict[str, Quirk] = {
    **STREAMS,
    **SHAPES,
    **THINKING,
    **BODIES,
    **STATUSES,
    **WAITS,
    **BREAKS,
    **TOO_LONG,
    **PARAMETERS,
    **NO_SYSTEM,
}
"""All rows by name."""

"""One model call: the messages, the sampling, the draw, and the reply."""

from hashlib import blake2b
from typing import Any, Literal, NamedTuple
from zlib import crc32

import msgspec

from moot.core.messages import ClientTools, ToolCall
from moot.core.messages import Message as Message  # noqa: PLC0414 -- part of a call, so found here
from moot.core.messages import Role as Role  # noqa: PLC0414 -- as above
from moot.core.questions import WITHHELD, Question

Finish = Literal["stop", "length", "filter", "other"]
ShownAs = Literal["answer", "words", "reason"]
"""How a prompt shows another's answer: alone, with words that are no reason for it, or with the
reason that was given for it."""
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How much a reasoning model thinks before it answers, from not at all to the most."""

_encode = msgspec.json.Encoder(order="deterministic").encode


class Sampling(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The sampling of a reply. None leaves a value to the model's own default.

    Attributes:
        temperature: 0 or more; 0 is greedy.
        top_p: nucleus sampling, in (0, 1].
        max_tokens: the most tokens a reply may have, at least 1.
        stop: texts that end a reply.
        seed: the base seed of ``Call.seed``, for models that take a seed.
        schema: a JSON schema for the reply, where the endpoint can enforce one.
        effort: how much a reasoning model thinks; each endpoint accepts some of the values.
        logprobs: whether the probabilities of the reply's tokens are asked for.
        tools: the tools of a client that the model may ask to be called.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int = 0
    schema: dict[str, Any] | None = None
    effort: Effort | None = None
    logprobs: bool = False
    tools: ClientTools | None = None


class Draw(NamedTuple):
    """The number of this sample among samples of one prompt; it never depends on timing.

    Attributes:
        replicate: the study's repetition, from 0.
        seat: the agent's place in the debate, from 0.
        repeat: how often this seat has made exactly this request before.
    """

    replicate: int = 0
    seat: int = 0
    repeat: int = 0


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a call in its debate.

    It is never sent to a language model, and is no part of a call's identity. Models without a
    language model (``scripted``, ``simulated``) and the limiter read it.

    Attributes:
        round: the number of the agent's turns so far, this one included.
        turn: the number of this turn in its debate, from 1.
        heard: the answers in the agent's prompt, its own included; None for an unparsed one.
        reads_as: the parser of its reply, e.g. ``"answer"`` or ``"ruling"``.
        opening: the values that this prompt puts forward as the right answer.
        own: the agent's newest answer before this turn; None without one.
        others: the newest answer of each other agent in this prompt; None for an unparsed one. Only
            simulated models get it, like ``own``, ``shown_as``, ``labels`` and ``agreement``.
        shown_as: how the prompt shows each of ``others``.
        labels: the label under which it shows each of ``others``.
        agreement: the agreement with the others that the prompt asks for, in percent; None when it
            asks for none.
    """

    question: Question
    agent: str
    role: str
    step: str
    round: int
    turn: int = 1
    heard: tuple[str | None, ...] = ()
    reads_as: str = "answer"
    opening: tuple[str, ...] = ()
    own: str | None = None
    others: tuple[str | None, ...] = ()
    shown_as: tuple[ShownAs, ...] = ()
    labels: tuple[str, ...] = ()
    agreement: int | None = None


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request to one model."""

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    draw: Draw = Draw()
    scene: Scene | None = None

    def request(self) -> bytes:
        """Return the request, without the draw: JSON ``[model, messages, sampling]``."""
        return _encode((self.model, self.messages, self.sampling))

    def redact(self, request: bytes, reply: "Reply") -> tuple[bytes, "Reply"]:
        """Return request and reply as they may be stored: without the texts of a secret question.

        A replay needs the reply's text, but not its thought, which mostly repeats the question.
        """
        if self.scene is None or not self.scene.question.secret:
            return request, reply
        silent = tuple(Message(message.role, WITHHELD) for message in self.messages)
        thought = reply.thought and WITHHELD
        reply = msgspec.structs.replace(reply, thought=thought)
        return _encode((self.model, silent, self.sampling)), reply

    def seed(self) -> int:
        """Return the sampling seed, 0 to 2**31 - 1, from the base seed, the draw and the messages.

        Two questions of one seat have different seeds, since their messages differ. The same
        messages at another temperature have the same seed, which makes that comparison closer.
        """
        mixed = 0
        for message in self.messages:
            mixed = crc32(message.content.encode("utf-8", "surrogatepass"), mixed)
        replicate, seat, repeat = self.draw
        drawn = replicate * 1_000_003 + seat * 10_007 + repeat * 101
        return (self.sampling.seed + drawn + mixed) % 2**31


def identity(request: bytes, draw: Draw) -> bytes:
    """Return the identity of a call in the ledger: 16 bytes, BLAKE2b of request and draw."""
    digest = blake2b(request, digest_size=16)
    digest.update(b"\x00%d %d %d" % draw)
    return digest.digest()


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reply of a model, with its tokens, time and cost.

    Attributes:
        text: the reply, without hidden thought.
        finish: ``stop`` when the model ended by itself, ``length`` when it was cut off.
        prompt_tokens: tokens read; None where the endpoint did not report them.
        completion_tokens: tokens written, hidden thought included; None where the endpoint did
            not report them.
        cached_tokens: prompt tokens that the endpoint read from its cache.
        seconds: the time from sending the successful request to the end of its reply.
        cost: in US dollars; None where the price is unknown.
        retries: failed attempts before this reply.
        replayed: whether it came from the ledger, and nothing was paid for it this time.
        thought: the hidden thought before the answer, if the endpoint shows it. No other agent and
            no parser reads it.
        reasoning_tokens: the completion tokens of hidden thought, shown or not; None for unknown.
        batch: the share of the usual price that it cost, where it came in a batch; None where the
            call went by itself.
        token_probability: the mean probability of the reply's tokens, 0 to 1, where it was asked
            for; None where it was not, or where the endpoint did not give it.
        tool_calls: the client's tools that the model wants called.
    """

    text: str
    finish: Finish = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    retries: int = 0
    replayed: bool = False
    thought: str = ""
    reasoning_tokens: int | None = None
    batch: float | None = None
    token_probability: float | None = None
    tool_calls: tuple[ToolCall, ...] = ()

    @property
    def tokens(self) -> int | None:
        """Tokens read and written; None where the endpoint did not report both."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens

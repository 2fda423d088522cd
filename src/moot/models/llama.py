"""llama.cpp in this process, through xllamacpp.

A prompt is expensive here: on a processor, reading a token costs about as much as writing one. What
an agent has read before must therefore stay cached although other debates use its slot in between.
No call is pinned to a slot: llama.cpp gives it the free slot whose content begins most like its
prompt, and keeps what is displaced in memory, from where any slot takes it back. Over 8 debates in
8 slots (society of minds, 3 agents, 2 rounds) that left 6.5 thousand prompt tokens to compute and
took 22.5 ms of processor time for each token written; pinned by the longest common prefix, 8.9
thousand and 25.9 ms, since llama.cpp takes nothing back for a pinned call.

A seed gives the same reply again at any concurrency (20 of 20 replies, 8 at once and one by one),
but not with certainty: what was cached or computed together can change the last digits of a sum,
and now and then a word. What a study replays comes from the ledger.
"""

import asyncio
import os
import secrets
import time
from importlib import import_module
from typing import Any

import msgspec

from moot.core.calls import Call, Reply
from moot.core.errors import ContextTooLong, InputError, ModelError, RefusedError
from moot.core.ports import TellWords
from moot.models import chat_format, refusals
from moot.models.body import TransportError
from moot.models.chat_stream import STREAMED, CompletionStream
from moot.models.effort import effort_parameters
from moot.models.plain_http import PlainTransport, open_transport
from moot.models.transport import AiohttpTransport

MAX_TOKENS = 512
_TIMEOUT = 1e6
"""Seconds for a reply: a processor may be slow."""
CACHE_MIB = 512  # of displaced prompts; 22 thousand tokens of SmolLM2-135M

MORE_CONTEXT = "give the model more room, as in 'local/NAME?context=8192', or name another model"


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """The memory layout of a model.

    Attributes:
        parallel: slots, that is replies in progress at once.
        context: tokens of prompt and reply together, in each slot.
        threads: threads of computation.
    """

    parallel: int
    context: int
    threads: int


class Engine:
    """A loaded model with its slots. llama.cpp serves it on loopback, in threads of its own.

    Args:
        path: the GGUF file.
        shape: the memory layout.

    Raises:
        InputError: xllamacpp is not installed.
        RefusedError: llama.cpp cannot load the file.
    """

    def __init__(self, path: str, shape: Shape) -> None:
        self._shape, self._key = shape, secrets.token_urlsafe(32)
        self._server = serve(path, shape, self._key)
        self._transport: PlainTransport | AiohttpTransport | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reply(self, call: Call, tell: TellWords | None = None) -> Reply:
        """Answer once; a cancelled call closes its connection, which ends its computation.

        Args:
            call: the call.
            tell: is called with the words as they come.
        """
        if self._transport is None or self._loop is not asyncio.get_running_loop():
            self._loop = asyncio.get_running_loop()
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
            base = f"{self._server.listening_address}/v1"
            self._transport = open_transport(base, headers, _TIMEOUT)
        sent, stream = request(call), None if tell is None else CompletionStream(tell)
        started = time.perf_counter()
        try:
            if stream is None:
                status, _, body = await self._transport.post(chat_format.encode(sent))
            else:
                data = chat_format.encode(sent | STREAMED)
                status, _, body = await self._transport.post(data, stream.feed)
                body = stream.assemble(body)
            if status != 200:
                raise _refusal(refusals.parse_refusal(status, body))
            reply = chat_format.read(body, time.perf_counter() - started)
        except (TransportError, chat_format.Unreadable):
            raise ModelError("local model: the reply was broken off") from None
        most = call.sampling.max_tokens or MAX_TOKENS
        if reply.finish == "length" and (reply.completion_tokens or 0) < most:
            raise ContextTooLong(
                f"the prompt has {reply.prompt_tokens} tokens and leaves no room for a reply of "
                f"{most} in a context of {self._shape.context}; {MORE_CONTEXT}"
            )
        return msgspec.structs.replace(reply, thought=reply.thought.strip())

    async def close(self) -> None:
        """Stop all replies and free the model."""
        if self._transport is not None:
            await self._transport.close()
        await asyncio.to_thread(self._free)

    def _free(self) -> None:
        del self._server


def request(call: Call) -> dict[str, Any]:
    """Return the request for llama.cpp, with every sampling value: none of its defaults counts.

    Defaults for values that the call leaves open: temperature 0.7, top_p 1, at most 512 tokens.
    """
    asked = chat_format.fields(call.model, call, seed="seed", changes={"model": None})
    body: dict[str, Any] = _DEFAULTS | msgspec.json.decode(chat_format.encode(asked))
    if call.sampling.effort is not None:
        body |= effort_parameters("template-only", call.sampling.effort, call.model)
    return body


_DEFAULTS: dict[str, Any] = {
    "temperature": 0.7,
    "top_p": 1.0,
    "max_tokens": MAX_TOKENS,
    "stop": [],
    "cache_prompt": True,
    # These switch off every change of the distribution but temperature and top_p.
    "top_k": 0,
    "min_p": 0.0,
    "typical_p": 1.0,
    "top_n_sigma": -1.0,
    "xtc_probability": 0.0,
    "repeat_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "dry_multiplier": 0.0,
    "dynatemp_range": 0.0,
    "mirostat": 0,
    "samplers": ["top_p", "temperature"],
}


def serve(path: str, shape: Shape, key: str) -> Any:  # noqa: ANN401 (xllamacpp has no types)
    """Return a loaded model. Raises the same errors as ``Engine``."""
    # With the default, spinning, two threads beside any other load become ten times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        xllamacpp: Any = import_module("xllamacpp")  # it has no types
    except ImportError:
        raise InputError(
            "local models need xllamacpp, which is not installed: pip install 'moot[local]'"
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_parallel = shape.parallel
    params.n_ctx = shape.parallel * shape.context
    params.cpuparams.n_threads = shape.threads
    params.cpuparams_batch.n_threads = shape.threads
    params.cache_ram_mib = CACHE_MIB
    params.verbosity = -1  # nothing on stderr
    params.fit_params = False
    params.api_keys = [key]  # closes the port to others
    params.ui = False
    params.endpoint_slots = False
    params.n_threads_http = shape.parallel + 2  # one for each open connection
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise RefusedError(f"llama.cpp cannot load {path}: {_short(str(error))}") from None


def _refusal(refusal: refusals.EndpointRefusal) -> ModelError:
    text = f"local model: {_short(refusal.message)}"
    if refusals.is_too_long(refusal):
        return ContextTooLong(f"{text}; {MORE_CONTEXT}")
    return RefusedError(text, status=refusal.status)


def _short(text: str) -> str:
    """Return a text as one line of at most 300 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:299]}…"

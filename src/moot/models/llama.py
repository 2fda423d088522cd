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
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import msgspec

from moot.core.calls import Call, Finish, Reply
from moot.core.errors import ContextTooLong, InputError, ModelError, RefusedError
from moot.models import chat_format
from moot.models.effort import effort_parameters

MAX_TOKENS = 512
CACHE_MIB = 512  # of displaced prompts; 22 thousand tokens of SmolLM2-135M


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
    """A loaded model with its slots. It works in threads of its own.

    Args:
        path: the GGUF file.
        shape: the memory layout.

    Raises:
        InputError: xllamacpp is not installed.
        RefusedError: llama.cpp cannot load the file.
    """

    def __init__(self, path: str, shape: Shape) -> None:
        self._path, self._shape = path, shape
        self._server = serve(path, shape)
        self._threads = ThreadPoolExecutor(shape.parallel, thread_name_prefix="llama")
        self._closing = threading.Event()

    async def reply(self, call: Call) -> Reply:
        """Answer once; a cancelled call ends its computation at the next token."""
        cancelled = threading.Event()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._reply, call, cancelled)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def close(self) -> None:
        """Stop all replies and free the model."""
        self._closing.set()
        await asyncio.to_thread(self._free)

    def _free(self) -> None:
        self._threads.shutdown()
        del self._server

    def _reply(self, call: Call, cancelled: threading.Event) -> Reply:
        started = time.perf_counter()
        stream = _Stream(lambda: cancelled.is_set() or self._closing.is_set())
        if not stream.stop():
            try:
                self._server.handle_chat_completions(request(call), stream)
            except ValueError as error:  # llama.cpp refuses the request before it starts
                raise RefusedError(f"local model: {_short(str(error))}") from None
        if stream.error:
            raise _refusal(stream.error)
        if stream.finish is None:
            raise ModelError("local model: the reply was broken off")
        return self._make_reply(call, stream, time.perf_counter() - started)

    def _make_reply(self, call: Call, stream: "_Stream", seconds: float) -> Reply:
        written, read, cached = stream.tokens
        if stream.finish == "length" and written < (call.sampling.max_tokens or MAX_TOKENS):
            raise ContextTooLong(
                f"the prompt has {read} tokens and leaves no room for a reply of "
                f"{call.sampling.max_tokens or MAX_TOKENS} in a context of {self._shape.context}; "
                "raise ?context=TOKENS"
            )
        text, thought = "".join(stream.parts), "".join(stream.thought)
        return Reply(
            text=text,
            finish=stream.finish or "other",
            prompt_tokens=read,
            completion_tokens=written,
            cached_tokens=cached,
            seconds=seconds,
            thought=thought.strip(),
            reasoning_tokens=written if thought and not text else None,
        )


class _Stream:
    """Collects a reply while it is generated. It returns True to stop the generation."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        self.stop = stop
        self.parts: list[str] = []
        self.thought: list[str] = []
        self.finish: Finish | None = None
        self.error: dict[str, Any] | None = None
        self.tokens = (0, 0, 0)

    def __call__(self, chunk: dict[str, Any]) -> bool:
        if "error" in chunk or "code" in chunk:
            self.error = chunk.get("error", chunk)
            return True
        for choice in chunk.get("choices", ()):
            self.parts.append(choice["delta"].get("content") or "")
            self.thought.append(choice["delta"].get("reasoning_content") or "")
            if reason := choice.get("finish_reason"):
                self.finish = reason if reason in {"stop", "length"} else "other"
        if usage := chunk.get("usage"):
            cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
            self.tokens = (usage["completion_tokens"], usage["prompt_tokens"], cached)
        return self.stop()


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
    "stream": True,
    "stream_options": {"include_usage": True},
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


def serve(path: str, shape: Shape) -> Any:  # noqa: ANN401 (xllamacpp has no types)
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
    # It opens a port on loopback that moot does not use. This key closes it to others.
    params.api_keys = [secrets.token_urlsafe(32)]
    params.ui = False
    params.endpoint_slots = False
    params.n_threads_http = 1
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise RefusedError(f"llama.cpp cannot load {path}: {_short(str(error))}") from None


def _refusal(error: dict[str, Any]) -> ModelError:
    text = f"local model: {_short(str(error.get('message', error)))}"
    if error.get("type") == "exceed_context_size_error" or "context size" in text.lower():
        return ContextTooLong(f"{text}; raise ?context=TOKENS")
    return RefusedError(text, status=error.get("code"))


def _short(text: str) -> str:
    """Return a text as one line of at most 300 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:299]}…"

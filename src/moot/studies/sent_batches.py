"""Batches through an endpoint's files and batches API: sent, waited for, picked up again."""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from moot.core.calls import Call, Reply
from moot.core.display_text import format_things
from moot.core.errors import InputError
from moot.core.ports import BatchModel, Model
from moot.ledger.batches import SentBatch
from moot.ledger.store_runs import StoreRuns
from moot.models.batch_client import BatchClient, BatchState
from moot.studies.batch_files import BatchFiles

MOST_LINES = 50_000
MOST_BYTES = 190_000_000
"""Lines and bytes of a file of requests; OpenAI takes 50,000 and 200 MB."""
SOON, LATER = 2.0, 60.0
"""The shortest and the longest wait between two looks at a batch, in seconds."""
_FAULTS = 5

log = logging.getLogger("moot.studies")


@runtime_checkable
class _WithBatches(Protocol):
    def open_batches(self) -> BatchClient:
        """Return a client of the endpoint's batches API."""


class SentBatches:
    """Batches of a run at the endpoints of its models (``batch_files.BatchCarrier``).

    All batches of a pass have ended before the next pass begins, so a run sends as many batches for
    each model as its longest chain has calls.

    Args:
        store: keeps which batches there are.
        model: returns the model of a name.
        names: the names of all models of the run, as the user writes them.
        wait: whether this process waits until batches have ended.
        attempts: how often a call goes out that fails and may pass.
    """

    discounted = True

    def __init__(
        self,
        store: StoreRuns,
        model: Callable[[str], Model],
        names: tuple[str, ...],
        *,
        wait: bool,
        attempts: int,
    ) -> None:
        self._tries, self._attempts = Counter[bytes](), attempts
        self._store, self._model, self._names, self._wait = store, model, names, wait
        self._folder = TemporaryDirectory(prefix="moot-batch-")
        self._place = Path(self._folder.name)
        self._run = 0
        self._ended: list[SentBatch] = []
        self._pass: BatchFiles | None = None
        self._pauses = SOON

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end_pass()
        self._folder.cleanup()

    def find(self, model: BatchModel, call: Call, key: bytes) -> Reply | None:
        """Return the reply that came in for a call; see ``BatchFiles.find``."""
        assert self._pass is not None
        return self._pass.find(model, call, key)

    def waits(self, key: bytes) -> bool:
        """Return whether a call was gathered already."""
        assert self._pass is not None
        return self._pass.waits(key)

    def add(self, model: BatchModel, call: Call, key: bytes) -> None:
        """Gather a call."""
        assert self._pass is not None
        self._pass.add(model, call, key)

    async def prepare(self, run: int) -> dict[str, int]:
        """Look at the batches of a run that are open; fetch the replies when all have ended.

        Returns:
            The calls of batches that have not ended, by batch and status.

        Raises:
            InputError: an endpoint did not accept a batch's file.
            ModelError: an endpoint cannot be asked.
        """
        self._run, pending = run, dict[str, int]()
        files = list[Path]()
        self._ended = []
        for batch in self._store.batches.open(run):
            async with self._client(batch.model) as client:
                state = await self._look(client, batch)
                if state is not None and not state.has_ended:
                    pending[f"{batch.model}: {state.id} ({state.status})"] = batch.calls
                elif state is not None:
                    await self._check(batch, state)
                    files += [each async for each in _fetch(client, state, self._place)]
                    self._ended.append(batch)
        if not pending:
            await self._begin_pass(files)
        return pending

    async def _look(self, client: BatchClient, batch: SentBatch) -> BatchState | None:
        """Return the state of a batch; None where it was never created."""
        if batch.name is None:  # no process has seen it created
            state = await client.find(batch.key)
        else:
            state = await client.retrieve(batch.name)
        if state is None:
            await self._store.batches.take(batch.id)
        else:
            await self._store.batches.update(batch.id, state.id, state.status)
        return state

    async def _check(self, batch: SentBatch, state: BatchState) -> None:
        """Raise ``InputError`` for a batch whose file was not accepted; tell what is unfinished."""
        if state.status == "failed":
            await self._store.batches.take(batch.id)
            told = [
                f"line {each.line}: {each.message}" if each.line else f"{each.message}"
                for each in state.faults[:_FAULTS]
            ]
            reason = "; ".join(told) or "no reason is given"
            raise InputError(
                f"{batch.model}: batch {state.id} was not accepted: {reason}; nothing was paid "
                "for it, and running again sends it again"
            )
        if state.status != "completed":
            log.warning(
                "%s: batch %s has %s: what it did not answer waits again",
                *(batch.model, state.id, state.status),
            )

    async def _begin_pass(self, files: list[Path]) -> None:
        self._end_pass()
        self._pass = BatchFiles(
            self._place / "calls.jsonl",
            files,
            store=self._store.batches,
            tries=self._tries,
            attempts=self._attempts,
        )
        await self._pass.prepare(self._run)

    def _end_pass(self) -> None:
        if self._pass is not None:
            self._pass.__exit__(None, None, None)
            self._pass = None

    async def finish(self) -> dict[str, int]:
        """Send what waits; return how many calls wait, by batch."""
        assert self._pass is not None
        await self._pass.end()
        for batch in self._ended:
            await self._store.batches.take(batch.id)
        self._ended = []
        waiting = {}
        for name, part in self._pass.close_parts().items():
            for file, calls in _split(part):
                waiting[await self._send(self._pass.models[name], file, calls)] = calls
        self._pauses = SOON
        return waiting

    async def _send(self, model: BatchModel, file: Path, calls: int) -> str:
        """Send a file of calls as a batch; return the batch in words."""
        key = secrets.token_hex(16)
        async with self._client(model.name) as client:
            uploaded = await client.upload(file)
            batch = await self._store.batches.begin(self._run, key, model.name, calls)
            state = await client.create(uploaded, model.batch_url, key)
            await self._store.batches.update(batch.id, state.id, state.status)
        return f"{model.name}: {state.id} ({state.status})"

    async def pause(self) -> bool:
        """Wait for a while, longer each time; False where this process is not to wait."""
        if self._wait:
            await asyncio.sleep(self._pauses)
            self._pauses = min(LATER, 1.5 * self._pauses)
        return self._wait

    def _client(self, name: str) -> BatchClient:
        """Return a client of the endpoint of a model, by the model's name in calls."""
        for written in self._names:
            model = self._model(written)
            if model.name == name:
                return require_batches(model).open_batches()
        raise InputError(f"{name}: a batch of it is open, and no arm of this run has it any more")


def require_batches(model: Model) -> _WithBatches:
    """Return a model whose endpoint takes batches. Raises ``InputError`` for any other."""
    if not isinstance(model, _WithBatches):
        raise InputError(f"{model.name}: it takes no batches; give --batch FILE.jsonl")
    return model


async def _fetch(client: BatchClient, state: BatchState, to: Path) -> AsyncIterator[Path]:
    """Yield the downloaded files of a batch that has ended: its replies, and its failures."""
    for file in (state.error_file_id, state.output_file_id):  # of one call the last line counts
        if file is not None:
            place = to / f"{state.id}-{file}.jsonl"
            await client.download(file, place)
            yield place


def _split(file: Path) -> Iterator[tuple[Path, int]]:
    """Yield files with at most so many lines and bytes as a batch may have, and their lines."""
    with file.open("rb") as lines:
        number, text = 0, lines.readline()
        while text:
            part, many, size = file.with_suffix(f".{number}.jsonl"), 0, 0
            with part.open("wb") as out:
                while text and many < MOST_LINES and size + len(text) <= MOST_BYTES:
                    out.write(text)
                    many, size, text = many + 1, size + len(text), lines.readline()
            if not many:
                raise InputError(f"a call has {format_things(len(text), 'byte')}: too many")
            yield part, many
            number += 1

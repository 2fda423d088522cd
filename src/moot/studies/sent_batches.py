"""Batches through an endpoint's files and batches API: sent, waited for, picked up again."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

import msgspec

from moot.core.calls import Call, Reply
from moot.core.display_text import format_things
from moot.core.errors import InputError, NotFoundError, RefusedError, TransientError
from moot.core.ports import BatchModel, Model
from moot.ledger.batches import CREATING, SentBatch
from moot.ledger.store import Store
from moot.models.batch_client import BatchClient, BatchState
from moot.models.prices import Price
from moot.studies.batch_files import BatchFiles

MOST_LINES = 50_000
MOST_BYTES = 190_000_000
"""Lines and bytes of a file of requests; OpenAI takes 50,000 and 200 MB."""
SOON, LATER = 0.2, 60.0
"""The shortest and the longest wait between two looks at a batch, in seconds."""
_FAULTS = 5
_SETTLE = 10.0
"""Seconds after which a batch that was about to be created is either there or never will be."""
_FULL = "token_limit_exceeded"
"""The code of a batch that found too many tokens of others in the endpoint's queue."""

log = logging.getLogger("moot.studies")


@runtime_checkable
class _WithBatches(BatchModel, Protocol):
    changes: dict[str, str | None]

    @property
    def takes_batches(self) -> bool | None:
        """Whether its endpoint has the batches API; None where it has to be asked."""

    def open_batches(self) -> BatchClient:
        """Return a client of the endpoint's batches API."""

    def learn_changes(self, changes: Mapping[str, str | None]) -> None:
        """Send parameters by other names from now on, or not at all."""


class _Learnt(msgspec.Struct):
    """What is known of an endpoint: changed parameters, and the kinds of calls that it takes."""

    changes: dict[str, str | None] = {}
    kinds: tuple[str, ...] = ()


class SentBatches:
    """Batches of a run at the endpoints of its models (``batch_files.BatchCarrier``).

    All batches of a pass have ended before the next pass begins, so a run sends as many batches for
    each model as its longest chain has calls.

    Args:
        store: keeps which batches there are.
        models: the models of the run that take batches, by their names in calls.
        prices: stated prices, by the same names.
        wait: whether this process waits until batches have ended.
        cancel: whether open batches are cancelled and nothing is sent.
        attempts: how often a call goes out that fails and may pass.

    Attributes:
        tested: as of ``moot.runtime.gathered_calls.Batch``.
    """

    def __init__(
        self,
        store: Store,
        models: Mapping[str, _WithBatches],
        prices: Mapping[str, Price],
        *,
        wait: bool,
        cancel: bool,
        attempts: int,
    ) -> None:
        self._store, self._models, self._prices = store, models, prices
        self._wait, self._cancel, self._attempts = wait, cancel, attempts
        self.tested: set[str] | None = None if cancel else set()
        self._folder = TemporaryDirectory(prefix="moot-batch-")
        self._place = Path(self._folder.name)
        self._run = 0
        self._ended: list[SentBatch] = []
        self._pass: BatchFiles | None = None
        self._pauses = SOON
        self._lost: set[str] = set()

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

    def share(self, model: BatchModel) -> float:
        """Return the share of the price that a call costs: the stated one, else the provider's."""
        stated = self._prices.get(model.name)
        if stated is not None and stated.batch is not None:
            return stated.batch
        return 1.0 if model.batch_share is None else model.batch_share

    async def prepare(self, run: int) -> dict[str, int]:
        """Look at the batches of a run that are open; fetch the replies when all have ended.

        Returns:
            The calls of batches that have not ended, by batch, with how far it is.

        Raises:
            InputError: an endpoint did not accept a batch's file, or takes no batches.
            ModelError: an endpoint cannot be asked.
        """
        if not self._run:
            self._run = run
            await self._begin()
        pending, ended = dict[str, int](), list[tuple[SentBatch, BatchState]]()
        for batch in self._store.batches.list_open(run):
            state = await self._look(batch)
            if isinstance(state, str):
                pending[f"{describe_batch(batch)} ({state})"] = batch.calls
            elif state is not None:
                ended.append((batch, state))
        if not pending:
            await self._begin_pass(ended)
        return pending

    async def _begin(self) -> None:
        """Take up what earlier processes have learnt, and ask each endpoint for its batches API.

        Raises:
            InputError: endpoints take no batches; all are named.
            ModelError: an endpoint cannot be asked.
        """
        for batch in self._store.batches.list_sent(self._run):
            learnt = msgspec.json.decode(batch.learnt or b"{}", type=_Learnt)
            if self.tested is not None:
                self.tested |= set(learnt.kinds)
            if (model := self._models.get(batch.model)) is not None and learnt.changes:
                model.learn_changes(learnt.changes)
        asked, lacking = dict[str, str](), list[str]()
        for name, model in self._models.items():
            if model.endpoint not in asked:
                async with model.open_batches() as client:
                    asked[model.endpoint] = await client.find_lack()
            if lack := asked[model.endpoint]:
                lacking.append(f"{name}: {lack}")
        if lacking:
            raise InputError("\n".join([*lacking, _LACKING]))
        unknown = [name for name, model in self._models.items() if self._lacks_share(model)]
        if unknown and not self._cancel:
            log.warning(
                "%s: the batch price is unknown, so the whole price counts; state it with "
                "--price MODEL=INPUT,OUTPUT,CACHED,SHARE, e.g. 0.15,0.6,0.075,0.5",
                ", ".join(unknown),
            )

    def _lacks_share(self, model: BatchModel) -> bool:
        stated = self._prices.get(model.name)
        known = model.batch_share is not None or (stated is not None and stated.batch is not None)
        one = Reply(text="", prompt_tokens=1_000_000, completion_tokens=1_000_000)
        return not known and bool((stated or model.cost)(one))

    async def _look(self, batch: SentBatch) -> BatchState | str | None:
        """Look at a batch, and cancel it if that is wanted.

        Returns:
            Its state when it has ended; else how far it is, in words; None where it was never
            created, or is given up.
        """
        try:
            async with self._client(batch.model) as client:
                state = await self._find(client, batch)
                if self._cancel and state is not None and state.may_be_cancelled:
                    state = await client.cancel(state.id)
        except TransientError as error:
            if not self._wait:
                raise
            if batch.key not in self._lost:  # once: it may last for hours
                log.warning("%s; moot goes on asking", error)
            self._lost.add(batch.key)
            return f"not reached, last seen {batch.status}"
        self._lost.discard(batch.key)
        if state is None:
            if batch.name is None and time() - batch.created < _SETTLE:
                return CREATING
            await self._store.batches.take(batch.id)
            return None
        if (state.id, state.status) != (batch.name, batch.status):
            await self._store.batches.update(batch.id, state.id, state.status)
        return state if state.has_ended else state.progress

    async def _find(self, client: BatchClient, batch: SentBatch) -> BatchState | None:
        """Return the state of a batch; None where there is none, or it may be given up."""
        if batch.name is None:  # no process has seen it created
            return await client.find(batch.key)
        try:
            return await client.retrieve(batch.name)
        except NotFoundError as error:
            if self._cancel:
                log.warning("%s: it is given up", error)
                return None
            raise InputError(
                f"{batch.model}: the endpoint does not know batch {batch.name}: is the key that of "
                "another project? --batch-cancel gives it up, and its calls go out again"
            ) from None

    async def _begin_pass(self, ended: list[tuple[SentBatch, BatchState]]) -> None:
        """Fetch the replies of all batches that have ended, and begin a pass with them."""
        self._end_pass()
        some = any(state.status != "failed" for _, state in ended)
        files = list[Path]()
        for batch, state in ended:
            await self._check(batch, state, some=some)
            async with self._client(batch.model) as client:
                files += [each async for each in _fetch(client, state, self._place)]
        self._ended = [batch for batch, _ in ended]
        self._pass = BatchFiles(
            None if self._cancel else self._place / "calls.jsonl",
            files,
            store=self._store.batches,
            attempts=self._attempts,
        )
        await self._pass.prepare(self._run)

    async def _check(self, batch: SentBatch, state: BatchState, *, some: bool) -> None:
        """Raise ``InputError`` for a batch whose file was not accepted; tell what is unfinished.

        Args:
            batch: the batch.
            state: how it ended.
            some: whether another batch of the same pass was accepted.
        """
        if state.status == "failed":
            reason = state.describe_faults(_FAULTS)
            if some and any(fault.code == _FULL for fault in state.faults):
                log.warning("%s: it waits again: %s", describe_batch(batch), reason)
                return
            await self._store.batches.take(batch.id)
            raise InputError(
                f"{describe_batch(batch)} was not accepted: {reason}; nothing was paid for it, and "
                "running again sends it again; --limit sends less"
            )
        if state.status != "completed":
            log.warning(
                "%s has %s: what it did not answer waits again",
                *(describe_batch(batch), state.status),
            )

    def _end_pass(self) -> None:
        if self._pass is not None:
            self._pass.__exit__(None, None, None)
            self._pass = None
        for file in self._place.iterdir():
            file.unlink()

    async def finish(self) -> dict[str, int]:
        """Send what waits; return how many calls wait, by batch."""
        assert self._pass is not None
        if self._cancel:
            waiting = await self._pass.finish()
        else:
            await self._pass.end()
        for batch in self._ended:
            await self._store.batches.take(batch.id)
        self._ended = []
        if self._cancel:
            return waiting
        waiting = {}
        for name, part in self._pass.close_parts().items():
            for file, calls in _split(part):
                waiting[await self._send(self._models[name], file, calls)] = calls
        self._pauses = SOON
        return waiting

    async def _send(self, model: _WithBatches, file: Path, calls: int) -> str:
        """Send a file of calls as a batch; return the batch in words."""
        key = secrets.token_hex(16)
        learnt = msgspec.json.encode(_Learnt(model.changes, tuple(sorted(self.tested or ()))))
        async with self._client(model.name) as client:
            uploaded = await client.upload(file)
            batch = await self._store.batches.begin(self._run, key, model.name, calls, learnt)
            try:
                state = await client.create(uploaded, model.batch_url, key)
            except RefusedError:
                await self._store.batches.take(batch.id)
                raise
            await self._store.batches.update(batch.id, state.id, state.status)
        batch = batch._replace(name=state.id)
        return f"{describe_batch(batch)} ({state.progress})"

    async def pause(self) -> bool:
        """Wait for a while, longer each time; False where this process is not to wait."""
        if not self._wait or (self._cancel and self._pass is not None):
            return False
        await asyncio.sleep(self._pauses)
        self._pauses = min(LATER, 1.5 * self._pauses)
        return True

    def _client(self, name: str) -> BatchClient:
        """Return a client of the endpoint of a model, by the model's name in calls."""
        if name not in self._models:
            raise InputError(f"{name}: a batch of it is open, and no arm of this run has it now")
        return self._models[name].open_batches()


def find_batch_models(models: Iterable[Model]) -> dict[str, _WithBatches]:
    """Return the models whose calls go out in batches, by their names in calls.

    Raises:
        InputError: a model's endpoint is known to take none; all are named. Or no model has one.
    """
    found = {model.name: model for model in models if isinstance(model, BatchModel)}
    able = {
        name: model
        for name, model in found.items()
        if isinstance(model, _WithBatches) and model.takes_batches is not False
    }
    if lacking := [f"{name}: it takes no batches" for name in found if name not in able]:
        raise InputError("\n".join([*lacking, _LACKING]))
    if not able:
        raise InputError("--batch: no model of this study takes batches")
    return able


_LACKING = (
    "nothing was sent; --batch needs OpenAI's files and batches API, --batch FILE.jsonl writes the "
    "calls to files"
)


def describe_batch(batch: SentBatch) -> str:
    """Return a batch in words: its model, its id, and since when it is."""
    since = f"{datetime.fromtimestamp(batch.created).astimezone():%Y-%m-%d %H:%M}"
    return f"{batch.model}: {batch.name or 'a batch'}, since {since}"


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

"""A worker: the actor of Ray that runs chunks, one process on some machine of the cluster.

It pays from a lease of its own of the run's budget, and claims its calls in the store, as any
process does that shares a run's budget or its calls.
"""

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from socket import gethostname
from tempfile import mkdtemp
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

from moot import InputError, Model, MootError, StoreError, Transcript
from moot.contrib.cluster.chunks import QuestionChunk, SentArm, restore_tasks
from moot.contrib.cluster.registered import list_registered, moot_version
from moot.contrib.cluster.worker_limits import WorkerLimits
from moot.contrib.cluster.worker_messages import (
    TROUBLES,
    ChunkEnd,
    RunOrder,
    Trouble,
    WorkerAccess,
    WorkerState,
)
from moot.core.errors import LeaseLost
from moot.extend.calls import collect_seldom
from moot.extend.faults import place_errors
from moot.extend.stores import DatabaseFault, Store
from moot.extend.studies import Lab, ReadyArm
from moot.studies.all_debates import run_here

P = ParamSpec("P")
T = TypeVar("T")

NOT_BEGUN = "NotBegun"
"""The kind of trouble of a worker that was restarted and has no order yet."""
_WARNINGS = 100
_SERVER, _SERVER_PAUSE = 30.0, 0.5
"""Seconds for which the store's server may be away when a worker begins, and between attempts."""
_NAP = 0.02
"""Seconds between two looks whether calls are in flight."""


def _return_trouble(
    method: Callable[P, Coroutine[Any, Any, T]],
) -> Callable[P, Coroutine[Any, Any, T | Trouble]]:
    """Have a method return moot's errors: Ray would send them with a traceback."""

    @wraps(method)
    async def wrapper(*args: P.args, **kwargs: P.kwargs) -> T | Trouble:
        try:
            return await method(*args, **kwargs)
        except MootError as error:
            kinds = (name for name, kind in TROUBLES.items() if isinstance(error, kind))
            return Trouble(next(kinds, ""), str(error))

    return wrapper


class ChunkWorker:
    """Runs chunks. The driver calls its methods through Ray, several at the same time."""

    def __init__(self) -> None:
        self._lab: Lab | None = None
        self._access: WorkerAccess | None = None
        self._arms: list[ReadyArm] = []
        self._gate = asyncio.Semaphore()
        self._payment, self._account = 0, ""
        self._models: dict[str, Model] = {}
        self._limits = WorkerLimits()
        self._is_draining = False
        self._running: set[asyncio.Task[str]] = set()
        self._ended: Counter[int] = Counter()
        self._cleanup = ExitStack()
        self._warnings = _WarningList()

    @_return_trouble
    async def begin(
        self,
        access: WorkerAccess,
        order: RunOrder,
        shares: dict[str, int],
        keeper: Any = None,  # noqa: ANN401 -- Ray's
    ) -> str:
        """Open the store, check that all is here that the order names, and pay for its run.

        Returns:
            The process of this worker in words.

        Raises:
            InputError: something is not here, or is another than the driver has.
            StoreError: the store cannot be opened.
        """
        await self._cancel_all()
        os.environ.update(access.variables)
        lab = await self._open_lab(access)
        with place_errors(f"worker on host {gethostname()}"):
            self._arms = _prepare_order(lab, order)
        session = await asyncio.wrap_future(lab.store.begin_session())
        if order.payment != self._payment:
            lab.set_budget(
                order.budget,
                order.retry,
                order.prices,
                run=order.run,
                also=order.also,
                models=list(order.models),
            )
            self._payment, self._account = order.payment, uuid4().hex
        self._models = {name: lab.model(name) for name in order.models}
        self._is_draining = False
        self._limits.begin(self._models, shares, keeper)
        lab.path.make_limiter = self._limits.make_limiter
        self._gate = asyncio.Semaphore(order.width)
        return session.process

    async def _open_lab(self, access: WorkerAccess) -> Lab:
        if self._lab is not None and self._access == access:
            return self._lab
        await self.close()
        if self._access is None:  # the first time
            self._cleanup.enter_context(collect_seldom())
            logging.getLogger("moot").addHandler(self._warnings)
        store = await asyncio.to_thread(_open_store, access.store)
        self._payment = 0
        self._lab, self._access = Lab(access.store, store, access.tables), access
        self._lab.use_models(access.models)
        return self._lab

    @_return_trouble
    async def run(self, chunk: QuestionChunk) -> ChunkEnd | Trouble:
        """Run the debates of a chunk; return when they are in the store."""
        lab = self._lab
        if lab is None:
            return Trouble(NOT_BEGUN, "")
        failed: Counter[str] = Counter()

        def count(transcript: Transcript) -> None:
            self._ended[chunk.number] += 1
            if transcript.failed is not None:
                failed[transcript.failed.reason] += 1

        tasks, size = restore_tasks(chunk, self._arms), len(chunk.tasks)
        running = asyncio.create_task(run_here(lab, tasks, size, size, count, self._gate))
        self._running.add(running)
        try:
            stopped = await running
        except asyncio.CancelledError:
            if not self._is_draining:  # it was given an order anew
                return Trouble(NOT_BEGUN, "")
            stopped = "interrupted"
        except LeaseLost:  # the server was away; the next order takes a new one
            self._payment = 0
            return Trouble(NOT_BEGUN, "")
        finally:
            self._running.discard(running)
            done = self._ended.pop(chunk.number, 0)
        await lab.store.flush()
        return ChunkEnd(done, failed.total(), dict(failed), stopped, lab.path.guard.reached)

    async def drain(self) -> None:
        """Make no more calls, wait for those in flight, and stop all debates."""
        self._is_draining = self._limits.is_closed = True
        lab = self._lab
        while lab is not None and self._running and lab.path.traffic.in_flight:  # noqa: ASYNC110 -- traffic has no event
            await asyncio.sleep(_NAP)
        await self._cancel_all()

    async def _cancel_all(self) -> None:
        for running in self._running:
            running.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    @_return_trouble
    async def state(self, shares: dict[str, int]) -> WorkerState | None:
        """Use these shares of limits from now on; return how far this worker is.

        Returns:
            None before it has an order.
        """
        if self._lab is None:
            return None
        if shares != self._limits.shares:
            self._limits.shares = shares
            self._lab.path.admit_waiting()
        return self._describe(self._lab)

    @_return_trouble
    async def close(self) -> None:
        """Close the store and the models."""
        lab, self._lab = self._lab, None
        if lab is not None:
            await lab.close()

    def _describe(self, lab: Lab) -> WorkerState:
        own = lab.store.sessions.own
        shares = self._limits.shares
        return WorkerState(
            process="" if own is None else own.process,
            account=self._account,
            traffic=lab.path.traffic,
            done=self._ended.total(),
            caps=lab.path.guard.caps(),
            calls={
                name: (share, *lab.path.count_calls(self._models[name]))
                for name, share in shares.items()
            },
            shared=lab.store.count_shared(),
            warnings=self._warnings.take(),
        )


class _WarningList(logging.Handler):
    """Keeps warnings until the driver asks for them."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text of a warning."""
        if len(self._texts) < _WARNINGS:
            self._texts.append(record.getMessage())

    def take(self) -> tuple[str, ...]:
        """Return the texts since the last time."""
        texts, self._texts = self._texts, []
        return tuple(texts)


def _open_store(address: str) -> Store:
    """Open the store; where its server is away, or starts, wait for it a while."""
    end = monotonic() + _SERVER
    while True:
        try:
            return Store.open(address)
        except StoreError as error:
            lost = isinstance(error.__cause__, DatabaseFault) and error.__cause__.kind == "lost"
            if not lost or monotonic() > end:
                raise
        sleep(_SERVER_PAUSE)


def _prepare_order(lab: Lab, order: RunOrder) -> list[ReadyArm]:
    """Return the arms of an order; all that it names must be here as it is with the driver."""
    _check_names(order)
    for written, (name, endpoint) in order.models.items():
        model = lab.model(written)
        if (model.name, model.endpoint) != (name, endpoint):
            raise InputError(
                f"model {written!r} is {model.name} at {model.endpoint} here, and {name} at "
                f"{endpoint} where the study was started: set the same variables"
            )
    return [_prepare_arm(sent, order.overlays) for sent in order.arms]


def _check_names(order: RunOrder) -> None:
    """Raise ``InputError`` where this is another moot, or lacks a name that the driver has."""
    if (version := moot_version()) != order.version:
        raise InputError(f"it has moot {version}, and the study was started with {order.version}")
    here = list_registered()
    for what, names in order.registered.items():
        if missing := sorted(set(names) - set(here.get(what, ()))):
            raise InputError(
                f"there is no {what} {missing[0]!r}: install the package that brings it, by an "
                "entry point, on all machines"
            )


def _prepare_arm(sent: SentArm, overlays: dict[Path, bytes]) -> ReadyArm:
    """Return an arm; its prompts and documents must be those of the driver."""
    overlay = None if sent.overlay is None else _place_overlay(sent.overlay, overlays)
    ready = ReadyArm.prepare(sent.arm, overlay)
    if ready.prompts != sent.prompts:
        raise InputError(
            f"arm {sent.arm.name!r}: its prompts are others than where the study was started: "
            "install the same packages on all machines"
        )
    with place_errors(f"arm {sent.arm.name!r}: evidence"):
        same = ready.content == sent.evidence
    if not same:
        raise InputError(
            f"arm {sent.arm.name!r}: the documents of its evidence are others than where the "
            "study was started: put the folder where all machines have it under one path"
        )
    return ready


def _place_overlay(path: Path, overlays: dict[Path, bytes]) -> Path:
    """Return a file with the driver's prompts: the same path where it has them, else a new one."""
    content = overlays[path]
    try:
        if path.read_bytes() == content:
            return path
    except OSError:
        pass
    placed = Path(mkdtemp(prefix="moot-prompts-")) / path.name
    placed.write_bytes(content)
    return placed

"""A laboratory: an open store, the models in use, and the call path between them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from moot.core.calls import Reply
from moot.core.errors import InputError, RunBusy, StoreError, UnknownName
from moot.core.events import Transcript
from moot.core.finish import finish
from moot.core.ports import BatchModel, Model
from moot.core.stored import Arm, BudgetTerms, RunRow, StudyRow
from moot.debate.agent_config import models_in
from moot.debate.protocol_settings import DEFAULT_MODEL
from moot.ledger.store import Store
from moot.ledger.store_place import StorePlace, find_place, is_readonly
from moot.models.prices import Price, Pricer
from moot.models.tables import ModelTable, load_model_with
from moot.parsing.apart import close_apart
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.first import BeforeFirstCall
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from moot.runtime.sizes import Sizes
from moot.studies.drivers import Workers, check_workers, find_driver

if TYPE_CHECKING:
    from moot.ledger.leases import Lease
    from moot.studies.batch_files import BatchCarrier

log = logging.getLogger("moot.studies")


def default_model() -> str:
    """Return the model that speaks where none is named: ``MOOT_MODEL``, else the embedded one."""
    return environ.get("MOOT_MODEL") or DEFAULT_MODEL


def model_name(model: str | Model | None) -> str:
    """Return the name of a model, of ``default_model`` where none is given."""
    if model is None:
        return default_model()
    return model if isinstance(model, str) else model.name


class Lab:
    """What debates stand on in one process.

    Args:
        place: the store's folder, or the address of its database.
        store: the open store.
        tables: models that a file describes, by the names it gives them.
        wait: where another process runs the same run, wait until it has ended or stopped, and go on
            from there. That is logged once.

    Attributes:
        place: the store's folder, or the address of its database.
        store: the open store.
        path: where every call goes.
        readonly: whether the store was opened to be read alone.
        batch: where the calls go that can go out in a batch; None: each goes by itself.
        brought: model objects that are used for their names.
        tables: models that a file describes, by the names it gives them.
        cluster: the workers that run debates and pay for them; None: this process does.
    """

    readonly = False
    batch: "BatchCarrier | None" = None
    cluster: Workers | None = None

    def __init__(
        self,
        place: StorePlace,
        store: Store,
        tables: Mapping[str, ModelTable] | None = None,
        *,
        wait: bool = False,
    ) -> None:
        self.place, self.store = place, store
        self._wait = wait
        self.tables = dict(tables or {})
        self.path = CallPath(store)
        self._keeper: Store | None = None
        self._loaded: dict[str, Model] = {}
        self.brought: dict[str, Model] = {}

    def open_to_keep(self) -> Store | None:
        """Return a store to keep measured values in; None where it cannot be written."""
        if not self.readonly:
            return self.store
        if self._keeper is None and not is_readonly(self.place):
            with suppress(StoreError):  # what was measured is known all the same
                self._keeper = Store.open(self.place)
        return self._keeper

    def model(self, name: str) -> Model:
        """Return the model of this name, loaded once. Raises ``InputError`` if there is none."""
        if name in self.brought:
            return self.brought[name]
        if name not in self._loaded:
            self._loaded[name] = load_model_with(self.tables, name)
        return self._loaded[name]

    def use_models(self, models: Iterable[Model]) -> None:
        """Use these model objects for their names; their owner closes them."""
        self.brought |= {model.name: model for model in models}

    @staticmethod
    async def find_problems(tables: Mapping[str, ModelTable], names: Iterable[str]) -> list[str]:
        """Return why models cannot answer, one text for each such reason; none stays loaded.

        Args:
            tables: models that a file describes, by the names it gives them.
            names: of the models.

        Raises:
            InputError: there is no such model.
        """
        models = [load_model_with(tables, name) for name in names]
        try:
            return await find_problems(models)
        finally:
            for each in models:
                await each.close()

    def prices(
        self, stated: Mapping[str, Price], names: Iterable[str], *, where: str
    ) -> dict[str, Price]:
        """Return prices by the names under which the models' calls go.

        Args:
            stated: prices by the name of a model as the user writes it, or as its calls have it.
            names: the models that speak, as the user writes them.
            where: for the error's text.

        Raises:
            UnknownName: a price is stated of a model that does not speak.
            InputError: it is no price.
        """
        called = {name: self.model(name).name for name in names}
        found: dict[str, Price] = {}
        for model, price in stated.items():
            if not isinstance(price, Price):  # from Python it may be anything
                raise InputError(f"{where}: {model}: expected a moot.Price, got {price!r}")
            matching = {name for written, name in called.items() if model in (written, name)}
            if not matching:
                raise UnknownName("model", model, called, where=where)
            found |= dict.fromkeys(matching, price)
        return found

    def find_price(self, model: Model, stated: Mapping[str, Price]) -> Pricer:
        """Return the price of a model's calls as they go out: by themselves, or in batches.

        Args:
            model: the model.
            stated: prices by the names under which the models' calls go.
        """
        price: Pricer = stated.get(model.name, model.cost)
        if self.batch is None or not isinstance(model, BatchModel):
            return price
        share = self.batch.share(model)
        return lambda reply: price(msgspec.structs.replace(reply, batch=share))

    async def begin_run(self, key: str, name: str, study: bytes) -> RunRow:
        """Make a run, or go on with the one of this key; no other process can run it meanwhile.

        Args:
            key: of the run.
            name: of the run, where it is made.
            study: kept with it, where it is made.

        Raises:
            RunBusy: another process runs it, and this laboratory does not wait for that.
        """
        pause = 0.1
        while True:
            try:
                return self.store.begin_run(key, name, study)
            except RunBusy as busy:
                if not self._wait:
                    raise
                if pause == 0.1:  # the first time
                    log.warning("%s; waiting for it", busy.what)
            await asyncio.sleep(pause)
            pause = min(2.0, pause * 1.5)

    async def save_debate(
        self,
        run: int,
        key: tuple[str, str, str, int],
        transcript: Transcript,
        base: tuple[str, Transcript] | None = None,
        *,
        measured: bool = True,
    ) -> None:
        """Store a debate that was held elsewhere, or that follows from one.

        Args:
            run: the number of its run.
            key: arm, dataset, question and replicate of the debate.
            transcript: what came of it.
            base: as ``moot.studies.batch_writer.save_debate`` takes it, as is ``measured``.
            measured: whether it is measured now.
        """
        from moot.studies.batch_writer import save_debate  # which stands on this module

        await save_debate(self.store, run, key, transcript, base=base, measured=measured)

    def set_budget(
        self,
        budget: Budget,
        retry: Retry,
        prices: Mapping[str, Price],
        *,
        run: int,
        also: Iterable[int] = (),
        models: Iterable[str | Model] = (),
    ) -> None:
        """Pay for a run from now on: within its budget, less what it has spent before.

        Args:
            budget: the most it may spend.
            retry: when to ask again.
            prices: by the names under which the models' calls go.
            run: who pays.
            also: runs that live on the same budget.
            models: who is asked: all of them must be ready before the first call of any.
        """
        self.path.guard.close()
        self.store.run, self.store.lease = run, None
        if self.cluster is not None:
            self.path = self.cluster.set_budget(budget, retry, prices, run=run, also=tuple(also))
            return
        asked = [self.model(each) if isinstance(each, str) else each for each in models]
        guard, sizes = BudgetGuard(budget), Sizes()
        if budget != Budget():
            from moot.runtime.leased import LeasedGuard

            runs = tuple(dict.fromkeys((run, *also)))
            lease = self.lease(f"run {run}", budget, prices, runs=runs)
            guard, self.store.lease = LeasedGuard(budget, lease), lease.id
        if guard.counts_tokens:
            for past in self.store.past_replies({model.name for model in asked}):
                sizes.learn_past(past)
        gathered = None
        if self.batch is not None:
            from moot.runtime.gathered_calls import GatheredCalls  # of batches alone

            gathered = GatheredCalls(self.batch)
            if self.batch.tested is None:  # no call goes to an endpoint
                asked = [model for model in asked if not isinstance(model, BatchModel)]
        self.path = CallPath(
            self.store,
            guard=guard,
            retry=retry,
            prices=prices,
            first=BeforeFirstCall(partial(require_ready, asked, prices, capped=guard.counts_cost)),
            sizes=sizes,
            gathered=gathered,
        )

    def lease(
        self,
        name: str,
        budget: Budget,
        prices: Mapping[str, Price],
        *,
        runs: tuple[int, ...] = (),
        period: float | None = None,
    ) -> "Lease":
        """Lease a part of a budget that other processes may spend as well.

        Args:
            name: by which the store knows the budget.
            budget: the whole of it.
            prices: by the names under which the models' calls go.
            runs: whose replies count; see ``BudgetTerms``.
            period: the seconds over which it counts; None: for ever.
        """

        def price(model: str, prompt: int, reply: int) -> float:
            known = {each.name: each for each in (*self._loaded.values(), *self.brought.values())}
            took = Reply(text="", prompt_tokens=prompt, completion_tokens=reply)
            stated = prices.get(model) or (known[model].cost if model in known else None)
            return (stated and stated(took)) or 0.0

        caps = budget.calls, budget.tokens, budget.cost
        return self.store.open_lease(
            BudgetTerms(name, *caps, runs=runs, period=period, price=price)
        )

    def check_workers(
        self, address: str | None, workers: int | None, models: Iterable[str] = ()
    ) -> None:
        """Check that workers can run the debates; ``models`` are those that speak, where known.

        Raises:
            InputError: they cannot reach the store, calls go out in batches, Ray is not installed,
                workers are stated without a cluster, or people are among the models.
        """
        check_workers(self, address, workers, models)

    @asynccontextmanager
    async def use_workers(
        self, address: str | None, workers: int | None = None
    ) -> AsyncIterator[None]:
        """Have workers run the debates, for the block.

        Args:
            address: of their cluster; an empty text for workers on this machine; None: debates run
                in this process.
            workers: how many there are; None: as many as the cluster has CPUs.

        Raises:
            InputError: see ``check_workers``.
            ClusterError: they cannot be started, or no cluster is at the address.
        """
        check_workers(self, address, workers)
        if address is None:
            yield
            return
        async with find_driver().open(self, address, workers) as cluster:
            self.cluster = cluster
            try:
                yield
            finally:
                self.cluster = None

    def count_shared(self) -> dict[str, int]:
        """Return how many replies came from other processes that had asked first, by process."""
        return (self.cluster or self.store).count_shared()

    async def settle(self) -> None:
        """Wait until all is durable that a run has left, and close what it no longer needs.

        What is read from the store afterwards is read while the log is folded into the file.
        """
        self.path.guard.close()
        await self._let_go(self.store.flush())
        self.store.checkpoint()

    async def close(self) -> None:
        """Let go of the store and of the models it loaded; the store's trouble is told first."""
        self.path.guard.close()
        await finish(self._close())

    async def _close(self) -> None:
        if self._keeper is not None:
            await self._keeper.close()
        await self._let_go(self.store.close())

    async def _let_go(self, storing: Awaitable[None]) -> None:
        """Close the models it loaded while something is done to the store."""
        models = [model.close() for model in self._loaded.values()]
        ends = await asyncio.gather(storing, *models, return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException):
                raise end


async def find_problems(models: Iterable[Model]) -> list[str]:
    """Return why models can answer no call: one text for each cause, equal ones once.

    A model that has a method ``check`` is asked: ``async def check(self) -> None`` raises
    ``InputError`` where no call can succeed, and must pay for nothing. All are asked at once.
    Models without ``check`` count as able. Any other error of a check is raised.
    """
    checks = [check() for each in models if (check := getattr(each, "check", None)) is not None]
    found = await asyncio.gather(*checks, return_exceptions=True)
    for error in found:
        if isinstance(error, BaseException) and not isinstance(error, InputError):
            raise error
    return list(dict.fromkeys(str(error) for error in found if error is not None))


async def require_ready(
    models: Sequence[Model], prices: Mapping[str, Price], *, capped: bool = False
) -> None:
    """Check models before the first call.

    Args:
        models: who may be asked.
        prices: those that are stated, by the names under which calls go.
        capped: whether there is a cap on cost, for which every model needs a price.

    Raises:
        InputError: naming every problem there is.
    """
    found = await find_problems(models)
    if capped:
        found += [
            explain_missing_price(each.name) for each in models if not _is_priced(each, prices)
        ]
    if found:
        raise InputError("\n".join([*found, "nothing was called"]))


def explain_missing_price(name: str) -> str:
    """Return the error text where a cap on cost meets a model without a price."""
    return (
        f"a cap on cost needs a price, and that of {name} is unknown: state it with --price, "
        "or under [prices] in a study, or cap calls or tokens"
    )


def _is_priced(model: Model, prices: Mapping[str, Price]) -> bool:
    reply = Reply(text="", prompt_tokens=1, completion_tokens=1)
    return prices.get(model.name, model.cost)(reply) is not None


@asynccontextmanager
async def open_lab(
    store: str | Path | None = None,
    *,
    readonly: bool = False,
    tables: Mapping[str, ModelTable] | None = None,
    wait: bool = False,
    as_allowed: bool = False,
) -> AsyncIterator[Lab]:
    """Open a laboratory.

    Args:
        store: the store's folder or address; ``MOOT_STORE``, else ``.moot``, when not given.
        readonly: whether nothing is written.
        tables: models that a file describes, by the names it gives them.
        wait: as of ``Lab``.
        as_allowed: whether a store that this process may only read is opened to be read.
    """
    place = find_place(str(store) if store is not None else None)
    readonly = readonly or (as_allowed and is_readonly(place))
    lab = Lab(place, Store.open(place, readonly=readonly), tables, wait=wait)
    lab.readonly = readonly
    try:
        yield lab
    finally:
        try:
            await lab.close()
        finally:
            close_apart()


def encode_study(
    lab: Lab,
    name: str,
    arms: Iterable[Arm],
    baseline: str | None = None,
    debates: int | None = None,
    analyses: tuple[str, ...] = (),
    asked: Mapping[str, Any] | None = None,
) -> bytes:
    """Encode a study for the store; an arm is simulated when any model that speaks in it is.

    ``asked`` has further fields: the question and the prompts of a debate that was asked for by
    itself, the terms of a sequential study, the cap that ended a run.
    """
    arms = tuple(arms)
    simulated = tuple(
        arm.name
        for arm in arms
        if any(lab.model(name).simulated for name in models_in(arm.settings))
    )
    return msgspec.json.encode(
        StudyRow(
            name=name,
            arms=arms,
            baseline=baseline,
            simulated=simulated,
            debates=debates,
            analyses=analyses,
            **(asked or {}),
        )
    )

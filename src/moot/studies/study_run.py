"""Running a study: every debate of its plan, and again from where it stopped.

Resuming is running again: replies that were paid for come from the ledger, and a debate is a
deterministic function of its replies.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.core.display_text import format_things
from moot.core.errors import (
    InputError,
    StoreError,
)
from moot.core.notebook_display import NotebookDisplay, Row
from moot.core.ports import Model
from moot.core.results import Results
from moot.core.stored import DebateValues, Status, decode_study
from moot.core.without_await import make_sync
from moot.core.worth import Statement
from moot.ledger.store_place import describe_place
from moot.runtime.budget import CapState
from moot.runtime.collector import collect_seldom
from moot.studies.all_debates import run_all
from moot.studies.asked_values import AskedValues
from moot.studies.batch_files import BatchCarrier
from moot.studies.carrying import carry_batches, describe_waiting, require_no_batches
from moot.studies.equal_budget import find_pools
from moot.studies.estimate import Estimate
from moot.studies.finished_debates import FinishedDebates
from moot.studies.judging import find_traits
from moot.studies.lab import Lab, encode_study, model_name, open_lab
from moot.studies.plan import Plan
from moot.studies.progress_counts import RunProgress
from moot.studies.rehearsal import estimate_run
from moot.studies.run_results import compute_savings, find_baselines, summarise
from moot.studies.study import Study
from moot.studies.study_file import load


class Outcome(NotebookDisplay, msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a run.

    Attributes:
        run: its id, by which ``moot show`` and ``moot report`` find it.
        store: the folder it is kept in.
        debates: how many the study has.
        done: how many were held, the failed ones included.
        failed: how many of them failed.
        reasons: why, and how often, the commonest first.
        stopped: None when all was done, else why not.
        results: per arm and dataset, over the debates that were held.
        caps: each cap: how far it is used.
        shared: replies that this run waited for while another process, which had asked first, paid
            for them: how many came from which.
        waiting: calls that wait for a batch, by the file that they were written to; by the model's
            name where they were only counted.
        unchanged: debates that were in the store and were not run again, since all that they
            depend on is the same.
        measured: those of them of which what the end shows was measured again, since metrics have
            changed.
    """

    run: str
    store: str
    debates: int
    done: int
    failed: int
    reasons: dict[str, int]
    stopped: str | None
    results: Results
    caps: tuple[CapState, ...] = ()
    shared: dict[str, int] = {}
    waiting: dict[str, int] = {}
    unchanged: int = 0
    measured: int = 0

    def __repr__(self) -> str:
        """Return the run and how much of it was held, in one line."""
        told = f"{self.done:,} of {format_things(self.debates, 'debate')}, {self.failed:,} failed"
        stopped = f", stopped: {self.stopped}" if self.stopped else ""
        return f"Outcome({self.run}: {told}{stopped}{', simulated' * self.results.simulated})"

    @property
    def records(self) -> Sequence[Row]:
        """Those of its results: one row for each arm on each dataset."""
        return self.results.records


Confirm = Callable[[Estimate], bool]
Watch = Callable[[RunProgress], None]
Look = Callable[[Statement], None]


async def run(
    study: str | Path | Mapping[str, Any] | Study,
    *,
    store: str | Path | None = None,
    model: str | Model | None = None,
    models: Sequence[Model] = (),
    arms: Sequence[str] = (),
    limit: int | None = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    max_total_tokens: int | None = None,
    confirm: Confirm | None = None,
    watch: Watch | None = None,
    wait: bool = False,
    batch: str | Path | bool | None = None,
    batch_wait: bool = False,
    batch_cancel: bool = False,
    replies: Sequence[str | Path] = (),
    ray: str | None = None,
    workers: int | None = None,
    replay: bool = False,
) -> Outcome:
    """Run a study, or go on with it where it was stopped.

    Debates that are in the store are not run again where all that they depend on is the same.

    With ``batch`` or ``replies`` no call goes to an endpoint: each debate advances until it waits
    for a reply. Models that run here are asked as ever.

    Args:
        study: a study file, the same as a mapping, or a study already read.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        model: of the arms that name none, as ``--model``; a name or a model object.
        models: model objects to use for their names.
        arms: names of arms or protocols, or patterns of them, as ``--arm``; the study without any
            other.
        limit: the most questions of each dataset.
        max_cost: the most it may cost in US dollars, if that is less than the study's budget.
        max_calls: the most calls it may pay for, if these are less than the study's budget.
        max_total_tokens: the most tokens it may take in all, if these are less.
        confirm: is shown the estimate before the first call; False ends it there.
        watch: is given the progress once, to look at while the run lasts.
        wait: where another process runs the same, wait for it and go on from there.
        batch: a file, ``….jsonl``, for the calls that wait: the lines of a batch, for an engine;
            True: they are sent as batches, and running again picks the replies up.
        batch_wait: wait until the batches have ended, and go on with the next.
        batch_cancel: cancel the batches that are open, take in what they answered, send nothing.
        replies: files with an engine's replies to such lines.
        ray: the address of a cluster of Ray, whose workers run the debates; an empty text for
            workers on this machine. The store is in PostgreSQL then.
        workers: how many workers there are; by default as many as the cluster has CPUs.
        replay: run all debates, from their recorded replies where these are in the store.

    Raises:
        InputError: the study cannot be run; nothing was called.
        RunBusy: another process runs the same, and ``wait`` is not set; nothing was called.
        StoreError: the store cannot be read or written.
    """
    with collect_seldom():
        if not isinstance(study, Study):
            study = load(study, model=model_name(model), arms=arms)
        elif model is not None or arms:
            named = "arms" if model is None else "model"
            raise InputError(f"{named}: the study is read already; give it where it is read")
        models = models if model is None or isinstance(model, str) else [*models, model]
        study = study.cap(cost=max_cost, calls=max_calls, tokens=max_total_tokens)
        plan = Plan(study, limit=limit)
        async with open_lab(store, tables=study.models, wait=wait, as_allowed=True) as lab:
            lab.use_models(models)
            how = {"wait": batch_wait, "cancel": batch_cancel}
            with carry_batches(lab, plan, batch=batch, replies=replies, **how):
                lab.check_workers(ray, workers, plan.models)
                if confirm is not None and not lab.readonly:
                    require_accepted(confirm, await estimate_run(plan, lab))
                async with lab.use_workers(ray, workers):
                    return await run_plan(plan, lab, watch=watch, replay=replay)


run_sync = make_sync(run)


async def run_plan(
    plan: Plan,
    lab: Lab,
    *,
    watch: Watch | None = None,
    replay: bool = False,
    look: Look | None = None,
) -> Outcome:
    """Run every debate of a plan, or go on where it was stopped; the budget is the study's.

    Where the store may only be read, the outcome is that of the finished run in it.

    Args:
        plan: what is run.
        lab: where its models and its store are.
        watch: is given the progress once, to look at while the run lasts.
        replay: run debates that are finished and unchanged, too.
        look: is given the statement of a sequential study after each block.

    Raises:
        InputError: a model cannot be loaded, a price is of none that speaks, or a model refuses
            every call.
        RunBusy: another process runs the same, and the laboratory does not wait.
        StoreError: the store cannot be written, and the run in it is not finished.
    """
    if lab.readonly:
        return _read_finished(plan, lab)
    study = plan.study
    await plan.settle()
    plan.estimate_arms(lab)  # each model can be loaded, each price is of one of them
    row = await lab.begin_run(plan.key, study.name, _encode_plan(plan, lab))
    lab.set_budget(study.budget, study.retry, plan.prices(lab), run=row.id, models=plan.asked)
    progress = RunProgress(plan.size, lab.path, lab.store.claims)
    if watch is not None:
        watch(progress)
    stopped, waiting = "interrupted", dict[str, int]()
    statement: Statement | None = None
    finished = FinishedDebates(lab, plan, row)
    try:
        require_no_batches(lab, row.id)
        if not (replay or lab.cluster):
            await finished.load()
        if plan.sequential is not None:
            stopped, statement = await _run_sequential(lab, plan, progress, finished, look)
        elif lab.batch is None:
            stopped = await run_all(lab, plan, progress, finished)
        else:
            stopped, waiting = await _run_passes(lab, plan, progress, finished, lab.batch)
            stopped = stopped or describe_waiting(waiting)
    finally:
        end: Status = "stopped" if stopped else "done"
        cap = lab.path.guard.reached if stopped else ""
        noted = cap or decode_study(row).cap  # now, or by an earlier end
        kept = _encode_plan(plan, lab, cap) if noted else None
        lab.store.set_status(row.id, end, wait=False, study=kept)
        await lab.settle()
    return _outcome(
        plan,
        lab,
        row.key,
        done=progress.done,
        failed=progress.failed,
        reasons=progress.reasons,
        stopped=stopped or None,
        shared=lab.count_shared(),
        waiting=waiting,
        unchanged=progress.unchanged,
        measured=finished.measured,
        statement=statement,
    )


def _encode_plan(plan: Plan, lab: Lab, cap: str = "") -> bytes:
    """Encode a study for the store. Where it ends by itself, its number of debates is unknown.

    ``cap`` is the cap that has ended the run, such as ``30 calls``; empty for none.
    """
    study, terms = plan.study, plan.sequential
    size = plan.size if terms is None else None
    more: dict[str, Any] = {} if terms is None else {"sequential": terms}
    if cap:
        more["cap"] = cap
    return encode_study(lab, study.name, study.arms, study.baseline, size, study.analyses, more)


async def _run_sequential(
    lab: Lab,
    plan: Plan,
    progress: RunProgress,
    finished: FinishedDebates,
    look: Look | None,
) -> tuple[str, Statement]:
    """Run a study that ends by itself; return what ``run_blocks`` does."""
    if lab.cluster is not None or lab.batch is not None:
        raise InputError(
            f"{plan.study.file}: stop: a study that ends by itself looks at its debates as they "
            "come, so neither batches nor --ray go with it; leave them out, or take stop and worth "
            "out of the study"
        )
    from moot.studies.sequential import run_blocks  # of such studies alone

    return await run_blocks(lab, plan, progress, finished, look)


async def _run_passes(
    lab: Lab, plan: Plan, progress: RunProgress, finished: FinishedDebates, batch: BatchCarrier
) -> tuple[str, dict[str, int]]:
    """Run every debate until it ends or waits, and again when replies are there.

    Returns:
        Why it stopped, or an empty text; and the calls that wait, by where they are.
    """
    stopped, passes, run = "", 0, finished.run
    while True:
        waiting = await batch.prepare(run)
        progress.waiting = tuple(waiting)
        if not waiting:
            if passes:
                study = plan.study
                prices, models = plan.prices(lab), plan.asked
                lab.set_budget(study.budget, study.retry, prices, run=run, models=models)
                progress.begin_again(lab.path)
            passes += 1
            stopped = await run_all(lab, plan, progress, finished)
            await lab.store.flush()
            waiting = await batch.finish()
        progress.waiting = tuple(waiting)
        if not waiting or not await batch.pause():
            return stopped, waiting


def _read_finished(plan: Plan, lab: Lab) -> Outcome:
    """Return the outcome of a finished run, out of a store that may only be read."""
    row = next((row for row in lab.store.runs() if row.key == plan.key), None)
    debates = [] if row is None else list(lab.store.values(row.id))
    if row is None or row.status != "done" or _lacks(plan, len(debates)):
        how = "is not in it" if row is None else "is not finished"
        raise StoreError(
            f"store {lab.store.file}: it may only be read, and run {plan.key} {how}: choose a "
            "store that can be written with --store or MOOT_STORE"
        )
    ends = (each.transcript.failed for each in lab.store.debates(row.id) if each.failed)
    return _outcome(
        plan,
        lab,
        row.key,
        done=len(debates),
        failed=sum(each.failed for each in debates),
        reasons=Counter(end.reason for end in ends if end is not None),
    )


def _lacks(plan: Plan, debates: int) -> bool:
    """Whether a run that is done lacks debates; one that ends by itself never does."""
    return plan.sequential is None and debates < plan.size


def _outcome(
    plan: Plan,
    lab: Lab,
    run: str,
    *,
    reasons: Counter[str],
    statement: Statement | None = None,
    **counts: Any,  # noqa: ANN401 -- fields of the outcome
) -> Outcome:
    return Outcome(
        run=run,
        store=describe_place(lab.place),
        debates=plan.size,
        reasons=dict(reasons.most_common()),
        results=compute_results(lab, run, statement=statement),
        caps=lab.path.guard.caps(),
        **{"stopped": None, **counts},
    )


def compute_results(
    lab: Lab,
    run: str,
    margin: float | None = None,
    values: Iterable[DebateValues] | None = None,
    statement: Statement | None = None,
) -> Results:
    """Return the results of a run in the store, computed from its recorded debates.

    Args:
        lab: has the store.
        run: the run, as ``Store.find_run`` takes it.
        margin: the greatest difference that counts as equal, 0 to 1; None where none does.
        values: of the debates; those that the end of a run shows, if not given.
        statement: of a sequential study, where it is known; else it is found from its debates.
    """
    row = lab.store.find_run(run)
    study = decode_study(row)
    results = summarise(
        AskedValues(lab, row).read_shown() if values is None else values,
        run=row.key,
        name=row.name,
        baseline=study.baseline,
        baselines=find_baselines(study.arms, study.baseline),
        simulated=study.simulated,
        arms=[arm.name for arm in study.arms],
        pools=study.sequential.pools if study.sequential else find_pools(study.arms),
        draws=lambda dataset, arm: lab.store.debates(row.id, arm=arm, dataset=dataset),
        traits=find_traits(study.arms),
        planned=study.debates,
        margin=margin,
    )
    if study.sequential:
        from moot.studies.sequential_figures import add_statement, read_statement  # of these alone

        results = add_statement(results, statement or read_statement(lab, row, study))
    if study.source:  # nothing was paid here
        return msgspec.structs.replace(results, source=study.source)
    return msgspec.structs.replace(
        results, saved=compute_savings(results.arms, lab.store.sum_spent(row.id))
    )


def require_accepted(confirm: Confirm, estimate: Estimate) -> None:
    """Raise ``InputError`` where an estimate is not accepted."""
    if not confirm(estimate):
        raise InputError("not started: the estimate was not accepted; nothing was called")

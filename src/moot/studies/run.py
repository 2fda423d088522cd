"""Running a study: every debate of its plan, and again from where it stopped.

Resuming is running again: replies that were paid for come from the ledger, and a debate is a
deterministic function of its replies.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from moot.core.errors import AccessError, BudgetReached, InputError, NotFoundError, StoreError
from moot.core.events import Transcript
from moot.core.ports import Model
from moot.core.results import Results
from moot.core.stored import Arm, RunRow, StudyRow, study_of
from moot.debate.cast import speaking
from moot.debate.run_debate import run_debate
from moot.ledger.claims import Claims
from moot.ledger.place import is_readonly, store_path
from moot.runtime.budget import Cap
from moot.runtime.collector import seldom_collecting
from moot.runtime.path import CallPath
from moot.studies.batch_writer import Keeper
from moot.studies.equal_budget import pools
from moot.studies.estimate import Estimate
from moot.studies.expected import estimate
from moot.studies.lab import Lab, default_model, open_lab
from moot.studies.plan import Plan, Task, prices
from moot.studies.results import summarise
from moot.studies.savings import saved
from moot.studies.study import Study, load


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to.

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
    """

    run: str
    store: str
    debates: int
    done: int
    failed: int
    reasons: dict[str, int]
    stopped: str | None
    results: Results
    caps: tuple[Cap, ...] = ()
    shared: dict[str, int] = {}


class Progress:
    """How far a run is; the display reads it as often as it likes.

    Attributes:
        total: debates there are.
        done: debates held.
        failed: those of them that failed.
        reasons: why, and how often.
        began: when, on the monotonic clock.
        traffic: what has gone down the call path.
        purse: what may be spent.
        claims: of calls that other processes may be making.
    """

    def __init__(self, total: int, path: CallPath, claims: Claims) -> None:
        self.total, self.claims = total, claims
        self.follow(path)
        self.done = self.failed = 0
        self.reasons: Counter[str] = Counter()
        self.began = monotonic()

    def follow(self, path: CallPath) -> None:
        """Look at this call path from now on."""
        self.traffic, self.purse = path.traffic, path.purse

    def count(self, transcript: Transcript) -> None:
        """Count a debate that was held."""
        self.done += 1
        if transcript.failed is not None:
            self.failed += 1
            self.reasons[transcript.failed.reason] += 1


_TOGETHER = 8
"""Debates that begin together, of all those that are held at once."""

Confirm = Callable[[Estimate], bool]
Watch = Callable[[Progress], None]


async def run(
    study: str | Path | Mapping[str, Any] | Study,
    *,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    limit: int | None = None,
    max_cost: float | None = None,
    confirm: Confirm | None = None,
    watch: Watch | None = None,
    wait: bool = False,
) -> Outcome:
    """Run a study, or go on with it where it was stopped.

    Args:
        study: a study file, the same as a mapping, or a study already read.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        limit: the most questions of each dataset.
        max_cost: the most it may cost in US dollars, if that is less than the study's budget.
        confirm: is shown the estimate before the first call; False ends it there.
        watch: is given the progress once, to look at while the run lasts.
        wait: where another process runs the same, wait for it and go on from there.

    Raises:
        InputError: the study cannot be run; nothing was called.
        RunBusy: another process runs the same, and ``wait`` is not set; nothing was called.
        StoreError: the store cannot be read or written.
    """
    with seldom_collecting():
        if not isinstance(study, Study):
            study = load(study, model=default_model())
        study = capped(study, max_cost)
        plan = Plan(study, limit=limit)
        if is_readonly(store_path(str(store) if store is not None else None)):
            return await _finished(plan, store)
        async with open_lab(store, tables=study.models, wait=wait) as lab:
            lab.bring(models)
            if confirm is None:
                plan.estimate(lab)  # each model can be loaded, each price is of one of them
            elif not confirm(await estimate(plan, lab)):
                raise InputError("not started: the estimate was not accepted; nothing was called")
            content = kept(lab, study.name, study.arms, study.baseline, plan.size)
            row = await lab.begin_run(plan.key, study.name, content)
            asked = models_of(study)
            lab.spend(study.budget, study.retry, prices(lab, study), run=row.id, models=asked)
            progress = Progress(plan.size, lab.path, lab.store.claims)
            if watch is not None:
                watch(progress)
            stopped = "interrupted"
            try:
                stopped = await hold_all(lab, plan, progress)
            finally:
                lab.store.leave_status(row.id, "stopped" if stopped else "done")
                await lab.settle()
            return Outcome(
                run=row.key,
                store=str(lab.place),
                debates=plan.size,
                done=progress.done,
                failed=progress.failed,
                reasons=dict(progress.reasons.most_common()),
                stopped=stopped or None,
                results=results_of(lab, row.key),
                caps=lab.path.purse.caps(),
                shared=lab.store.shared(),
            )


async def _finished(plan: Plan, store: str | Path | None) -> Outcome:
    """What a run came to that is done, out of a store that may only be read."""
    async with open_lab(store, readonly=True) as lab:
        row = next((row for row in lab.store.runs() if row.key == plan.key), None)
        debates = [] if row is None else list(lab.store.values(row.id))
        if row is None or row.status != "done" or len(debates) < plan.size:
            how = "is not in it" if row is None else "is not finished"
            raise StoreError(
                f"store {lab.store.file}: it may only be read, and run {plan.key} {how}: choose a "
                "store that can be written with --store or MOOT_STORE"
            )
        failed = sum(each.failed for each in debates)
        ends = (each.transcript.failed for each in lab.store.debates(row.id) if each.failed)
        reasons = Counter(end.reason for end in ends if end is not None)
        return Outcome(
            run=row.key,
            store=str(lab.place),
            debates=plan.size,
            done=len(debates),
            failed=failed,
            reasons=dict(reasons.most_common()),
            stopped=None,
            results=results_of(lab, row.key),
            caps=lab.path.purse.caps(),
        )


def about(row: RunRow) -> StudyRow:
    """What the store keeps of a run's study. Raises ``DamagedError`` where that is not readable."""
    return study_of(row)


def results_of(lab: Lab, run: str) -> Results:
    """The results of a run in the store, computed from its recorded debates."""
    row = lab.store.run_named(run)
    study = about(row)
    results = summarise(
        lab.store.values(row.id),
        run=row.key,
        name=row.name,
        baseline=study.baseline,
        simulated=study.simulated,
        arms=[arm.name for arm in study.arms],
        pools=pools(study.arms),
        draws=lambda dataset, arm: lab.store.debates(row.id, arm=arm, dataset=dataset),
    )
    return msgspec.structs.replace(results, saved=saved(results.arms, lab.store.spent(row.id)))


async def hold_all(lab: Lab, plan: Plan, progress: Progress) -> str:
    """Hold every debate, so many at once; the reason for stopping before the end, or nothing."""
    tasks = plan.tasks()
    stopped: list[str] = []
    width = plan.study.at_once or sum(_places(lab, plan.study))
    keeper, begun = Keeper(lab.store), 0

    async def work() -> None:
        nonlocal begun
        for task in tasks:
            begun += 1
            if begun == plan.size:
                keeper.all_begun()
            try:
                transcript = await _held(lab, task)
            except BudgetReached as reached:
                stopped.append(str(reached))
            else:
                await keeper.add(task, transcript)
                progress.count(transcript)
                _refused(transcript)
            if stopped:
                return

    workers: list[asyncio.Task[None]] = []
    try:
        for number in range(min(width, plan.size)):
            workers.append(asyncio.create_task(work()))
            if number % _TOGETHER == 0:  # their calls are under way before others are prepared
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        await keeper.finish()
    return stopped[0] if stopped else ""


async def _held(lab: Lab, task: Task) -> Transcript:
    """Hold one debate."""
    return await run_debate(
        task.protocol,
        task.question,
        settings=task.arm.settings,
        path=lab.path,
        model=lab.model,
        pack=task.pack,
        overlay=task.overlay,
        examples=task.examples,
        replicate=task.replicate,
        number=task.number,
    )


def models_of(study: Study) -> list[str]:
    """The names of all models that speak in any arm, each once."""
    return list(dict.fromkeys(name for arm in study.arms for name in speaking(arm.settings)))


def _places(lab: Lab, study: Study) -> Iterator[int]:
    """How many calls each model takes at once: as many debates keep them all busy."""
    for model in map(lab.model, models_of(study)):
        yield model.limits.concurrency


_NEVER = {AccessError.__name__, NotFoundError.__name__}


def _refused(transcript: Transcript) -> None:
    """Raise ``InputError`` where a debate failed in a way in which all of its model's would."""
    failed = transcript.failed
    if failed is not None and failed.kind in _NEVER:
        raise InputError(
            f"{failed.reason}; the run stops here, since every call of this model would fail "
            "so: what was paid for is in the store, run again to go on"
        )


def capped(study: Study, max_cost: float | None) -> Study:
    """The study with a cap on cost besides its own; the lower one holds."""
    if max_cost is None:
        return study
    if max_cost < 0:
        raise InputError(f"max-cost = {max_cost}: must not be negative")
    caps = [cap for cap in (study.budget.cost, max_cost) if cap is not None]
    budget = msgspec.structs.replace(study.budget, cost=min(caps))
    return msgspec.structs.replace(study, budget=budget)


def kept(
    lab: Lab,
    name: str,
    arms: Iterable[Arm],
    baseline: str | None = None,
    debates: int | None = None,
) -> bytes:
    """A study as the store keeps it; an arm is simulated when any that speaks in it is."""
    arms = tuple(arms)
    simulated = tuple(
        arm.name
        for arm in arms
        if any(lab.model(name).simulated for name in speaking(arm.settings))
    )
    study = StudyRow(name=name, arms=arms, baseline=baseline, simulated=simulated, debates=debates)
    return msgspec.json.encode(study)

"""Tuning a protocol: the best of its settings is searched on some questions, tested on others.

The search is one run and the test another. Resuming is running again: replies that were paid for
come from the ledger, so the same configurations are proposed for the same values, up to where it
was stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from moot import InputError, Model, RecordedRuns, Results
from moot.contrib.tuning.prepared_search import PreparedSearch, subtract_spent
from moot.contrib.tuning.search import Search, Trial, list_arm_names, open_proposals
from moot.contrib.tuning.tuning_file import MOST, TUNED, UNTUNED, Tuning, load
from moot.extend.analyses import Difference, Key, Mean, compare_paired, mean_over_questions
from moot.extend.calls import collect_seldom, format_toml
from moot.extend.records import Spent, StudyRow
from moot.extend.stores import describe_place
from moot.extend.studies import Estimate, Lab, RunProgress, Watch, default_model, open_lab


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """The best settings and the baseline on the questions that the search has not seen.

    Attributes:
        run: under which ``moot show`` and ``moot report`` find it.
        questions: how many there are.
        tuned: accuracy with the best settings.
        untuned: of the baseline; the same where nothing was better than it.
        difference: paired, on the same questions; None where nothing was better.
        optimism: how much of the gain on the development questions is not there on these: that
            gain minus this one, -2 to 2; None where nothing was better.
        before: how often these questions were asked before with other settings this search had
            found: the more often, the less they are unseen.
        results: of the run, per dataset and arm.
    """

    run: str
    questions: int
    tuned: Mean
    untuned: Mean
    difference: Difference | None
    optimism: float | None
    before: int
    results: Results


class Tuned(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a search.

    Attributes:
        run: the search's, under which ``moot show`` finds its trials.
        store: the folder it is kept in.
        simulated: True when any agent is no language model.
        development: how many questions the search sees.
        trials: what was tried, in order, the baseline first.
        best: the best of them; None where none was finished.
        arm: the best settings as an ``[[arms]]`` table, ready for a study.
        test: on held-out questions; None where the search was stopped before it.
        spent: what search and test have paid for, resumptions included.
        stopped: None when all was done, else why not.
    """

    run: str
    store: str
    simulated: bool
    protocol: str
    development: int
    trials: tuple[Trial, ...]
    best: Trial | None
    arm: str | None
    test: HeldOut | None
    spent: Spent
    stopped: str | None


async def tune(
    study: str | Path | Mapping[str, Any] | Tuning,
    *,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    trials: int | None = None,
    limit: int | None = None,
    max_cost: float | None = None,
    confirm: Callable[[Estimate], bool] | None = None,
    watch: Watch | None = None,
    wait: bool = False,
    ray: str | None = None,
    workers: int | None = None,
) -> Tuned:
    """Search the best settings of a protocol, or go on with a search where it was stopped.

    The budget is for search and test together. What the test may take is set aside first.

    Args:
        study: a study file with a table ``[tune]``, the same as a mapping, or one already read.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        trials: configurations to try, in place of the file's; more of them go on with the search.
        limit: the most questions of each dataset, before they are split.
        max_cost: the most it may cost in US dollars, if that is less than the study's budget.
        confirm: is shown the estimate before the first call; False ends it there.
        watch: is given the progress once, to look at while the search lasts.
        wait: where another process makes the same search, wait for it and go on from there.
        ray: as of ``moot.run``.
        workers: as of ``moot.run``.

    Raises:
        InputError: it cannot be searched; nothing was called, unless it is only from the replies
            that a price on tokens turns out to be one on the unknown.
        RunBusy: another process makes the same search, and ``wait`` is not set.
        StoreError: the store cannot be read or written.
    """
    tuning = study if isinstance(study, Tuning) else load(study, model=default_model())
    if tuning.table.fit:
        raise InputError(f"{tuning.study.file}: tune: fit: a threshold is fitted by fit_gate")
    tuning = replace(tuning, study=tuning.study.cap(cost=max_cost))
    async with open_lab(store, tables=tuning.study.models, wait=wait) as lab:
        lab.use_models(models)
        prepared = prepare_search(lab, tuning, trials=trials, limit=limit)
        if confirm is not None and not confirm(await prepared.expect(lab)):
            raise InputError("not started: the estimate was not accepted; nothing was called")
        with collect_seldom():
            async with lab.use_workers(ray, workers):
                return await run_search(prepared, lab, watch=watch)


def prepare_search(
    lab: Lab, tuning: Tuning, *, trials: int | None = None, limit: int | None = None
) -> PreparedSearch:
    """Return a search of which everything is checked; the parameters are those of ``tune``."""
    if trials is not None:
        if not 1 <= trials <= MOST:
            raise InputError(f"trials = {trials}: must be 1 to {MOST}")
        tuning = replace(tuning, table=replace(tuning.table, trials=trials))
    return PreparedSearch(lab, tuning, limit)


async def run_search(prepared: PreparedSearch, lab: Lab, *, watch: Watch | None = None) -> Tuned:
    """Search and test, or go on where it was stopped; the errors are those of ``tune``.

    Args:
        prepared: the search.
        lab: where its models and its store are.
        watch: is given the progress once, to look at while the search lasts.
    """
    progress = RunProgress(prepared.debates, lab.path, lab.store.claims)
    if watch is not None:
        watch(progress)
    search = await _run_trials(lab, prepared, progress)
    test, cut = await _run_test(lab, prepared, search, progress)
    tuning, best = prepared.tuning, search.best
    return Tuned(
        run=prepared.key,
        store=describe_place(lab.place),
        simulated=prepared.simulated,
        protocol=tuning.protocol.name,
        development=len(prepared.halves.development),
        trials=tuple(search.trials),
        best=best,
        arm=None if best is None else _arm_table(tuning, best),
        test=test,
        spent=prepared.sum_spent(lab),
        stopped=search.stopped or cut or None,
    )


async def _run_trials(lab: Lab, prepared: PreparedSearch, progress: RunProgress) -> Search:
    """Search in a run whose arms are the trials, and return the search."""
    tuning, store = prepared.tuning, lab.store
    study = tuning.study
    row = StudyRow(
        name=f"{study.name} (search)",
        arms=study.arms,
        baseline=UNTUNED,
        simulated=tuple(list_arm_names() if prepared.simulated else ()),
    )
    run = await lab.begin_run(prepared.key, row.name, msgspec.json.encode(row))
    taken = prepared.sum_spent(lab, without=run.key)
    budget = subtract_spent(study.budget, prepared.reserve, taken)
    lab.set_budget(budget, study.retry, prepared.prices, run=run.id, models=prepared.models)
    progress.follow(lab.path)
    search = Search(lab, tuning, prepared.halves.development, progress, limit=prepared.limit)
    ended = False
    try:
        table = tuning.table
        with open_proposals(tuning.space, table.trials, seed=table.seed) as proposals:
            await search.run(proposals)
        ended = not search.stopped
    finally:
        store.set_status(run.id, "done" if ended else "stopped")
        await store.flush()
    return search


async def _run_test(
    lab: Lab, prepared: PreparedSearch, search: Search, progress: RunProgress
) -> tuple[HeldOut | None, str]:
    """Test the best settings on the held-out questions; return why it stopped before its end."""
    tuning, store, best = prepared.tuning, lab.store, search.best
    if best is None:
        return None, ""
    untuned = tuning.study.arms[0]
    arms = (untuned,) if best.arm == UNTUNED else (untuned, tuning.arm(TUNED, best.settings))
    mark = blake2b(msgspec.json.encode(arms, order="deterministic"), digest_size=3).hexdigest()
    key = f"{prepared.key}-test-{mark}"
    tests = [row for row in store.runs() if row.key.startswith(f"{prepared.key}-test-")]
    held_out = prepared.halves.held_out
    run, stopped = await prepared.run_half(lab, arms, held_out, progress, key=key, baseline=UNTUNED)
    before = sum(row.key != key for row in tests)
    return None if stopped else _compare_held_out(lab, key, run.id, search, before), stopped


def _compare_held_out(lab: Lab, key: str, run: int, search: Search, before: int) -> HeldOut:
    right: dict[str, dict[Key, float]] = {UNTUNED: {}, TUNED: {}}
    for row in lab.store.values(run):
        one = f"{row.dataset}/{row.question}", row.replicate
        right[row.arm][one] = row.values.get("accuracy") or 0.0
    untuned = mean_over_questions(right[UNTUNED])
    gap = compare_paired(right[TUNED], right[UNTUNED]) if right[TUNED] else None
    first, best = search.trials[0], search.best
    optimism = None
    if gap is not None and gap.mean is not None and best and best.accuracy is not None:
        optimism = best.accuracy - (first.accuracy or 0.0) - gap.mean
    return HeldOut(
        run=key,
        questions=untuned.questions,
        tuned=mean_over_questions(right[TUNED]) if right[TUNED] else untuned,
        untuned=untuned,
        difference=gap,
        optimism=optimism,
        before=before,
        results=RecordedRuns(lab, [key]).joined,
    )


def _arm_table(tuning: Tuning, best: Trial) -> str:
    """Return the best settings as an ``[[arms]]`` table."""
    if best.arm == UNTUNED:
        settings = {**tuning.given, **tuning.table.baseline}
    else:
        settings = {**tuning.given, **best.settings}
    lines = {"name": TUNED, "protocol": tuning.protocol.name, **settings}
    return "\n".join(
        ["[[arms]]", *(f"{key} = {format_toml(value)}" for key, value in lines.items())]
    )

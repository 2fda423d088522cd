"""Measuring the essays of a run: all that needs no model, and with a judge all that does.

Everything that can go on together does: the judge's debates, the embeddings, and what is counted in
this process. Only the embeddings of points wait, for the points.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from moot import Budget, Model, Price
from moot.core.stored import RunRow, Spent
from moot.essays.assess import preference
from moot.essays.assess.arm_measures import (
    ArmEssays,
    Measures,
    add_perspectives,
    compare_arms,
    group_essays,
    take_measures,
)
from moot.essays.assess.diversity import bleu_signature
from moot.essays.assess.embeddings import Embedder, Embeddings, EmbeddingsUse, check_prices
from moot.essays.assess.model_judge import Judged, Judging
from moot.essays.assess.preference import (
    Comparison,
    Orders,
    Strength,
    WinRate,
    drop_single_orders,
    measure_orders,
)
from moot.essays.run_essays import RunEssays, read_essays
from moot.runtime.retry import Retry
from moot.studies.lab import Lab
from moot.studies.study_run import RunProgress, Watch, encode_study, read_study, run_all


class Verdicts(msgspec.Struct, frozen=True, kw_only=True):
    """The judgements of the essays of a run.

    Attributes:
        run: the key of the run in which its debates are.
        protocol: by which essays were compared.
        settings: every setting in force.
        simulated: whether any agent that judges is no language model.
        debates: the number of all; ``done`` of them are held.
        failed: debates that failed, by reason, the commonest first.
        comparisons: the number of those held; ``tied`` of them are ties, and the replies of
            ``unread`` could not be read.
        single: those that were read, but not the same essays in the other order. As the unread,
            they are in no rate and no strength.
        stopped: why not all was done; None if all was.
        spent: what it has been paid for over its whole life, replies from the ledger not counted.
        rates: every arm against all others.
        pairs: every pair of arms.
        strengths: by Bradley and Terry's model.
        orders: whether it matters which essay is shown first.
    """

    run: str
    protocol: str
    settings: dict[str, Any]
    simulated: bool
    debates: int
    done: int
    failed: dict[str, int]
    comparisons: int
    tied: int
    unread: int
    single: int
    stopped: str | None
    spent: Spent
    rates: tuple[WinRate, ...]
    pairs: tuple[WinRate, ...]
    strengths: tuple[Strength, ...]
    orders: tuple[Orders, ...]


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """The measures and judgements of the essays of a run.

    Attributes:
        run: its key.
        name: the study's name.
        simulated: whether any of the essays, or any judge of them, is of no language model.
        baseline: the arm the others are compared with; None where there is one alone.
        embedder: the name of what made the embeddings.
        embedding: what these took.
        bleu: sacrebleu's signature of the self-BLEU.
        arms: by dataset and then as in the study.
        judged: None where no judge was asked.
    """

    run: str
    name: str
    simulated: bool
    baseline: str | None
    embedder: str
    embedding: EmbeddingsUse
    bleu: str
    arms: tuple[ArmEssays, ...]
    judged: Verdicts | None = None


async def assess(
    lab: Lab,
    row: RunRow,
    *,
    embed: Embedder,
    judging: Judging | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, Price] = {},
    watch: Watch | None = None,
) -> Assessment:
    """Measure the essays of a run.

    Args:
        lab: whose store has the run; with a judge or an endpoint's embeddings it must be writable.
        row: the run.
        embed: makes embeddings.
        judging: what is asked of a judge; nothing where there is none.
        budget: the most that it all may cost, judge and embeddings together, over the whole life of
            the runs that pay for it; the judge's own where none is given.
        prices: of the judge's models and the embedder's, where they are unknown or others.
        watch: is given the progress of the judge once.

    Raises:
        InputError: the run has no essays, a price is of a model that is not asked, or a cap on cost
            needs a price that is unknown; nothing was called.
        ModelError: an endpoint gave no embedding.
        RunBusy: another process asks the same, and the laboratory does not wait for that.
        StoreError: the store cannot be read or written.
    """
    found = read_essays(lab.store, row)
    grouped = group_essays(found.essays)
    budget = budget or (judging.study.budget if judging else Budget())
    asking = models_asked(lab, judging, embed)
    known, models = check_prices(asking, prices, budget), [model for _, model in asking]
    async with Embeddings(lab, row, embed) as embeddings:
        if judging is None:
            if embeddings.run is not None:
                lab.set_budget(budget, Retry(), known, run=embeddings.run.id, models=models)
            values = await take_measures(grouped, embeddings)
            return _assemble(row, found, values, embed, embeddings.used)
        own = await lab.begin_run(
            judging.key,
            judging.study.name,
            encode_study(lab, judging.study.name, judging.study.arms, debates=judging.size),
        )
        also = () if embeddings.run is None else (embeddings.run.id,)
        retry = judging.study.retry
        lab.set_budget(budget, retry, known, run=own.id, also=also, models=models)
        progress = RunProgress(judging.size, lab.path, lab.store.claims)
        if watch is not None:
            watch(progress)
        values, stopped = await _ask_judge(
            lab, own, judging, progress, take_measures(grouped, embeddings)
        )
        judged = judging.read(lab.store.debates(own.id))
        await add_perspectives(grouped, judged.points, embeddings, values)
        verdicts = _summarise_judge(lab, judging, own, judged, progress, stopped)
        return _assemble(row, found, values, embed, embeddings.used, judged, verdicts)


async def _ask_judge(
    lab: Lab,
    own: RunRow,
    judging: Judging,
    progress: RunProgress,
    measuring: Coroutine[Any, Any, Measures],
) -> tuple[Measures, str | None]:
    """Hold the judge's debates while everything else is measured.

    Returns:
        The measures, and why the debates were stopped; None if they were not.
    """
    stopped = "interrupted"
    asking = asyncio.create_task(run_all(lab, judging, progress))
    try:
        await asyncio.sleep(0)  # its first calls are under way before anything is counted
        values = await measuring
        stopped = await asking
    finally:
        measuring.close()
        asking.cancel()
        with suppress(asyncio.CancelledError, Exception):  # its error was raised above
            await asking
        lab.store.set_status(own.id, "stopped" if stopped else "done")
        await lab.store.flush()
    return values, stopped or None


def models_asked(lab: Lab, judging: Judging | None, embed: Embedder) -> list[tuple[str, Model]]:
    """Return all models that are asked, each with the name that the user gave."""
    models = [(name, lab.model(name)) for name in (judging.models if judging else ())]
    return models if embed.model is None else [*models, (embed.name, embed.model)]


def _assemble(
    row: RunRow,
    found: RunEssays,
    values: Measures,
    embed: Embedder,
    used: EmbeddingsUse,
    judged: Judged | None = None,
    verdicts: Verdicts | None = None,
) -> Assessment:
    """Return the assessment of these measures and judgements."""
    study = read_study(row)
    arms = compare_arms(
        group_essays(found.essays),
        found.lost,
        values,
        baseline=study.baseline,
        asked=judged and judged.points,
    )
    return Assessment(
        run=row.key,
        name=row.name,
        simulated=any(arm.simulated for arm in arms) or bool(verdicts and verdicts.simulated),
        baseline=study.baseline,
        embedder=embed.name,
        embedding=used,
        bleu=bleu_signature(),
        arms=tuple(arms),
        judged=verdicts,
    )


def _summarise_judge(
    lab: Lab,
    judging: Judging,
    own: RunRow,
    judged: Judged,
    progress: RunProgress,
    stopped: str | None,
) -> Verdicts:
    """Return the judgements with their rates and strengths, and what they took."""
    arm = judging.study.arms[-1]
    said: Sequence[Comparison] = judged.comparisons
    fair = drop_single_orders(said)
    unread = sum(each.winner is None for each in said)
    order = list(dict.fromkeys(each.arm for each in judging.essays))
    return Verdicts(
        run=own.key,
        protocol=arm.protocol,
        settings=arm.settings,
        simulated=bool(read_study(own).simulated),
        debates=judging.size,
        done=progress.done,
        failed=dict(progress.reasons.most_common()),
        comparisons=len(said),
        tied=sum(each.winner == "tie" for each in said),
        unread=unread,
        single=sum(each.winner is None for each in fair) - unread,
        stopped=stopped,
        spent=lab.store.sum_spent(own.id),
        rates=tuple(preference.win_rates(fair)),
        pairs=tuple(preference.pair_rates(fair, arms=order)),
        strengths=tuple(preference.bradley_terry(fair)),
        orders=tuple(measure_orders(said)),
    )

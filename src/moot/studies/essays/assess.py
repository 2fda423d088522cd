"""Measuring the essays of a run: all that needs no model, and with a judge all that does.

Everything that can go on together does: the judge's debates, the embeddings, and what is counted in
this process. Only the embeddings of points wait, for the points.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from moot.core.stored import RunRow, Spent
from moot.studies.essays import preference
from moot.studies.essays.arms import ArmEssays, by_place, compared
from moot.studies.essays.diversity import bleu_signature
from moot.studies.essays.embed import Embedder, Used
from moot.studies.essays.gather import Gathered, gathered
from moot.studies.essays.judging import Judged, Judging
from moot.studies.essays.measures import Measures, measured, perspectives
from moot.studies.essays.preference import Comparison, Orders, Strength, WinRate
from moot.studies.lab import Lab
from moot.studies.run import Progress, Watch, about, hold_all, kept


class Verdicts(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge has said of the essays of a run.

    Attributes:
        run: the key of the run in which its debates are.
        protocol: by which essays were compared.
        settings: every setting in force.
        simulated: whether any agent that judges is no language model.
        debates: how many there are in all; ``done`` of them have been held.
        failed: debates that failed, by reason, the commonest first.
        comparisons: how many have been held; ``tied`` and ``unread`` of them came to a tie, and to
            no answer that could be read.
        stopped: None when all was done, else why not.
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
    stopped: str | None
    spent: Spent
    rates: tuple[WinRate, ...]
    pairs: tuple[WinRate, ...]
    strengths: tuple[Strength, ...]
    orders: tuple[Orders, ...]


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """What the essays of a run are worth.

    Attributes:
        run: its key.
        name: the study's name.
        simulated: whether any of the essays, or any judge of them, is of no language model.
        baseline: the arm the others are compared with; None where there is one alone.
        embedder: the name of what made the embeddings.
        embedding: what these took; no budget counts it.
        bleu: sacrebleu's signature of the self-BLEU.
        arms: by dataset and then as in the study.
        judged: None where no judge was asked.
    """

    run: str
    name: str
    simulated: bool
    baseline: str | None
    embedder: str
    embedding: Used
    bleu: str
    arms: tuple[ArmEssays, ...]
    judged: Verdicts | None = None


async def assess(
    lab: Lab,
    row: RunRow,
    *,
    embed: Embedder,
    judging: Judging | None = None,
    watch: Watch | None = None,
) -> Assessment:
    """Measure the essays of a run.

    Args:
        lab: whose store has the run; with a judge it must be writable.
        row: the run.
        embed: makes embeddings.
        judging: what is asked of a judge; nothing where there is none.
        watch: is given the progress of the judge once.

    Raises:
        InputError: the run has no essays, or a cap on cost needs a price that is unknown.
        StoreError: the store cannot be read or written.
    """
    found = gathered(lab.store, row)
    grouped = by_place(found.essays)
    if judging is None:
        values = await measured(grouped, embed)
        return _told(row, found, values, embed)
    own = lab.store.begin_run(
        judging.key,
        judging.study.name,
        kept(lab, judging.study.name, judging.study.arms, debates=judging.size),
    )
    lab.spend(judging.study.budget, judging.study.retry, {}, run=own.id)
    progress = Progress(judging.size, lab.path.traffic)
    if watch is not None:
        watch(progress)
    lab.store.set_status(own.id, "running")
    stopped = "interrupted"
    asking = asyncio.create_task(hold_all(lab, judging, progress))
    try:
        await asyncio.sleep(0)  # its first calls are under way before anything is counted
        values = await measured(grouped, embed)
        stopped = await asking
    finally:
        asking.cancel()
        with suppress(asyncio.CancelledError, Exception):  # what it raised was raised above
            await asking
        lab.store.set_status(own.id, "stopped" if stopped else "done")
        await lab.store.flush()
    judged = judging.read(lab.store.debates(own.id))
    await perspectives(grouped, judged.points, embed, values)
    verdicts = _verdicts(lab, judging, own, judged, progress, stopped or None)
    return _told(row, found, values, embed, judged, verdicts)


def _told(
    row: RunRow,
    found: Gathered,
    values: Measures,
    embed: Embedder,
    judged: Judged | None = None,
    verdicts: Verdicts | None = None,
) -> Assessment:
    """All of it together."""
    study = about(row)
    arms = compared(
        by_place(found.essays),
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
        embedding=embed.used,
        bleu=bleu_signature(),
        arms=tuple(arms),
        judged=verdicts,
    )


def _verdicts(
    lab: Lab,
    judging: Judging,
    own: RunRow,
    judged: Judged,
    progress: Progress,
    stopped: str | None,
) -> Verdicts:
    """What the judge said, and what it took."""
    arm = judging.study.arms[-1]
    said: Sequence[Comparison] = judged.comparisons
    order = list(dict.fromkeys(each.arm for each in judging.essays))
    return Verdicts(
        run=own.key,
        protocol=arm.protocol,
        settings=arm.settings,
        simulated=bool(about(own).simulated),
        debates=judging.size,
        done=progress.done,
        failed=dict(progress.reasons.most_common()),
        comparisons=len(said),
        tied=sum(each.winner == "tie" for each in said),
        unread=sum(each.winner is None for each in said),
        stopped=stopped,
        spent=lab.store.spent(own.id),
        rates=tuple(preference.win_rates(said)),
        pairs=tuple(preference.pair_rates(said, arms=order)),
        strengths=tuple(preference.bradley_terry(said)),
        orders=tuple(preference.orders(said)),
    )

"""Asking a judge and an embedder about the essays of a run, and what then is known of them."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from moot import Budget, Model, Price, RecordedRuns, Report
from moot.contrib.essays.assess.embeddings import name_prices, open_embeddings
from moot.contrib.essays.assess.essay_measures import Vectors
from moot.contrib.essays.assess.essays_analysis import list_texts, report_essays
from moot.contrib.essays.assess.model_judge import Judged, Judging, read_judgements
from moot.contrib.essays.run_essays import read_essays
from moot.extend.calls import Retry
from moot.extend.studies import Embedder, Lab, RunProgress, Watch, encode_study, run_all


class Assessment(NamedTuple):
    """The findings on the essays of a run, after a judge and an embedder have been asked.

    Attributes:
        report: every table.
        stopped: why not all was asked; empty if all was.
        failed: debates of the judge that failed.
    """

    report: Report
    stopped: str = ""
    failed: int = 0


async def assess(
    runs: RecordedRuns,
    *,
    embed: Embedder,
    judging: Judging | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, Price] = {},
    watch: Watch | None = None,
) -> Assessment:
    """Ask what is to be asked about the essays of a run, and report all that is known of them.

    The judge's debates and the embeddings of essays are asked for together; the embeddings of
    points wait for the points.

    Args:
        runs: the one run; with a judge or an endpoint's embeddings its store must be writable.
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
    lab, [row] = runs.lab, runs.rows
    found = read_essays(runs)
    budget = budget or (judging.study.budget if judging else Budget())
    asking = models_asked(lab, judging, embed)
    known, models = name_prices(asking, prices), [model for _, model in asking]
    judged, stopped, failed, judge = Judged({}, [], []), "", 0, ""
    async with open_embeddings(lab, row, embed) as embeddings:
        paying = [embeddings.run.id] if embeddings.run else []
        if judging is None:
            if paying:
                lab.set_budget(budget, Retry(), known, run=paying[0], models=models)
            vectors: Vectors = await embeddings.embed(list_texts(found.essays, judged))
        else:
            own = await lab.begin_run(
                judging.key,
                judging.study.name,
                encode_study(lab, judging.study.name, judging.study.arms, debates=judging.size),
            )
            lab.set_budget(
                budget, judging.study.retry, known, run=own.id, also=paying, models=models
            )
            progress = RunProgress(judging.size, lab.path, lab.store.claims)
            if watch is not None:
                watch(progress)
            texts = embeddings.embed(list_texts(found.essays, judged))
            vectors, stopped = await _ask_judge(lab, own.id, judging, progress, texts)
            judge, failed = own.key, progress.failed
            judged = read_judgements(lab.store.debates(own.id), found.essays, row.key)
            vectors = {**vectors, **await embeddings.embed(list_texts((), judged))}
        report = report_essays(
            runs, found, judge=judge, vectors=vectors, embedder=embeddings.describe()
        )
        if stopped:
            report = report._replace(notes=(*report.notes, f"Stopped: {stopped}"))
        return Assessment(report, stopped or embeddings.stopped or "", failed)


async def _ask_judge(
    lab: Lab,
    own: int,
    judging: Judging,
    progress: RunProgress,
    embedding: Coroutine[Any, Any, Vectors],
) -> tuple[Vectors, str]:
    """Hold the judge's debates while essays are embedded.

    Returns:
        The embeddings, and why the debates were stopped; empty if they were not.
    """
    stopped = "interrupted"
    asking = asyncio.create_task(run_all(lab, judging, progress))
    try:
        await asyncio.sleep(0)  # its first calls are under way before anything is embedded
        vectors = await embedding
        stopped = await asking or ""
    finally:
        embedding.close()
        asking.cancel()
        with suppress(asyncio.CancelledError, Exception):  # its error was raised above
            await asking
        lab.store.set_status(own, "stopped" if stopped else "done")
        await lab.store.flush()
    return vectors, stopped


def models_asked(lab: Lab, judging: Judging | None, embed: Embedder) -> list[tuple[str, Model]]:
    """Return all models that are asked, each with the name that the user gave."""
    models = [(name, lab.model(name)) for name in (judging.models if judging else ())]
    return models if embed.model is None else [*models, (embed.name, embed.model)]

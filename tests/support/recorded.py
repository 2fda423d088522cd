"""Runs whose debates have values made by hand, in a real store, for tests of analyses."""

import asyncio

import msgspec

import moot
from moot.core.events import Closed, Opened, Transcript, Verdict
from moot.core.questions import Question
from moot.core.stored import StudyRow
from moot.studies.lab import open_lab


def analyse_values(store, arms, rows, name, **options):
    """Record a run of these arms and values, and analyse it."""

    async def record():
        async with open_lab(store) as lab:
            study = StudyRow(name="made", arms=tuple(arms), baseline=None)
            run = lab.store.begin_run("made", "made", msgspec.json.encode(study))
            for arm, dataset, question, replicate, values in rows:
                put = Question(id=question, kind="number", text=question, answer="4")
                opened = Opened(
                    question=put, protocol="single", settings={}, pack="00", replicate=replicate
                )
                closed = Closed(verdict=Verdict(answer="4", by="reply"))
                debate = arm, dataset, question, replicate, Transcript((opened, closed))
                await lab.store.save_debate(run.id, *debate, values)
            await lab.store.flush()
        return await moot.analyse(name, "made", store=store, **options)

    return asyncio.run(record())


def analyse_sums(store, name, model, arms, sums, *, models=(), **more):
    """Hold a study of a model on sums, and analyse it."""
    study = {"name": "held", "settings": {"model": model}, "arms": arms, **more}
    study["datasets"] = [{"name": "arithmetic", **sums}]
    moot.run_sync(study, store=store, models=list(models))
    return moot.analyse_sync(name, "held", store=store)

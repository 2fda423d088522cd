"""Refinement: the questions of a dataset on which models differ (APF-Bench, algorithm 1).

Source: "Understanding Prejudice and Fidelity of Diverge-to-Converge Multi-Agent Systems", section
5, "dataset refinement". A study names the datasets, the models (its arms of ``single``, asked
openly) and the pool of combinations (its other arms, by protocol and opening). Then, for each
dataset:

1. every model answers every question, and questions that all models have right are dropped;
2. combinations are drawn from the pool, and debate the other questions;
3. these are sorted by the number of models that have them right, the fewest first; of equal
   ones those come first that fewer debates of the combinations have right, then by a seeded hash;
4. the first ``keep`` are the refined dataset.

Every call is in the ledger, so that refining again asks nothing anew. What the paper leaves open is
told in ``docs/refine.md``.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

from msgspec.structs import replace

from moot.core.errors import BudgetReached, InputError
from moot.core.files import check_place, output_error, write_file
from moot.core.ports import Model
from moot.core.questions import Question
from moot.core.stored import Arm
from moot.datasets.dataset import registry
from moot.datasets.library import questions as questions_of
from moot.debate.agent_config import models_in
from moot.debate.protocol import kind_of
from moot.ledger.store_place import store_path
from moot.protocols import SINGLE
from moot.studies.lab import default_model, open_lab
from moot.studies.plan import Plan
from moot.studies.refined import (
    Combination,
    CountedQuestion,
    Refined,
    RefinedSet,
    encode_questions,
    hash_content,
    write_refined,
)
from moot.studies.study import Study, StudyDataset, load
from moot.studies.study_run import Confirm, Outcome, Watch, run

KEEP, COMBINATIONS = 300, 3
"""As many questions and combinations as the paper's."""

Rights = dict[tuple[str, str], float]  # by dataset and question: how many arms have it right


async def refine(
    study: str | Path | Mapping[str, Any] | Study,
    out: Path,
    *,
    keep: int = KEEP,
    combinations: int = COMBINATIONS,
    seed: int = 0,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    limit: int | None = None,
    max_cost: float | None = None,
    confirm: Confirm | None = None,
    watch: Watch | None = None,
    wait: bool = False,
) -> Refined:
    """Refine the datasets of a study and write each as a file of questions, with its provenance.

    A debate that fails counts as not right, and the provenance says how many did. With replicates
    a question counts for each model by the share of them that is right.

    Args:
        study: a study file, the name of a shipped study, the same as a mapping, or a study.
        out: the folder that ``LABEL.jsonl`` and ``LABEL.provenance.json`` go to.
        keep: the most questions of each dataset, at least 1.
        combinations: how many are drawn from the pool, 0 or more.
        seed: of that draw, and of the order of questions that are equally hard.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        limit: the most questions of each dataset that are looked at.
        max_cost: the most that each of the two runs may cost in US dollars.
        confirm: as of ``run``, for each of the two runs.
        watch: as of ``run``.
        wait: as of ``run``, for each of the two runs.

    Raises:
        InputError: the study has no models or too few combinations, a question is secret or has no
            known answer, or a file cannot be written; before anything was called.
        BudgetReached: a budget ended a run; nothing is written, and running again goes on.
        RunBusy: another process runs one of the two, and ``wait`` is not set.
    """
    if not isinstance(study, Study):
        study = load(study, model=default_model())
    if keep < 1 or combinations < 0:
        raise InputError(
            f"keep = {keep}, combinations = {combinations}: keep at least one question"
        )
    if limit is not None and limit < 1:
        raise InputError(f"limit = {limit}: must be at least 1")
    asked, pool = _split_arms(study)
    try:
        check_place(out / "dataset.jsonl")
    except OSError as error:
        raise output_error(str(out), error) from None
    drawn = _draw_combinations(pool, combinations, seed, study.file)
    found = {part.label: _questions(part, study, limit) for part in study.datasets}
    running = partial(
        run,
        store=store,
        models=models,
        max_cost=max_cost,
        confirm=confirm,
        watch=watch,
        wait=wait,
    )
    arms = [arm for arm in study.arms if _combination(arm) in drawn and arm not in asked]
    if arms:
        Plan(_narrow(study, arms, "combinations", study.datasets), limit=limit)  # or it cannot be
    first = _require_done(
        await running(_narrow(study, asked, "models", study.datasets), limit=limit)
    )
    right, failed = await _count_right(first, store)
    left = {
        label: [each for each in own if right.get((label, each.id), 0.0) < len(asked)]
        for label, own in found.items()
    }
    place = store_path(None if store is None else str(store)).resolve() / "refined"
    parts = tuple(
        _write_part(part, left[part.label], place) for part in study.datasets if left[part.label]
    )
    runs, debated, more = [first.run], Rights(), 0
    if arms and parts:
        second = _require_done(await running(_narrow(study, arms, "combinations", parts)))
        debated, more = await _count_right(second, store)
        runs.append(second.run)
    refined = Refined(
        study=study.name,
        seed=seed,
        keep=keep,
        models={arm.name: ", ".join(models_in(arm.settings)) for arm in asked},
        pool=tuple(pool),
        combinations=tuple(drawn),
        runs=tuple(runs),
        failed=failed + more,
        simulated=first.results.simulated,
        datasets=tuple(
            _make_set(part, found[part.label], left[part.label], right, debated, keep, seed)
            for part in study.datasets
        ),
    )
    for each in refined.datasets:
        by_id = {question.id: question for question in found[each.dataset]}
        write_refined(out, refined, each, [by_id[counted.id] for counted in each.questions])
    return refined


def _split_arms(study: Study) -> tuple[list[Arm], list[Combination]]:
    """Return the arms that are the models, and the pool that the others make, sorted."""
    asked = [arm for arm in study.arms if _is_model(arm)]
    if not asked:
        raise InputError(
            f"{study.file}: arms: to refine, a study needs an arm of protocol {SINGLE!r} for each "
            f'model: [[arms]] with protocol = "{SINGLE}", and model = ["…", "…"] in [settings]'
        )
    pool = {_combination(arm) for arm in study.arms if arm not in asked}
    return asked, sorted(pool)


def _is_model(arm: Arm) -> bool:
    """Return whether an arm is one model by itself, asked openly."""
    return kind_of(arm.protocol) == "single" and _combination(arm).opening == "open"


def _combination(arm: Arm) -> Combination:
    return Combination(arm.protocol, str(arm.settings.get("opening", "open")))


def _draw_combinations(
    pool: Sequence[Combination], count: int, seed: int, file: str
) -> list[Combination]:
    if count > len(pool):
        raise InputError(
            f"{file}: arms: {count} combinations of protocol and opening are to be drawn, and "
            f'there are {len(pool)}; add arms with opening = ["open", "control-right", '
            '"control-wrong"], or draw fewer'
        )
    return sorted(Random(f"refine/{seed}").sample(pool, count))  # noqa: S311 -- no secret


def _questions(part: StudyDataset, study: Study, limit: int | None) -> list[Question]:
    """Return the questions looked at. Raises ``InputError`` for those that cannot be used."""
    where = f"{study.file}: dataset {part.label!r}"
    try:
        found = questions_of(
            part.name, n=part.n, seed=part.seed, folder=study.folder, **part.parameters
        )[:limit]
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    for question in found:
        if question.secret:
            raise InputError(
                f"{where}: its authors ask that its questions are not shown, so they are never "
                "written to a file; leave it out with drop_datasets"
            )
        if not question.answers:
            raise InputError(f"{where}: question {question.id!r} has no known answer to count")
    return found


def _narrow(study: Study, arms: Sequence[Arm], what: str, parts: tuple[StudyDataset, ...]) -> Study:
    """Return a study of some arms, under a name of its own."""
    name = f"{study.name}-{what}"
    return replace(study, name=name, arms=tuple(arms), datasets=parts, baseline=None)


def _require_done(outcome: Outcome) -> Outcome:
    if outcome.stopped:
        raise BudgetReached(
            f"run {outcome.run} stopped after {outcome.done} of {outcome.debates} debates: "
            f"{outcome.stopped}; nothing was refined, run again with a larger budget to go on"
        )
    return outcome


async def _count_right(outcome: Outcome, store: str | Path | None) -> tuple[Rights, int]:
    """Return how many arms have each question right, and how many debates failed."""
    right: Rights = {}
    counts: dict[tuple[str, str, str], list[float]] = {}
    async with open_lab(store, readonly=True) as lab:
        for row in lab.store.values(lab.store.find_run(outcome.run).id):
            own = counts.setdefault((row.dataset, row.question, row.arm), [])
            own.append(row.values.get("accuracy") or 0.0)
    for (dataset, question, _), values in counts.items():
        key = dataset, question
        right[key] = right.get(key, 0.0) + sum(values) / len(values)
    return right, outcome.failed


def _write_part(part: StudyDataset, left: Iterable[Question], place: Path) -> StudyDataset:
    """Write the remaining questions into a file of the store's folder; return it as a dataset."""
    lines = encode_questions(left)
    path = place / f"{hash_content(lines)[:16]}.jsonl"
    try:
        write_file(path, lines)
    except OSError as error:
        raise output_error(str(path), error) from None
    parameters = registry.get("file").check_settings({"path": str(path)})
    return StudyDataset(
        name="file", label=part.label, n=None, seed=part.seed, parameters=parameters
    )


def _make_set(
    part: StudyDataset,
    found: Sequence[Question],
    left: Sequence[Question],
    right: Rights,
    debated: Rights,
    keep: int,
    seed: int,
) -> RefinedSet:
    counted = sorted(
        (
            CountedQuestion(
                id=each.id,
                models_right=right.get((part.label, each.id), 0.0),
                combinations_right=debated.get((part.label, each.id), 0.0),
            )
            for each in left
        ),
        key=lambda each: (each.models_right, each.combinations_right, _tie_rank(seed, each.id)),
    )
    files = {file.name: file.sha256 for file in registry.get(part.name).files}
    return RefinedSet(
        dataset=part.label,
        source=part.name,
        parameters=part.parameters,
        n=part.n,
        draw_seed=part.seed,
        files=files,
        questions_sha256=hash_content(encode_questions(found)),
        asked=len(found),
        dropped=len(found) - len(left),
        questions=tuple(counted[:keep]),
    )


def _tie_rank(seed: int, question: str) -> bytes:
    return blake2b(f"refine/{seed}/{question}".encode(), digest_size=16).digest()

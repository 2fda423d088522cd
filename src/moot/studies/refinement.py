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

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from moot.core.errors import BudgetReached, InputError, place_errors
from moot.core.files import check_place, output_error, write_file, write_files
from moot.core.ports import Model
from moot.core.questions import Question
from moot.core.recorded_settings import OpeningSettings, read_settings
from moot.core.stored import Arm
from moot.datasets.dataset import registry
from moot.datasets.library import questions as questions_of
from moot.debate.agent_config import models_in
from moot.debate.protocol import kind_of
from moot.ledger.store_place import files_folder, find_place
from moot.protocols import SINGLE
from moot.studies.lab import default_model, open_lab
from moot.studies.plan import Plan
from moot.studies.study import Study, StudyDataset
from moot.studies.study_file import load
from moot.studies.study_run import Confirm, Outcome, Watch, run

KEEP, COMBINATIONS = 300, 3
"""As many questions and combinations as the paper's."""

_json = msgspec.json.encode

Rights = dict[tuple[str, str], float]
"""By dataset and question: how many arms have it right."""


class Combination(NamedTuple):
    """A protocol, and how its first agent is asked."""

    protocol: str
    opening: str


class CountedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """How hard a question was.

    Attributes:
        models_right: how many models have it right, each by the share of its replicates.
        combinations_right: how many debates of the combinations, in the same way.
    """

    id: str
    models_right: float
    combinations_right: float


class RefinedSet(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one dataset.

    Attributes:
        dataset: its label in the study.
        source: its name.
        parameters: the dataset's own, as ``n`` and ``draw_seed``: which questions were looked at.
        files: the SHA-256 of each published file that it reads, by name.
        questions_sha256: of all questions looked at, as a file of them would be.
        asked: how many these were.
        dropped: those of them that all models have right.
        questions: those that are kept, the hardest first.
    """

    dataset: str
    source: str
    parameters: dict[str, Any]
    n: int | None
    draw_seed: int
    files: dict[str, str]
    questions_sha256: str
    asked: int
    dropped: int
    questions: tuple[CountedQuestion, ...]

    @property
    def stem(self) -> str:
        """The name of its files, without a suffix."""
        return re.sub(r"[^\w.-]+", "-", self.dataset).strip("-.") or "dataset"


class Refined(msgspec.Struct, frozen=True, kw_only=True):
    """The result of refining the datasets of a study.

    Attributes:
        study: its name.
        seed: of the draw of combinations, and of the order of questions that are equally hard.
        keep: the most questions kept of each dataset.
        models: the models by the arms in which they answered alone.
        pool: the combinations there were.
        combinations: those that were drawn.
        runs: the keys of the runs: of the models, then of the combinations.
        failed: debates of both that failed; they count as not right.
        simulated: True when any model is no language model.
        datasets: in the order of the study.
    """

    study: str
    seed: int
    keep: int
    models: dict[str, str]
    pool: tuple[Combination, ...]
    combinations: tuple[Combination, ...]
    runs: tuple[str, ...]
    failed: int
    simulated: bool
    datasets: tuple[RefinedSet, ...]


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
    ray: str | None = None,
    workers: int | None = None,
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
        ray: as of ``run``.
        workers: as of ``run``.

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
    asked, pool = _split_arms(study)
    try:
        check_place(out / "dataset.jsonl")
    except OSError as error:
        raise output_error(str(out), error) from None
    drawn = _draw_combinations(pool, combinations, seed, study.file)
    found = {part.label: _questions(part, study, limit) for part in study.datasets}
    debate = partial(run, store=store, models=models, max_cost=max_cost, confirm=confirm)
    debate = partial(debate, watch=watch, wait=wait, ray=ray, workers=workers)
    arms = [arm for arm in study.arms if _combination(arm) in drawn and arm not in asked]
    if arms:
        Plan(_narrow(study, arms, "combinations", study.datasets), limit=limit)  # or it cannot be
    first = await debate(_narrow(study, asked, "models", study.datasets), limit=limit)
    outcomes, debated = [first], Rights()
    right = await _count_right(first, store)
    left = {
        label: [each for each in own if right.get((label, each.id), 0.0) < len(asked)]
        for label, own in found.items()
    }
    place = files_folder(find_place(None if store is None else str(store))).resolve() / "refined"
    parts = tuple(
        _write_part(part, left[part.label], place) for part in study.datasets if left[part.label]
    )
    if arms and parts:
        outcomes.append(await debate(_narrow(study, arms, "combinations", parts)))
        debated = await _count_right(outcomes[-1], store)
    refined = Refined(
        study=study.name,
        seed=seed,
        keep=keep,
        models={arm.name: ", ".join(models_in(arm.settings)) for arm in asked},
        pool=tuple(pool),
        combinations=tuple(drawn),
        runs=tuple(each.run for each in outcomes),
        failed=sum(each.failed for each in outcomes),
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
    return Combination(arm.protocol, read_settings(arm.settings, OpeningSettings).opening)


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
    with place_errors(where):
        found = questions_of(
            part.name, n=part.n, seed=part.seed, folder=study.folder, **part.parameters
        )[:limit]
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


async def _count_right(outcome: Outcome, store: str | Path | None) -> Rights:
    """Return how many arms have each question right. Raises ``BudgetReached`` if a run stopped."""
    if outcome.stopped:
        raise BudgetReached(
            f"run {outcome.run} stopped after {outcome.done} of {outcome.debates} debates: "
            f"{outcome.stopped}; nothing was refined, run again with a larger budget to go on"
        )
    right: Rights = defaultdict(float)
    counts: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    async with open_lab(store, readonly=True) as lab:
        for row in lab.store.values(lab.store.find_run(outcome.run).id):
            counts[row.dataset, row.question, row.arm].append(row.values.get("accuracy") or 0.0)
    for (dataset, question, _), values in counts.items():
        right[dataset, question] += sum(values) / len(values)
    return right


def _write_part(part: StudyDataset, left: Iterable[Question], place: Path) -> StudyDataset:
    """Write the remaining questions into a file of the store's folder; return it as a dataset."""
    lines = encode_questions(left)
    path = place / f"{sha256(lines).hexdigest()[:16]}.jsonl"
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
        questions_sha256=sha256(encode_questions(found)).hexdigest(),
        asked=len(found),
        dropped=len(found) - len(left),
        questions=tuple(counted[:keep]),
    )


def _tie_rank(seed: int, question: str) -> bytes:
    return blake2b(f"refine/{seed}/{question}".encode(), digest_size=16).digest()


def encode_questions(questions: Iterable[Question]) -> bytes:
    """Encode questions as JSON lines that the dataset ``file`` reads without a mapping."""
    return b"".join(_line(question) + b"\n" for question in questions)


def _line(question: Question) -> bytes:
    if question.secret:  # an error has said so before
        raise InputError(f"question {question.id!r} is secret and is not written to a file")
    row: dict[str, Any] = {"id": question.id, "kind": question.kind, "question": question.text}
    if question.context:
        row["context"] = question.context
    if question.choices:
        row["choices"] = question.choices
    return _json(row | {"answer": question.answer})


def write_refined(
    folder: Path, refined: Refined, each: RefinedSet, questions: Sequence[Question]
) -> None:
    """Write a refined dataset and, beside it, its provenance.

    Raises:
        InputError: a file cannot be written.
    """
    lines = encode_questions(questions)
    provenance = {
        **msgspec.to_builtins(refined),
        "datasets": [each],
        "kept": len(questions),
        "sha256": sha256(lines).hexdigest(),
    }
    path = folder / f"{each.stem}.jsonl"
    about = msgspec.json.format(_json(provenance)) + b"\n"
    try:
        write_files({path: lines, path.with_suffix(".provenance.json"): about})
    except OSError as error:
        raise output_error(error.filename or str(path), error) from None

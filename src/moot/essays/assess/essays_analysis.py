"""The analysis of a run's essays: how diverse, how long, how relevant and how preferred they are.

Source: "Debate-to-Write", table 1, sections 3.3 and 4.1 and appendix B.1.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, NamedTuple

from msgspec import Meta

from moot import InputError, RecordedRuns, Report, ResultTable, analysis
from moot.core.display_text import format_count, format_things, make_visible, on_one_line
from moot.core.stored import DebateRow, RunRow, decode_study
from moot.essays.assess import preference
from moot.essays.assess.diversity import bleu_signature
from moot.essays.assess.embeddings import EMBEDDED, describe_payment
from moot.essays.assess.essay_measures import (
    ArmEssays,
    Vectors,
    measure_essays,
    tabulate_differences,
    tabulate_measures,
)
from moot.essays.assess.model_judge import Judged, read_judgements
from moot.essays.assess.preference import Comparison
from moot.essays.run_essays import ASPECTS, Essay, RunEssays, read_essays
from moot.models.embedding import embed

HEADINGS = dict(zip(ASPECTS, ("Rel. %", "Pref. %"), strict=True))
"""The columns of table 1 for what a judge compares by."""
JUDGED_BY = (
    "Rel. and Pref.: the share of comparisons with other arms' essays that the arm has won by "
    "relevance and preference, a tie half; the paper's are grades. Preference: the better "
    "response, by how helpful, relevant, accurate, deep, creative and detailed it is. For both "
    "aspects the judge is told to give nothing for length or place."
)


class JudgeRun(NamedTuple):
    """The recorded run of a judge.

    Attributes:
        row: the run.
        about: the key of the run whose essays it judged.
        debates: all of its debates so far.
    """

    row: RunRow
    about: str
    debates: list[DebateRow]

    def read(self, essays: Sequence[Essay]) -> Judged:
        """Return what it said of essays."""
        return read_judgements(self.debates, essays, self.about)


@analysis(source="Debate-to-Write, table 1 and section 3.3", place=60)
def essays(
    runs: RecordedRuns,
    *,
    judge: Annotated[str, Meta(description="a judge's run; the newest if empty")] = "",
) -> Report:
    """Tell how diverse, how long and how preferred the essays of each arm are.

    Relevance, preference and the likeness of points are those that a judge was asked for by
    "moot essays RUN --judge MODEL". Embeddings are made here; "moot essays RUN --embedder NAME"
    shows those of an endpoint.
    """
    return report_essays(runs, read_essays(runs), judge=judge)


def report_essays(
    runs: RecordedRuns,
    found: RunEssays,
    *,
    judge: str = "",
    vectors: Vectors | None = None,
    embedder: str = EMBEDDED,
) -> Report:
    """Put every measure of essays, and every comparison of them, into tables.

    Args:
        runs: which have the essays.
        found: their essays.
        judge: the run of a judge; the newest that judged these essays where it is empty.
        vectors: of the texts of essays and of points; where None, made by the embedded model.
        embedder: who made them, in words.

    Raises:
        InputError: no judge of these essays has that key.
    """
    judges = list(_find_judges(runs, found.essays, judge))
    if judge and not judges:
        raise InputError(f"judge {judge}: no judge of the essays of {runs.key}")
    judged = _join([each.read(found.essays) for each in judges])
    if vectors is None:
        texts = list(list_texts(found.essays, judged))
        vectors = dict(zip(texts, embed(texts), strict=True))
    tables: list[ResultTable] = []
    for dataset in dict.fromkeys(dataset for dataset, _ in found.lost):
        own = RunEssays(
            [each for each in found.essays if each.dataset == dataset],
            {place: lost for place, lost in found.lost.items() if place[0] == dataset},
        )
        said = _join([each.read(own.essays) for each in judges])
        arms = measure_essays(own, vectors, said.points)
        tables += _tabulate(runs, dataset, arms, said.comparisons)
    notes = [
        f"S-BLEU: sacrebleu, {bleu_signature()}. Embeddings: {embedder}.",
        *_describe_lost(found),
        *(note for each in judges for note in _describe_judge(runs, each, judged)),
    ]
    if not judges:
        notes.append(
            "Pers., relevance and preference are asked of a model: "
            f"moot essays {runs.rows[0].key} --judge MODEL"
        )
    return Report(
        title=f"Essays: {runs.name}",
        about=f"{runs.key}: the essays of {runs.name}",
        tables=[table for table in tables if table.rows],
        notes=tuple(notes),
        simulated=any(decode_study(each.row).simulated for each in judges)
        or any(each.simulated for each in found.essays),
    )


def list_texts(essays: Iterable[Essay], judged: Judged) -> Iterator[str]:
    """Yield each text of which an embedding is needed once: of essays and of their points."""
    points = (point for own in judged.points.values() for point in own)
    yield from dict.fromkeys([*(each.text for each in essays), *points])


def _find_judges(runs: RecordedRuns, essays: Sequence[Essay], key: str) -> Iterator[JudgeRun]:
    """Yield for each run the judge of that key; without one the newest that judged its essays."""
    store = runs.lab.store
    every = [store.find_run(key)] if key else store.runs()
    for row in runs.rows:
        own = (each for each in every if each.name == f"{row.name}-judged")
        judges = (JudgeRun(each, row.key, list(store.debates(each.id))) for each in own)
        yield from islice((each for each in judges if key or any(each.read(essays))), 1)


def _join(said: Sequence[Judged]) -> Judged:
    """Return what several judges, each of another run, have said."""
    points = {essay: own for each in said for essay, own in each.points.items()}
    return Judged(points, [one for each in said for one in each.comparisons])


def _tabulate(
    runs: RecordedRuns, dataset: str, arms: Sequence[ArmEssays], comparisons: Sequence[Comparison]
) -> Iterator[ResultTable]:
    """Yield the tables of a dataset."""
    baselines = [study.baseline for study in runs.studies]
    base = next((arm for arm in arms if arm.arm in baselines), None)
    fair = preference.by_aspect(preference.drop_single_orders(comparisons))
    won = {
        HEADINGS[aspect]: {arm: each.rate for arm, each in preference.rate_arms(own).items()}
        for aspect, own in fair.items()
    }
    yield from tabulate_measures(dataset, arms, base, won)
    if base is not None:
        yield tabulate_differences(dataset, arms, base)
    for aspect, own in fair.items():
        yield preference.tabulate_rates(f"{dataset}: judged by {aspect}", own)
    for aspect, own in fair.items():
        order = [arm.name for arm in runs.arms]
        yield preference.tabulate_pairs(f"{dataset}: judged by {aspect}, pair by pair", own, order)
    yield preference.tabulate_orders(f"{dataset}: whether the order matters", comparisons)


def _describe_lost(found: RunEssays) -> Iterator[str]:
    """Yield sentences: which debates left no essay, which essays were cut, what has no interval."""
    for what, words in (("failed", "failed"), ("empty", "came to no words")):
        if number := sum(lost[what] for lost in found.lost.values()):
            lost_ = format_things(number, "debate")
            yield f"{lost_} {words} and left no essay; they are in no figure."
    if cut := sum(each.cut for each in found.essays):
        yield f"Cut off for their length, and counted as they stand: {format_things(cut, 'essay')}."
    for dataset in dict.fromkeys(dataset for dataset, _ in found.lost):
        if len({each.question for each in found.essays if each.dataset == dataset}) == 1:
            yield f"{on_one_line(dataset)} has a single proposition: there are no intervals."


def _describe_judge(runs: RecordedRuns, judge: JudgeRun, judged: Judged) -> Iterator[str]:
    """Yield sentences: who judged, at which cost, and which verdicts are missing."""
    study = decode_study(judge.row)
    arm = study.arms[-1]
    who = f"{on_one_line(str(arm.settings['model']))} ({arm.protocol})"
    who += ", SIMULATED: no language model" if study.simulated else ""
    held = format_count(len(judge.debates))
    spent = describe_payment(runs.lab.store.sum_spent(judge.row.id))
    yield (
        f"Judge: {who}. {held} of {format_things(study.debates, 'debate')} held{spent}; see moot "
        f"show {judge.row.key}."
    )
    said = judged.comparisons
    if said:
        ties = sum(each.winner == "tie" for each in said)
        yield (
            f"{format_things(len(said), 'comparison')}, of them {format_things(ties, 'tie')}. "
            f"{JUDGED_BY}"
        )
    if unread := sum(each.winner is None for each in said):
        single = sum(each.winner is None for each in preference.drop_single_orders(said)) - unread
        yield (
            f"Left out: {format_things(unread, 'comparison')} without an answer that could be "
            f"read, and {format_count(single)} of the same essays in the other order."
        )
    if pointless := sum(not own for own in judged.points.values()):
        lacking = format_things(pointless, "essay")
        yield f"{lacking} without a point that could be read: not in Pers."
    failed = Counter(
        each.transcript.failed.reason for each in judge.debates if each.transcript.failed
    )
    for reason, times in failed.most_common():
        yield f"{times} failed: {make_visible(reason)}"

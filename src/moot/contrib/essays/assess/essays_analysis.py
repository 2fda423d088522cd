"""The analysis of a run's essays: how diverse, how long, how relevant and how preferred they are.

Source: "Debate-to-Write", table 1, sections 3.3 and 4.1 and appendix B.1.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta

from moot import Chart, Column, InputError, RecordedRuns, Report, ResultTable, TableRow, analysis
from moot.contrib.essays.assess import preference
from moot.contrib.essays.assess.diversity import bleu_signature
from moot.contrib.essays.assess.embeddings import describe_payment
from moot.contrib.essays.assess.essay_grades import (
    average_grade,
    collect_values,
    tabulate_agreement,
    tabulate_crowding,
)
from moot.contrib.essays.assess.essay_measures import (
    ArmEssays,
    Vectors,
    chart_measures,
    measure_essays,
    tabulate_differences,
    tabulate_measures,
)
from moot.contrib.essays.assess.model_judge import JUDGES, Judged, read_judgements
from moot.contrib.essays.run_essays import ASPECTS, Essay, RunEssays, read_essays
from moot.extend.records import DebateRow, RunRow, decode_study
from moot.extend.studies import Embedder
from moot.extend.words import format_count, format_things, make_visible, on_one_line

JUDGED_BY = (
    "Preference: the better response, by how helpful, relevant, accurate, deep, creative and "
    "detailed it is. For both aspects the judge is told to give nothing for length or place."
)
SIDE_BY_SIDE = (
    "Rel. and Pref.: mean grades. Won: the share of comparisons with the other methods' essays. "
    "With 95 % intervals over propositions. The other tables are of the judge that stands first "
    "here."
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
        """Return its judgements of essays."""
        return read_judgements(self.debates, essays, self.about)


@analysis(
    source="Debate-to-Write, table 1 and section 3.3",
    group="essays",
    needs=("essay-words",),
    place=60,
    draws=True,
)
def essays(
    runs: RecordedRuns,
    *,
    judge: Annotated[
        str, Meta(description="the judge's run whose tables are shown; the newest if empty")
    ] = "",
) -> Report:
    """Tell how diverse, how long and how preferred the essays of each method are.

    Relevance, preference and the likeness of points are those that a judge was asked for by
    "moot essays RUN --judge MODEL"; several judges stand side by side. Embeddings are made here;
    "moot essays RUN --embedder NAME" shows those of an endpoint.
    """
    return report_essays(runs, read_essays(runs), judge=judge)


def report_essays(
    runs: RecordedRuns,
    found: RunEssays,
    *,
    judge: str = "",
    vectors: Vectors | None = None,
    embedder: str = "embedded",
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
    every = _find_judges(runs, found.essays, judge)
    judges = [own[0] for own in every if own]
    judged = _join([each.read(found.essays) for each in judges])
    if vectors is None:
        texts = list(list_texts(found.essays, judged))
        vectors = dict(zip(texts, Embedder.embed_here(texts), strict=True))
    tables: list[ResultTable] = []
    charts: list[Chart] = []
    for dataset in dict.fromkeys(dataset for dataset, _ in found.lost):
        own = RunEssays(
            [each for each in found.essays if each.dataset == dataset],
            {place: lost for place, lost in found.lost.items() if place[0] == dataset},
        )
        said = _join([each.read(own.essays) for each in judges])
        arms = measure_essays(own, vectors, said.points, said.grades)
        tables += _tabulate(runs, dataset, arms, said)
        charts += _draw(runs, dataset, arms, said)
        if max(map(len, every), default=0) > 1:
            tables.append(_compare_judges(dataset, [one for each in every for one in each], own))
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
        charts=tuple(charts),
        notes=tuple(notes),
        simulated=any(decode_study(each.row).simulated for each in judges)
        or any(each.simulated for each in found.essays),
    )


def list_texts(essays: Iterable[Essay], judged: Judged) -> Iterator[str]:
    """Yield each text of which an embedding is needed once: of essays and of their points."""
    points = (point for own in judged.points.values() for point in own)
    yield from dict.fromkeys([*(each.text for each in essays), *points])


def _find_judges(runs: RecordedRuns, essays: Sequence[Essay], key: str) -> list[list[JudgeRun]]:
    """Return for each run those who judged its essays: the one of a key first, then the newest.

    Raises:
        InputError: no judge of these essays has that key.
    """
    store, found = runs.lab.store, []
    known = store.find_run(key).key if key else ""
    for row in runs.rows:
        own = (each for each in store.runs() if each.name == f"{row.name}-judged")
        judges = (JudgeRun(each, row.key, list(store.debates(each.id))) for each in own)
        judged = [each for each in judges if any(each.read(essays))]
        found.append(sorted(judged, key=lambda each: each.row.key != known))
    if key and not any(own and own[0].row.key == known for own in found):
        raise InputError(f"judge {key}: no judge of the essays of {runs.key}")
    return found


def _join(said: Sequence[Judged]) -> Judged:
    """Return the judgements of several judges, each of another run."""
    return Judged(
        {essay: own for each in said for essay, own in each.points.items()},
        [one for each in said for one in each.comparisons],
        [one for each in said for one in each.grades],
    )


def _tabulate(
    runs: RecordedRuns, dataset: str, arms: Sequence[ArmEssays], said: Judged
) -> Iterator[ResultTable]:
    """Yield the tables of a dataset."""
    baselines = [study.baseline for study in runs.studies]
    base = next((arm for arm in arms if arm.arm in baselines), None)
    order = [arm.name for arm in runs.arms]
    comparisons = preference.drop_single_orders(said.comparisons)
    yield from tabulate_measures(dataset, arms, base)
    if base is not None:
        yield tabulate_differences(dataset, arms, base)
    if said.grades:
        yield tabulate_crowding(f"{dataset}: how grades crowd", said.grades, order)
    for aspect, own in preference.by_aspect(comparisons).items():
        yield preference.tabulate_rates(f"{dataset}: judged by {aspect}", own)
    for aspect, own in preference.by_aspect(comparisons).items():
        yield preference.tabulate_pairs(f"{dataset}: judged by {aspect}, pair by pair", own, order)
    if comparisons:
        yield preference.tabulate_orders(f"{dataset}: whether the order matters", said.comparisons)
    title = f"{dataset}: whether grades and comparisons agree"
    if agreement := tabulate_agreement(title, said.grades, comparisons):
        yield agreement


def _draw(
    runs: RecordedRuns, dataset: str, arms: Sequence[ArmEssays], said: Judged
) -> Iterator[Chart]:
    """Yield the charts of a dataset."""
    yield from chart_measures(dataset, arms)
    order = [arm.name for arm in runs.arms]
    fair = preference.drop_single_orders(said.comparisons)
    for aspect, own in preference.by_aspect(fair).items():
        yield preference.chart_pairs(dataset, aspect, own, order)


def _compare_judges(dataset: str, judges: Sequence[JudgeRun], own: RunEssays) -> ResultTable:
    """Return the rating of every arm of a dataset by each of several judges."""
    rows = []
    for judge in judges:
        said = judge.read(own.essays)
        values = collect_values(said.grades)
        compared = preference.by_aspect(preference.drop_single_orders(said.comparisons))
        won = {aspect: preference.rate_arms(each) for aspect, each in compared.items()}
        for arm in dict.fromkeys(arm for _, arm in own.lost):
            graded = (average_grade(values[aspect, arm].values()) for aspect in ASPECTS)
            rates = (won.get(aspect, {}).get(arm) for aspect in ASPECTS)
            cells = [*graded, *(each and each.rate for each in rates)]
            band = f"{describe_judges(judge.row)}, {judge.row.key}"
            rows.append(TableRow([on_one_line(arm), *cells], band=band))
    return ResultTable(
        f"{dataset}: judges side by side",
        (
            Column("arm", head="method"),
            *(Column(name, "number", 2) for name in ("Rel.", "Pref.")),
            *(Column(name, "percent") for name in ("Rel. won %", "Pref. won %")),
        ),
        rows,
        SIDE_BY_SIDE,
    )


def describe_judges(row: RunRow) -> str:
    """Return who judges in a run: the model, or each with what it is asked for; the protocol."""
    by_model: dict[str, list[str]] = {}
    arms = decode_study(row).arms
    for arm in arms[: len(JUDGES)]:
        by_model.setdefault(on_one_line(str(arm.settings["model"])), []).append(arm.name)
    names = [
        model if len(by_model) == 1 else f"{', '.join(about)}: {model}"
        for model, about in by_model.items()
    ]
    return f"{'; '.join(names)} ({arms[-1].protocol})"


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
    who = describe_judges(judge.row)
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
    if ungraded := sum(each.value is None for each in judged.grades):
        lacking = format_things(ungraded, "grade")
        yield f"{lacking} of {format_count(len(judged.grades))} not read: in no mean."
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

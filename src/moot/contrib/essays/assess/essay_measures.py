"""The measures of the essays of each arm, each with its interval and against the baseline.

Source: "Debate-to-Write", table 1, section 3.3 and appendix B.1. The measures of diversity have one
value for each proposition, of all the essays on it; those of a single essay are averaged. Intervals
and tests are over propositions: the essays on one are not independent of each other.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from math import fsum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from moot import Axis, Chart, Column, ResultTable, TableRow
from moot.contrib.essays import text_measures
from moot.contrib.essays.assess import diversity
from moot.contrib.essays.assess.essay_charts import describe_range, draw_measures
from moot.contrib.essays.assess.essay_grades import LOWEST, TOP, EssayGrade, collect_values
from moot.contrib.essays.run_essays import ASPECTS, Essay, RunEssays
from moot.extend.analyses import (
    Cluster,
    Difference,
    Key,
    Mean,
    compare_paired,
    correct_by_holm,
    interval,
    make_columns,
    mean_within_bounds,
)
from moot.extend.words import format_p_equals, format_things, on_one_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.floating]

T = TypeVar("T")
Vectors: TypeAlias = Mapping[str, "Matrix"]
"""The embedding of each text."""
Points: TypeAlias = Mapping[Essay, tuple[str, ...]]
"""The points of each essay whose points were asked for."""


class MeasureValue(NamedTuple):
    """A measure on one proposition: its values, and of how many essays they were taken."""

    values: list[float]
    essays: int

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return sum(self.values) / len(self.values)


Values: TypeAlias = Mapping[str, MeasureValue]
"""The values of a measure, by proposition."""


class EssayMeasure(NamedTuple):
    """How a measure is shown.

    Attributes:
        heading: above its column.
        factor: by which it is shown.
        together: whether it is of all essays on a proposition together.
        group: above the headings of table 1 of the paper; empty for what that has not.
        bounds: the least and the greatest value, of a measure that often lies at one.
    """

    heading: str
    factor: float = 1
    together: bool = False
    group: str = ""
    bounds: tuple[float, float] | None = None

    @property
    def places(self) -> int:
        """How many decimals are shown: two of grades, as in the paper."""
        return 2 if self.bounds else 1


QUALITY, DIVERSITY = "Quality ↑", "Diversity ↓"
RELEVANCE, PREFERENCE = ASPECTS
BLEU, EMBEDDING, PERSPECTIVE = "self-bleu", "self-embedding", "perspective"
WORDS, REPETITION = "words", "repetition"
MEASURES = {
    RELEVANCE: EssayMeasure("Rel.", group=QUALITY, bounds=(LOWEST, TOP)),
    PREFERENCE: EssayMeasure("Pref.", group=QUALITY, bounds=(LOWEST, TOP)),
    BLEU: EssayMeasure("S-BLEU", together=True, group=DIVERSITY),
    EMBEDDING: EssayMeasure("S-Emb", 100, together=True, group=DIVERSITY),
    PERSPECTIVE: EssayMeasure("Pers.", 100, together=True, group=DIVERSITY),
    WORDS: EssayMeasure("words"),
    REPETITION: EssayMeasure("repeated %", 100),
}
"""Every measure by its name."""

ABOUT = (
    "S-BLEU, S-Emb and Pers.: how alike essays of one method on one proposition are in words, "
    "meaning and points; 100: all the same; lower is more diverse. n: essays. 95 % intervals over "
    "propositions, where these differ; those of grades allow for a proposition that was not seen, "
    "at either end of the scale; the others resample propositions, and of fewer than ten are too "
    "narrow."
)
GRADED = (
    "Rel. and Pref.: the mean grade of an essay, 1 to 5, by relevance and preference. Preference: "
    "how good a response, by how helpful, relevant, accurate, deep, creative and detailed it is. "
    "Graded: {} of each method. "
)
LENGTHS = (
    "Words, and the share of repeated runs of four words: the mean of an essay, with its 95 % "
    "interval over propositions, where these differ. Short or repetitive texts differ little."
)
DIFFERENCES = (
    "The method minus the baseline, on the propositions of both. p: of changes of sign, "
    "proposition by proposition; corrected by Holm for all methods of a dataset."
)


class ArmEssays(NamedTuple):
    """The essays of an arm on a dataset, and what is measured of them.

    Attributes:
        arm: its name.
        essays: by proposition.
        values: by measure.
    """

    arm: str
    essays: dict[str, list[Essay]]
    values: dict[str, Values]


def measure_essays(
    found: RunEssays, vectors: Vectors, points: Points, grades: Sequence[EssayGrade] = ()
) -> list[ArmEssays]:
    """Take every measure of every arm.

    Args:
        found: the essays on one dataset.
        vectors: of the texts of essays and of points; measures that lack one are not taken.
        points: of the essays whose points were asked for; propositions that lack one are left out
            of the likeness of points.
        grades: of the essays that were graded.
    """
    import numpy as np

    graded = collect_values(grades)
    grouped: dict[str, dict[str, list[Essay]]] = {arm: {} for _, arm in found.lost}
    for each in found.essays:
        grouped[each.arm].setdefault(each.question, []).append(each)

    def embed(texts: Sequence[str]) -> "Matrix":
        return np.stack([vectors[text] for text in texts])

    arms = []
    for arm, own in grouped.items():
        texts = {question: [each.text for each in essays] for question, essays in own.items()}
        pointed = {
            question: [points[each] for each in essays if points[each]]
            for question, essays in own.items()
            if all(each in points for each in essays)
        }
        values: dict[str, Values] = {
            **{
                aspect: {
                    question: MeasureValue(given, len(given))
                    for question, given in graded[aspect, arm].items()
                }
                for aspect in ASPECTS
            },
            EMBEDDING: {},
            PERSPECTIVE: {},
            BLEU: _of_all(texts, diversity.self_bleu),
            WORDS: _of_each(texts, lambda text: float(text_measures.words(text))),
            REPETITION: _of_each(texts, text_measures.repetition),
        }
        flat = {text for each in texts.values() for text in each}
        if vectors.keys() >= flat:
            values[EMBEDDING] = _of_all(texts, lambda own: diversity.self_embedding(embed(own)))
        flat = {point for each in pointed.values() for one in each for point in one}
        if vectors.keys() >= flat:
            values[PERSPECTIVE] = _of_all(
                pointed, lambda own: diversity.perspective([embed(one) for one in own])
            )
        arms.append(ArmEssays(arm, own, values))
    return arms


def _of_all(
    texts: Mapping[str, Sequence[T]], measure: Callable[[Sequence[T]], float | None]
) -> Values:
    """Take a measure of all essays on each proposition together, where it has a value."""
    taken = {question: (measure(own), len(own)) for question, own in texts.items()}
    return {
        question: MeasureValue([value], size)
        for question, (value, size) in taken.items()
        if value is not None
    }


def _of_each(texts: Mapping[str, Sequence[str]], measure: Callable[[str], float | None]) -> Values:
    """Take a measure of each essay, and leave out those without a value."""
    taken = {}
    for question, own in texts.items():
        if known := [value for value in map(measure, own) if value is not None]:
            taken[question] = MeasureValue(known, len(known))
    return taken


def tabulate_measures(
    dataset: str,
    arms: Sequence[ArmEssays],
    base: ArmEssays | None,
) -> Iterator[ResultTable]:
    """Yield table 1 of a dataset, and a table of the length and repetition of the essays.

    Args:
        dataset: its name.
        arms: of this dataset.
        base: the arm that the others are compared with.
    """
    for title, first, note in (("essays", True, ABOUT), ("length", False, LENGTHS)):
        shown = {
            name: each
            for name, each in MEASURES.items()
            if bool(each.group) == first and any(arm.values[name] for arm in arms)
        }
        rated = {
            sum(each.essays for each in arm.values[name].values())
            for name, measure in shown.items()
            if measure.bounds is not None
            for arm in arms
        }
        graded = GRADED.format(describe_range(rated, "essay")) if rated else ""
        yield ResultTable(
            f"{on_one_line(dataset)}: {title}",
            (
                Column("arm", head="method"),
                *(
                    Column(each.heading, "number", each.places, group=each.group)
                    for each in shown.values()
                ),
                Column("n", "count"),
            ),
            [
                TableRow(
                    [
                        on_one_line(arm.arm),
                        *(_mean_of(arm.values[name], each) for name, each in shown.items()),
                        sum(map(len, arm.essays.values())),
                    ],
                    marked=arm is base,
                )
                for arm in arms
            ],
            graded + note,
        )


def _mean_of(values: Values, measure: EssayMeasure) -> Mean:
    clusters = [
        Cluster(measure.factor * sum(each.values), len(each.values)) for each in values.values()
    ]
    return _mean(clusters, measure.bounds)


def _mean(clusters: Collection[Cluster], bounds: tuple[float, float] | None = None) -> Mean:
    """Return a mean with its interval over propositions.

    Where values have no bounds, there is no interval where all are the same.
    """
    if bounds is not None:
        return mean_within_bounds(clusters, bounds)
    if not clusters:
        return Mean()
    low, high = interval(clusters, bounds=(0.0, None)) or (None, None)
    total, n = fsum(each.total for each in clusters), sum(each.size for each in clusters)
    return Mean(mean=total / n, low=low, high=high, n=n, questions=len(clusters))


def chart_measures(dataset: str, arms: Sequence[ArmEssays]) -> Iterator[Chart]:
    """Yield the pictures of table 1 of a dataset: quality, and diversity."""
    names = [on_one_line(arm.arm) for arm in arms]
    for what, group, axis in (
        ("quality", QUALITY, Axis("value", "mean grade, 1 to 5: more is better", ends=(1, 5))),
        ("diversity", DIVERSITY, Axis("value", "likeness: less is more diverse", ends=(0, 100))),
    ):
        shown = {
            each.heading: [_mean_of(arm.values[name], each) for arm in arms]
            for name, each in MEASURES.items()
            if each.group == group and any(arm.values[name] for arm in arms)
        }
        if shown:
            yield draw_measures(on_one_line(dataset), what, axis, names, shown)


def tabulate_differences(dataset: str, arms: Sequence[ArmEssays], base: ArmEssays) -> ResultTable:
    """Return the difference of each arm from the baseline, by every measure that both have.

    The p of one measure are corrected by Holm for all arms.
    """
    others = [arm for arm in arms if arm is not base]
    found: dict[tuple[str, str], Difference] = {}
    findings, left_out = [], 0
    for name, measure in MEASURES.items():
        pairs = {arm.arm: _subtract(arm.values[name], base.values[name], name) for arm in others}
        left_out = max([left_out, *(uneven for _, uneven in pairs.values())])
        known = {arm: gaps for arm, (gaps, _) in pairs.items() if gaps}
        gaps = correct_by_holm(_compare(gaps) for gaps in known.values())
        for arm, gap in zip(known, gaps, strict=True):
            found[arm, name] = gap
            if measure.group:
                findings.append(_describe(arm, base.arm, measure, gap))
    # Of n propositions, the least p of changes of sign is 2 / 2**n, and Holm's for the first arm m
    # times that.
    fewest = next(n for n in count(1) if len(others) * 2 / 2**n <= 0.05) if others else 0
    most = max((each.questions for each in found.values()), default=fewest)
    if most < fewest:
        few = format_things(most, "proposition")
        findings = [f"{few} can show no difference: {len(others) + 1} methods need {fewest}."]
    uneven = (
        f" Up to {format_things(left_out, 'proposition')} left out of a difference: the two "
        "methods have not equally many essays there."
    )
    return ResultTable(
        f"{on_one_line(dataset)}: against {on_one_line(base.arm)}",
        (
            Column("arm", head="method"),
            Column("measure"),
            Column("difference", "signed", 2),
            *make_columns("p", "p", "p Holm"),
            Column("propositions", "count"),
        ),
        [
            TableRow(
                [
                    on_one_line(arm.arm),
                    measure.heading,
                    _mean_gap(at),
                    at.p,
                    at.p_holm,
                    at.questions,
                ]
            )
            for arm in others
            for name, measure in MEASURES.items()
            if (at := found.get((arm.arm, name)))
        ],
        DIFFERENCES + uneven * bool(left_out),
        tuple(findings),
    )


def _mean_gap(gap: Difference) -> Mean:
    """Return a difference as a cell shows it."""
    n = gap.questions
    return Mean(mean=gap.mean, low=gap.low, high=gap.high, n=n, questions=n)


def _compare(gaps: Mapping[Key, float]) -> Difference:
    """Compare an arm with the baseline, proposition by proposition."""
    return compare_paired(gaps, dict.fromkeys(gaps, 0.0), bounds=(0.0, None))


def _subtract(own: Values, other: Values, name: str) -> tuple[dict[Key, float], int]:
    """Return an arm's values minus the baseline's, and how many propositions are left out.

    A measure of all essays together leaves out propositions of which the two have not equally many
    essays: more essays are more to be alike to, so that they would differ by that alone.
    """
    measure = MEASURES[name]
    both = sorted(own.keys() & other.keys())
    kept = [each for each in both if not measure.together or own[each].essays == other[each].essays]
    gaps = {(each, 0): measure.factor * (own[each].mean - other[each].mean) for each in kept}
    return gaps, len(both) - len(kept)


def _describe(arm: str, base: str, measure: EssayMeasure, gap: Difference) -> str:
    """Return a difference in a sentence, with the smallest that would have shown."""
    signed = Column("", "signed", measure.places)
    between = f"{signed.show(gap.low)} … {signed.show(gap.high)}, " if gap.low is not None else ""
    shows = f"; one of {gap.smallest:.1f} is found in 80 % of studies" if gap.smallest else ""
    return (
        f"{on_one_line(arm)}: {measure.heading} {signed.show(gap.mean)} against "
        f"{on_one_line(base)} ({between}{format_things(gap.questions, 'proposition')}, "
        f"p (Holm) {format_p_equals(gap.p_holm)}{shows})."
    )

"""The measures of the essays of each arm, each with its interval and against the baseline.

Source: "Debate-to-Write", table 1, section 3.3 and appendix B.1. The measures of diversity have one
value for each proposition, of all the essays on it; those of a single essay are averaged. Intervals
and tests are over propositions: the essays on one are not independent of each other.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from moot.core.results import Mean
from moot.essays import text_measures
from moot.essays.assess import diversity
from moot.essays.assess.embeddings import Embed
from moot.essays.run_essays import Essay, LostEssays
from moot.statistics.intervals import Cluster, interval, mean
from moot.statistics.paired import holm, sign_flip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.floating]

Bounds: TypeAlias = tuple[float, float] | None


class MeasureValue(NamedTuple):
    """A measure on one proposition.

    Attributes:
        total: the sum of its values.
        size: how many these are: one for each essay, or a single one of all together.
        essays: of how many essays it was taken.
    """

    total: float
    size: int
    essays: int


Values: TypeAlias = Mapping[str, MeasureValue]
"""The values of a measure, by proposition."""

BLEU, EMBEDDING, PERSPECTIVE = "self-bleu", "self-embedding", "perspective"
WORDS, REPETITION = "words", "repetition"
BOUNDS: dict[str, Bounds] = {
    BLEU: (0.0, 100.0),
    EMBEDDING: (-1.0, 1.0),
    PERSPECTIVE: (-1.0, 1.0),
    WORDS: None,
    REPETITION: (0.0, 1.0),
}
"""Every measure with its least and its greatest value; None where it has no greatest."""
TOGETHER = (BLEU, EMBEDDING, PERSPECTIVE)
"""The measures that are of all essays on a proposition together."""


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """An arm's measure minus the baseline's, on the propositions of both.

    Attributes:
        mean: None, as everything else but ``left_out``, where there is no such proposition.
        low: None, as ``high``, for fewer than two.
        propositions: how many are paired.
        p: of the test by changes of sign, proposition by proposition.
        p_holm: the same, corrected by Holm for all arms of the dataset.
        left_out: propositions that both have measured, of which the arms have not equally many
            essays: more essays are more to be alike to, so that the measures of all essays together
            would differ by that alone.
    """

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    propositions: int = 0
    p: float | None = None
    p_holm: float | None = None
    left_out: int = 0


class ArmMeasure(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of an arm; ``difference`` is None for the baseline itself."""

    mean: Mean
    difference: Gap | None = None


class ArmEssays(msgspec.Struct, frozen=True, kw_only=True):
    """The essays of an arm on a dataset.

    Attributes:
        simulated: whether any agent of their debates is no language model.
        essays: how many there are.
        propositions: how many they are about.
        lost: debates that left no essay.
        cut: essays that ended because a reply must not be longer.
        pointless: essays of which the judge was asked the points and none was read; None without a
            judge.
        measures: by name, see ``BOUNDS``; those without a value are not in it.
    """

    dataset: str
    arm: str
    simulated: bool
    essays: int
    propositions: int
    lost: LostEssays
    cut: int
    pointless: int | None = None
    measures: dict[str, ArmMeasure] = {}


ArmPlace: TypeAlias = tuple[str, str]
"""A dataset and an arm."""


def group_essays(essays: Sequence[Essay]) -> dict[ArmPlace, dict[str, list[Essay]]]:
    """Group essays by dataset and arm, and within these by proposition."""
    grouped: dict[ArmPlace, dict[str, list[Essay]]] = {}
    for each in essays:
        grouped.setdefault((each.dataset, each.arm), {}).setdefault(each.question, []).append(each)
    return grouped


def compare_arms(
    grouped: Mapping[ArmPlace, Mapping[str, Sequence[Essay]]],
    lost: Mapping[ArmPlace, LostEssays],
    values: Mapping[ArmPlace, Mapping[str, Values]],
    *,
    baseline: str | None,
    asked: Mapping[Essay, Collection[str]] | None = None,
) -> list[ArmEssays]:
    """Return every arm with its measures, in the order of ``lost``.

    Args:
        grouped: the essays, see ``group_essays``.
        lost: for every dataset and arm there is, the debates that left none.
        values: by dataset and arm and by measure.
        baseline: the arm the others are compared with.
        asked: the points of each essay whose points were asked for; None where none were.
    """
    found = []
    differences = _differences(values, str(baseline))
    for place, missing in lost.items():
        own = grouped.get(place, {})
        every = [each for essays in own.values() for each in essays]
        known = values.get(place, {})
        measures = {
            name: ArmMeasure(
                mean=mean_with_interval(_clusters(known[name]), bounds),
                difference=differences.get((place, name)),
            )
            for name, bounds in BOUNDS.items()
            if known.get(name)
        }
        pointless = None
        if asked is not None:
            pointless = sum(each in asked and not asked[each] for each in every)
        found.append(
            ArmEssays(
                dataset=place[0],
                arm=place[1],
                simulated=any(each.simulated for each in every),
                essays=len(every),
                propositions=len(own),
                lost=missing,
                cut=sum(each.cut for each in every),
                pointless=pointless,
                measures=measures,
            )
        )
    return found


def _clusters(values: Values) -> list[Cluster]:
    return [Cluster(each.total, each.size) for each in values.values()]


def mean_with_interval(clusters: Collection[Cluster], bounds: Bounds) -> Mean:
    """Return a mean with its interval over propositions; no interval where all are the same."""
    ends = None
    if bounds is not None or len({total / size for total, size in clusters}) > 1:
        ends = interval(clusters, bounds=bounds or (0.0, 0.0))
    low, high = ends or (None, None)
    n = sum(size for _, size in clusters)
    return Mean(mean=mean(clusters), low=low, high=high, n=n, questions=len(clusters))


def _differences(
    values: Mapping[ArmPlace, Mapping[str, Values]], baseline: str
) -> dict[tuple[ArmPlace, str], Gap]:
    """Return each arm's difference from the baseline, by (place, measure).

    Without the baseline itself, and measures unknown of either. The p of one measure are
    corrected by Holm for all arms of the dataset.
    """
    families: dict[tuple[str, str], dict[ArmPlace, Gap]] = {}
    for place, measures in values.items():
        dataset, arm = place
        others = values.get((dataset, baseline), {})
        for name, own in measures.items():
            if arm != baseline and own and (other := others.get(name)):
                gap = _difference(name, own, other)
                families.setdefault((dataset, name), {})[place] = gap
    found = {}
    for (_, name), gaps in families.items():
        fixed = iter(holm([gap.p for gap in gaps.values() if gap.p is not None]))
        for place, gap in gaps.items():
            found[place, name] = gap if gap.p is None else replace(gap, p_holm=next(fixed))
    return found


def _difference(name: str, own: Values, other: Values) -> Gap:
    both = own.keys() & other.keys()
    uneven = {each for each in both if own[each].essays != other[each].essays}
    kept = sorted(both - uneven if name in TOGETHER else both)
    clusters = [
        Cluster(own[each].total / own[each].size - other[each].total / other[each].size, 1)
        for each in kept
    ]
    left_out = len(both) - len(kept)
    if not clusters:
        return Gap(left_out=left_out)
    bounds = BOUNDS[name]
    reach = bounds and (bounds[0] - bounds[1], bounds[1] - bounds[0])
    got = mean_with_interval(clusters, reach)
    return Gap(
        mean=got.mean,
        low=got.low,
        high=got.high,
        propositions=len(kept),
        p=sign_flip(clusters),
        left_out=left_out,
    )


Grouped: TypeAlias = Mapping[ArmPlace, Mapping[str, Sequence[Essay]]]
Measures: TypeAlias = dict[ArmPlace, dict[str, Values]]


async def take_measures(grouped: Grouped, embed: Embed) -> Measures:
    """Take every measure that needs no judge; those of embeddings if all could be made."""
    counted = asyncio.create_task(asyncio.to_thread(_measure_texts, grouped))
    try:
        alike = await _measure_likeness(grouped, embed)
        values = await counted
    finally:
        counted.cancel()
    for place, own in alike.items():
        values[place][EMBEDDING] = own
    return values


def _measure_texts(grouped: Grouped) -> Measures:
    """Measure self-BLEU, words and repetition."""
    values: Measures = {}
    for place, own in grouped.items():
        texts = {question: [each.text for each in essays] for question, essays in own.items()}
        values[place] = {
            BLEU: _of_all({each: diversity.self_bleu(own) for each, own in texts.items()}, texts),
            WORDS: _of_each(texts, lambda text: float(text_measures.words(text))),
            REPETITION: _of_each(texts, text_measures.repetition),
        }
    return values


def _of_each(
    texts: Mapping[str, Sequence[str]], measure: Callable[[str], float | None]
) -> dict[str, MeasureValue]:
    """Take a measure of each essay, and leave out those without a value."""
    taken = {}
    for question, own in texts.items():
        known = [value for value in map(measure, own) if value is not None]
        if known:
            taken[question] = MeasureValue(sum(known), len(known), len(known))
    return taken


def _of_all(values: Mapping[str, float | None], of: Mapping[str, Sequence[Any]]) -> Values:
    """Return a measure of all essays on a proposition together, where it has a value."""
    return {
        question: MeasureValue(value, 1, len(of[question]))
        for question, value in values.items()
        if value is not None
    }


async def _measure_likeness(grouped: Grouped, embed: Embed) -> dict[ArmPlace, Values]:
    """Measure how alike essays are by their embeddings, all made at once."""
    import numpy as np

    rows = await _rows(_texts(grouped), embed)
    if rows is None:
        return {}
    return {
        place: _of_all(
            {
                question: diversity.self_embedding(np.stack([rows[each.text] for each in essays]))
                for question, essays in own.items()
            },
            own,
        )
        for place, own in grouped.items()
    }


async def add_perspectives(
    grouped: Grouped,
    points: Mapping[Essay, tuple[str, ...]],
    embed: Embed,
    values: Measures,
) -> None:
    """Add the likeness of points, where the points of all essays were asked for."""
    import numpy as np

    rows = await _rows((point for own in points.values() for point in own), embed)
    if rows is None:
        return
    for place, own in grouped.items():
        asked = {
            question: [points[each] for each in essays if points[each]]
            for question, essays in own.items()
            if all(each in points for each in essays)
        }
        found = {
            question: diversity.perspective(
                [np.stack([rows[point] for point in each]) for each in pointed]
            )
            for question, pointed in asked.items()
        }
        values[place][PERSPECTIVE] = _of_all(found, asked)


def _texts(grouped: Grouped) -> Iterable[str]:
    return (each.text for own in grouped.values() for essays in own.values() for each in essays)


async def _rows(texts: Iterable[str], embed: Embed) -> "dict[str, Matrix] | None":
    """Embed each text, equal ones once; None where the budget did not suffice."""
    distinct = list(dict.fromkeys(texts))
    rows = await embed(distinct) if distinct else ()
    return None if rows is None else dict(zip(distinct, rows, strict=True))

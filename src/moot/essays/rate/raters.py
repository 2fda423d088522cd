"""What people made of essays: scores from rankings, shares ranked first, and how far raters agree.

Source: "Debate-to-Write", section 4.2, table 2 and appendix B.2: raters rank the essays of several
arms on one proposition, ties allowed; a rank becomes a score by its place from the bottom.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from moot.core.results import Mean
from moot.statistics.accuracies import with_interval
from moot.statistics.intervals import LEVEL, RESAMPLES, SEED, Cluster, interval, mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_CELLS = 250_000  # drawn at once: 2 MB


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """How one rater ordered the essays on one proposition.

    Attributes:
        rater: who, by any name.
        item: what was shown: the proposition, and which essays on it if there were several sets.
        aspect: by what, e.g. ``"persuasiveness"``.
        places: each arm's place, lower is better, equal for a tie. Only their order counts.
    """

    rater: str
    item: str
    aspect: str
    places: dict[str, int]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What raters made of one arm.

    Attributes:
        aspect: by what.
        arm: whose essays.
        score: the mean of its scores, 1 to the number of essays ranked together; over items.
        first: the share of rankings in which it is first, alone or tied; over items.
        rankings: in which it is ranked.
    """

    aspect: str
    arm: str
    score: Mean
    first: Mean
    rankings: int


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far raters agree on one aspect.

    Attributes:
        aspect: by what.
        alpha: Krippendorff's, ordinal, of the scores; see ``krippendorff_alpha``.
        low: the lower end of its 95 % interval over items, as ``high``; None for fewer than two
            items, where ``alpha`` is None, or where every resample gives the same: that all of
            few items agree makes nothing certain.
        raters: who ranked anything.
        items: ranked by two raters or more, who alone count.
        rankings: of these items.
    """

    aspect: str
    alpha: float | None
    low: float | None
    high: float | None
    raters: int
    items: int
    rankings: int


def scores_of(places: Mapping[str, int]) -> dict[str, int]:
    """Scores from one ranking: the number of essays, minus the place, plus 1 (appendix B.2).

    Essays that are tied share the best of the places they take up: of three, the places 1, 1, 3
    give 3, 3, 1, and three that are all alike 3 each. Table 2 of the paper is only possible so: its
    mean scores of three arms sum to more than 6.
    """
    return {arm: sum(other >= own for other in places.values()) for arm, own in places.items()}


def aspects_of(rankings: Iterable[Ranking]) -> list[str]:
    """The aspects ranked by, in the order in which they first come."""
    return list(dict.fromkeys(each.aspect for each in rankings))


def latest(rankings: Iterable[Ranking]) -> list[Ranking]:
    """The rankings that count: a rater's last of each item by each aspect."""
    return list({(each.rater, each.item, each.aspect): each for each in rankings}.values())


def scores(rankings: Sequence[Ranking]) -> list[Score]:
    """The arms' scores, by aspect and then by score, the highest first.

    Args:
        rankings: of any aspects, in the order in which they were made; see ``latest``.
    """
    found = []
    for aspect in aspects_of(rankings):
        own = [each for each in latest(rankings) if each.aspect == aspect and each.places]
        arms = sorted({arm for each in own for arm in each.places})
        most = max((len(each.places) for each in own), default=1)
        made = [_score(aspect, arm, own, most) for arm in arms]
        found += sorted(made, key=lambda each: -(each.score.mean or 0.0))
    return found


def _score(aspect: str, arm: str, rankings: Sequence[Ranking], most: int) -> Score:
    by_item: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for each in rankings:
        if arm in each.places:
            best = each.places[arm] == min(each.places.values())
            by_item[each.item].append((scores_of(each.places)[arm], best))
    given = [Cluster(float(sum(s for s, _ in own)), len(own)) for own in by_item.values()]
    first = [Cluster(float(sum(b for _, b in own)), len(own)) for own in by_item.values()]
    low, high = interval(given, bounds=(1.0, float(most))) or (None, None)
    n = sum(size for _, size in given)
    score = Mean(mean=mean(given), low=low, high=high, n=n, questions=len(given))
    return Score(aspect=aspect, arm=arm, score=score, first=with_interval(first), rankings=n)


def agreements(
    rankings: Sequence[Ranking], *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Agreement]:
    """How far raters agree, by aspect.

    A unit is an arm's essay on an item, its values the scores that raters gave it. The interval is
    of items resampled whole, since the scores within one depend on each other.

    Args:
        rankings: of any aspects, in the order in which they were made; see ``latest``. A rater need
            not have ranked every item.
        resamples: how many times items are drawn.
        seed: of the draws.
    """
    found = []
    for aspect in aspects_of(rankings):
        items: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
        for each in latest(rankings):
            if each.aspect == aspect:
                items[each.item][each.rater] = scores_of(each.places)
        shared = {item: by for item, by in items.items() if len(by) > 1}
        units = [_units(by.values()) for by in shared.values()]
        alpha = krippendorff_alpha(unit for item in units for unit in item)
        low, high = _ends(units, resamples, seed) if alpha is not None else (None, None)
        found.append(
            Agreement(
                aspect=aspect,
                alpha=alpha,
                low=low,
                high=high,
                raters=len({rater for by in items.values() for rater in by}),
                items=len(shared),
                rankings=sum(map(len, shared.values())),
            )
        )
    return found


def _units(given: Iterable[Mapping[str, int]]) -> list[list[int]]:
    """The scores of each arm's essay on one item."""
    units: dict[str, list[int]] = defaultdict(list)
    for scored in given:
        for arm, score in scored.items():
            units[arm].append(score)
    return list(units.values())


def krippendorff_alpha(units: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for ordinal values, some of which may be missing.

    1 minus the disagreement observed within units over that expected if values were dealt to units
    by chance; how far two values lie apart is counted in values between them (Krippendorff 2011,
    "Computing Krippendorff's Alpha-Reliability").

    Args:
        units: for each thing rated, the values it was given, by whichever raters rated it. A unit
            with fewer than two values has nothing to compare and is left out.

    Returns:
        1 for full agreement, 0 for that of chance, below 0 for less; None where nothing can be
        compared or all values are the same.
    """
    import numpy as np

    rated = [list(unit) for unit in units]
    values = sorted({value for unit in rated if len(unit) > 1 for value in unit})
    if not values:
        return None
    found = float(_alphas(_coincidences(rated, values)[None])[0])
    return None if np.isnan(found) else found


def _coincidences(units: Iterable[Sequence[float]], values: Sequence[float]) -> "Matrix":
    """How often two values were given to one unit; each of a unit's values counts once in all."""
    import numpy as np

    place = {value: number for number, value in enumerate(values)}
    table = np.zeros((len(values), len(values)))
    for unit in units:
        if len(unit) > 1:
            given = np.bincount([place[value] for value in unit], minlength=len(values))
            table += (np.outer(given, given) - np.diag(given)) / (len(unit) - 1)
    return table


def _alphas(tables: "Matrix") -> "Matrix":
    """Alpha of each table of coincidences; not a number where it is not defined."""
    import numpy as np

    given = tables.sum(axis=2)
    up_to = given.cumsum(axis=1)
    middle = up_to - given / 2  # a value's mean rank; between two, the values that lie between
    apart = (middle[:, :, None] - middle[:, None, :]) ** 2
    seen = (tables * apart).sum(axis=(1, 2))
    expected = (given[:, :, None] * given[:, None, :] * apart).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Matrix = np.where(expected > 0, 1 - (up_to[:, -1] - 1) * seen / expected, np.nan)
    return found


def _ends(
    items: Sequence[Sequence[Sequence[float]]], resamples: int, seed: int
) -> tuple[float | None, float | None]:
    """The 95 % percentile bootstrap interval of alpha, resampling items."""
    import numpy as np

    if len(items) < 2:
        return None, None
    values = sorted({value for units in items for unit in units for value in unit})
    tables = [_coincidences(units, values) for units in items]
    kinds = sorted(Counter(tuple(table.ravel().tolist()) for table in tables).items())
    cells = np.array([cells for cells, _ in kinds])
    times = np.array([number for _, number in kinds], dtype=float)
    draw = np.random.default_rng(seed)
    n, width = len(items), len(values)
    step = max(1, _CELLS // max(len(kinds), width * width))
    found = np.empty(resamples)
    for start in range(0, resamples, step):
        drawn = draw.multinomial(n, times / n, size=min(step, resamples - start)) @ cells
        found[start : start + step] = _alphas(drawn.reshape(-1, width, width))
    known = found[~np.isnan(found)]
    if np.ptp(known) < 1e-12:
        return None, None
    low, high = np.quantile(known, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)

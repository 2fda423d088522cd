"""Juries: grades of several jurors pooled, and which juror may judge whom."""

from collections.abc import Mapping, Sequence
from math import dist
from statistics import fmean, median, stdev

from moot import Agent, Debate
from moot.extend.words import find_family

SPREADS = 1.5
"""A mark so many standard deviations below the median of all is far below the others."""
FEWEST = 3
"""With fewer marks none of them can be far below the others."""
STEPS, CHANGE = 64, 1e-9
"""Weiszfeld's steps at most, and the change below which they end."""

Point = Sequence[float]
"""The grades of one juror, by criterion."""


def find_low_marks(marks: Mapping[str, float]) -> tuple[list[str], float | None]:
    """Return who marks far below the others, and the least mark that is not; None with too few.

    Source: amiable-dev/llm-council: below the median by 1.5 standard deviations.
    """
    if len(marks) < FEWEST:
        return [], None
    bound = median(marks.values()) - SPREADS * stdev(marks.values())
    return [who for who, mark in marks.items() if mark < bound], bound


def pool_by_mean(points: Sequence[Point]) -> list[float]:
    """Return the mean of each criterion."""
    return [fmean(column) for column in zip(*points, strict=True)]


def pool_by_geometric_median(points: Sequence[Point]) -> list[float]:
    """Return the point with the least sum of distances to all; of one criterion the median.

    It is found by Weiszfeld's steps from the mean. A step that lands on one of the points ends
    there. Fewer than half of the jurors cannot move it beyond the others' grades.

    Source: RoPoLL (arXiv:2606.30931); the algorithm is Weiszfeld's of 1937.
    """
    if len(points[0]) == 1:
        return [median(point[0] for point in points)]
    at = pool_by_mean(points)
    for _ in range(STEPS):
        ways = [dist(at, point) for point in points]
        if 0 in ways:
            return at
        weight = sum(1 / way for way in ways)
        after = [
            sum(x / way for x, way in zip(column, ways, strict=True)) / weight
            for column in zip(*points, strict=True)
        ]
        if dist(at, after) < CHANGE:
            return after
        at = after
    return at


def choose_jurors(debate: Debate, judged: Sequence[Agent], jurors: Sequence[Agent]) -> list[Agent]:
    """Return the jurors of another model family than those they judge, and record the others.

    Where none is of another family all judge, which is recorded, too.

    Args:
        debate: the debate.
        judged: whom they judge.
        jurors: all there are.
    """
    families: dict[str, list[str]] = {}
    for each in judged:
        families.setdefault(find_family(each.seat.model), []).append(each.seat.agent)
    kin = {
        family: [each for each in jurors if find_family(each.seat.model) == family]
        for family in families
    }
    left = [each for each in jurors if not any(each in own for own in kin.values())]
    if not left:
        whose = " and ".join(name for names in families.values() for name in names)
        told = ", ".join(families)
        debate.leave_out([], f"all jurors are of {whose}'s model family, {told}: all judge it")
        return [*jurors]
    for family, own in kin.items():
        if own:
            debate.leave_out(
                own, f"of the model family of {' and '.join(families[family])}, {family}"
            )
    return left

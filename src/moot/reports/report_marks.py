"""Where the marks of the report's figures stand.

Figures are as wide as the page and their text does not shrink with it: places across are
percentages of the width, places down are pixels.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import floor, log10
from typing import NamedTuple

from moot.core.display_text import on_one_line
from moot.core.results import ArmResult, Flips, Mean

LABEL = 15  # pixels that a line of small text takes


class Tick(NamedTuple):
    """A grid line and what stands beside it."""

    place: float
    text: str


class Whisker(NamedTuple):
    """An accuracy and its interval, across; ``top`` is where its row begins."""

    arm: ArmResult
    label: str
    top: int
    mean: float
    low: float | None
    high: float | None


class Forest(NamedTuple):
    """Accuracy with intervals, an arm a row."""

    rows: list[Whisker]
    ticks: list[Tick]
    baseline: float | None
    height: int


class ScatterPoint(NamedTuple):
    """An arm in the scatter; ``label_y`` is moved off its neighbours' labels."""

    arm: ArmResult
    label: str
    x: float
    y: float
    low: float | None
    high: float | None
    label_y: float
    front: bool


class Scatter(NamedTuple):
    """Accuracy against what a debate takes; ``front`` joins what no other arm beats in both."""

    points: list[ScatterPoint]
    front: list[tuple[ScatterPoint, ScatterPoint]]
    xticks: list[Tick]
    yticks: list[Tick]
    what: str
    height: int


def _labels(arms: Sequence[ArmResult]) -> list[tuple[str, str]]:
    """What the forest and the scatter call each arm: its name, if need be with a number for it.

    A scatter has room for a few short names; else it shows numbers, which the forest explains.
    """
    names = [on_one_line(arm.arm, 40) + " (simulated)" * arm.simulated for arm in arms]
    if len(names) <= 6 and all(len(name) <= 20 for name in names):
        return [(name, name) for name in names]
    return [(f"{number}  {name}", str(number)) for number, name in enumerate(names, 1)]


class AccuracyMark(NamedTuple):
    """An accuracy and its interval in a bar from 0 to 100 %, in percent of the bar's length."""

    mean: float
    low: float | None
    high: float | None


class Segment(NamedTuple):
    """A part of a bar, in percent of its length."""

    kind: str
    start: float
    width: float


def _axis(arms: Sequence[ArmResult]) -> tuple[float, float, list[float]]:
    """The least and greatest share shown, whole steps around all intervals, and the steps."""
    ends = [end for a in arms for end in (a.accuracy.low, a.accuracy.high, a.accuracy.mean)]
    known = [end for end in ends if end is not None]
    step = 10 if max(known) - min(known) < 0.45 else 20
    first = max(0, floor(min(known) * 100 / step - 1e-9))
    last = min(100 // step, -floor(-max(known) * 100 / step - 1e-9))
    if last - first < 2:
        first, last = max(0, last - 2), max(2, last)
    steps = [step * k / 100 for k in range(first, last + 1)]
    return steps[0], steps[-1], steps


def place_forest(arms: Sequence[ArmResult], baseline: str | None) -> Forest | None:
    """Place the arms of one dataset; None where no accuracy is known."""
    known = [arm for arm in arms if arm.accuracy.mean is not None]
    if not known:
        return None
    low, high, steps = _axis(known)

    def across(share: float | None) -> float | None:
        return None if share is None else round(2 + 95 * (share - low) / (high - low), 2)

    rows = []
    for k, (arm, (label, _)) in enumerate(zip(known, _labels(known), strict=True)):
        got = arm.accuracy
        ends = across(got.low), across(got.high)
        rows.append(Whisker(arm, label, 46 * k, across(got.mean) or 0.0, *ends))
    ticks = [Tick(across(s) or 0.0, f"{100 * s:.0f}\u00a0%") for s in steps]
    mean = next((row.mean for row in rows if row.arm.arm == baseline), None)
    return Forest(rows, ticks, mean, 46 * len(rows) + 26)


def place_scatter(arms: Sequence[ArmResult]) -> Scatter | None:
    """Place accuracy against cost, or tokens where a cost is unknown, or calls."""
    known = [arm for arm in arms if arm.accuracy.mean is not None]
    if len(known) < 2:
        return None
    costs = [arm.cost.mean for arm in known if arm.cost.known == arm.n]
    tokens = [arm.tokens for arm in known]
    if len(costs) == len(known) and any(costs):
        taken, what, write = costs, "US dollars per debate", "${:.4g}".format
    elif None not in tokens and any(tokens):
        taken, what, write = tokens, "tokens per debate", "{:,.0f}".format
    else:
        taken, what, write = (
            [arm.calls / arm.n for arm in known],
            "calls per debate",
            "{:.4g}".format,
        )
    xs = [float(x or 0.0) for x in taken]
    low, high, steps = _axis(known)
    step = _step(max(xs))
    right = step * -floor(-max(xs) / step)
    height, top, bottom = max(250, 46 * len(known) + 26), 26, 34

    def across(x: float) -> float:
        return round(12 + 80 * x / right, 2)

    def down(share: float | None) -> float | None:
        return (
            None
            if share is None
            else round(top + (height - top - bottom) * (high - share) / (high - low), 1)
        )

    points: list[ScatterPoint] = []
    labels = _labels(known)
    order = sorted(range(len(known)), key=lambda k: (-(known[k].accuracy.mean or 0.0), xs[k]))
    best = float("inf")
    for k in order:  # from the most accurate down: on the front if cheaper than all before
        got, x = known[k].accuracy, across(xs[k])
        y = down(got.mean) or 0.0
        ends = down(got.low), down(got.high)
        label_y = _free(x, y + 4, points)
        points.append(
            ScatterPoint(known[k], labels[k][1], x, y, *ends, label_y, front=xs[k] < best)
        )
        best = min(best, xs[k])
    front = sorted((point for point in points if point.front), key=lambda point: point.x)
    return Scatter(
        points,
        list(pairwise(front)),
        [Tick(across(step * k), write(step * k)) for k in range(round(right / step) + 1)],
        [Tick(down(s) or 0.0, f"{100 * s:.0f}\u00a0%") for s in steps],
        what,
        height,
    )


def _step(greatest: float) -> float:
    """Return a round number that goes two to five times into ``greatest``."""
    if greatest <= 0:
        return 1.0
    ten = 10 ** floor(log10(greatest))
    return float(next(ten * f for f in (0.2, 0.5, 1, 2) if greatest / (ten * f) <= 5))


def _free(x: float, y: float, placed: list[ScatterPoint]) -> float:
    """Return the first height from ``y`` down with no label nearby."""
    near = sorted(point.label_y for point in placed if abs(point.x - x) < 35)
    for taken in near:
        if abs(taken - y) < LABEL:
            y = taken + LABEL
    return y


def place_mark(got: Mean) -> AccuracyMark:
    """Place an accuracy in a bar of its own, with room for its dot at either end."""

    def across(share: float) -> float:
        return round(4 + 92 * share, 2)

    low, high = (None if end is None else across(end) for end in (got.low, got.high))
    return AccuracyMark(across(got.mean or 0.0), low, high)


def flip_bar(flips: Flips) -> list[Segment]:
    """Return the four counts as parts of one bar."""
    order = ("kept_right", "wrong_to_right", "right_to_wrong", "kept_wrong")
    counts = {name: getattr(flips, name) for name in order}
    whole, start, parts = sum(counts.values()) or 1, 0.0, []
    for name, number in counts.items():
        width = round(100 * number / whole, 2)
        parts.append(Segment(name.replace("_", "-"), round(start, 2), width))
        start += width
    return parts

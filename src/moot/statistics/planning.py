"""How many questions a difference takes: looked at after each, or once at the end.

The chance that a sequence has settled by a number of questions is worked out, not simulated: the
questions on which a debate and its vote differ are steps of a walk, up or down, and of all walks
those are counted that crossed a bound of the sequence by then. The one approximation: where a
bound depends on how many questions were tied, these are taken at their mean.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor, inf, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from moot.core.errors import InputError
from moot.core.worth import Estimate
from moot.statistics.binomial import chance
from moot.statistics.power import count_questions, power_of_mcnemar, round_up
from moot.statistics.sequences import STAKES, START

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PROMISED = 5_000
"""More further questions than these are promised to nobody."""
MOST = 50_000
"""More questions than these are not worked out."""
Settled: TypeAlias = Literal["better", "worse", "equal"]
"""The classes of a method that is not open."""
_ALPHA = 0.05  # of all methods together
_CLASSES: tuple[Settled, ...] = ("better", "worse", "equal")
_TRUTHS = 9  # quantiles of what the difference may truly be
_WIDE = 5  # standard deviations beyond which no count lies
_BLOCK = 256  # steps whose bounds are found together


class Begun(NamedTuple):
    """The part of a sequence that is over: questions, their mean, the mean of their squares."""

    n: int = 0
    mean: float = 0.0
    square: float = 0.0


_NOTHING = Begun()


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """The questions that it takes to show one thing.

    Attributes:
        each: where one looks after each question: the wanted share of studies has shown it by
            then. None where it would be more than ``MOST``, as for the others.
        half: by then half of these studies have.
        once: where one looks once, when all questions are in.
    """

    each: int | None
    half: int | None
    once: int | None


class QuestionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How many questions it takes to tell a debate from a vote of as many tokens.

    Attributes:
        dataset: of the run that the discordance is from; empty where it was stated.
        arm: of it, likewise.
        opponent: of it, in words, likewise.
        questions: on which both were compared there; None where it was stated.
        discordance: the share of questions on which just one of both is right.
        power: the share of studies that show what is there, 0 to 1.
        methods: whose verdicts have to be right together.
        difference: to show, 0 to 1.
        shown: what it takes to show that one is so much better, where it is.
        margin: the greatest difference that counts as equal, 0 to 1.
        equal: what it takes to show that none is better by more, where both are alike.
    """

    dataset: str = ""
    arm: str = ""
    opponent: str = ""
    questions: int | None = None
    discordance: Estimate
    power: float
    methods: int
    difference: float
    shown: Needed
    margin: float
    equal: Needed


def plan(
    difference: float,
    discordance: float,
    *,
    power: float = 0.8,
    methods: int = 1,
    margin: float = 0.05,
) -> QuestionPlan:
    """Return how many questions a difference between a debate and a vote takes to show.

    Looked at after each question, by the confidence sequences of ``moot worth``, or once, by the
    paired exact test of a study. Nothing is asked, and the chances are worked out, not drawn.

        plan = moot.plan(0.05, discordance=0.2)
        plan.shown.each, plan.shown.once

    Args:
        difference: to show, above 0, to 1: 0.05 is 5 points.
        discordance: the share of questions on which just one of both is right, above 0, to 1; to
            show a difference that is greater, taken as that. ``moot plan RUN`` has that of a run.
        power: the share of studies that show it, above 0, below 1.
        methods: debates that are compared at a time, at least 1; the error is shared by all.
        margin: the greatest difference that counts as equal, above 0, to 1.

    Raises:
        InputError: a number is outside its range.
    """
    _check_share("difference", difference, "0.05 for 5 points")
    _check_share("discordance", discordance, "0.2 for 20 % of questions")
    _check_share("margin", margin, "0.05 for 5 points")
    if not 0 < power < 1:
        raise InputError(f"power {power:g}: it is above 0 and below 1, such as 0.8")
    if methods < 1:
        raise InputError(f"methods {methods}: there is at least 1")
    level = 1 - _ALPHA / methods
    better = Walk([difference], max(discordance, difference), level, None)
    equal = Walk([0.0], discordance, level, margin)
    quantile = NormalDist().inv_cdf
    wide = quantile((1 + level) / 2) + quantile((1 + power) / 2)
    shown = power_of_mcnemar(MOST, difference, discordance, tests=methods) >= power
    once = MOST + 1
    if shown:
        once = count_questions(difference, discordance, tests=methods, power=power)
    return QuestionPlan(
        discordance=Estimate(estimate=discordance),
        power=power,
        methods=methods,
        difference=difference,
        shown=_find_needed(better, "better", power, once),
        margin=margin,
        equal=_find_needed(equal, "equal", power, ceil(discordance * (wide / margin) ** 2)),
    )


def _check_share(name: str, share: float, example: str) -> None:
    if not 0 < share <= 1:
        raise InputError(f"{name} {share:g}: it is above 0, to 1, such as {example}")


def _find_needed(walk: "Walk", wanted: Settled, power: float, once: int) -> Needed:
    return Needed(
        each=walk.find_questions(power, [wanted], MOST),
        half=walk.find_questions(0.5, [wanted], MOST),
        once=once if once <= MOST else None,
    )


def plan_rest(
    n: int, mean: float, discordance: float, level: float, margin: float, power: float = 0.8
) -> int | None:
    """Return how many further questions settle an open method with a given chance.

    The true difference is unknown; the chance is the mean over all that it may be, by what was
    seen: a normal distribution about ``mean``. So it is that of all methods with such results.
    Where the truth lies halfway between none and the margin, it takes the most questions.

    Args:
        n: questions by now, at least 1.
        mean: of their differences, -1 to 1.
        discordance: the mean of their squares, 0 to 1: where the differences are -1, 0 and 1, the
            share of questions on which just one of both is right.
        level: of the method's sequence: 1 - alpha / methods.
        margin: the greatest difference that counts as equal, 0 to 1.
        power: the chance, above 0, below 1.

    Returns:
        1 or more, rounded up to two digits; None where it would be more than ``PROMISED``.
    """
    differing = (n * discordance + 1) / (n + 1)  # not quite none, though none was seen
    spread = NormalDist(mean, sqrt(max(differing - mean**2, differing / (n + 1)) / n))
    truths = [spread.inv_cdf((at + 0.5) / _TRUTHS) for at in range(_TRUTHS)]
    walk = Walk(truths, differing, level, margin, Begun(n, mean, differing))
    rest = walk.find_questions(power, _CLASSES, PROMISED)
    return None if rest is None else round_up(rest)


class Walk:
    """The sums of differences that a method may come to, and those among them that settled it."""

    def __init__(
        self,
        truths: Sequence[float],
        differing: float,
        level: float,
        margin: float | None,
        begun: Begun = _NOTHING,
    ) -> None:
        """Set out with a method.

        Args:
            truths: true differences, each as likely as the others; cut to what is possible.
            differing: the share of questions on which just one of both is right, above 0, to 1.
            level: of the sequence.
            margin: the greatest difference that counts as equal; None where none does.
            begun: what was seen by now.
        """
        import numpy as np

        self._differing, self._level, self._margin, self._begun = differing, level, margin, begun
        ups = [min(1.0, max(0.0, (1 + truth / differing) / 2)) for truth in truths]
        self._ups = np.array(ups)[:, None]
        self._steps = max(round(begun.n * begun.square), abs(round(begun.n * begun.mean)))
        self._first = self._steps
        self._half = 8  # of the width of the sums that are looked at
        self._sums = np.zeros((3, len(ups), 2 * self._half + 1))
        self._widen(abs(round(begun.n * begun.mean)))
        self._sums[0, :, self._half + round(begun.n * begun.mean)] = 1 / len(ups)
        self._bounds = list[tuple[float, float]]()
        self._settled = [np.zeros(3)]
        self._settle(*self._find_bounds(self._steps))

    def find_questions(self, power: float, classes: Iterable[Settled], most: int) -> int | None:
        """Return the fewest further questions that settle it so with this chance, at least 1.

        Args:
            power: above 0, below 1.
            classes: those wanted.
            most: questions beyond which None is returned.
        """
        rows = [_CLASSES.index(each) for each in classes]
        few, many = 0, 8
        while self.find_chance(min(many, most), rows) < power:
            if many >= most:
                return None
            few, many = many, 2 * many
        many = min(many, most)
        while many - few > 1:
            middle = (few + many) // 2
            enough = self.find_chance(middle, rows) >= power
            few, many = (few, middle) if enough else (middle, many)
        return many

    def find_chance(self, questions: int, rows: Iterable[int]) -> float:
        """Return the chance that so many further questions settle it.

        Args:
            questions: 0 or more.
            rows: the places of the wanted classes in better, worse, equal.
        """
        usual = questions * self._differing
        reach = _WIDE * sqrt(usual * (1 - self._differing)) + 1
        first, last = max(0, floor(usual - reach)), min(questions, ceil(usual + reach))
        while len(self._settled) <= last:
            self._step()
        rows = [*rows]
        return sum(
            chance(k, questions, self._differing) * float(self._settled[k][rows].sum())
            for k in range(first, last + 1)
        )

    def _step(self) -> None:
        """Go on by one question on which both differ."""
        self._steps += 1
        better, near = self._find_bounds(self._steps)
        self._widen(ceil(min(better, self._steps)) + 1)
        up = self._sums * self._ups
        self._sums -= up
        self._sums[:, :, :-1] = self._sums[:, :, 1:]
        self._sums[:, :, -1] = 0
        self._sums[:, :, 1:] += up[:, :, :-1]
        self._settled.append(self._settled[-1].copy())
        self._settle(better, near)

    def _settle(self, better: float, near: float) -> None:
        """Take out the sums that settle it, and note which ends of the interval are near enough.

        The first of the three rows of sums is of walks with neither end within the margin by now,
        the second of those with the low end, the third of those with the high end.
        """
        half, width, sums = self._half, 2 * self._half + 1, self._sums
        settled = self._settled[-1]
        if better <= half:
            up = half + max(-half, ceil(better))
            settled[0] += sums[:, :, up:].sum()
            settled[1] += sums[:, :, : width - up].sum()
            sums[:, :, up:] = sums[:, :, : width - up] = 0
        if near > half:
            return
        low = half + max(-half, ceil(near))  # from here on the low end is within the margin
        high = width - low  # before here the high end is
        settled[2] += sums[2, :, low:].sum() + sums[1, :, :high].sum()
        sums[2, :, low:] = sums[1, :, :high] = 0
        if low < high:
            settled[2] += sums[0, :, low:high].sum()
            sums[0, :, low:high] = 0
        sums[1, :, low:] += sums[0, :, low:]
        sums[2, :, :high] += sums[0, :, :high]
        sums[0, :, low:] = sums[0, :, :high] = 0

    def _widen(self, half: int) -> None:
        """Make room for sums up to this."""
        import numpy as np

        if half > self._half:
            more = max(half, self._half * 5 // 4) - self._half
            self._sums = np.pad(self._sums, ((0, 0), (0, 0), (more, more)))
            self._half += more

    def _find_bounds(self, steps: int) -> tuple[float, float]:
        """Return the least sum that shows better, and the least with the low end in the margin."""
        import numpy as np

        while len(self._bounds) <= steps - self._first:
            start = self._first + len(self._bounds)
            block = np.arange(start, start + _BLOCK, dtype=float)
            # the most ties, just before the next step: they count for what is within the margin
            ties = self._begun.n + (block + 1 - self._first) / self._differing - 1 - block
            better = _find_sums(block, ties, 1.0, self._level)
            near = np.full(_BLOCK, inf)
            if self._margin is not None:
                near = _find_sums(block, ties, 1 - self._margin, self._level)
            self._bounds += zip(better.tolist(), near.tolist(), strict=True)
        return self._bounds[steps - self._first]


def _find_sums(steps: "Array", ties: "Array", candidate: float, level: float) -> "Array":
    """Return the least sums of differences at which bets against a candidate reach their goal.

    Args:
        steps: questions on which both differ.
        ties: other questions.
        candidate: above 0, to 1: a mean difference, plus 1.
        level: of the sequence.

    Returns:
        From minus ``steps`` to ``steps``; infinite where no sum does.
    """
    import numpy as np

    stakes, goal = np.array(STAKES), log(2 / (1 - level))
    won, tied, lost = (np.log(1 + stakes * (v / candidate - 1)) for v in (2, 1, 0))
    fixed = np.array(START) + np.maximum(ties, 0)[:, None] * tied

    def reach(sums: "Array") -> "NDArray[np.bool_]":
        up, down = (steps + sums) / 2, (steps - sums) / 2
        logs = fixed + up[:, None] * won + down[:, None] * lost
        most = logs.max(axis=1)
        enough: NDArray[np.bool_] = most + np.log(np.exp(logs - most[:, None]).sum(axis=1)) >= goal
        return enough

    low, high = -steps, steps.copy()
    possible = reach(high)
    while (high - low > 0.01).any():
        middle = (low + high) / 2
        enough = reach(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(possible, high, inf)

"""Maps that correct a confidence, fitted on answers that are not those of the report."""

from collections.abc import Sequence
from hashlib import blake2b
from math import exp, log
from typing import Literal

import msgspec

from moot.core.errors import InputError
from moot.statistics.calibration import ScoredConfidence

MapKind = Literal["platt", "temperature", "isotonic"]

FEWEST_STEPS = 200
"""Answers from which on an isotonic map is fitted: it follows the noise of fewer."""
_CLIP = 1e-3
"""A confidence of 0 or 1 has no odds: it is taken for one so far from it."""
_STEPS, _CLOSE = 100, 1e-10


class CalibrationMap(msgspec.Struct, frozen=True, kw_only=True):
    """A map from a stated to a calibrated confidence, with what it was fitted on.

    Attributes:
        kind: ``"platt"`` (Platt 1999), ``"temperature"`` (the same without an offset) or
            ``"isotonic"`` (steps that never fall; Zadrozny & Elkan 2002).
        source: of the confidences, such as ``"stated"``.
        model: whose they are.
        questions: the digest of the ids of the questions that it was fitted on.
        n: answers that it was fitted on.
        parameters: slope and offset of the log-odds; of ``isotonic`` pairs of the highest
            confidence of a step and its value.
    """

    kind: MapKind
    source: str
    model: str
    questions: str
    n: int
    parameters: tuple[float, ...]

    def apply(self, confidence: float) -> float:
        """Return the calibrated confidence, 0 to 1."""
        if self.kind != "isotonic":
            return apply_platt(confidence, *self.parameters)
        steps = list(zip(self.parameters[::2], self.parameters[1::2], strict=True))
        return next((value for end, value in steps if confidence <= end), steps[-1][1])

    @property
    def options(self) -> str:
        """The map as options of a decision rule: ``"slope=0.6&offset=-0.2"``.

        Raises:
            InputError: it has steps, which no rule takes.
        """
        if self.kind == "isotonic":
            raise InputError("calibration map: rules take slope and offset; fit platt for them")
        slope, offset = self.parameters
        return f"slope={slope:.6g}&offset={offset:.6g}"

    def check(self, source: str, model: str, questions: Sequence[str]) -> None:
        """Raise ``InputError`` for other confidences than its own, and for its own questions.

        Args:
            source: of the confidences that it is to be applied to.
            model: whose they are.
            questions: the ids of their questions.
        """
        for name, own, other in (("source", self.source, source), ("model", self.model, model)):
            if own != other:
                raise InputError(f"calibration map: fitted on {name} {own!r}, applied to {other!r}")
        if digest_questions(questions) == self.questions:
            raise InputError("calibration map: these are the questions that it was fitted on")


def apply_platt(confidence: float, slope: float, offset: float) -> float:
    """Return a confidence whose log-odds are multiplied by a slope and moved by an offset."""
    return _logistic(slope * _log_odds(confidence) + offset)


def digest_questions(questions: Sequence[str]) -> str:
    """Return the digest of a set of ids, in any order: 16 hexadecimal digits."""
    return blake2b("\n".join(sorted(set(questions))).encode(), digest_size=8).hexdigest()


def fit_map(
    kind: MapKind, answers: Sequence[ScoredConfidence], *, source: str, model: str
) -> CalibrationMap:
    """Return a map that is fitted on these answers.

    Args:
        kind: of the map.
        answers: with right and wrong ones among them.
        source: of their confidences.
        model: whose they are.

    Raises:
        InputError: all are right, or all wrong, or they are too few for steps.
    """
    n = len(answers)
    if len({each.right for each in answers}) < 2:
        raise InputError("calibration map: it needs right and wrong answers to be fitted on")
    if kind == "isotonic":
        if n < FEWEST_STEPS:
            raise InputError(
                f"calibration map: isotonic needs {FEWEST_STEPS} answers, there are {n}; use platt"
            )
        parameters = _pool_violators(answers)
    else:
        parameters = _fit_logistic(answers, has_offset=kind == "platt")
    return CalibrationMap(
        kind=kind,
        source=source,
        model=model,
        questions=digest_questions([each.question for each in answers]),
        n=n,
        parameters=parameters,
    )


def _fit_logistic(answers: Sequence[ScoredConfidence], *, has_offset: bool) -> tuple[float, float]:
    """Return slope and offset of the most likely map, by Newton's method.

    Outcomes are drawn in as Platt (1999) does, by one answer of each class: otherwise the slope of
    answers that are perfectly separated has no end.
    """
    rights = sum(each.right for each in answers)
    top, bottom = (rights + 1) / (rights + 2), 1 / (len(answers) - rights + 2)
    points = [(_log_odds(each.confidence), top if each.right else bottom) for each in answers]
    slope, offset = 1.0, 0.0
    for _ in range(_STEPS):
        chances = [_logistic(slope * x + offset) for x, _ in points]
        gaps = [p - y for p, (_, y) in zip(chances, points, strict=True)]
        weights = [p * (1 - p) + 1e-12 for p in chances]
        by_slope = sum(g * x for g, (x, _) in zip(gaps, points, strict=True))
        by_offset = sum(gaps) if has_offset else 0.0
        a = sum(w * x * x for w, (x, _) in zip(weights, points, strict=True)) + 1e-12
        b = sum(w * x for w, (x, _) in zip(weights, points, strict=True)) if has_offset else 0.0
        c = sum(weights)
        whole = a * c - b * b
        if whole <= 1e-12 * a * c:  # all confidences are one: there is no slope to be found
            steps = 0.0, by_offset / c
        else:
            steps = (c * by_slope - b * by_offset) / whole, (a * by_offset - b * by_slope) / whole
        slope, offset = slope - steps[0], offset - steps[1]
        if max(map(abs, steps)) < _CLOSE:
            break
    return slope, offset


def _pool_violators(answers: Sequence[ScoredConfidence]) -> tuple[float, ...]:
    """Return the steps of the closest map that never falls: highest confidence and value of each.

    Neighbours whose shares fall are pooled until none does (Ayer et al. 1955).
    """
    tied: dict[float, list[bool]] = {}
    for each in answers:
        tied.setdefault(each.confidence, []).append(each.right)
    steps: list[tuple[float, int, int]] = []  # highest confidence, right answers, answers
    for confidence, own in sorted(tied.items()):
        steps.append((confidence, sum(own), len(own)))
        while len(steps) > 1 and steps[-2][1] * steps[-1][2] >= steps[-1][1] * steps[-2][2]:
            (_, right, many), (end, more, others) = steps.pop(-2), steps.pop(-1)
            steps.append((end, right + more, many + others))
    return tuple([each for end, right, many in steps for each in (end, right / many)])


def _log_odds(confidence: float) -> float:
    kept = min(max(confidence, _CLIP), 1 - _CLIP)
    return log(kept / (1 - kept))


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))

"""The answer whose voters are surest of it."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from math import log
from types import MappingProxyType
from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_score
from moot.debate.verdicts import majority, without_ballots
from moot.debate.views import Views
from moot.parsing.same import answer_value
from moot.statistics.calibration_maps import apply_platt

BINS = ((1.0, 1.0), (0.9, 0.8), (0.8, 0.5))
"""The weights of ReConcile: from this confidence on this weight; see ``_weigh_by_bin``."""
CLIP = 0.01
"""A confidence of 0 or 1 has no odds: it is taken for one so far from it."""


@decision(
    source="ReConcile (arXiv:2309.13007); linear and log-odds are our own",
    name="weighted",
    needs="confidences",
)
def weigh_by_confidence(
    views: Views,
    question: Question,
    *,
    weights: Literal["linear", "log-odds", "bins"] = "linear",
    unstated: Annotated[float, Meta(ge=0, le=1)] | None = None,
    slope: float = 1.0,
    offset: float = 0.0,
) -> Verdict:
    """Take the answer with the largest sum of its voters' weights; ties go to the lowest seat.

    A confidence is the field ``confidence`` of a turn's reading, from 0 to 1. Where a
    reply with an answer states none, there is no verdict: no confidence is guessed, unless
    ``unstated`` gives one.

    Args:
        views: the final views, by seat.
        question: the question.
        weights: ``"linear"``: a voter weighs as much as its confidence; ``"log-odds"``: as the
            logarithm of its odds; ``"bins"``: by the steps of ReConcile.
        unstated: the confidence of an answer without one; None for no verdict then.
        slope: of a calibration map, by which the log-odds of each confidence are multiplied.
        offset: of the map, which is then added to them.
    """
    counted, weigh = majority(views, question), WEIGHTS[weights]
    if not counted.votes:  # without an answer there is none to be sure of
        return without_ballots(counted, by="weighted", missing="confidence")
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for view in views:
        if view.answer is not None:
            confidence = unstated if view.confidence is None else view.confidence
            if confidence is None:
                return without_ballots(counted, by="weighted", missing="confidence")
            if (slope, offset) != (1.0, 0.0):
                confidence = apply_platt(confidence, slope, offset)
            sums[answer_value(view.answer, question.kind)] += weigh(confidence)
    scores = {each: sums[answer_value(each, question.kind)] for each in counted.votes}
    return decide_by_score(views, question, scores, by="weighted")


def log_odds(confidence: float) -> float:
    """Return the logarithm of the odds of a confidence, which is kept off 0 and 1."""
    kept = min(max(confidence, CLIP), 1 - CLIP)
    return log(kept / (1 - kept))


def _weigh_by_bin(confidence: float) -> float:
    reached = next((weight for least, weight in BINS if confidence >= least), None)
    return reached if reached is not None else 0.3 if confidence > 0.6 else 0.1


WEIGHTS: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {"linear": float, "log-odds": log_odds, "bins": _weigh_by_bin}
)
"""The weight of a voter, by its confidence."""

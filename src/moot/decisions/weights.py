"""Rules that weigh votes: by confidences, or by numbers for the seats."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from math import log
from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_score, list_candidates
from moot.debate.verdicts import majority, without_ballots
from moot.debate.views import Views
from moot.parsing.same import answer_value, is_same
from moot.statistics.calibration_maps import apply_platt

BINS = ((1.0, 1.0), (0.9, 0.8), (0.8, 0.5))
"""The weights of ReConcile: from this confidence on this weight; see ``_weigh_by_bin``."""
CLIP = 0.01
"""A confidence of 0 or 1 has no odds: it is taken for one so far from it."""
SEAT_WEIGHTS = "seat-weights"
Numbers = Annotated[str, Meta(pattern=r"^(-?\d+(\.\d+)?(,-?\d+(\.\d+)?)*)?$")]
"""Numbers with commas, one for each seat that votes: ``"2,1,1"``."""


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
    kept = _keep_possible(confidence)
    return log(kept / (1 - kept))


def _keep_possible(confidence: float) -> float:
    return min(max(confidence, CLIP), 1 - CLIP)


def _weigh_by_bin(confidence: float) -> float:
    reached = next((weight for least, weight in BINS if confidence >= least), None)
    return reached if reached is not None else 0.3 if confidence > 0.6 else 0.1


WEIGHTS: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {"linear": float, "log-odds": log_odds, "bins": _weigh_by_bin}
)
"""The weight of a voter, by its confidence."""


@decision(source="product of independent opinions; our own", needs="confidences")
def fusion(views: Views, question: Question, *, slope: float = 1.0, offset: float = 0.0) -> Verdict:
    """Take the most probable answer, each voter's confidence in its own taken for a probability.

    The other answers share the rest of it: those of the question where it has a list of
    them, else the candidates and one more. It assumes that voters do not depend on one another.

    Args:
        views: the final views, by seat.
        question: the question.
        slope: of a calibration map, by which the log-odds of each confidence are multiplied.
        offset: of the map, which is then added to them.
    """
    counted, candidates = majority(views, question), list_candidates(views, question)
    if not candidates:  # without an answer there is none to be sure of
        return without_ballots(counted, by="fusion", missing="confidence")
    options = max(len(question.letters) or {"boolean": 2}.get(question.kind, 0), len(candidates))
    if question.kind not in {"choice", "boolean"}:
        options = len(candidates) + 1
    scores = dict.fromkeys(candidates, 0.0)
    for view in views:
        if view.answer is None:
            continue
        if view.confidence is None:
            return without_ballots(counted, by="fusion", missing="confidence")
        stated = view.confidence
        if (slope, offset) != (1.0, 0.0):
            stated = apply_platt(stated, slope, offset)
        sure = _keep_possible(stated)
        for each in candidates:
            own = is_same(view.answer, each, question.kind)
            scores[each] += log(sure if own else (1 - sure) / (options - 1))
    return decide_by_score(views, question, scores, by="fusion")


def _need_weights(options: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise ``InputError`` where there are no weights, or not as many as agents."""
    weights = read_weights(**options)
    agents = settings.get("agents", settings.get("samples", len(weights)))
    if not weights or len(weights) != agents:
        raise InputError(
            f"decision {SEAT_WEIGHTS}: it needs a number for each of {agents} agents, and has "
            f"{len(weights)}: {SEAT_WEIGHTS}?accuracies=0.8,0.6,0.6"
        )


@decision(
    source="our own; log-odds of past accuracy are the classical weights",
    name=SEAT_WEIGHTS,
    needs="other",
    verify=_need_weights,
)
def weigh_by_seat(
    views: Views, question: Question, *, weights: Numbers = "", accuracies: Numbers = ""
) -> Verdict:
    """Take the answer with the largest sum of weights that are fixed for each seat.

    Give one of the options, with a number for each seat that votes. Where there are more voters or
    fewer there is no verdict, and it says so.

    Args:
        views: the final views, by seat.
        question: the question.
        weights: of the seats; one below 0 counts against an answer.
        accuracies: how often each was right on other questions, above 0 and below 1; its weight is
            the logarithm of the odds.
    """
    counted, given = majority(views, question), read_weights(weights, accuracies)
    if len(given) != len(views):
        return without_ballots(counted, by=SEAT_WEIGHTS, missing="weights")
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for view, weight in zip(views, given, strict=True):
        if view.answer is not None:
            sums[answer_value(view.answer, question.kind)] += weight
    scores = {each: sums[answer_value(each, question.kind)] for each in counted.votes}
    return decide_by_score(views, question, scores, by=SEAT_WEIGHTS)


def read_weights(weights: str = "", accuracies: str = "") -> Sequence[float]:
    """Return the weights that two options give; empty where neither does.

    Raises:
        InputError: both do, or an accuracy has no odds.
    """
    if weights and accuracies:
        raise InputError(f"decision {SEAT_WEIGHTS}: weights and accuracies: give one of them")
    if weights:
        return [float(each) for each in weights.split(",")]
    shares = [float(each) for each in accuracies.split(",") if each]
    if not all(0 < share < 1 for share in shares):
        raise InputError(
            f"decision {SEAT_WEIGHTS}: accuracies = {accuracies!r}: each is from 0 to 1"
        )
    return [log(share / (1 - share)) for share in shares]

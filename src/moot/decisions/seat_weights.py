"""The answer of the seats that weigh most."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from math import log
from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_score
from moot.debate.verdicts import majority, without_ballots
from moot.debate.views import Views
from moot.parsing.same import answer_value

NAME = "seat-weights"
Numbers = Annotated[str, Meta(pattern=r"^(-?\d+(\.\d+)?(,-?\d+(\.\d+)?)*)?$")]
"""Numbers with commas, one for each seat that votes: ``"2,1,1"``."""


def _need_weights(options: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise ``InputError`` where there are no weights, or not as many as agents."""
    weights = read_weights(**options)
    agents = settings.get("agents", settings.get("samples", len(weights)))
    if not weights or len(weights) != agents:
        raise InputError(
            f"decision {NAME}: it needs a number for each of {agents} agents, and has "
            f"{len(weights)}: {NAME}?accuracies=0.8,0.6,0.6"
        )


@decision(
    source="our own; log-odds of past accuracy are the classical weights",
    name=NAME,
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
        return without_ballots(counted, by=NAME, missing="weights")
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for view, weight in zip(views, given, strict=True):
        if view.answer is not None:
            sums[answer_value(view.answer, question.kind)] += weight
    scores = {each: sums[answer_value(each, question.kind)] for each in counted.votes}
    return decide_by_score(views, question, scores, by=NAME)


def read_weights(weights: str = "", accuracies: str = "") -> Sequence[float]:
    """Return the weights that two options give; empty where neither does.

    Raises:
        InputError: both do, or an accuracy has no odds.
    """
    if weights and accuracies:
        raise InputError(f"decision {NAME}: weights and accuracies: give one of them")
    if weights:
        return [float(each) for each in weights.split(",")]
    shares = [float(each) for each in accuracies.split(",") if each]
    if not all(0 < share < 1 for share in shares):
        raise InputError(f"decision {NAME}: accuracies = {accuracies!r}: each is from 0 to 1")
    return [log(share / (1 - share)) for share in shares]

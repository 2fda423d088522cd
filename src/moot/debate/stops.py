"""Gates and stops: plain functions that say whether a debate is needed, or has gone on enough.

A gate sees the views of the first round and says accept or debate. A stop sees all views so far and
says enough or go on. Both make no call and change nothing.
"""

from collections.abc import Callable

from moot.core.questions import Question
from moot.debate.stop_rule import Ending, Gate
from moot.debate.verdicts import all_agree
from moot.debate.views import Views
from moot.parsing.evaluation import Evaluation
from moot.parsing.opinion import Opinion
from moot.parsing.same import majority


def stop_at_consensus(views: Views, question: Question) -> Ending | None:
    """Stop when the newest views of all agents have the same answer."""
    return Ending(why="all agree") if all_agree(views.last, question) else None


def stop_at_decision(views: Views, question: Question) -> Ending | None:  # noqa: ARG001 -- a stop
    """Stop when the newest view is of a judge who has decided."""
    return Ending(why="decided") if views[-1].is_decided else None


def stop_at_approval(views: Views, question: Question) -> Ending | None:  # noqa: ARG001 -- a stop
    """Stop when the newest view is of an evaluator or consultant who approves of the answer."""
    evaluation, opinion = views[-1].get(Evaluation), views[-1].get(Opinion)
    if (evaluation and evaluation.correct) or (opinion and opinion.satisfied):
        return Ending(why="approved")
    return None


def accept_agreement(share: float = 1.0) -> Gate:
    """Return a gate that accepts the first round if enough agents give one answer.

    Args:
        share: the least share of all agents, above 0 and at most 1. A reply without an answer
            counts among all, and never for an answer.
    """

    def accept(views: Views, question: Question) -> Ending | None:
        signal = measure_agreement(views, question)
        enough = signal >= share
        why = "enough agree" if enough else "too few agree"
        return Ending(why=why, signal=signal, threshold=share, ends=enough)

    return accept


def accept_above(
    measure: Callable[[Views, Question], float | None],
    threshold: float | None,
    *,
    signal: str,
    fitted_on: str = "",
) -> Gate:
    """Return a gate that accepts the first round if a measure of it is above a threshold.

    It never accepts where the measure is None or the threshold is.

    Args:
        measure: from the views of the first round to the signal, None where it cannot be read.
        threshold: the signal has to be above it: an equal one is not enough.
        signal: its name, for the record.
        fitted_on: the file that the threshold comes from, and its hash.
    """

    def accept(views: Views, question: Question) -> Ending:
        value = measure(views, question)
        enough = value is not None and threshold is not None and value > threshold
        why = f"{signal} is above the threshold" if enough else f"{signal} is not above it"
        if value is None:
            why = f"{signal} cannot be read"
        elif threshold is None:
            why = f"{signal} has no threshold"
        return Ending(why=why, signal=value, threshold=threshold, fitted_on=fitted_on, ends=enough)

    return accept


def measure_confidence(views: Views, question: Question) -> float | None:  # noqa: ARG001 -- a measure
    """Return the confidence of the first view, 0 to 1; None without one or without an answer."""
    return views[0].confidence if views[0].answer is not None else None


def measure_agreement(views: Views, question: Question) -> float:
    """Return the share of all views that give the most frequent answer, 0 to 1."""
    _, votes = majority(views.answers, question.kind)
    return max(votes.values(), default=0) / len(views)

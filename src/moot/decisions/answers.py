"""Rules that look at final answers alone: they count votes, or ask a judge."""

from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import all_agree, majority, verdict_from, without_answer, without_ballots
from moot.debate.views import Views


@decision(source="Wang et al. 2023 (arXiv:2203.11171), there called a majority vote")
def plurality(views: Views, question: Question) -> Verdict:
    """Take the answer of most votes, however few they are; the lowest seat breaks a tie.

    The verdict says ``majority``, the papers' word for it.
    """
    return majority(views, question)


@decision(source="May 1952, Econometrica 20(4)")
def absolute_majority(views: Views, question: Question) -> Verdict:
    """Take the answer of more than half of all seats that vote; else there is none.

    A reply without an answer counts as a vote for no answer.
    """
    verdict = majority(views, question, by="absolute majority")
    if 2 * max(verdict.votes.values(), default=0) > len(views):
        return verdict
    return without_answer(verdict, by="no absolute majority")


@lru_cache(maxsize=16)
def _as_fraction(share: float) -> Fraction:
    """Return a share of votes as it is meant: two thirds of 3 are 2, not 2.0000001."""
    return Fraction(share).limit_denominator(1000)


@decision(source="Kaesberg et al. 2025 (arXiv:2502.19130)")
def supermajority(
    views: Views, question: Question, *, share: Annotated[float, Meta(gt=0.5, le=1)] = 2 / 3
) -> Verdict:
    """Take the answer of at least two thirds of all seats that vote; else there is none.

    A reply without an answer counts as a vote for no answer.

    Args:
        views: the final views, by seat.
        question: the question.
        share: the least share of votes, more than 1/2 and at most 1.
    """
    verdict = majority(views, question, by="supermajority")
    needed = _as_fraction(share) * len(views)
    if verdict.votes and max(verdict.votes.values()) >= needed:
        return verdict
    return without_answer(verdict, by="no supermajority")


@decision(source="Kaesberg et al. 2025 (arXiv:2502.19130)")
def unanimity(views: Views, question: Question) -> Verdict:
    """Take the answer that every seat that votes gives; else there is none."""
    verdict = majority(views, question, by="unanimity")
    return verdict if all_agree(views, question) else without_answer(verdict, by="no unanimity")


@decision(source="Liang et al. 2023 (arXiv:2305.19118), among others", needs="judge")
def judge(views: Views, question: Question, *, judges: Views) -> Verdict:
    """Take the newest answer of a judge, or of another agent that holds no answer of its own.

    Args:
        views: the final views, by seat.
        question: the question.
        judges: all views of such agents, oldest first.
    """
    deciding = next((view for view in reversed(judges) if view.is_decided), None)
    if deciding is None:
        return without_ballots(majority(views, question), by="judge", missing="judge")
    return verdict_from(deciding, by="judge")

"""The answer that a stated share of all votes is for."""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority, without_answer
from moot.debate.views import Views


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
    needed = Fraction(share).limit_denominator(1000) * len(views)  # 2/3 of 3 is 2, not 2.0000001
    if verdict.votes and max(verdict.votes.values()) >= needed:
        return verdict
    return without_answer(verdict, by="no supermajority")

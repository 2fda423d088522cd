"""The answer that more than half of all votes are for."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority, without_answer
from moot.debate.views import Views


@decision(source="May 1952, Econometrica 20(4)")
def absolute_majority(views: Views, question: Question) -> Verdict:
    """Take the answer of more than half of all seats that vote; else there is none.

    A reply without an answer counts as a vote for no answer.
    """
    verdict = majority(views, question, by="absolute majority")
    if 2 * max(verdict.votes.values(), default=0) > len(views):
        return verdict
    return without_answer(verdict, by="no absolute majority")

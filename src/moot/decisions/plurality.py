"""The answer that most votes are for."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority
from moot.debate.views import Views


@decision(source="Wang et al. 2023 (arXiv:2203.11171), there called a majority vote")
def plurality(views: Views, question: Question) -> Verdict:
    """Take the answer of most votes, however few they are; the lowest seat breaks a tie.

    The verdict says ``majority``, the papers' word for it.
    """
    return majority(views, question)

"""The one answer that all votes are for."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import all_agree, majority, without_answer
from moot.debate.views import Views


@decision(source="Kaesberg et al. 2025 (arXiv:2502.19130)")
def unanimity(views: Views, question: Question) -> Verdict:
    """Take the answer that every seat that votes gives; else there is none."""
    verdict = majority(views, question, by="unanimity")
    return verdict if all_agree(views, question) else without_answer(verdict, by="no unanimity")

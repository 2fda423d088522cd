"""The answer of a judge."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority, verdict_from, without_ballots
from moot.debate.views import Views


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

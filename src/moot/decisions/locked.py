"""The most frequent of the agents' own most frequent answers."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority
from moot.debate.views import Views


@decision(source="our own")
def locked(views: Views, question: Question, *, history: Views) -> Verdict:
    """Let each agent vote for the answer that it gave in most rounds."""
    votes = []
    for view in views:
        seat = view.agent.seat.number
        own = Views(each for each in history if each.agent.seat.number == seat)
        answer = majority(own, question).answer
        votes.append(next((each for each in own if each.answer == answer), view))
    return majority(Views(votes), question, by="locked")

"""The answer whose voters are surest of it."""

from collections import defaultdict
from collections.abc import Hashable

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority, verdict_for, without_answer
from moot.debate.views import Views
from moot.parsing.same import answer_value


@decision(source="ReConcile (arXiv:2309.13007), with the confidences as they are", name="weighted")
def weigh_by_confidence(views: Views, question: Question) -> Verdict:
    """Take the answer with the largest sum of its voters' confidences; ties go to the lowest seat.

    A confidence is the field ``confidence`` of a turn's reading, from 0 to 1. Where a
    reply with an answer states none, there is no verdict: no confidence is guessed.
    """
    counted = majority(views, question)
    weights: defaultdict[Hashable, float] = defaultdict(float)
    for view in views:
        if view.answer is not None:
            if (confidence := view.confidence) is None:
                return without_answer(counted, by="weighted: confidence missing")
            weights[answer_value(view.answer, question.kind)] += confidence
    answer = max(
        counted.votes, key=lambda each: weights[answer_value(each, question.kind)], default=None
    )
    return verdict_for(answer, views, question, by="weighted", votes=counted.votes)

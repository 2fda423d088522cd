"""The answer that is most probable if all voters were independent."""

from math import log

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_score, list_candidates
from moot.debate.verdicts import majority, without_ballots
from moot.debate.views import Views
from moot.parsing.same import is_same
from moot.statistics.calibration_maps import apply_platt

CLIP = 0.01
"""A confidence is kept so far from 0 and 1."""


@decision(source="product of independent opinions; our own", needs="confidences")
def fusion(views: Views, question: Question, *, slope: float = 1.0, offset: float = 0.0) -> Verdict:
    """Take the most probable answer, each voter's confidence in its own taken for a probability.

    The other answers share the rest of it: those of the question where it has a list of
    them, else the candidates and one more. It assumes that voters do not depend on one another.

    Args:
        views: the final views, by seat.
        question: the question.
        slope: of a calibration map, by which the log-odds of each confidence are multiplied.
        offset: of the map, which is then added to them.
    """
    counted, candidates = majority(views, question), list_candidates(views, question)
    if not candidates:  # without an answer there is none to be sure of
        return without_ballots(counted, by="fusion", missing="confidence")
    options = max(len(question.letters) or {"boolean": 2}.get(question.kind, 0), len(candidates))
    if question.kind not in {"choice", "boolean"}:
        options = len(candidates) + 1
    scores = dict.fromkeys(candidates, 0.0)
    for view in views:
        if view.answer is None:
            continue
        if view.confidence is None:
            return without_ballots(counted, by="fusion", missing="confidence")
        stated = view.confidence
        if (slope, offset) != (1.0, 0.0):
            stated = apply_platt(stated, slope, offset)
        sure = min(max(stated, CLIP), 1 - CLIP)
        for each in candidates:
            own = is_same(view.answer, each, question.kind)
            scores[each] += log(sure if own else (1 - sure) / (options - 1))
    return decide_by_score(views, question, scores, by="fusion")

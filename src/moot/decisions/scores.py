"""The answer with the best mean of the others' scores."""

from collections.abc import Mapping
from statistics import fmean

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_score, list_candidates
from moot.debate.verdicts import majority, without_answer
from moot.debate.views import Views
from moot.parsing.ballot import Ballot
from moot.parsing.same import is_same


@decision(source="range voting; without own scores as in arXiv:2512.23213")
def scores(
    views: Views, question: Question, *, ballots: Mapping[int, Ballot], own: bool = False
) -> Verdict:
    """Take the answer with the best mean score; the lowest seat breaks a tie.

    Args:
        views: the final views, by seat.
        question: the question.
        ballots: of those who vote, by seat.
        own: whether the scores of those who hold an answer themselves count for it, too.
    """
    held, kind = {view.agent.seat.number: view.answer for view in views}, question.kind
    means = {}
    for candidate in list_candidates(views, question):
        given = [
            mark
            for seat, ballot in ballots.items()
            if own or not is_same(held.get(seat), candidate, kind)
            for answer, mark in ballot.scores.items()
            if is_same(answer, candidate, kind)
        ]
        if given:
            means[candidate] = fmean(given)
    if not means:
        return without_answer(majority(views, question), by="scores: no scores")
    return decide_by_score(views, question, means, by="scores")

"""The answer with the best mean of the others' scores."""

from collections.abc import Mapping
from statistics import fmean

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_marks, list_candidates
from moot.debate.views import Views
from moot.parsing.ballots import Ballot
from moot.parsing.same import is_same


@decision(source="range voting; without own scores as in arXiv:2512.23213", needs="scores")
def scores(
    views: Views, question: Question, *, ballots: Mapping[int, Ballot], own: bool = False
) -> Verdict:
    """Take the answer with the best mean score; the lowest seat breaks a tie.

    Args:
        views: the final views, by seat.
        question: the question.
        ballots: of those who vote, by seat.
        own: whether the scores of those who hold an answer themselves count for it, too. They
            always do where all hold the same.
    """
    own = own or len(list_candidates(views, question)) == 1
    held, kind = {view.agent.seat.number: view.answer for view in views}, question.kind
    given = [
        {
            answer: mark
            for answer, mark in ballot.scores.items()
            if own or not is_same(held.get(seat), answer, kind)
        }
        for seat, ballot in ballots.items()
    ]
    return decide_by_marks(views, question, given, fmean, by="scores", missing="scores")

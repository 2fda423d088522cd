"""The answer that beats every other one in a pairwise vote."""

from collections.abc import Mapping

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_rankings, find_weakest_wins, prefer_pairs
from moot.debate.verdicts import without_answer
from moot.debate.views import Views
from moot.parsing.ballots import Ballot


@decision(source="Condorcet 1785", needs="rankings")
def condorcet(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer that more rankings prefer to each other one; else there is none."""
    verdict = decide_by_rankings(
        views,
        question,
        ballots,
        lambda rankings, candidates: find_weakest_wins(prefer_pairs(rankings, candidates)),
        by="condorcet",
    )
    if verdict.answer is None or max(verdict.scores.values(), default=1) > 0:
        return verdict
    return without_answer(verdict, by="condorcet: cycle", scores=verdict.scores)

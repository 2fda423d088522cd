"""Rules that count ballots: votes, approvals, points, scores and rankings."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import (
    decide_by_marks,
    decide_by_rankings,
    find_weakest_wins,
    list_candidates,
    prefer_pairs,
)
from moot.debate.verdicts import without_answer
from moot.debate.views import Views
from moot.parsing.ballots import Ballot
from moot.parsing.same import is_same


@decision(source="Kaesberg et al. 2025 (arXiv:2502.19130)", needs="votes")
def votes(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer that most ballots vote for, whichever answer their agents gave themselves."""
    cast = [{ballot.vote: 1.0} for ballot in ballots.values() if ballot.vote is not None]
    return decide_by_marks(views, question, cast, sum, by="votes", missing="votes")


@decision(
    source="Brams and Fishburn 1978, American Political Science Review 72(3)", needs="approvals"
)
def approval(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer that most ballots approve of; the lowest seat breaks a tie."""
    approved = [
        dict.fromkeys(ballot.approved, 1.0) for ballot in ballots.values() if ballot.approved
    ]
    return decide_by_marks(views, question, approved, sum, by="approval", missing="approvals")


@decision(source="Kaesberg et al. 2025 (arXiv:2502.19130)", needs="points")
def cumulative(
    views: Views,
    question: Question,
    *,
    ballots: Mapping[int, Ballot],
    points: Annotated[int, Meta(ge=1)] = 10,
) -> Verdict:
    """Take the answer with the most points; a ballot counts if its points sum to ``points``."""
    valid = [ballot.points for ballot in ballots.values() if sum(ballot.points.values()) == points]
    return decide_by_marks(
        views, question, valid, sum, by="cumulative", missing=f"ballots of {points} points"
    )


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


@decision(source="Borda 1784", needs="rankings")
def borda(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer with most points: of m answers the best ranked gets m - 1, the last none.

    Answers that a ballot does not rank share the mean of the places that are left.
    """
    return decide_by_rankings(views, question, ballots, _score_places, by="borda")


def _score_places(rankings: Sequence[Sequence[str]], candidates: Sequence[str]) -> dict[str, float]:
    scores = dict.fromkeys(candidates, 0.0)
    for ranking in rankings:
        left = len(candidates) - len(ranking)
        for place, each in enumerate(ranking):
            scores[each] += len(candidates) - 1 - place
        for each in scores.keys() - set(ranking):
            scores[each] += (left - 1) / 2
    return scores


@decision(source="Ware 1871", needs="rankings")
def instant_runoff(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Drop the answer with the fewest first places until one has more than half of the ballots.

    Of a tie, the answer of the highest seat is dropped. A ballot none of whose answers is left does
    not count any more.
    """
    return decide_by_rankings(views, question, ballots, _count_last, by="instant runoff")


def _count_last(rankings: Sequence[Sequence[str]], candidates: Sequence[str]) -> dict[str, float]:
    """Return the first places of the answers that are left at the end."""
    left = list(candidates)
    while True:
        firsts = [next((each for each in ranking if each in left), None) for ranking in rankings]
        counts = [firsts.count(each) for each in left]
        if 2 * max(counts) > sum(counts) or len(left) <= 2:
            return {each: float(count) for each, count in zip(left, counts, strict=True)}
        left.pop(len(left) - 1 - counts[::-1].index(min(counts)))


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


@decision(source="Schulze 2011, Social Choice and Welfare 36(2)", needs="rankings")
def schulze(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer whose paths of pairwise wins are as strong as every path against it."""
    return decide_by_rankings(views, question, ballots, _score_paths, by="schulze")


def _score_paths(rankings: Sequence[Sequence[str]], candidates: Sequence[str]) -> dict[str, float]:
    above = prefer_pairs(rankings, candidates)
    paths = {(a, b): won if won > above[b, a] else 0 for (a, b), won in above.items()}
    for middle in candidates:
        for (a, b), direct in paths.items():
            if middle not in (a, b):
                paths[a, b] = max(direct, min(paths[a, middle], paths[middle, b]))
    return find_weakest_wins(paths)

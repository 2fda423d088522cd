"""Counting of ballots: what the decision rules over rankings, approvals and points share."""

from collections.abc import Callable, Mapping, Sequence

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.verdicts import majority, verdict_for, without_ballots
from moot.debate.views import Views
from moot.parsing.ballot import Ballot
from moot.parsing.same import answer_value

DIGITS = 9
"""Decimals to which scores are compared: sums in another order are the same score."""
Scoring = Callable[[Sequence[Sequence[str]], Sequence[str]], dict[str, float]]


def list_candidates(views: Views, question: Question) -> list[str]:
    """Return the distinct answers of the final views, in the order of the first seat with each."""
    return [*majority(views, question).votes]


def rank_candidates(ballot: Ballot, candidates: Sequence[str], question: Question) -> list[str]:
    """Return the candidates that a ballot ranks, the best first; others are left out."""
    kind = question.kind
    known = {answer_value(each, kind): each for each in candidates}
    ranked = (known.get(answer_value(each, kind)) for each in ballot.ranking)
    return list(dict.fromkeys(each for each in ranked if each is not None))


def prefer_pairs(
    rankings: Sequence[Sequence[str]], candidates: Sequence[str]
) -> dict[tuple[str, str], int]:
    """Return for each pair of candidates how many rankings have the first above the second.

    A candidate that a ranking leaves out is below all that it names.
    """
    places = [{each: place for place, each in enumerate(ranking)} for ranking in rankings]
    last = len(candidates)
    return {
        (one, other): sum(place.get(one, last) < place.get(other, last) for place in places)
        for one in candidates
        for other in candidates
        if one != other
    }


def find_weakest_wins(strengths: Mapping[tuple[str, str], int]) -> dict[str, float]:
    """Return for each candidate by how much it is ahead where it is ahead by least.

    Args:
        strengths: of each ordered pair of at least two candidates: of the first over the second.

    Returns:
        Above 0 for the one that beats all others; below 0 for one that another beats.
    """
    weakest: dict[str, float] = {}
    for (one, other), strength in strengths.items():
        ahead = float(strength - strengths[other, one])
        weakest[one] = min(ahead, weakest.get(one, ahead))
    return weakest


def decide_by_score(
    views: Views, question: Question, scores: Mapping[str, float], *, by: str
) -> Verdict:
    """Return the candidate with the highest score; the one of the lowest seat breaks a tie.

    Args:
        views: the final views, by seat.
        question: the question.
        scores: of candidates, in any order; without any the verdict has no answer.
        by: the rule.
    """
    votes = majority(views, question).votes
    rounded = {each: round(scores[each], DIGITS) for each in votes if each in scores}
    best = max(rounded, key=rounded.__getitem__, default=None)
    return verdict_for(best, views, question, by=by, votes=votes, scores=rounded)


def decide_by_marks(
    views: Views,
    question: Question,
    marks: Sequence[Mapping[str, float]],
    join: Callable[[Sequence[float]], float],
    *,
    by: str,
    missing: str,
) -> Verdict:
    """Return the candidate with the highest of the joined marks that ballots give it.

    Args:
        views: the final views, by seat.
        question: the question.
        marks: of each ballot that has some, by answer.
        join: ``sum`` or a mean: from all marks of a candidate to its score.
        by: the rule.
        missing: what the verdict calls missing where no candidate has a mark.
    """
    given: dict[str, list[float]] = {}
    names = {answer_value(each, question.kind): each for each in list_candidates(views, question)}
    for ballot in marks:
        for answer, mark in ballot.items():
            if (candidate := names.get(answer_value(answer, question.kind))) is not None:
                given.setdefault(candidate, []).append(mark)
    if not given:
        return without_ballots(majority(views, question), by=by, missing=missing)
    scores = {candidate: float(join(own)) for candidate, own in given.items()}
    return decide_by_score(views, question, scores, by=by)


def decide_by_rankings(
    views: Views,
    question: Question,
    ballots: Mapping[int, Ballot],
    score: Scoring,
    *,
    by: str,
) -> Verdict:
    """Return the candidate with the highest score that a function gives for all rankings.

    Args:
        views: the final views, by seat.
        question: the question.
        ballots: of those who vote, by seat.
        score: from the rankings and the candidates to the score of each candidate that is left.
        by: the rule.
    """
    candidates = list_candidates(views, question)
    rankings = [rank_candidates(ballot, candidates, question) for ballot in ballots.values()]
    rankings = [ranking for ranking in rankings if ranking]
    if not rankings:
        return without_ballots(majority(views, question), by=by, missing="rankings")
    if len(candidates) == 1:
        return majority(views, question, by=by)
    return decide_by_score(views, question, score(rankings, candidates), by=by)

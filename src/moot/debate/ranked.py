"""Counting of ballots: what the decision rules over rankings, approvals and points share."""

from collections.abc import Callable, Mapping, Sequence

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.verdicts import majority, verdict_for, without_answer
from moot.debate.views import Views
from moot.parsing.ballot import Ballot
from moot.parsing.same import answer_value


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
    best = max((each for each in votes if each in scores), key=scores.__getitem__, default=None)
    return verdict_for(best, views, question, by=by, votes=votes)


def decide_by_rankings(
    views: Views,
    question: Question,
    ballots: Mapping[int, Ballot],
    choose: Callable[[list[list[str]], list[str]], str | None],
    *,
    by: str,
    none: str = "",
) -> Verdict:
    """Return the candidate that a function chooses from the rankings of all ballots.

    Args:
        views: the final views, by seat.
        question: the question.
        ballots: of those who vote, by seat.
        choose: from the rankings and the candidates to one of them, or None for none.
        by: the rule.
        none: why there is none where the function chooses none.
    """
    counted, candidates = majority(views, question), list_candidates(views, question)
    rankings = [rank_candidates(ballot, candidates, question) for ballot in ballots.values()]
    rankings = [ranking for ranking in rankings if ranking]
    if not rankings:
        return without_answer(counted, by=f"{by}: no rankings")
    chosen = choose(rankings, candidates)
    if chosen is None:
        return without_answer(counted, by=f"{by}: {none}")
    return verdict_for(chosen, views, question, by=by, votes=counted.votes)

"""Stops: checks after each round that end a debate early, by the setting ``stop``."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise

from moot.core.questions import Question
from moot.debate.stop_rule import Ending, list_values, stop_rule
from moot.debate.stops import stop_at_consensus
from moot.debate.views import Views


@stop_rule(source="HCP-MAD (arXiv:2604.09679)")
def consensus(rounds: Sequence[Views], question: Question) -> Ending | None:
    """Stop when the newest answers of all agents are the same."""
    return stop_at_consensus(rounds[-1], question)


@stop_rule(source="HCP-MAD (arXiv:2604.09679)")
def deadlock(rounds: Sequence[Views], question: Question) -> Ending | None:
    """Stop when no agent has changed its answer in the newest round."""
    if len(rounds) < 2 or list_values(rounds[-1], question) != list_values(rounds[-2], question):
        return None
    return Ending(why="no answer changed")


@stop_rule(source="HCP-MAD (arXiv:2604.09679)")
def exchange(rounds: Sequence[Views], question: Question) -> Ending | None:
    """Stop when two agents have taken over each other's answer in the newest round."""
    if len(rounds) < 2:
        return None
    before, now = (list_values(each, question) for each in rounds[-2:])
    for one, other in combinations(range(len(now)), 2):
        pair = before[one], before[other]
        if None not in pair and pair[0] != pair[1] and (now[other], now[one]) == pair:
            return Ending(why="two agents swapped answers")
    return None


@stop_rule(source="our own, after arXiv:2510.12697, which stops all questions of a set at once")
def stability(
    rounds: Sequence[Views], question: Question, *, still: float = 0.0, twice: int = 2
) -> Ending | None:
    """Stop when hardly any count of answers has changed for some rounds.

    The signal is the share of agents that would have to change for the counts of the round before,
    from 0 to 1. Agents that swap answers change no count; the reason then says so. No answer is
    counted like an answer.

    Args:
        rounds: the views of each round.
        question: the question.
        still: the greatest share that is no change.
        twice: in how many rounds in a row.
    """
    held = [list_values(each, question) for each in rounds]
    shares = [measure_change(before, now) for before, now in pairwise(held)]
    if not shares:
        return None
    enough = len(shares) >= twice and max(shares[-twice:]) <= still
    why = "the counts are still" if enough else "the counts may change"
    if not shares[-1] and held[-1] != held[-2]:
        why += "; answers were swapped"
    return Ending(why=why, signal=shares[-1], threshold=still, ends=enough)


def measure_change(before: Sequence[object], now: Sequence[object]) -> float:
    """Return the total variation distance of two rounds' counts of answers, from 0 to 1."""
    had, has = Counter(before), Counter(now)
    return sum(abs(has[each] - had[each]) for each in had | has) / (2 * len(now))

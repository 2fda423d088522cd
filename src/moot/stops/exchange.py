"""Two agents that have changed places."""

from collections.abc import Sequence
from itertools import combinations

from moot.core.questions import Question
from moot.debate.stop_rule import list_values, stop_rule
from moot.debate.stops import Ending
from moot.debate.views import Views


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

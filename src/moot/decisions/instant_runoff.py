"""The answer that is left when the weakest one goes, again and again."""

from collections.abc import Mapping, Sequence

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_rankings
from moot.debate.views import Views
from moot.parsing.ballots import Ballot


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

"""A round in which nothing changes."""

from collections.abc import Sequence

from moot.core.questions import Question
from moot.debate.stop_rule import list_values, stop_rule
from moot.debate.stops import Ending
from moot.debate.views import Views


@stop_rule(source="HCP-MAD (arXiv:2604.09679)")
def deadlock(rounds: Sequence[Views], question: Question) -> Ending | None:
    """Stop when no agent has changed its answer in the newest round."""
    if len(rounds) < 2 or list_values(rounds[-1], question) != list_values(rounds[-2], question):
        return None
    return Ending(why="no answer changed")

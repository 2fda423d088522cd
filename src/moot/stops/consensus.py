"""Everyone has one answer."""

from collections.abc import Sequence

from moot.core.questions import Question
from moot.debate.stop_rule import stop_rule
from moot.debate.stops import Ending, stop_at_consensus
from moot.debate.views import Views


@stop_rule(source="HCP-MAD (arXiv:2604.09679)")
def consensus(rounds: Sequence[Views], question: Question) -> Ending | None:
    """Stop when the newest answers of all agents are the same."""
    return stop_at_consensus(rounds[-1], question)

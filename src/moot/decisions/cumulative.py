"""The answer with the most points of ballots that share out a fixed number."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_marks
from moot.debate.views import Views
from moot.parsing.ballots import Ballot


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

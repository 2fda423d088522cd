"""Diverse start: of many first answers those that differ most begin the debate."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Rounds
from moot.debate.stop_rule import Stopping
from moot.debate.views import View, Views
from moot.models.embedding import embed
from moot.parsing.same import is_same
from moot.parsing.standings import Standings

Candidates = Annotated[int, Meta(ge=1, le=1000, description="how many first answers are drawn")]
StartDistance = Annotated[
    Literal["answer", "embedding"],
    Meta(
        description="how far apart two first answers are. answer: 1 where they are unlike, else 0; "
        "embedding: by their words (needs moot[embed])"
    ),
]


def _check_candidates(
    settings: dict[str, Any], where: str, *, agents: int, candidates: int, spread: str
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` for more agents than candidates."""
    if agents > candidates:
        raise InputError(
            f"{where}: agents = {agents}: they are chosen from {candidates} candidates; set "
            f"candidates = {agents} or more"
        )
    if spread == "embedding":
        embed([""])
    return settings


@protocol(
    paper="arXiv:2601.19921 and its code",
    calls="candidates + agents * (rounds - 1)",
    answers="candidates + agents * (rounds - 1)",
    roles=("mind",),
    agreement=True,
    voters=("mind",),
    first="mind",
    shared=Stopping,
    verify=_check_candidates,
)
async def diverse_start(
    debate: Debate,
    question: Question,
    *,
    candidates: Candidates = 10,
    agents: Agents = 5,
    rounds: Rounds = 6,
    spread: StartDistance = "answer",
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Draw many first answers, let those that differ most begin a debate, then vote.

    Use it when a model's answers to a question rarely differ, so that a debate has nothing to
    discuss; choosing answers that differ also gives rare wrong ones a voice.

    The two answers that are farthest apart are chosen first, then, one after the other, the one
    whose least distance to those chosen is greatest; of equals the one of the lower seat. Those
    that were not chosen take no further part: no one reads them, and they have no vote. As many
    candidates as agents are ``society-of-minds``.

    Differs:
        - Choice: the code reads sets that were chosen before; the greedy rule's start is ours.
        - Missing answers: a reply without an answer is as near as any other.
        - Confidence: the paper trains it, and shows it as a number from 0 to 10. Here the setting
          ``confidence`` asks for it.
    """
    minds = debate.seat("mind", candidates)
    drawn = await debate.everyone(minds, "answer")
    measure = _words_apart(drawn) if spread == "embedding" else _answers_apart(drawn, question)
    places = choose_farthest(len(drawn), agents, measure)
    chosen = [minds[place] for place in places]
    least = {minds[place].seat.agent: _least_distance(place, places, measure) for place in places}
    by_distance = dict(sorted(least.items(), key=lambda each: -each[1]))
    debate.record_count(Standings(scores=by_distance), "least distance to another chosen answer")
    debate.dismiss([mind for mind in minds if mind not in chosen], "not among the most unlike")
    views = drawn.newest(chosen)
    for _ in debate.until_stop(range(rounds - 1)):
        views = await debate.everyone(chosen, "revise", others=views.without)
    return debate.decide(views, decision)


PlaceDistance = Callable[[int, int], float]


def choose_farthest(many: int, size: int, measure: PlaceDistance) -> Sequence[int]:
    """Return the places of those that differ most, in their order.

    Args:
        many: how many there are.
        size: how many are chosen, at most ``many``.
        measure: the distance between two places, the lower one first.
    """
    if size == 1 or many == 1:
        return [0]
    chosen = list(max(combinations(range(many), 2), key=lambda pair: measure(*pair)))
    while len(chosen) < size:
        left = [place for place in range(many) if place not in chosen]
        chosen.append(
            max(left, key=lambda one: min(measure(*sorted((one, other))) for other in chosen))
        )
    return sorted(chosen)


def _least_distance(place: int, places: Sequence[int], measure: PlaceDistance) -> float:
    """Return how far a place is from the nearest other one; 0 without another."""
    others = (each for each in places if each != place)
    return min((measure(*sorted((place, each))) for each in others), default=0.0)


def _answers_apart(views: Views, question: Question) -> PlaceDistance:
    """Return a distance: 1 where both replies have an answer and these are unlike, else 0."""

    def measure(one: int, other: int) -> float:
        first, second = views[one].answer, views[other].answer
        known = first is not None and second is not None
        return float(known and not is_same(first, second, question.kind))

    return measure


def _words_apart(views: Sequence[View]) -> PlaceDistance:
    """Return a distance: 1 less the cosine of the words' embeddings."""
    rows = embed([view.text for view in views])
    return lambda one, other: 1 - float(rows[one] @ rows[other])

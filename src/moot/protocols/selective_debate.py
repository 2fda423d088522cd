"""Selective debate: agents read only what is new to them, and speak only where something is."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.groups import split_evenly
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Rounds
from moot.debate.views import View, Views
from moot.models.embedding import embed
from moot.parsing.redundancies import Redundancies
from moot.parsing.same import is_same

Novelty = Annotated[
    Literal["answer", "embedding"],
    Meta(
        description="when a message is new. answer: its answer is another; embedding: its words "
        "are unlike (needs moot[embed])"
    ),
]
Similar = Annotated[
    float,
    Meta(
        ge=0,
        le=1,
        title="How alike two messages are at least",
        description="for embedding: the cosine from which on words are alike",
    ),
]
MeetingGroups = Annotated[
    int, Meta(ge=1, le=1000, description="how many groups there are; agents read their own group")
]
IsLike = Callable[[View, View], bool]


def _check_novelty(
    settings: dict[str, Any], where: str, *, agents: int, groups: int, novelty: str
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` where they cannot be put to use."""
    if groups > agents:
        raise InputError(f"{where}: groups = {groups}: there are {agents} agents")
    if novelty == "embedding":
        embed([""])
    return settings


@protocol(
    paper="arXiv:2502.04790 (S²-MAD), its abstract and an outline by others",
    calls="agents * rounds",
    fewest="agents",
    answers="agents * rounds",
    roles=("mind",),
    agreement=True,
    voters=("mind",),
    first="mind",
    steered=True,
    verify=_check_novelty,
)
async def selective_debate(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 5,
    rounds: Rounds = 3,
    groups: MeetingGroups = 1,
    novelty: Novelty = "answer",
    similar: Similar = 0.9,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let agents read only messages that are new to them, and ask only those that have some.

    Use it when agents mostly agree, and you want a debate that costs little more than its first
    round there; where all answers differ it is a full debate.

    A message is new to an agent if its answer is another than the agent's own and than those of the
    messages that stand before it, by seat. With ``novelty = embedding`` it is new if its words are
    not alike to the agent's own last reply, nor to a message before it. An agent without news is
    not asked, and keeps its reply. The debate ends when no agent has news. The transcript has for
    each round which messages an agent was not shown, and which one each of them is like.

    Differs:
        - The paper's measure of novelty, its threshold and how groups meet were not to be had:
          by answers is our own default.
        - A message that an agent has read before is not new to it, nor is one without an answer.
    """
    minds = debate.seat("mind", agents)
    parts = split_evenly(minds, groups)
    group_of = {mind: place for place, part in enumerate(parts) for mind in part}
    is_like = _compare_words(similar) if novelty == "embedding" else _compare_answers(question)
    seen: dict[Agent, set[int]] = {mind: set() for mind in minds}
    views = await debate.everyone(minds, "answer")
    for number in debate.until_stop(range(2, rounds + 1)):
        news, dropped = {}, {}
        for mind in minds:
            fellows = _list_fellows(views, mind, group_of)
            news[mind], alike = _sort_messages(views.of(mind), fellows, seen[mind], is_like)
            if alike:
                dropped[mind.seat.agent] = alike
        if dropped:
            debate.record_count(
                Redundancies(dropped=dropped), f"not shown in round {number}, and like which turn"
            )
        asked = [mind for mind in minds if news[mind]]
        kept = debate.keep([mind for mind in minds if not news[mind]], "has read no news")
        revised = await debate.everyone(asked, "revise", others=news.__getitem__, in_round=number)
        for mind in asked:
            seen[mind].update(view.turn.id for view in news[mind])
        views = Views(kept.add(*revised).of(mind) for mind in minds)
        if not asked:
            break
    return debate.decide(views, decision)


def _list_fellows(views: Views, mind: Agent, group_of: dict[Agent, int]) -> list[View]:
    """Return the messages of the others in an agent's group, by seat."""
    return [view for view in views.without(mind) if group_of[view.agent] == group_of[mind]]


def _sort_messages(
    own: View, told: Sequence[View], seen: set[int], is_like: IsLike
) -> tuple[Views, dict[int, int]]:
    """Return the messages that are new to an agent, and those that are like another.

    Args:
        own: the agent's own last reply.
        told: the messages that it could read, by seat.
        seen: the ids of the turns that it has read.
        is_like: whether two messages are alike.

    Returns:
        The new ones, and by the id of each other turn the id of the first one that it is like.
        A message without an answer, or that the agent has read before, is in neither.
    """
    known = [own, *(view for view in told if view.turn.id in seen)]
    news: list[View] = []
    alike: dict[int, int] = {}
    for view in told:
        if view.turn.id in seen or view.answer is None:
            continue
        other = next((each for each in (*known, *news) if is_like(view, each)), None)
        if other is None:
            news.append(view)
        else:
            alike[view.turn.id] = other.turn.id
    return Views(news), alike


def _compare_answers(question: Question) -> IsLike:
    """Return whether two messages have the same answer."""
    return lambda one, other: is_same(one.answer, other.answer, question.kind)


def _compare_words(similar: float) -> IsLike:
    """Return whether the words of two messages are alike, by the cosine of their embeddings."""

    def is_like(one: View, other: View) -> bool:
        if one.text == other.text:  # their cosine may be a little below 1
            return True
        rows = embed([one.text, other.text])
        return float(rows[0] @ rows[1]) >= similar

    return is_like

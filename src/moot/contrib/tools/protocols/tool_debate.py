"""Tool debate: two agents look things up in different sources, and scores say who is grounded."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot import (
    Agent,
    Debate,
    Ending,
    InputError,
    Question,
    Verdict,
    View,
    Views,
    all_agree,
    protocol,
    verdict_from,
)
from moot.contrib.documents.evidence import search_folder
from moot.contrib.documents.settings import SEARCH_BY, Passages, SearchBy, is_tool
from moot.contrib.documents.shown_evidence import fence_passages
from moot.contrib.tools.feature import call_for
from moot.contrib.tools.grounding import Grounding
from moot.contrib.tools.search_query import SearchQuery
from moot.extend.protocols import Rounds, gather_all
from moot.extend.records import Passage

Sources = Annotated[
    list[str],
    Meta(
        description="where each of the two agents looks things up: two folders of documents, or "
        "tools NAME.TOOL of the servers in tools; none: they search nothing"
    ),
]
Faithful = Annotated[
    float, Meta(ge=0, le=1, description="the share of supported claims that both have to exceed")
]
Relevant = Annotated[
    float, Meta(ge=0, le=1, description="the relevance that both answers have to exceed")
]


def _check_sources(
    settings: dict[str, Any], where: str, *, sources: Sequence[str], tools: object = None
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` where there are not two sources, or none."""
    if len(sources) not in {0, 2} or not all(each.strip() for each in sources):
        raise InputError(f"{where}: sources = {sources}: name two, one for each agent, or none")
    if tools and not any(is_tool(each, settings) for each in sources):
        raise InputError(f'{where}: tools: name them as sources, e.g. ["a.search", "b.get"]')
    return settings


@protocol(
    paper="arXiv:2601.04742 (Tool-MAD) and its code",
    calls="((6 if sources else 4) + (2 if tools else 0)) * rounds + 1",
    fewest="6 if sources else 4",
    roles=("searcher", "scorer", "judge"),
    voters=("searcher",),
    opened=("searcher",),
    verify=_check_sources,
    group="sources",
)
async def tool_debate(
    debate: Debate,
    question: Question,
    *,
    rounds: Rounds = 3,
    sources: Sources = [],  # noqa: B006 -- read, never changed
    passages: Passages = 3,
    search_by: SearchBy = SEARCH_BY,
    faithful: Faithful = 0.7,
    relevant: Relevant = 0.8,
) -> Verdict:
    """Let two agents answer from different sources until they agree and both are grounded.

    Use it when a question needs facts that stand in two places, such as a folder of reports and a
    search engine; without sources it is a debate of two with scores.

    In each round both write a query, read what their source has for it, and answer; from the second
    round on each sees the other's last answer, and may go on with the passages that it has. A
    scorer counts the claims of each answer and how many its passages support, and says how relevant
    it is. Where both answers agree and all four scores are high enough, the debate ends; an agent
    with a low score is told. After the last round a judge decides over all answers, passages and
    scores.

    Differs:
        - Scores: one call gives all figures of an answer; the code takes several of another
          package. An answer whose scores cannot be read has not passed.
        - Notes: the code tells one agent when both scores are low. Here each is told of its own.
        - Two answers that cannot be read are no agreement here.
        - A first query that cannot be read is the question; a later one goes on with the passages.
    """
    searchers = [Searcher(agent) for agent in debate.seat("searcher", 2, remembers=False)]
    [scorer] = debate.seat("scorer", remembers=False, debater=False)
    [judge] = debate.seat("judge", remembers=False, debater=False)
    for each in searchers:  # they search by queries, not by calls of their own
        config = each.agent.config
        each.agent.config = msgspec.structs.replace(config, own={**config.own, "tools": ()})
    bounds = (faithful, relevant)
    for number in range(1, rounds + 1):
        if sources:
            await _search(debate, searchers, sources, number)
        await _answer(debate, searchers, number)
        await _score(debate, searchers, scorer, number, bounds)
        if _agree(debate, question, searchers):
            return verdict_from(searchers[0].said[-1], by="agreement")
    history = Views(
        view for pair in zip(*(each.said for each in searchers), strict=True) for view in pair
    )
    final = await debate.ask(
        judge,
        "judge",
        in_round=rounds,
        history=history,
        found={each.agent.label: fence_passages(each.list_found()) for each in searchers},
        sums={each.agent.label: round(each.sum, 3) for each in searchers},
    )
    return verdict_from(final, by="judge")


class Searcher:
    """What an agent of the debate has said and found so far.

    Args:
        agent: the agent.

    Attributes:
        said: its answers.
        queries: what it looked up.
        found: the passages that it has.
        had: the passages that it has had.
        sum: all its scores together.
        low: whether its last scores were too low.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.said: list[View] = []
        self.queries: list[str] = []
        self.found: Sequence[Passage] = ()
        self.had: dict[tuple[str, str], None] = {}
        self.sum = 0.0
        self.low = False

    def take(self, query: str, found: Sequence[Passage]) -> None:
        """Go on with what was found for a query."""
        self.queries.append(query)
        self.found = found
        self.had |= dict.fromkeys((each.source, each.text) for each in found)

    def list_found(self) -> Iterator[Passage]:
        """Yield all passages that it has had, numbered through, each once."""
        yield from (Passage(number, *each) for number, each in enumerate(self.had, 1))

    def take_scores(self, view: View, faithful: float, relevant: float) -> None:
        """Take the scores of its last answer; those that cannot be read are low."""
        scored = view.get(Grounding)
        self.low = scored is None or not (
            scored.faithfulness > faithful and scored.relevance > relevant
        )
        self.sum += scored.faithfulness + scored.relevance if scored else 0.0


async def _search(
    debate: Debate, searchers: Sequence[Searcher], sources: Sequence[str], number: int
) -> None:
    """Let both write a query, and look it up where they do not go on with what they have."""
    own = {each.agent: each for each in searchers}
    asked = await debate.everyone(
        list(own),
        "query",
        in_round=number,
        votes=False,
        query=lambda agent: own[agent].queries[-1] if own[agent].queries else "",
        mine=lambda agent: own[agent].said[-1] if own[agent].said else None,
        others=lambda agent: _last_of_other(searchers, agent),
    )
    for each, source, view in zip(searchers, sources, asked, strict=True):
        wanted = view.get(SearchQuery)
        query = wanted.query if wanted else "" if each.queries else debate.question.text
        if not query and each.queries:
            continue
        query = query or debate.question.text
        each.take(query, await _look_up(debate, source, query, view))


async def _look_up(debate: Debate, source: str, query: str, asked: View) -> Sequence[Passage]:
    """Look something up in a source for the agent of a view, and record what is found."""
    if is_tool(source, debate.context.settings):
        return await call_for(debate, asked, source, query)
    return await search_folder(debate, source, [query], asked.turn.id)


async def _answer(debate: Debate, searchers: Sequence[Searcher], number: int) -> None:
    """Let both answer over their passages and the other's last answer."""
    own = {each.agent: each for each in searchers}
    answered = await debate.everyone(
        list(own),
        "answer-from",
        in_round=number,
        passages=lambda agent: fence_passages(own[agent].found),
        low=lambda agent: "low" if own[agent].low else "",
        others=lambda agent: _last_of_other(searchers, agent),
    )
    for each, view in zip(searchers, answered, strict=True):
        each.said.append(view)


async def _score(
    debate: Debate,
    searchers: Sequence[Searcher],
    scorer: Agent,
    number: int,
    bounds: tuple[float, float],
) -> None:
    """Have the last answer of each scored against its passages."""
    scored = await gather_all(
        debate.ask(
            scorer,
            "score",
            in_round=number,
            votes=False,
            other=each.said[-1],
            passages=fence_passages(each.found),
        )
        for each in searchers
    )
    for each, view in zip(searchers, scored, strict=True):
        each.take_scores(view, *bounds)


def _last_of_other(searchers: Sequence[Searcher], agent: Agent) -> Views:
    """Return the other's last answer; empty before the first."""
    return Views(each.said[-1] for each in searchers if each.agent is not agent and each.said)


def _agree(debate: Debate, question: Question, searchers: Sequence[Searcher]) -> bool:
    """Return whether both answers agree and have passed, and record what is so."""
    views = Views(each.said[-1] for each in searchers)
    agree = all_agree(views, question)
    low = [each.agent.seat.agent for each in searchers if each.low]
    why = "both agree" if agree else "the answers differ"
    why += f"; low scores: {', '.join(low)}" if low else "; all scores are high enough"
    return debate.ends(lambda *_: Ending(why=why, ends=agree and not low), views)

"""Document debate: an agent for each document, and an aggregator (MADAM-RAG)."""

import re
from functools import partial
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot import Debate, Ending, Question, Verdict, Views, protocol, verdict_from
from moot.contrib.documents.evidence import consult
from moot.contrib.documents.settings import SEARCH_BY, Documents, SearchBy
from moot.contrib.documents.shown_evidence import fence_passages
from moot.extend.protocols import Rounds, answer_value, gather_all
from moot.extend.records import Kind

AgentPassages = Annotated[
    int, Meta(ge=1, le=100, description="the most passages, with an agent for each")
]
DocumentShows = Annotated[
    Literal["replies", "aggregate"],
    Meta(description="what agents read from round 2 on: others' answers, or the aggregator's"),
]


@protocol(
    paper="arXiv:2504.13079 (MADAM-RAG) and its code",
    calls="rounds * ((passages if evidence else 1) + 1)",
    fewest="2",
    roles=("reader", "aggregator"),
    opened=("reader",),
    closing="aggregate",
    group="sources",
)
async def document_debate(
    debate: Debate,
    question: Question,
    *,
    rounds: Rounds = 3,
    evidence: Documents = "",
    passages: AgentPassages = 5,
    search_by: SearchBy = SEARCH_BY,
    shows: DocumentShows = "replies",
) -> Verdict:
    """Let an agent for each document answer from it alone, and an aggregator list what is right.

    Use it when documents contradict each other, or speak of several things of one name; it has
    nothing to weigh where one document is found.

    The passages that are found by the question's words are given to an agent each. From the second
    round on each reads what the others said, and answers anew from its document; it has no memory.
    The aggregator lists all right answers after each round, and closes with the one that is
    supported best: that is the verdict's answer. When no agent changes its answer, the debate ends
    with the aggregator's last words. Without documents one agent answers from what it knows.

    Differs:
        - Sets: a verdict has one answer. The list stands in the reading of its turn and in its
          text; the metric ``listed-answers`` compares it with the question's right answers.
        - Unchanged: an empty or unreadable answer never counts as unchanged; in the code it is
          contained in every other. Letters and numbers are compared by value.
        - Aggregate: with ``shows = "aggregate"`` agents read the aggregator's words, as the paper
          is said to do; its code shows the others' replies.
        - Decoding: the paper's is greedy; here the temperature of the settings.
    """
    found = await consult(debate, question.text)
    readers = debate.seat("reader", max(len(found), 1), remembers=False)
    [aggregator] = debate.seat("aggregator", remembers=False, debater=False)
    own = {
        reader: debate.word("document", document=fence_passages(found[place : place + 1]))
        for place, reader in enumerate(readers)
    }
    last = await debate.everyone(readers, "read", document=own.__getitem__)
    for number in range(2, rounds + 1):
        aggregate = debate.ask(aggregator, "aggregate", in_round=number - 1, replies=last)
        if shows == "replies":  # nobody reads the aggregate: the next round need not wait for it
            shown: dict[str, Any] = {"others": last.without, "aggregate": None}
            reread = debate.everyone(readers, "reread", document=own.__getitem__, **shown)
            said, newer = await gather_all([aggregate, reread])
        else:
            said = await aggregate
            shown = {"others": Views(), "aggregate": said}
            newer = await debate.everyone(readers, "reread", document=own.__getitem__, **shown)
        if debate.ends(partial(_stop, last), newer):
            return verdict_from(said, by="aggregator")
        last = newer
    said = await debate.ask(aggregator, "aggregate", in_round=rounds, replies=last)
    return verdict_from(said, by="aggregator")


def _stop(before: Views, newer: Views, question: Question) -> Ending:
    """Return that no agent changed its answer, or how many did."""
    pairs = zip(before.answers, newer.answers, strict=True)
    changed = sum(not is_unchanged(last, now, question.kind) for last, now in pairs)
    if not changed:
        return Ending(why="no agent changed its answer")
    return Ending(why=f"{changed} of {len(newer)} changed their answers", ends=False)


def is_unchanged(last: str | None, now: str | None, kind: Kind) -> bool:
    """Return whether an answer is the agent's last one; of two texts one may contain the other."""
    if last is None or now is None:
        return False
    if kind != "text":
        return answer_value(last, kind) == answer_value(now, kind)
    one, other = _normalise(last), _normalise(now)
    return bool(one and other) and (one in other or other in one)


def _normalise(answer: str) -> str:
    """Return a text in lower case without punctuation and articles, with single spaces."""
    words = re.sub(r"[^\w\s]", "", answer.casefold()).split()
    return " ".join(word for word in words if word not in {"a", "an", "the"})

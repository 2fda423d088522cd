"""Point evidence: each point of a plan searches the documents for itself, and against itself.

The words of a point find what may bear it out; the words in which the critic answers it find what
may speak against it. A search only compares words. The writer judges whether a passage supports
the point.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from moot import Debate, Transcript, Turn
from moot.contrib.documents.evidence import describe_reading, find_passages, read_settings
from moot.contrib.documents.settings import OWN_DOCUMENTS
from moot.contrib.documents.shown_evidence import EvidenceSource, FoundPassages
from moot.contrib.essays.plan_outline import EssayPlan, PlanPoint
from moot.contrib.essays.quoting.source_references import find_references
from moot.contrib.essays.quoting.sourced_figures import split_sentences
from moot.contrib.essays.standing import without_standing
from moot.extend.protocols import OMITTED
from moot.extend.records import Passage, Searched

PointPassages = Annotated[
    int,
    Meta(
        ge=0,
        le=10,
        title="Passages for each point",
        description="passages that each point of the plan finds by its words, and as many by those "
        "of the critic, for the writer; 0: no search",
        extra=OMITTED,
    ),
]
LONGEST_QUERY = 600
"""Characters of a query."""
_LONG_WORD = re.compile(r"[^\W\d_]{5,}")
_PLAYED_CRITIC = re.compile(r"^[*_ ]*Critic[*_ ]*:[*_ ]*(.+)$", re.IGNORECASE | re.MULTILINE)


class PointEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The passages that a point of a plan names and finds.

    Attributes:
        point: its number, from 1.
        quoted: the numbers of the passages that it names.
        found: of those that its own words found.
        against: of those that were found by the words in which the critic answers it.
    """

    point: int
    quoted: tuple[int, ...] = ()
    found: tuple[int, ...] = ()
    against: tuple[int, ...] = ()


class PointQueries(NamedTuple):
    """The words of a point, and of the critic's answer to it; empty where it has none."""

    own: str
    against: str


def list_queries(plan: EssayPlan, critic: Iterable[str]) -> Iterator[PointQueries]:
    """Yield the words that each point of a plan looks up.

    Args:
        plan: with its points.
        critic: the critic's contributions. Its answer to a point is the sentence that shares the
            most long words with it.
    """
    said = map(without_standing, critic)
    sentences = [text[begin:end] for text in said for begin, end in split_sentences(text)]
    for point in plan.points:
        own = _say(point)
        words = _stems(own)
        shared = [(len(words & _stems(each)), each) for each in sentences]
        most, answer = max(shared, key=lambda each: each[0], default=(0, ""))
        yield PointQueries(own, _shorten(answer) if most else "")


def _say(point: PlanPoint) -> str:
    return _shorten(" ".join([point.text, *point.supports]))


def _shorten(text: str) -> str:
    return " ".join(text.split())[:LONGEST_QUERY]


def _stems(text: str) -> set[str]:
    return {word.casefold()[:6] for word in _LONG_WORD.findall(text)}


async def search_by_points(
    debate: Debate,
    plan: Turn,
    critic: Sequence[str],
    found: Sequence[Passage],
    most: int,
) -> FoundPassages:
    """Have each point of a plan search the documents, and return all passages for the writer.

    The search is recorded. Passages that were found before keep their numbers.

    Args:
        debate: its setting ``evidence`` names the documents.
        plan: the planner's turn.
        critic: the critic's contributions.
        found: the passages that were found before.
        most: passages that each query finds; 0 searches nothing.
    """
    own = read_settings(debate)
    read = plan.reading if isinstance(plan.reading, EssayPlan) else None
    if not (most and own.evidence and read) or own.evidence == OWN_DOCUMENTS:
        return FoundPassages(found)
    source = EvidenceSource(own.evidence, most, own.search_by)
    queries = [query for pair in list_queries(read, critic) for query in pair]
    every, by_query = list(found), list[tuple[int, ...]]()
    for query in queries:
        passages = await find_passages(debate.question, source, [query]) if query else ()
        by_query.append(_number(passages, every))
    debate.record(
        Searched(
            query="\n".join(queries),
            after=debate.newest_turn,
            node=debate.context.node,
            by_query=tuple(by_query),
            **await describe_reading(own.evidence, every),
        )
    )
    return FoundPassages(every)


def _number(passages: Sequence[Passage], every: list[Passage]) -> tuple[int, ...]:
    """Return the numbers of passages; those that are new are added to all, with the next ones."""
    numbers = {(each.source, each.text): each.number for each in every}
    for each in passages:
        if (each.source, each.text) not in numbers:
            numbers[each.source, each.text] = len(every) + 1
            every.append(msgspec.structs.replace(each, number=len(every) + 1))
    return tuple(numbers[each.source, each.text] for each in passages)


def list_point_evidence(
    transcript: Transcript, plan: EssayPlan | None
) -> tuple[PointEvidence, ...]:
    """Return the evidence of each point of a plan; empty where it has no documents."""
    searches = transcript.searches
    if plan is None or not any(each.passages for each in searches):
        return ()
    known = {passage.number for each in searches for passage in each.passages}
    by_query = next((each.by_query for each in searches if each.by_query), ())
    queries = by_query if len(by_query) == 2 * len(plan.points) else ((),) * 2 * len(plan.points)
    return tuple(
        PointEvidence(
            point=place + 1,
            quoted=tuple(sorted(_list_named(point) & known)),
            found=queries[2 * place],
            against=queries[2 * place + 1],
        )
        for place, point in enumerate(plan.points)
    )


def _list_named(point: PlanPoint) -> set[int]:
    said = (point.text, *point.supports)
    return {n for each in said for one in find_references(each) for n in one.numbers}


def list_played_critic(text: str) -> list[str]:
    """Return the words of the critic in a discussion that one reply plays."""
    return _PLAYED_CRITIC.findall(text)

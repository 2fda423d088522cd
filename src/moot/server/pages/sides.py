"""Two debates of one question beside each other, round by round."""

from typing import NamedTuple

from moot.core.events import Transcript
from moot.core.plain import dollars, many
from moot.core.questions import Question
from moot.core.stored import decode_transcript
from moot.reports.asked import mark as outcome_of
from moot.server.pages.marks import Mark, Marks

BRIEF = 1_500
"""The most characters of a reply that are shown."""
MESSAGES = 120
"""The most messages of a debate that are shown."""


class Said(NamedTuple):
    """A message.

    Attributes:
        id: the turn's.
        agent: who said it.
        mark: of its answer.
        text: as much of it as is shown.
        left: characters that are not.
    """

    id: int
    agent: str
    mark: Mark
    text: str
    left: int


class Debate(NamedTuple):
    """One of the two.

    Attributes:
        outcome: how it came out, as one of ``OUTCOMES`` of the index.
        verdict: its answer.
        protocol: by which it debated.
        took: calls, tokens and money, in words.
        failed: why there is no verdict; empty where there is one.
        left: messages that are not shown.
    """

    outcome: str
    verdict: Mark
    protocol: str
    took: str
    failed: str
    left: int


class Both(NamedTuple):
    """Two debates.

    Attributes:
        question: of the first.
        same: whether the second was asked the same.
        debates: how each came out.
        rounds: what both said in each: a name, the first's messages, and the second's.
    """

    question: Question
    same: bool
    debates: tuple[Debate, Debate]
    rounds: list[tuple[str, list[Said], list[Said]]]


def sides(encoded: tuple[bytes, bytes]) -> Both:
    """Lay out two debates; an answer has one colour in both."""
    one, two = (decode_transcript(each, "the transcript of a debate") for each in encoded)
    marks = Marks(one.question)
    spoken = _rounds(one, marks), _rounds(two, marks)
    names = list(dict.fromkeys([*spoken[0], *spoken[1]]))
    return Both(
        one.question,
        (one.question.text, one.question.choices) == (two.question.text, two.question.choices),
        (_debate(one, marks), _debate(two, marks)),
        [(_name(*key), spoken[0].get(key, []), spoken[1].get(key, [])) for key in names],
    )


def _rounds(transcript: Transcript, marks: Marks) -> dict[tuple[str, int], list[Said]]:
    """The messages of a debate, by node and round."""
    found: dict[tuple[str, int], list[Said]] = {}
    for turn in transcript.turns[:MESSAGES]:
        said = Said(
            turn.id,
            turn.agent,
            marks.of(turn.answer),
            turn.text[:BRIEF],
            max(0, len(turn.text) - BRIEF),
        )
        found.setdefault((turn.node, turn.round), []).append(said)
    return found


def _name(node: str, number: int) -> str:
    return f"{node}, round {number}" if node else f"Round {number}"


def _debate(transcript: Transcript, marks: Marks) -> Debate:
    verdict, failed, turns = transcript.verdict, transcript.failed, transcript.turns
    tokens = [(turn.prompt_tokens, turn.completion_tokens) for turn in turns]
    known = [a + b for a, b in tokens if a is not None and b is not None]
    costs = [turn.cost for turn in turns if turn.cost is not None]
    took = [
        many(len(turns), "message"),
        many(sum(known), "token") if len(known) == len(turns) else "tokens unknown",
        dollars(sum(costs)) if len(costs) == len(turns) else "cost unknown",
    ]
    return Debate(
        outcome_of(transcript),
        marks.of(verdict.answer if verdict else None),
        transcript.opened.protocol,
        " · ".join(took),
        f"{failed.kind}: {failed.reason}" if failed else "",
        max(0, len(turns) - MESSAGES),
    )

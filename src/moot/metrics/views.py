"""What several metrics read off a transcript, worked out once for each transcript."""

from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeVar

from moot.core.events import NodeFinished, Transcript, Turn
from moot.parsing.same import value

T = TypeVar("T")


def once(function: Callable[[Transcript], T]) -> Callable[[Transcript], T]:
    """Keep the last result: all metrics of a debate are taken one after the other."""
    last: tuple[Transcript, T] | None = None

    def remembered(transcript: Transcript) -> T:
        nonlocal last
        kept = last
        if kept is None or kept[0] is not transcript:
            last = kept = (transcript, function(transcript))
        return kept[1]

    return remembered


class Debater(NamedTuple):
    """One debater's part in a debate: its turns, in order; at least one."""

    turns: list[Turn]

    @property
    def first(self) -> str | None:
        """What it committed to first."""
        return self.turns[0].answer

    @property
    def last(self) -> str | None:
        """What it committed to in the end."""
        return self.turns[-1].answer


@once
def turns(transcript: Transcript) -> tuple[Turn, ...]:
    """Everything that was said, in order."""
    return transcript.turns


@once
def nodes(transcript: Transcript) -> tuple[NodeFinished, ...]:
    """What the nodes of a network came to."""
    return transcript.nodes


@once
def debaters(transcript: Transcript) -> list[Debater]:
    """Return the debaters by seat, without seats that never spoke and those that do not debate.

    An agent that advises is a debater. The debaters of a network are those of its nodes.
    """
    silent = {seat.number for seat in transcript.seats if not seat.debater}
    spoken: dict[int, Debater] = {}
    for turn in turns(transcript):
        if turn.seat not in silent:
            spoken.setdefault(turn.seat, Debater([])).turns.append(turn)
    return [spoken[seat] for seat in sorted(spoken)]


@once
def asked(transcript: Transcript) -> bool:
    """Whether the debaters were asked for answers.

    Any words answer a question of open text. Where no debater ever gave such an answer, they were
    asked for something else, as in the debate over an essay's plan: there is nothing to compare.
    """
    given = (turn.answer for mind in debaters(transcript) for turn in mind.turns)
    return transcript.question.kind != "text" or any(answer is not None for answer in given)


@once
def values(transcript: Transcript) -> dict[str | None, Hashable]:
    """What each answer given in a debate stands for; None for the unparsed one."""
    kind = transcript.question.kind
    given = {turn.answer for turn in turns(transcript)}
    return {answer: None if answer is None else value(answer, kind) for answer in given}


@once
def stands(transcript: Transcript) -> list[list[Hashable]]:
    """What each debater's answers stand for, turn by turn; None for an unparsed one.

    Empty where they were not asked for answers.
    """
    if not asked(transcript):
        return []
    known = values(transcript)
    return [[known[turn.answer] for turn in mind.turns] for mind in debaters(transcript)]


@once
def at_the_start(transcript: Transcript) -> list[Debater]:
    """The debaters with answers to compare; where nodes debate several times, of the first."""
    minds = debaters(transcript) if asked(transcript) else []
    names = {node["name"] for node in transcript.opened.settings.get("nodes", ())}
    return [mind for mind in minds if mind.turns[0].node in names] if names else minds


@once
def at_the_end(transcript: Transcript) -> list[Debater]:
    """The debaters with answers to compare; where nodes debate several times, of the last."""
    if not asked(transcript):
        return []
    ends = nodes(transcript)
    last = max((node.sweep for node in ends), default=1) if ends else 1
    if last == 1:
        return debaters(transcript)
    ended = {f"{node.node}.{last}" for node in ends}
    return [mind for mind in debaters(transcript) if mind.turns[0].node in ended]


@once
def right(transcript: Transcript) -> dict[str | None, bool] | None:
    """Which of the answers given in a debate are right; None where nobody knows.

    An unparsed answer (None) is not right.
    """
    question = transcript.question
    if question.answer is None:
        return None
    kind, verdict = question.kind, transcript.verdict
    stood = {**values(transcript), None: None}
    for each in [verdict, *[node.verdict for node in nodes(transcript)]]:
        answer = None if each is None else each.answer
        if answer is not None and answer not in stood:
            stood[answer] = value(answer, kind)
    good = {value(answer, kind) for answer in question.answers}
    return {answer: stands in good for answer, stands in stood.items()}

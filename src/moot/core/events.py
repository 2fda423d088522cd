"""The transcript: the complete, ordered record of one debate, as a closed union of events."""

from collections.abc import Iterator
from typing import Any

import msgspec

from moot.core.calls import Finish
from moot.core.passages import Passage
from moot.core.questions import WITHHELD, Question
from moot.core.readings import RecordedReading, withhold_texts

FORMAT = 2
"""The format in which transcripts are written now; see ``Opened.format``."""


class Seat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An agent's place in a debate: who sits there and which model speaks for it.

    Attributes:
        number: from 0; the seats of a network's nodes are a thousand apart.
        node: the node of a network it debates in; empty in a debate that is none.
        debater: True for an agent that holds an answer of its own; False for one that judges, sums
            up, recruits or plans. Metrics of debaters leave these out.
    """

    number: int
    agent: str
    role: str
    model: str
    node: str = ""
    debater: bool = True


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened", tag_field="event"):
    """A debate began.

    Attributes:
        protocol: its registered name.
        settings: every setting in force, defaults included.
        pack: the content hash of the prompts used.
        replicate: the study's repetition, from 0.
        simulated: True when any agent is no language model; every output says so.
        opening: the values of which who speaks first was asked whether they are the right answer;
            empty where it was asked openly.
        format: how the transcript is written. In format 1 neither ``Seat.debater`` nor
            ``Turn.reading`` is recorded.
    """

    question: Question
    protocol: str
    settings: dict[str, Any]
    pack: str
    replicate: int = 0
    simulated: bool = False
    opening: tuple[str, ...] = ()
    format: int = 1


class Seated(msgspec.Struct, frozen=True, kw_only=True, tag="seated", tag_field="event"):
    """An agent took its seat."""

    seat: Seat


class Turn(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="turn", tag_field="event"
):
    """An agent spoke.

    Attributes:
        id: from 1, in the order in which turns were asked for, whatever order replies arrived in.
            Each node of a network has a range of its own; one that ended early leaves a gap.
        seat: the number of the agent's seat.
        step: the prompt of the pack that was used.
        round: from 1.
        answer: what the reply commits to, in canonical form; None when it commits to nothing.
        reads: ids of the turns this agent had in front of it, its own earlier ones included.
        call: the call's identity in the ledger, in hexadecimal.
        replayed: True when the reply came from the ledger.
        node: the node of a network in which it was said; empty in a debate that is none.
        removed: messages left out of the prompt because it did not fit the context window.
        order: for choices shown in another order, the original place of each, from 0; ``answer`` is
            the original letter, ``text`` speaks of the letters as shown.
        thought: what the agent's model wrote for itself before it answered, where it shows that.
            No other agent and no parser saw it.
        reasoning_tokens: the completion tokens that are hidden thought, shown or not; None where
            that is unknown.
        parser: the name of the parser that read the reply; empty in a transcript of format 1.
        reading: what the reply says beside its answer, as that parser read it; None where it says
            nothing that the parser looks for, and in a transcript of format 1.
    """

    id: int
    agent: str
    seat: int
    role: str
    step: str
    round: int
    model: str
    text: str
    answer: str | None
    reads: tuple[int, ...]
    call: str
    finish: Finish = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    retries: int = 0
    replayed: bool = False
    node: str = ""
    removed: int = 0
    order: tuple[int, ...] = ()
    thought: str = ""
    reasoning_tokens: int | None = None
    parser: str = ""
    reading: RecordedReading | None = None

    @property
    def is_thought_only(self) -> bool:
        """Whether all tokens that the reply was allowed went into hidden thought: no text came."""
        thought = bool(self.thought or self.reasoning_tokens)
        return thought and self.finish == "length" and not self.text.strip()


class Searched(msgspec.Struct, frozen=True, kw_only=True, tag="searched", tag_field="event"):
    """The user's documents were searched, and what was found was shown to agents from then on.

    Attributes:
        query: what was looked up; several queries stand in a line each.
        passages: what was found, best first, by the numbers under which agents may quote it.
        after: the id of the newest turn that had been asked for; 0 where none had.
        node: the node of a network that looked it up; empty in a debate that is none.
    """

    query: str
    passages: tuple[Passage, ...]
    after: int = 0
    node: str = ""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a debate decided.

    Attributes:
        answer: in canonical form; None when the debate came to none.
        text: the words that carry it: the deciding turn's.
        by: how it was reached, e.g. ``"majority"`` or ``"judge"``.
        turn: the id of the deciding turn, if one turn decided.
        votes: how many agents stood for each answer, where there was a vote.
    """

    answer: str | None
    text: str = ""
    by: str = "answer"
    turn: int | None = None
    votes: dict[str, int] = {}


class NodeFinished(msgspec.Struct, frozen=True, kw_only=True, tag="concluded", tag_field="event"):
    """A node of a network came to its verdict.

    Attributes:
        node: its name.
        protocol: by which it debated.
        pack: the content hash of its prompts.
        layer: the longest way from a node without inputs, from 1.
        sweep: from 1; above 1 only where nodes debate again, as in ``hopfield``.
        reads: the nodes whose verdicts it was given.
        place: among all that nodes came to, from 0, whatever order they ended in.
    """

    node: str
    protocol: str
    pack: str
    layer: int
    verdict: Verdict
    place: int
    sweep: int = 1
    reads: tuple[str, ...] = ()


class Closed(msgspec.Struct, frozen=True, kw_only=True, tag="closed", tag_field="event"):
    """A debate ended with a verdict. ``seconds`` is its wall time in this process."""

    verdict: Verdict
    seconds: float = 0.0


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed", tag_field="event"):
    """A debate ended without one.

    Attributes:
        kind: the error's class.
        reason: its message.
        retries: attempts after the first of the calls that failed for good.
        seconds: wall time in this process.
    """

    kind: str
    reason: str
    retries: int = 0
    seconds: float = 0.0


Event = Opened | Seated | Turn | Searched | NodeFinished | Closed | Failed


class Transcript(msgspec.Struct, frozen=True):
    """Everything that happened in one debate, in order; the only input of a metric."""

    events: tuple[Event, ...]

    @property
    def opened(self) -> Opened:
        """How the debate was set up: always its first event."""
        first = self.events[0]
        assert isinstance(first, Opened)
        return first

    @property
    def question(self) -> Question:
        """What was debated."""
        return self.opened.question

    @property
    def seats(self) -> Iterator[Seat]:
        """The agents' places, in the order in which they were taken."""
        return (event.seat for event in self.events if isinstance(event, Seated))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Everything that was said, in order."""
        return tuple([event for event in self.events if isinstance(event, Turn)])

    @property
    def nodes(self) -> tuple[NodeFinished, ...]:
        """What the nodes of a network came to, by sweep and place; empty where there are none."""
        return tuple([event for event in self.events if isinstance(event, NodeFinished)])

    @property
    def searches(self) -> tuple[Searched, ...]:
        """What was looked up in the user's documents, in order; empty where nothing was."""
        return tuple([event for event in self.events if isinstance(event, Searched)])

    @property
    def verdict(self) -> Verdict | None:
        """What was decided; None when the debate failed."""
        last = self.events[-1]
        return last.verdict if isinstance(last, Closed) else None

    @property
    def deciding(self) -> Turn | None:
        """The turn that decided; None where no single one did."""
        if (verdict := self.verdict) is None or verdict.turn is None:
            return None
        return next((turn for turn in self.turns if turn.id == verdict.turn), None)

    @property
    def last_words(self) -> tuple[Turn, ...]:
        """What each agent said last, in the order of the seats; those who said nothing left out.

        One whose whole reply went into thought is in, without a text.
        """
        newest = {turn.seat: turn for turn in self.turns}
        said = (newest[seat] for seat in sorted(newest))
        return tuple([turn for turn in said if turn.text.strip() or turn.is_thought_only])

    @property
    def failed(self) -> Failed | None:
        """Why there is no verdict; None when there is one."""
        last = self.events[-1]
        return last if isinstance(last, Failed) else None

    @property
    def shown(self) -> "Transcript":
        """The transcript as it may be stored: of a secret question, without what was said.

        Tokens, cost and time stay, and so do answers and votes, but where they are open text.
        """
        question = self.question
        if not question.secret:
            return self
        return Transcript(tuple(_silent(each, question.kind == "text") for each in self.events))


def _silent(event: Event, open_: bool) -> Event:  # noqa: FBT001 -- one of two kinds of question
    """An event without the texts that tell what was asked; ``open_``: nor the answers."""
    replace = msgspec.structs.replace
    if isinstance(event, Opened):
        opening = (WITHHELD,) * len(event.opening) if open_ else event.opening
        return replace(event, question=event.question.shown, opening=opening)
    if isinstance(event, Turn):
        thought = event.thought and WITHHELD
        text = event.text and WITHHELD
        reading = event.reading and withhold_texts(event.reading)
        answer = _hidden(event.answer, open_)
        return replace(event, text=text, thought=thought, answer=answer, reading=reading)
    if isinstance(event, Searched):
        return replace(event, query=WITHHELD, passages=())
    if isinstance(event, NodeFinished | Closed):
        return replace(event, verdict=_unsaid(event.verdict, open_))
    return event


def _unsaid(verdict: Verdict, open_: bool) -> Verdict:  # noqa: FBT001 -- as _silent
    votes = verdict.votes
    if open_:  # who stood for what is not told, but how many
        votes = {f"{WITHHELD} {place}": count for place, count in enumerate(votes.values(), 1)}
    return msgspec.structs.replace(
        verdict,
        text=verdict.text and WITHHELD,
        answer=_hidden(verdict.answer, open_),
        votes=votes,
    )


def _hidden(answer: str | None, open_: bool) -> str | None:  # noqa: FBT001 -- as _silent
    return WITHHELD if open_ and answer is not None else answer

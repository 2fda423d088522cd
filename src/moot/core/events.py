"""The transcript: the complete, ordered record of one debate, as a closed union of events."""

from collections.abc import Iterator
from typing import Any

import msgspec

from moot.core.calls import Finish
from moot.core.questions import Question


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's place in a debate: who sits there and which model speaks for it."""

    number: int
    agent: str
    role: str
    model: str


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened", tag_field="event"):
    """A debate began.

    Attributes:
        protocol: its registered name.
        settings: every setting in force, defaults included.
        pack: the content hash of the prompts used.
        replicate: the study's repetition, from 0.
        simulated: True when any agent is no language model; every output says so.
    """

    question: Question
    protocol: str
    settings: dict[str, Any]
    pack: str
    replicate: int = 0
    simulated: bool = False


class Seated(msgspec.Struct, frozen=True, kw_only=True, tag="seated", tag_field="event"):
    """An agent took its seat."""

    seat: Seat


class Turn(msgspec.Struct, frozen=True, kw_only=True, tag="turn", tag_field="event"):
    """An agent spoke.

    Attributes:
        id: from 1, in the order in which turns were asked for, whatever order replies arrived in.
        seat: the number of the agent's seat.
        step: the prompt of the pack that was used.
        round: from 1.
        answer: what the reply commits to, in canonical form; None when it commits to nothing.
        reads: ids of the turns this agent had in front of it, its own earlier ones included.
        call: the call's identity in the ledger, in hexadecimal.
        replayed: True when the reply came from the ledger.
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


Event = Opened | Seated | Turn | Closed | Failed


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
        return tuple(event for event in self.events if isinstance(event, Turn))

    @property
    def verdict(self) -> Verdict | None:
        """What was decided; None when the debate failed."""
        last = self.events[-1]
        return last.verdict if isinstance(last, Closed) else None

    @property
    def failed(self) -> Failed | None:
        """Why there is no verdict; None when there is one."""
        last = self.events[-1]
        return last if isinstance(last, Failed) else None

"""The transcript: the complete, ordered record of one debate, as a closed union of events."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import msgspec

from moot.core.calls import Finish
from moot.core.errors import FAILURES
from moot.core.messages import ToolCall
from moot.core.notebook_display import NotebookDisplay, Row, flatten, represent_debate
from moot.core.questions import Question
from moot.core.readings import RecordedReading

FORMAT = 2
"""The format in which transcripts are written now; see ``Opened.format``."""
GIVEN = "given"
"""The model of a turn whose words were given to the debate: nothing was asked for it."""


class Seat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An agent's place in a debate: its number, its role, its model.

    Attributes:
        number: from 0; the seats of a network's nodes are a thousand apart.
        node: the node of a network it debates in; empty in any other debate.
        debater: True for an agent that holds an answer of its own; False for one that judges, sums
            up, recruits or plans. Metrics of debaters leave these out.
        draws_as: the seat whose draws its calls share; None for its own. So an agent that is asked
            what another debate's agent is asked gets the reply of that one.
        own: what features record of the agent, by setting.
    """

    number: int
    agent: str
    role: str
    model: str
    node: str = ""
    debater: bool = True
    draws_as: int | None = None
    own: dict[str, Any] = {}


ELSEWHERE = "recorded elsewhere"
"""The label of a debate that was no run of moot's; the name of its log follows."""


class LogSource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The log of a debate that was recorded elsewhere, and what it states in its own form.

    Attributes:
        name: of the log, as every output has it.
        place: of the debate in the log.
        answer: the right answer or answers; None where the log states none.
        verdict: the answer of the debate's end; None as above.
        correct: whether the log counts the debate as right; None where it does not say.
        labels: what else it states of this debate alone, by name.
    """

    name: str
    place: str = ""
    answer: str | tuple[str, ...] | None = None
    verdict: str | None = None
    correct: bool | None = None
    labels: dict[str, Any] = {}


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened", tag_field="event"):
    """The beginning of a debate.

    Attributes:
        protocol: its registered name.
        settings: every setting in force, defaults included.
        pack: the content hash of the prompts used.
        replicate: the study's repetition, from 0.
        simulated: True when any agent is no language model; every output says so.
        opening: the values put to the first speaker, which was asked whether they are right; empty
            if it was asked openly.
        format: how the transcript is written. In format 1 neither ``Seat.debater`` nor
            ``Turn.reading`` is recorded.
        source: the log of a debate that was recorded elsewhere; unset in moot's own.
    """

    question: Question
    protocol: str
    settings: dict[str, Any]
    pack: str
    replicate: int = 0
    simulated: bool = False
    opening: tuple[str, ...] = ()
    format: int = 1
    source: LogSource | msgspec.UnsetType = msgspec.UNSET

    @property
    def origin(self) -> str:
        """Where the debate was recorded, in words; empty for moot's own."""
        return f"{ELSEWHERE}: {self.source.name}" if self.source else ""


class Seated(msgspec.Struct, frozen=True, kw_only=True, tag="seated", tag_field="event"):
    """An agent takes its seat."""

    seat: Seat


class Turn(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="turn", tag_field="event"
):
    """A turn: one prompt to an agent, and its reply.

    Attributes:
        id: from 1, in the order in which turns were asked for; the order in which replies arrive
            has no effect. Each node of a network has its own range; one that ends early leaves a
            gap.
        seat: the number of the agent's seat.
        model: that replied; ``"given"`` where the words were given, so that no model was called.
        step: the prompt of the pack that was used.
        round: from 1.
        answer: what the reply commits to, in canonical form; None if it commits to nothing.
        reads: ids of the turns that the prompt showed, the agent's own earlier ones included.
        call: the call's identity in the ledger, in hexadecimal.
        replayed: True if the reply came from the ledger.
        node: the node of a network that it belongs to; empty in any other debate.
        removed: messages left out of the prompt because it did not fit the context window.
        order: for choices shown in another order, the original place of each, from 0; ``answer`` is
            the original letter, ``text`` speaks of the letters as shown.
        thought: what the agent's model wrote for itself before it answered, if the endpoint shows
            it. No other agent and no parser sees it.
        reasoning_tokens: the completion tokens that are hidden thought; None if unknown.
        parser: the name of the parser that read the reply; empty in a transcript of format 1.
        prefix_share: the share of the prompt's characters, 0 to 1, from the first on, that also
            begin an earlier prompt to the same model, or that prompt and its reply. Earlier are the
            agent's last turn and the turns that the prompt shows. None where it was not recorded.
        reading: what the reply says beside its answer, as that parser read it; None without it.
        batch: the share of the usual price that the reply cost in a batch; None outside one.
        parts: of the turns in ``reads`` that were not shown whole, what was shown in their place,
            by their ids: ``"answer"``, ``"reason"``, ``"tally"``, or words that say what else.
            Ids below 0 are of words that a protocol composed and no agent said.
        votes: False for an intermediate product of a debater, such as a critique, a query or a
            ballot: its answer is no answer of the debater.
        about: the id of another question that was asked; empty for the debate's own.
        tool_calls: the client's tools that the agent wants called.
        stated: of a debate recorded elsewhere, the answer that its log states, in the log's form.
        reads_known: False in such a debate where its log does not show what the agent was shown.
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
    prefix_share: float | None = None
    batch: float | None = None
    parts: dict[int, str] = {}
    votes: bool = True
    about: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    stated: str | None = None
    reads_known: bool = True

    GIVEN: ClassVar[str] = GIVEN
    """The model of a turn whose words were given."""

    @property
    def is_given(self) -> bool:
        """Whether its words were given to the debate, so that it is no call."""
        return self.model == GIVEN

    @property
    def is_timed(self) -> bool:
        """Whether its time is known: it is of every call, but of those in logs."""
        return bool(self.call or self.seconds or self.is_given)

    @property
    def is_thought_only(self) -> bool:
        """Whether hidden thought used all tokens of the reply, so that it has no text."""
        thought = bool(self.thought or self.reasoning_tokens)
        return thought and self.finish == "length" and not self.text.strip()


class Passage(msgspec.Struct, frozen=True):
    """A piece of a user's document that may be quoted.

    Attributes:
        number: from 1; a quotation names it in square brackets.
        source: where it stands: the path within the user's folder, with the line.
        text: its words.
        before: the end of what stands before it in its document; unset where that is not known.
        after: the beginning of what follows it; unset likewise.
    """

    number: int
    source: str
    text: str
    before: str | msgspec.UnsetType = msgspec.UNSET
    after: str | msgspec.UnsetType = msgspec.UNSET


class Searched(msgspec.Struct, frozen=True, kw_only=True, tag="searched", tag_field="event"):
    """A search of the user's documents; agents are shown the passages from then on.

    Attributes:
        query: what was searched for; several queries stand in a line each.
        passages: what was found, best first.
        after: the id of the newest turn that had been asked for; 0 without one.
        node: the node of a network that searched; empty in any other debate.
        unread: files that were not searched, since no reader knows their ending.
        folder: its name; unset where all agents read from one.
        left_out: what is not read of documents, by their names; unset where all of them is.
        unused: documents of which no passage was found; unset where there are none.
        unshown: True where the passages are shown to nobody: what was written quotes from them.
        by_query: the numbers of the passages that each query found; unset where the queries of one
            search are not told apart.
        documents: what the documents of the passages say of themselves: a table for each, with its
            name as ``document``, and ``title``, ``authors``, ``year``, ``address`` where it has
            them; unset where nothing is known.
    """

    query: str
    passages: tuple[Passage, ...]
    after: int = 0
    node: str = ""
    unread: tuple[str, ...] = ()
    folder: str | msgspec.UnsetType = msgspec.UNSET
    left_out: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    unused: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    unshown: Literal[True] | msgspec.UnsetType = msgspec.UNSET
    by_query: tuple[tuple[int, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    documents: tuple[dict[str, Any], ...] | msgspec.UnsetType = msgspec.UNSET


NoteKind = Literal[
    "kept", "dismissed", "gate", "stop", "count", "dissent", "remark", "extend", "decide"
]
"""What is settled between turns; see ``Noted.what``."""


class Noted(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="noted", tag_field="event"
):
    """Something that was settled between turns, without a call.

    Attributes:
        what: ``"kept"`` for agents that keep their last reply and are not asked, ``"dismissed"``
            for agents that take no further part and have no vote, ``"gate"`` for what a gate says
            of the first round, ``"stop"`` for what a stop says, ``"count"`` for what ballots, marks
            or weights add up to, ``"dissent"`` for a reply that contradicts; for what a person
            asked of the debate ``"remark"``, ``"extend"`` (another round) and ``"decide"`` (no
            further one).
        why: the reason in a few words; a remark's text.
        agents: the names of the agents that it concerns; empty for all.
        turn: the id of another agent's turn that they take over, or of a dissenting turn; None
            where they keep their own.
        ends: whether a gate or stop ends the debate, or these agents' part in this round; False
            for what a person asked too late, so that it has no effect.
        signal: the number that was compared; None where none was.
        threshold: what it was compared with; None as above.
        fitted_on: the data on which the threshold was fitted; empty where it was not.
        after: the id of the newest turn that had been asked for; 0 without one.
        node: the sub-debate that it belongs to; empty in any other debate.
        reading: of a count, its figures; None otherwise.
    """

    what: NoteKind
    why: str
    agents: tuple[str, ...] = ()
    turn: int | None = None
    ends: bool = True
    signal: float | None = None
    threshold: float | None = None
    fitted_on: str = ""
    after: int = 0
    node: str = ""
    reading: RecordedReading | None = None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The decision of a debate.

    Attributes:
        answer: in canonical form; None if the debate reached none.
        text: the words for it: the deciding turn's.
        by: how it was reached, e.g. ``"majority"`` or ``"judge"``.
        turn: the id of the deciding turn; None if no single turn decided.
        votes: how many agents gave each answer, if there was a vote.
        scores: what each answer scored, where a decision rule compared something else than votes.
        missing: what the rule needs and agents did not state; empty where nothing is missing.
    """

    answer: str | None
    text: str = ""
    by: str = "answer"
    turn: int | None = None
    votes: dict[str, int] = {}
    scores: dict[str, float] = {}
    missing: str = ""

    @property
    def margin(self) -> float | None:
        """How far the best answer is above the second best, in votes or in the rule's scores.

        0 for a tie; None with fewer than two answers.
        """
        best = sorted((self.scores or self.votes).values(), reverse=True)[:2]
        return best[0] - best[1] if len(best) == 2 else None


class NodeFinished(msgspec.Struct, frozen=True, kw_only=True, tag="concluded", tag_field="event"):
    """The verdict of a network's node, or of another sub-debate.

    Attributes:
        node: its name; within a sub-debate after the name of that one and a slash.
        protocol: the protocol of its debate.
        pack: the content hash of its prompts.
        layer: the longest way from a node without inputs, from 1.
        sweep: from 1; above 1 only if nodes debate again, as in ``hopfield``.
        reads: the nodes whose verdicts it was given, or the agents whose replies.
        place: its place among the verdicts of all nodes, from 0; the order in which nodes end has
            no effect.
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
    """The end of a debate with a verdict. ``seconds`` is its wall time in this process."""

    verdict: Verdict
    seconds: float = 0.0


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed", tag_field="event"):
    """The end of a debate without a verdict.

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

    @property
    def words(self) -> str:
        """What people are shown: what happened, in place of the error's class, and the reason."""
        return f"{FAILURES.get(self.kind, self.kind)}: {self.reason}"


Event = Opened | Seated | Turn | Searched | Noted | NodeFinished | Closed | Failed


class Transcript(NotebookDisplay, msgspec.Struct, frozen=True):
    """The events of one debate, in order; the only input of a metric."""

    events: tuple[Event, ...]

    __repr__ = represent_debate

    @property
    def records(self) -> Sequence[Row]:
        """One row for each turn."""
        return [flatten(turn) for turn in self.turns]

    @property
    def opened(self) -> Opened:
        """The beginning of the debate: its first event."""
        first = self.events[0]
        assert isinstance(first, Opened)
        return first

    @property
    def question(self) -> Question:
        """The question that was debated."""
        return self.opened.question

    @property
    def seats(self) -> Iterator[Seat]:
        """The agents' places, in the order in which they were taken."""
        return (event.seat for event in self.events if isinstance(event, Seated))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns, in order."""
        return tuple([event for event in self.events if isinstance(event, Turn)])

    @property
    def nodes(self) -> tuple[NodeFinished, ...]:
        """The verdicts of a network's nodes, by sweep and place; empty for other debates."""
        return tuple([event for event in self.events if isinstance(event, NodeFinished)])

    def lacks_answer(self, turn: Turn) -> bool:
        """Return whether a turn should have an answer and has none.

        A reply to a question without answers to choose from needs none, nor does that of an agent
        that is no debater, such as a judge or a gate, nor one that is no vote, such as a review.
        """
        if (
            turn.answer is not None
            or not turn.votes
            or any(seat.number == turn.seat and not seat.debater for seat in self.seats)
        ):
            return False
        return self.question.kind != "text" or not turn.text.strip()

    @property
    def is_network(self) -> bool:
        """Whether its sub-debates come first. Where agents speak before them, it is none.

        A debate behind a gate is such a debate: what the gate saw stands before the sub-debate.
        """
        first = min(self.turns, key=lambda turn: turn.id, default=None)
        return bool(first.node if first else self.nodes)

    @property
    def searches(self) -> tuple[Searched, ...]:
        """The searches of the user's documents, in order; empty without one."""
        return tuple([event for event in self.events if isinstance(event, Searched)])

    @property
    def notes(self) -> tuple[Noted, ...]:
        """What the protocol settled between turns, in order."""
        return tuple([event for event in self.events if isinstance(event, Noted)])

    @property
    def dismissed(self) -> frozenset[str]:
        """The names of the agents that were dismissed: they have no vote and no last answer."""
        gone = (note.agents for note in self.notes if note.what == "dismissed")
        return frozenset(agent for agents in gone for agent in agents)

    @property
    def verdict(self) -> Verdict | None:
        """The decision; None if the debate failed."""
        last = self.events[-1]
        return last.verdict if isinstance(last, Closed) else None

    @property
    def deciding(self) -> Turn | None:
        """The deciding turn; None if no single turn decided."""
        if (verdict := self.verdict) is None or (number := verdict.turn) is None:
            return None
        turns = (event for event in self.events if isinstance(event, Turn))
        return next((turn for turn in turns if turn.id == number), None)

    @property
    def last_turns(self) -> tuple[Turn, ...]:
        """Each agent's last turn, in the order of the seats, without turns that have no text.

        A turn whose tokens all went into hidden thought is included, without a text.
        """
        newest = {turn.seat: turn for turn in self.turns if turn.votes}
        said = (newest[seat] for seat in sorted(newest))
        return tuple([turn for turn in said if turn.text.strip() or turn.is_thought_only])

    @property
    def failed(self) -> Failed | None:
        """The reason why there is no verdict; None if there is one."""
        last = self.events[-1]
        return last if isinstance(last, Failed) else None

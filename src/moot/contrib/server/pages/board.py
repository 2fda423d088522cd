"""A debate as its page shows it; its transcript may still grow."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from moot import Event, Reading, Transcript, Turn
from moot.contrib.server.pages.added_pages import registry as added
from moot.contrib.server.pages.debate_drawing import ReadingDrawing, draw_debate, part_key
from moot.contrib.server.pages.marks import AnswerMark, AnswerMarks
from moot.contrib.server.pages.turn_stages import TurnStage, find_stages
from moot.extend.protocols import is_correct, protocols
from moot.extend.records import (
    Dissent,
    Noted,
    Opened,
    ReplyPiece,
    Searched,
    TurnGroup,
    Unread,
    list_dissents,
    list_unread,
    tell_by,
)
from moot.extend.words import format_count, format_dollars, format_duration, format_things, redact

BRIEF = 1_100
"""Characters of a reply from which on the page folds its end."""
LINES = 20
"""Line breaks of a reply from which on the page folds its end."""
SHOWN = 9_000
"""The most characters of a reply; the rest is on the page of the message."""
MOST = 240
"""The most messages on one page."""
NOW = "part-now"
"""The key of the part of replies under way of which the node is not known."""
SIDE_BY_SIDE = 4
"""The most agents that have a column each."""


class BoardMessage(NamedTuple):
    """A message of an agent.

    Attributes:
        turn: the turn of the transcript.
        mark: of its answer.
        before: the mark of the agent's earlier answer; None if it did not change.
        right: whether the answer is right; None if unknown.
        column: of the agent, from 1.
        text: the reply, or its beginning.
        folded: whether its end is shown only when the reader unfolds it.
        left: the number of further characters.
        thought: the beginning of its hidden thought; empty without thought.
        thought_left: the number of its further characters.
    """

    turn: Turn
    mark: AnswerMark
    before: AnswerMark | None
    right: bool | None
    column: int
    text: str
    folded: bool
    left: int
    thought: str
    thought_left: int


class ReplyDraft(NamedTuple):
    """A reply under way.

    Attributes:
        turn: the id that its turn will have.
        agent: who writes it.
        role: its role.
        round: the number of the agent's turn.
        text: the words so far.
        thought: the number of words of thought so far.
    """

    turn: int
    agent: str
    role: str
    round: int
    text: str = ""
    thought: int = 0

    @property
    def state(self) -> str:
        """What its agent does, in a word or two."""
        if self.text:
            return "writing"
        return f"thinking, {format_things(self.thought, 'word')}" if self.thought else "thinking"


def join_pieces(pieces: Sequence[ReplyPiece]) -> list[ReplyDraft]:
    """Return the replies under way, in the order of their turns."""
    found: dict[int, ReplyDraft] = {}
    for piece in pieces:
        named = ReplyDraft(piece.turn, piece.agent, piece.role, piece.round)
        draft = found.setdefault(piece.turn, named)
        if piece.kind == "text":
            draft = draft._replace(text=draft.text + piece.text)
        elif piece.kind == "thought":
            draft = draft._replace(thought=draft.thought + len(piece.text.split()))
        else:
            draft = named
        found[piece.turn] = draft
    return [found[turn] for turn in sorted(found)]


class BoardRound(NamedTuple):
    """The messages of one stage of a debate or of a node, and what happened between them."""

    key: str
    stage: TurnStage
    messages: list[BoardMessage]
    between: Sequence[Searched | Noted] = ()


class BoardPart(NamedTuple):
    """A node of a network with its rounds, or the debate as a whole."""

    key: str
    group: TurnGroup
    ended: AnswerMark | None
    rounds: list[BoardRound]
    columns: int


class Board:
    """The content of the page of a debate.

    Args:
        events: of the debate so far; the first is ``Opened``.
        start: the number of messages before the first one shown.
        marks: of the answers, where several debates share theirs.
        drafts: the replies under way.

    Attributes:
        drafts: the replies under way by the ids of their turns.
    """

    def __init__(
        self,
        events: Sequence[Event],
        start: int = 0,
        marks: AnswerMarks | None = None,
        drafts: Sequence[ReplyDraft] = (),
    ) -> None:
        opened = [event for event in events if not isinstance(event, Turn)]
        turns = sorted((e for e in events if isinstance(e, Turn)), key=lambda turn: turn.id)
        head, tail = opened[:1], opened[1:]
        self.transcript = redact(Transcript((*head, *turns, *tail)))
        self.start = start
        self.marks = marks or AnswerMarks(self.opened.question)
        self._seats = {seat.number: seat for seat in self.transcript.seats}
        known = {turn.id for turn in turns}
        self.drafts = {each.turn: each for each in drafts if each.turn not in known}
        self._before: dict[int, AnswerMark] = {}
        newest: dict[tuple[int, str], AnswerMark] = {}
        for turn in self.transcript.turns:
            mark = self.marks.of(turn.answer)
            who = turn.seat, turn.agent
            if turn.answer is not None:
                if who in newest and newest[who] != mark:
                    self._before[turn.id] = newest[who]
                newest[who] = mark

    @property
    def opened(self) -> Opened:
        """The set-up of the debate."""
        return self.transcript.opened

    @cached_property
    def dissents(self) -> Sequence[Dissent]:
        """What speaks against the verdict."""
        return list_dissents(self.transcript)

    @cached_property
    def unread(self) -> Sequence[Unread]:
        """The replies that should have counted for the verdict and could not be read."""
        return list_unread(self.transcript)

    @property
    def by(self) -> str:
        """How the verdict was reached, in words; empty without one."""
        verdict = self.transcript.verdict
        return tell_by(verdict, self.unread) if verdict else ""

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Who agents are, in words, by their names, where a package of the protocol says so."""
        return {
            agent: who for each in added for agent, who in each.name_agents(self.transcript).items()
        }

    def lacks_answer(self, turn: Turn) -> bool:
        """Return whether a turn should have an answer and has none."""
        return self.transcript.lacks_answer(turn)

    @property
    def live(self) -> bool:
        """Whether the debate goes on."""
        return self.transcript.verdict is None and self.transcript.failed is None

    @property
    def said(self) -> int:
        """The number of messages."""
        return len(self.transcript.turns)

    @property
    def changes(self) -> int:
        """The number of times that an agent changed its answer."""
        return len(self._before)

    @cached_property
    def calls(self) -> tuple[int, int] | None:
        """The fewest and the most messages that it can have; None if unknown."""
        if self.opened.protocol not in protocols.names():
            return None
        try:
            return protocols.get(self.opened.protocol).count(self.opened.settings)
        except (KeyError, TypeError, ValueError):  # settings of another version of moot
            return None

    @property
    def models(self) -> list[str]:
        """The models of the agents, each once."""
        return list(dict.fromkeys(seat.model for seat in self._seats.values()))

    @property
    def totals(self) -> list[str]:
        """The numbers of messages and tokens, the cost and the time of the debate, in words."""
        turns = self.transcript.turns
        prompts = [turn.prompt_tokens for turn in turns]
        replies = [turn.completion_tokens for turn in turns]
        costs = [turn.cost for turn in turns]
        parts = [
            format_things(len(turns), "message"),
            f"{format_things(self.changes, 'change')} of mind",
        ]
        if None in prompts or None in replies:
            parts.append("tokens unknown")
        else:
            read, written = sum(filter(None, prompts)), sum(filter(None, replies))
            parts.append(f"{format_count(read)} tokens read, {format_count(written)} written")
        if thought := sum(turn.reasoning_tokens or 0 for turn in turns):
            parts.append(f"{format_things(thought, 'token')} of thought")
        if silent := sum(turn.is_thought_only for turn in turns):
            parts.append(f"{format_things(silent, 'message')} all thought")
        parts.append("cost unknown" if None in costs else format_dollars(sum(filter(None, costs))))
        last = self.transcript.events[-1]
        seconds = getattr(last, "seconds", None) if not self.live else None
        return parts if seconds is None else [*parts, format_duration(seconds)]

    @property
    def verdict(self) -> AnswerMark | None:
        """The mark of the verdict's answer; None without a verdict."""
        verdict = self.transcript.verdict
        return self.marks.of(verdict.answer) if verdict else None

    @property
    def votes(self) -> list[tuple[AnswerMark, str]]:
        """The votes for each answer, or its score by the decision rule; empty without a vote."""
        verdict = self.transcript.verdict
        if verdict is None:
            return []
        if verdict.scores:
            return [(self.marks.of(a), f"score {score:g}") for a, score in verdict.scores.items()]
        return [(self.marks.of(a), format_things(n, "vote")) for a, n in verdict.votes.items()]

    @property
    def right(self) -> bool | None:
        """Whether the verdict is right; None if unknown."""
        verdict = self.transcript.verdict
        return self._right(verdict.answer) if verdict else None

    @cached_property
    def drawing(self) -> ReadingDrawing | None:
        """The drawing of who reads whom; None if it would not be readable."""
        names: dict[int, str] = {}
        for seat in self._seats.values():
            taken = seat.agent in names.values()
            names[seat.number] = f"{seat.agent} ({seat.number})" if taken else seat.agent
        return draw_debate(self.transcript, self.marks, names, lambda turn: turn.id in self._before)

    @property
    def undrawn(self) -> bool:
        """Whether the debate is too large to be drawn."""
        whole = self.transcript
        there = whole.nodes if whole.is_network else whole.turns
        return bool(there) and self.drawing is None

    @property
    def parts(self) -> Iterator[BoardPart]:
        """The messages of this page, node by node and round by round.

        Replies under way stand where their messages will; in a network they are a part of their
        own, since their nodes are not known yet.
        """
        shown = {turn.id for turn in self.transcript.turns[self.start : self.start + MOST]}
        groups = TurnGroup.list_all(self.transcript)
        drafts = [] if self.further else [*map(self._stand_in, self.drafts.values())]
        several = len(groups) > 1 or any(group.name for group in groups)
        if drafts and not several:
            [whole] = groups or [TurnGroup("", "", None, [], whole=True)]
            groups = [whole._replace(turns=[*whole.turns, *drafts])]
        for group in groups:
            if any(turn.id in shown or turn.id in self.drafts for turn in group.turns):
                yield self._part(group, shown)
        if drafts and several:
            part = self._part(TurnGroup("under way", "", None, drafts, whole=True), shown)
            yield part._replace(key=NOW)

    @property
    def further(self) -> int | None:
        """The number of the first message of the next page; None on the last."""
        after = self.start + MOST
        return after if after < self.said else None

    def message(self, number: int) -> BoardMessage | None:
        """Return the message of a turn; None if there is no such turn."""
        found = [turn for turn in self.transcript.turns if turn.id == number]
        return self.show(found[0]) if found else None

    def _stand_in(self, draft: ReplyDraft) -> Turn:
        """Return a turn at the place of a reply under way: that of its agent's seat.

        An agent that is no debater, such as a judge, speaks after the last round.
        """
        seats = [seat for seat in self._seats.values() if seat.agent == draft.agent]
        newest = self.transcript.turns[-1:] if seats and not seats[0].debater else ()
        return Turn(
            id=draft.turn,
            agent=draft.agent,
            seat=seats[0].number if seats else -1,
            role=draft.role,
            step="",
            round=draft.round,
            model="",
            text="",
            answer=None,
            reads=tuple(turn.id for turn in newest),
            call="",
        )

    def _part(self, group: TurnGroup, shown: set[int]) -> BoardPart:
        node = group.turns[0].node
        when = find_stages(group.turns)
        among = {turn.seat for turn in group.turns if not when[turn.id].after}
        seats = [seat.number for seat in self._seats.values() if seat.number in among]
        seats += sorted(among - set(seats))
        columns = {seat: place for place, seat in enumerate(seats, 1)}
        rounds: dict[TurnStage, list[BoardMessage]] = {}
        for turn in group.turns:
            if turn.id in shown or turn.id in self.drafts:
                said = self.show(turn, columns.get(turn.seat, 1))
                rounds.setdefault(when[turn.id], []).append(said)
        key = part_key(node)
        return BoardPart(
            key,
            group,
            self.marks.of(group.ended.verdict.answer) if group.ended else None,
            [
                BoardRound(f"{key}-{at.place}", at, said, _between(said, group))
                for at, said in sorted(rounds.items())
            ],
            len(columns) if len(columns) <= SIDE_BY_SIDE else 0,
        )

    def show(self, turn: Turn, column: int = 1) -> BoardMessage:
        """Return a turn as a message of the page."""
        whole = _put_in_words(turn)
        return BoardMessage(
            turn=turn,
            mark=self.marks.of(turn.answer),
            before=self._before.get(turn.id),
            right=self._right(turn.answer) if turn.answer is not None else None,
            column=column,
            text=whole[:SHOWN],  # there may be megabytes
            folded=len(whole) > BRIEF or whole.count("\n") > LINES,
            left=max(0, len(whole) - SHOWN),
            thought=turn.thought[:SHOWN],
            thought_left=max(0, len(turn.thought) - SHOWN),
        )

    def _right(self, answer: str | None) -> bool | None:
        question = self.opened.question
        return is_correct(answer, question) if question.answers else None


def _put_in_words(turn: Turn) -> str:
    """Return the text of a message; of a reply in JSON what it says, where its reading tells."""
    text = turn.text.strip()
    if not text.startswith(("{", "[", "```")) or not isinstance(turn.reading, Reading):
        return text
    return turn.reading.in_words() or text


def _between(said: Sequence[BoardMessage], group: TurnGroup) -> list[Searched | Noted]:
    """Return what happened after any of these messages, before the next."""
    return [each for message in said for each in group.between.get(message.turn.id, ())]

"""What of a recorded debate could not be read: answers of those who vote, ballots, judgements."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import fields

from moot.core.errors import InputError, UnknownName
from moot.core.events import Closed, NodeFinished, Noted, Seated, Transcript, Turn
from moot.core.unread import ANSWER, Unread, tell_by
from moot.debate.agents import Agent
from moot.debate.decision import BALLOTS, HISTORY, Decision, find_ballots, find_rule
from moot.debate.protocol import registry as protocols
from moot.debate.recorded import RecordedVoters
from moot.debate.views import Views
from moot.parsing.ballot import Ballot
from moot.parsing.parser import registry as parsers

POINTS = "points"
"""The option of a rule that says how many points a ballot shares out."""


_NEEDS = MappingProxyType(
    {"confidences": "confidence", "votes": "vote", "rankings": "ranking", "approvals": "approval"}
)
"""What a decision rule needs, as words for people, where they are others."""
_SILENT = "text"
"""The parser that looks for no answer."""
_OPEN = frozenset({"answer", "reply"})
"""Parsers that take any words for the answer to an open question."""
_ANSWERED = _OPEN | {"", "reasoned", "confident-answer", "solution", "proposal", "closing"}
_ANSWERED |= {"confidence", "confidence-percent", "confidence-ten", "confidence-words"}
_ANSWERED |= {"opinion", "scored", "findings", "finding-votes", "answer-list", "grounding"}
"""Parsers that look for an answer, also where no voter gave one: others plan or criticise."""


def list_unread(transcript: Transcript) -> tuple[Unread, ...]:
    """Return the replies that should have counted for a verdict and could not be read.

    First come those who vote and whose last reply holds no answer, then voters who did not state
    what the decision rule needs, then rankings, grades and the like, step by step. What is
    within a sub-debate is left out. Empty without a verdict, or without seats.
    """
    if transcript.verdict is None or next(transcript.seats, None) is None:
        return ()
    voters = RecordedVoters(transcript)
    found = [_find_answers(voters, transcript), _find_stated(voters, transcript)]
    steps: dict[tuple[str, str], list[Turn]] = {}
    voting = {view.turn.seat for view in voters.final}
    for turn in transcript.turns:
        is_ballot = turn.parser == "ballot" and turn.step != "score"
        if turn.node or not turn.parser or (is_ballot and turn.seat in voting):
            continue  # a voter's ballot is for the decision rule
        if (parser := parsers.find(turn.parser)) is not None and parser.gives:
            steps.setdefault((turn.parser, turn.step), []).append(turn)
    found += [_find_judgements(turns, transcript) for turns in steps.values()]
    return tuple(each for each in found if each is not None)


def describe_by(transcript: Transcript) -> str:
    """Return how a debate's verdict was reached, in words; empty without one."""
    verdict = transcript.verdict
    return tell_by(verdict, list_unread(transcript)) if verdict else ""


def describe_node_by(node: NodeFinished, transcript: Transcript) -> str:
    """Return how a sub-debate's verdict was reached, in words."""
    name = node.node if node.sweep == 1 else f"{node.node}.{node.sweep}"
    opened = msgspec.structs.replace(transcript.opened, protocol=node.protocol, settings={})
    said = [
        msgspec.structs.replace(event, node="")
        for event in transcript.events
        if isinstance(event, Turn | Noted) and event.node == name
    ]
    seats = [Seated(seat=seat) for seat in transcript.seats]
    own = Transcript((opened, *seats, *said, Closed(verdict=node.verdict)))
    answers = _find_answers(RecordedVoters(own), own)
    return tell_by(node.verdict, [answers] if answers else [])


def _find_answers(voters: RecordedVoters, transcript: Transcript) -> Unread | None:
    """Return the replies of voters that hold no answer, of those that were asked for one.

    They are the last replies, and all replies where the decision rule counts earlier ones.
    """
    rule, _ = _find_rule(transcript)
    counted = voters.final
    if rule is not None and HISTORY in rule.options:
        counted = Views(view for view in voters.said if view.turn.votes)
    asked = [view for view in counted if view.turn.parser != _SILENT]
    if all(view.answer is None for view in asked):
        reads = _OPEN if transcript.question.kind == "text" else _ANSWERED
        asked = [view for view in asked if view.turn.parser in reads]
    lacking = [view.turn for view in asked if view.answer is None]
    if not transcript.is_network:
        return _tell(ANSWER, lacking, len(asked), " replies" * (counted is not voters.final))
    nodes = tuple(view.agent.seat.agent for view in asked if view.answer is None)
    why = f"{len(nodes)} of {len(asked)} nodes reached no answer"
    return Unread(what=ANSWER, agents=nodes, of=len(asked), why=why) if nodes else None


def _find_stated(voters: RecordedVoters, transcript: Transcript) -> Unread | None:
    """Return the voters who did not state what the debate's decision rule needs."""
    rule, options = _find_rule(transcript)
    stated = None if rule is None else rule.find_stated(voters.final, voters.said)
    if rule is None or stated is None or rule.needs == "answers":
        return None
    if BALLOTS in rule.options:
        asked = [view for view in stated if _casts_ballots(view.agent, voters)]
    else:
        asked = [view for view in stated if view.answer is not None]
    if POINTS in rule.own_options:
        needed, ballots = options.get(POINTS, rule.default_of(POINTS)), find_ballots(voters.said)
        for view in asked:
            own = ballots.get(view.agent.seat.number, Ballot())
            stated[view] = sum(own.points.values()) == needed
    lacking = [view.turn for view in asked if not stated[view]]
    return _tell(_NEEDS.get(rule.needs, rule.needs), lacking, len(asked))


def _find_rule(transcript: Transcript) -> tuple[Decision | None, Mapping[str, Any]]:
    """Return the decision rule of a debate and its options; None where it has none."""
    opened = transcript.opened
    with suppress(UnknownName, InputError):  # a plug-in is not installed
        usual = {each.name: each.default for each in fields(protocols.get(opened.protocol).own)}
        if named := {**usual, **opened.settings}.get("decision"):
            return find_rule(str(named))
    return None, {}


def _casts_ballots(agent: Agent, voters: RecordedVoters) -> bool:
    return any(view.agent is agent and view.turn.parser == "ballot" for view in voters.said)


def _find_judgements(turns: Sequence[Turn], transcript: Transcript) -> Unread | None:
    """Return those of the replies to one step that do not count."""
    parser = parsers.get(turns[0].parser)
    what = "scores" if turns[0].step == "score" else parser.gives
    settings = transcript.opened.settings
    lacking = [
        turn
        for turn in turns
        if turn.reading is None
        or (type(turn.reading) is parser.reading and not parser.counts(turn.reading, settings))
    ]
    return _tell(what, lacking, len(turns))


def _tell(what: str, lacking: Sequence[Turn], of: int, noun: str = "") -> Unread | None:
    """Return what is unread of so many replies; None where all could be read."""
    if not lacking:
        return None
    who = lacking[0].agent if of == 1 else f"{len(lacking)} of {of}{noun}"
    why = f"{who} gave no {what} that could be read"
    return Unread(what=what, agents=tuple(turn.agent for turn in lacking), of=of, why=why)

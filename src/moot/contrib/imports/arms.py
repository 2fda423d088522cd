"""Arms that follow from a log without a call: its debates, and what else their turns say.

Of the debates of one method and settings these are arms: the debate by the log's verdict; the
first reply of the first agent that answers; the vote of each round, of every agent's newest answer;
the debate by each decision rule that needs answers alone. All but the first are derived: they have
turns of it. The baseline is the vote of the first round. Where no debate has a verdict in the log,
the vote of the last round is the debate itself.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from moot import Event, Transcript, Turn, Verdict, decide
from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.transcripts import RECORDED, clean_settings, number_rounds
from moot.extend.protocols import RecordedVoters, protocols
from moot.extend.records import Arm, Closed

RULES = (
    *("absolute-majority", "supermajority", "unanimity"),
    *("any-round", "last-k", "locked", "trajectory"),
)
"""The decision rules that need answers alone, but for votes of a round."""
MOST_ROUNDS = 12
"""The most rounds of which each has a vote."""
DEBATER = "debater"
METHOD = "method"
"""Stands for a method's name among names of settings."""
REPLY, VOTE = "first-reply", "vote-of-round-"
_OPEN = Closed(verdict=Verdict(answer=None))


class Method(NamedTuple):
    """How debates were held: one base arm."""

    name: str = ""
    pairs: tuple[tuple[str, Any], ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """Its settings by name."""
        return dict(self.pairs)

    @classmethod
    def of(cls, debate: LoggedDebate) -> "Method":
        """Return the method of a debate."""
        return cls(debate.method, tuple(sorted(clean_settings(debate.settings).items())))

    def drop(self, names: Collection[str]) -> "Method":
        """Return the method without settings of these names; without its own for ``METHOD``."""
        kept = tuple(pair for pair in self.pairs if pair[0] not in names)
        return Method("" if METHOD in names else self.name, kept)


class MethodTurns:
    """The common shape of all debates of a method; it decides which arms follow.

    Attributes:
        method: the method.
        debates: their number.
        rounds: the most rounds in which an agent answers.
        voters: the most agents that answer.
        states: whether a debate has a verdict in the log.
        talks: whether there is a turn that is no answer.
        roles: of all agents.
        models: of the agents that answer, two combinations at most.
    """

    def __init__(self, method: Method) -> None:
        self.method, self.debates = method, 0
        self.rounds = self.voters = 0
        self.states = self.talks = False
        self.roles = set[str]()
        self.models = set[tuple[str, ...]]()

    def join(self, other: "MethodTurns") -> None:
        """Take the debates of another method into account, as if they were of this one."""
        self.debates += other.debates
        self.rounds = max(self.rounds, other.rounds)
        self.voters = max(self.voters, other.voters)
        self.states |= other.states
        self.talks |= other.talks
        self.roles |= other.roles
        self.models |= other.models

    def add(self, debate: LoggedDebate) -> None:
        """Take one debate into account."""
        self.debates += 1
        silent = {agent.name for agent in debate.agents if not agent.answers}
        self.roles |= {agent.role for agent in debate.agents}
        self.states |= debate.verdict is not None
        if len(self.models) < 2:
            self.models.add(tuple(agent.model for agent in debate.agents if agent.answers))
        voters = set[str]()
        for turn, number in zip(debate.turns, number_rounds(debate), strict=True):
            if turn.agent in silent or not turn.votes:
                self.talks = True
                continue
            voters.add(turn.agent)
            self.rounds = max(self.rounds, number)
        self.voters = max(self.voters, len(voters))

    @property
    def protocol(self) -> str:
        """The method's name; where moot's protocol of that name has other roles a plain one."""
        known = protocols.find(self.method.name) if self.method.name else None
        if known is not None and not {*self.roles} - {DEBATER, *known.roles}:
            return known.name
        return RECORDED if known is not None else self.method.name or RECORDED

    @property
    def debater(self) -> str:
        """The protocol's name of a debater's role."""
        known = protocols.find(self.protocol)
        return known.roles[0] if known is not None and known.roles else DEBATER

    @property
    def settings(self) -> dict[str, Any]:
        """The method's settings, with the models where all debates have the same."""
        models = next(iter(self.models)) if len(self.models) == 1 else ()
        if "model" in dict(self.method.pairs) or not models or not all(models):
            return self.method.settings
        return self.method.settings | {"model": " + ".join(dict.fromkeys(models))}

    @property
    def kind(self) -> str:
        """The kind of the base arm in comparisons."""
        if self.talks or self.rounds != 1:
            return "debate"
        return "vote" if self.voters > 1 else "single"

    @property
    def stem(self) -> str:
        """The name of the base arm, where the log has one of this kind."""
        return {"vote": "vote", "single": "single reply"}.get(self.kind, "debate")

    def list_arms(self, label: str, *, votes: bool) -> "MethodArms":
        """Return the arms of the method.

        Args:
            label: what tells it from others of the log; empty for the only one.
            votes: whether there is a question whose answers can be counted.
        """
        settings = self.settings
        base = Arm(
            name=_label(self.stem, label), protocol=self.protocol, settings=settings, kind=self.kind
        )
        derived = dict[str, Arm]()
        if self.voters and self.kind != "single":
            derived[REPLY] = Arm(
                name=_label("first reply", label), protocol=REPLY, settings=settings, kind="single"
            )
        if votes and self.voters > 1 and self.kind == "debate":
            last = self.rounds if self.states or self.talks else self.rounds - 1
            for number in range(1, min(last, MOST_ROUNDS) + 1):
                vote = f"{VOTE}{number}"
                derived[vote] = Arm(
                    name=_label(f"vote of round {number}", label),
                    protocol=vote,
                    settings=settings,
                    kind="vote",
                )
            for rule in RULES:
                derived[rule] = Arm(
                    name=_label(f"debate by {rule}", label),
                    protocol=self.protocol,
                    settings=settings | {"decision": rule},
                    kind="rule",
                )
        return MethodArms(base, derived)


class MethodArms(NamedTuple):
    """The arms of a method: its base, and what follows from it, by what it is."""

    base: Arm
    derived: dict[str, Arm]

    @property
    def every(self) -> list[Arm]:
        """All of them: single reply and votes before the debate, other rules after it."""
        before = [each for each in self.derived.values() if each.kind != "rule"]
        after = [each for each in self.derived.values() if each.kind == "rule"]
        return [*before, self.base, *after]

    @property
    def baseline(self) -> str | None:
        """The vote of the first round, else the first reply, by name; None without both."""
        first = self.derived.get(f"{VOTE}1") or self.derived.get(REPLY)
        return first.name if first else None

    def derive(self, debate: Transcript) -> Iterator[tuple[Arm, Transcript]]:
        """Yield what follows from one debate, with its arm."""
        debaters = {seat.number for seat in debate.seats if seat.debater}
        voters = [turn for turn in debate.turns if turn.votes and turn.seat in debaters]
        begun = debate.opened
        is_counted = begun.question.kind != "text"  # whole texts are not
        is_decided = debate.verdict is not None and len({turn.seat for turn in voters}) > 1
        recorded = RecordedVoters(debate) if is_counted and is_decided else None
        for what, arm in self.derived.items():
            found: Sequence[Event] | None = None
            if what == REPLY:
                found = _first_reply(debate, voters)
            elif what.startswith(VOTE):
                found = _vote(debate, voters, int(what.removeprefix(VOTE))) if is_counted else None
            elif recorded is not None:
                found = *debate.events[1:-1], Closed(verdict=recorded.decide(what))
            if found is not None:
                told = {"protocol": arm.protocol, "settings": arm.settings}
                yield arm, Transcript((msgspec.structs.replace(begun, **told), *found))


def label_methods(methods: Sequence[MethodTurns]) -> list[str]:
    """Return the shortest words that tell the arms of methods apart; empty where names do.

    They are the method's name, else settings that are not the same in all.
    """
    labels = [""] * len(methods)
    for alone in (True, False):  # all but a single reply have a first reply beside them
        places = [n for n, each in enumerate(methods) if (each.kind == "single") == alone]
        own = [methods[place].method for place in places]
        for place, label in zip(places, _tell_apart(own), strict=True):
            labels[place] = label
    return labels


def _tell_apart(methods: Sequence[Method]) -> list[str]:
    words: list[dict[str, str]] = [
        {"": each.name or RECORDED} | {key: f"{key}={value}" for key, value in each.pairs}
        for each in methods
    ]
    keys = dict.fromkeys(key for own in words for key in own)
    unlike = [key for key in keys if len({own.get(key) for own in words}) > 1]
    for count in range(len(unlike) + 1):
        for chosen in combinations(unlike, count):
            labels = [", ".join(own[key] for key in chosen if key in own) for own in words]
            if len({*labels}) == len(labels):
                return labels
    return [str(number) for number in range(1, len(methods) + 1)]


def _label(stem: str, label: str) -> str:
    return f"{stem} ({label})" if label else stem


def _first_reply(debate: Transcript, voters: Sequence[Turn]) -> Sequence[Event] | None:
    """Return the events of the first reply behind the beginning; None without one."""
    if not voters:
        return None
    first = voters[0]
    seats = [
        event
        for event in debate.events[1:]
        if (seat := getattr(event, "seat", None)) is not None
        and getattr(seat, "number", None) == first.seat
    ]
    verdict = Verdict(answer=first.answer, text=first.text, by="answer", turn=first.id)
    return *seats, first, Closed(verdict=verdict)


def _vote(debate: Transcript, voters: Sequence[Turn], number: int) -> Sequence[Event] | None:
    """Return the events up to a vote after a round; None where fewer than two speak in it."""
    if sum(turn.round == number for turn in voters) < 2:
        return None
    kept = [
        event
        for event in debate.events[1:-1]
        if not isinstance(event, Turn)
        or event.round < number
        or (event.round == number and event in voters)
    ]
    held = Transcript((debate.opened, *kept, _OPEN))
    return *kept, Closed(verdict=decide(held, "plurality"))

"""Effects: what is so of debates by moot's own reader, rules and analyses."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from moot import NothingToAnalyse, RecordedRuns, Turn
from moot.contrib.audits.audited import VERDICT, AuditedDebate
from moot.contrib.audits.causes import CountedRow
from moot.contrib.audits.rules import FIRST, OURS
from moot.extend.analyses import (
    Difference,
    Key,
    Mean,
    analyses,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)
from moot.extend.protocols import answer_value, is_correct

ANALYSES = ("ceiling",)
"""The analyses whose findings stand in an audit."""


class Exchanged(msgspec.Struct, frozen=True, kw_only=True):
    """How often an agent came to an answer that another one had given the round before.

    Attributes:
        source: the agent that had given it; several where several had.
        agent: the agent that changed its answer.
        helped: changes from a wrong answer, or none, to a right one.
        harmed: changes from a right answer to a wrong one.
        other: changes from one wrong answer to another, or to an equal right one.
    """

    source: str
    agent: str
    helped: int
    harmed: int
    other: int


class AgainstSingle(msgspec.Struct, frozen=True, kw_only=True):
    """A setting against one of a single agent, on the questions that both have.

    Attributes:
        setting: that of the single agent.
        gap: the other setting minus it.
    """

    setting: str
    gap: Difference


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """The effects of the debate of a setting.

    Attributes:
        setting: the arm; with the dataset, where debates of several are looked at.
        arm: of the setting.
        dataset: of its questions.
        rounds: the most rounds of a debate, a verdict that is no vote included.
        agents: the most agents that answer in a round.
        reply: the share of right first replies of the first agent.
        vote: of right votes of the first round.
        debate: of right ends.
        against_vote: the debate minus the vote of its own first round, question by question.
        against_reply: the debate minus the first reply.
        against_single: the debate minus the replies of settings of a single agent.
        read_their_way: as ``against_vote``, replies read as by the authors' rule; None without one.
        exchanged: who changed whom.
        findings: of moot's analyses, by their names.
    """

    setting: str
    arm: str
    dataset: str
    rounds: int
    agents: int
    reply: Mean
    vote: Mean
    debate: Mean
    against_vote: Difference
    against_reply: Difference
    against_single: tuple[AgainstSingle, ...] = ()
    read_their_way: Difference | None = None
    exchanged: tuple[Exchanged, ...] = ()
    findings: Mapping[str, tuple[str, ...]] = {}


class Exchange:
    """Counts who changed whom, debate by debate."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[tuple[str, str, str]]] = {}

    def look(self, debate: AuditedDebate) -> None:
        """Count the changes of a debate."""
        question = debate.transcript.question
        counts = self._counts.setdefault(debate.setting, Counter())
        for before, after in zip(debate.rounds, debate.rounds[1:], strict=False):
            own = {turn.agent: turn for turn in before.turns}
            for turn in after.turns:
                old = own.get(turn.agent)
                if old is None or turn.answer is None:
                    continue
                value = answer_value(turn.answer, question.kind)
                if old.answer is not None and answer_value(old.answer, question.kind) == value:
                    continue
                for source in _find_sources(turn, own, value, debate):
                    was, is_right = (is_correct(each.answer, question) for each in (old, turn))
                    what = "helped" if is_right > was else "harmed" if was > is_right else "other"
                    counts[source, turn.agent, what] += 1

    def list_changes(self, setting: str) -> tuple[Exchanged, ...]:
        """Return who changed whom in a setting, by the agents' names."""
        counts = self._counts.get(setting, Counter())
        pairs = sorted({(source, agent) for source, agent, _ in counts})
        return tuple(
            Exchanged(
                source=source,
                agent=agent,
                helped=counts[source, agent, "helped"],
                harmed=counts[source, agent, "harmed"],
                other=counts[source, agent, "other"],
            )
            for source, agent in pairs
        )


def _find_sources(
    turn: Turn, before: Mapping[str, Turn], value: object, debate: AuditedDebate
) -> list[str]:
    """Return the other agents that had given an answer in the round before."""
    kind = debate.transcript.question.kind
    return [
        agent
        for agent, other in before.items()
        if agent != turn.agent
        and other.answer is not None
        and answer_value(other.answer, kind) == value
    ]


class Ends:
    """The first replies, the first votes and the ends of a setting's debates: 1 where right."""

    def __init__(self) -> None:
        self.reply: dict[Key, float] = {}
        self.vote: dict[Key, float] = {}
        self.debate: dict[Key, float] = {}
        self.rounds = self.agents = 0
        self.arm = self.dataset = ""

    @property
    def is_single(self) -> bool:
        """Whether one agent answers once."""
        return self.rounds == self.agents == 1

    def add(self, debate: AuditedDebate, key: Key) -> None:
        """Take a debate into account; one without a round has no end."""
        self.arm, self.dataset = debate.arm, debate.dataset
        if debate.rounds:
            first, last = (debate.rounds[n].replies for n in (0, -1))
            self.reply[key] = float(FIRST.apply(first) == "right")
            self.vote[key] = float(OURS.apply(first) == "right")
            self.debate[key] = float(OURS.apply(last) == "right")
            self.rounds = max(self.rounds, len(debate.rounds))
            agents = (len(each.turns) for each in debate.rounds if each.number != VERDICT)
            self.agents = max(self.agents, *agents, 0)


def measure_effects(ends: Mapping[str, Ends], exchange: Exchange) -> list[Effects]:
    """Return the effects of each setting; p is corrected over the settings of several rounds."""
    found = [_measure(each, own, ends, exchange) for each, own in ends.items()]
    fixed = found
    for name in ("against_vote", "against_reply"):
        fixed = correct_by_holm(fixed, name, by=lambda each: each.rounds > 1)
    return fixed


def _measure(setting: str, own: Ends, ends: Mapping[str, Ends], exchange: Exchange) -> Effects:
    singles = {name: each.debate for name, each in ends.items() if each.is_single and each != own}
    return Effects(
        setting=setting,
        arm=own.arm,
        dataset=own.dataset,
        rounds=own.rounds,
        agents=own.agents,
        reply=mean_over_questions(own.reply),
        vote=mean_over_questions(own.vote),
        debate=mean_over_questions(own.debate),
        against_vote=compare_paired(own.debate, own.vote),
        against_reply=compare_paired(own.debate, own.reply),
        against_single=tuple(
            AgainstSingle(setting=name, gap=compare_paired(own.debate, each))
            for name, each in singles.items()
            if each.keys() & own.debate.keys()
        ),
        exchanged=exchange.list_changes(setting),
    )


def add_their_way(effects: Sequence[Effects], rows: Iterable[CountedRow]) -> list[Effects]:
    """Return the effects with the debate against its first vote, read as by the authors' rule.

    Args:
        effects: of the settings.
        rows: every question of every round, in the order of the rounds.
    """
    votes: dict[str, tuple[dict[Key, float], dict[Key, float]]] = {}
    for row in rows:
        if row.by_vote not in (None, "left out"):
            last, first = votes.setdefault(row.setting, ({}, {}))
            key = f"{row.dataset}\0{row.question}", row.replicate
            last[key] = float(row.by_vote == "right")
            first.setdefault(key, last[key])
    return [
        msgspec.structs.replace(each, read_their_way=compare_paired(*votes[each.setting]))
        if each.rounds > 1 and each.setting in votes
        else each
        for each in effects
    ]


def add_findings(runs: RecordedRuns, effects: Sequence[Effects]) -> tuple[Effects, ...]:
    """Return the effects with what moot's analyses find in each setting."""
    keys = [row.key for row in runs.rows]
    made = []
    for each in effects:
        own = RecordedRuns(runs.lab, keys, arms=[each.arm], datasets=[each.dataset])
        found: dict[str, Any] = {}
        for name in ANALYSES:
            try:
                report = analyses.get(name).function(own)
            except NothingToAnalyse:
                continue
            found[name] = report.findings
        made.append(msgspec.structs.replace(each, findings=found))
    return tuple(made)

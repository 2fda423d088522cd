"""Audits: what is claimed, the same by the authors' rule, and the same by a right one."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from moot import InputError, RecordedRuns
from moot.contrib.audits.audited import (
    VERDICT,
    AuditedDebate,
    Key,
    find_debate_arms,
    read_debates,
)
from moot.contrib.audits.causes import Difference as Disputed
from moot.contrib.audits.causes import explain
from moot.contrib.audits.claims import Claim, Place, Stated, place_claims
from moot.contrib.audits.effects import Effects, measure_effects
from moot.contrib.audits.rules import OURS, Outcome, Rule, list_rules, registry
from moot.contrib.audits.warning_rules import Warned, Watch
from moot.extend.analyses import Mean, mean_over_questions
from moot.extend.records import Arm

Outcomes = dict[Key, Outcome]
Slot = tuple[str, int]  # arm, round


class AuditedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The three numbers of a round of a setting.

    Attributes:
        setting: the arm.
        round: from 1; 0 for a verdict that is no vote.
        claimed: the stated share, with the interval of that share of so many questions.
        by_their_rule: None without a rule.
        by_ours: by moot's reader and a majority vote.
        differing: questions that the two rules count otherwise.
    """

    setting: str
    round: int
    claimed: Mean | None
    by_their_rule: Mean | None
    by_ours: Mean
    differing: int


class TriedRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that was tried.

    Attributes:
        name: of the rule.
        shares: one for each round and setting.
        fits: whether they are what is claimed, all together.
        about: what the rule does.
    """

    name: str
    shares: tuple[float | None, ...]
    fits: bool
    about: str


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """An audit of a log or a run.

    Attributes:
        name: of the log.
        run: the key of its run.
        source: where the claim is stated; empty without a claim.
        rule: the name of the rule taken for the authors'; empty without one.
        why: why that rule was taken, in words.
        tried: every rule that was tried, in the order of their names.
        figures: one for each round and setting, in their order.
        differences: every question on which the two rules disagree, by round.
        effects: of each setting, what is then so.
        warnings: what must be known before the figures are used.
        notes: what was found and not used.
    """

    name: str
    run: str
    source: str
    rule: str
    why: str
    tried: tuple[TriedRule, ...]
    figures: tuple[AuditedFigure, ...]
    differences: tuple[Disputed, ...]
    effects: tuple[Effects, ...]
    warnings: tuple[Warned, ...]
    notes: tuple[str, ...] = ()

    @property
    def fitting(self) -> list[str]:
        """The names of the rules that fit the claim."""
        return [each.name for each in self.tried if each.fits]

    @property
    def causes(self) -> dict[str, int]:
        """How many differences each cause has, the most frequent first."""
        return dict(Counter(each.cause for each in self.differences).most_common())


class _Count:
    """The outcomes of every rule for each round of each setting, debate by debate."""

    def __init__(self, debates: Iterable[AuditedDebate], rules: Sequence[Rule]) -> None:
        self.outcomes: dict[str, dict[Slot, Outcomes]] = {each.name: {} for each in rules}
        self.files: dict[Slot, str] = {}
        self.ends: dict[str, dict[Key, Outcome]] = {}
        self.watch = Watch()
        for debate in debates:
            self.watch.look(debate)
            for each in debate.rounds:
                slot = debate.arm, each.number
                self.files.setdefault(slot, debate.file)
                for rule in rules:
                    of_slot = self.outcomes[rule.name].setdefault(slot, {})
                    of_slot[debate.key] = rule.apply(each.replies)

    @property
    def slots(self) -> list[Slot]:
        """The rounds of all settings: settings as they came, a verdict after the rounds."""
        arms = list(dict.fromkeys(arm for arm, _ in self.files))
        return sorted(self.files, key=lambda slot: (arms.index(slot[0]), slot[1] or 1 << 30))

    @property
    def places(self) -> list[Place]:
        """The same, as claims find them."""
        last = {arm: number for arm, number in self.slots}
        return [Place(self.files[s], s[0], s[1], last[s[0]] == s[1]) for s in self.slots]

    def measure(self, rule: str, slot: Slot) -> Mean:
        """Return the share of right questions by a rule."""
        return mean_over_questions(count_right(self.outcomes[rule][slot]))


def count_right(outcomes: Mapping[Key, Outcome]) -> dict[Key, float]:
    """Return 1 for each question that is right, 0 for others, without those left out."""
    return {key: float(each == "right") for key, each in outcomes.items() if each != "left out"}


def audit_runs(
    runs: RecordedRuns, *, claims: Sequence[Claim] = (), rules: Sequence[str] = (), strict: bool
) -> Audit:
    """Audit the debates of runs.

    Args:
        runs: recorded here or elsewhere.
        claims: what their authors state.
        rules: the names of the rules to try; all that are made for these questions, if none.
        strict: whether a claim that does not belong to the debates is an error.

    Raises:
        InputError: there is nothing to count, or a claim does not belong to the debates.
        UnknownName: there is no such rule.
    """
    arms = find_debate_arms(runs)
    kinds = {each.transcript.question.kind for each in read_debates(runs, arms)}
    named = [registry.get(each, where="--rule") for each in dict.fromkeys(rules)]
    tried = named or list_rules(kinds)
    count = _Count(read_debates(runs, arms), list(dict.fromkeys([*tried, OURS])))
    if not any(count_right(count.outcomes[OURS.name][slot]) for slot in count.slots):
        raise InputError(f"{runs.key}: no debate with a known right answer; nothing to count")
    placed, notes = _place(claims, count.places, strict=strict)
    listed = tuple(_try(rule, count, placed) for rule in tried)
    theirs, why = _choose(listed, placed, [_format_of(arm) for arm in arms], asked=bool(named))
    figures = tuple(_figure(count, *each, theirs) for each in zip(count.slots, placed, strict=True))
    disputed = explain(read_debates(runs, arms), theirs, OURS) if theirs else []
    effects = measure_effects(runs, arms, count.outcomes[OURS.name])
    return Audit(
        name=runs.name,
        run=runs.key,
        source="; ".join(dict.fromkeys(each[1].source for each in placed if each)),
        rule=theirs.name if theirs else "",
        why=why,
        tried=listed,
        figures=figures,
        differences=tuple(disputed),
        effects=effects,
        warnings=tuple(count.watch.warn(placed, effects)),
        notes=tuple(notes),
    )

"""Every decision rule over recorded debates, without a call: what another rule would have decided.

All rules of an arm decide by the same transcripts. Where agents did not state what a rule needs, it
gives no answer, and the debate is left out of that rule's figures and of its comparison.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from moot.analyses.analysis import analysis, check_found
from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import (
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
)
from moot.core.results import Difference, Mean
from moot.core.stored import DebateRow
from moot.core.table import Column, Report, ResultTable, TableRow
from moot.debate.decision import DEFAULT, Decision, find_rule, registry
from moot.debate.recorded import RecordedVoters
from moot.parsing.same import answer_value, is_correct
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_groups,
    mean_over_questions,
)

NO_VOTES = "no debate of it has two votes and a right answer that is known"
ALPHA = 0.05
NONE = "no answer"
"""What stands for the value of a verdict without an answer."""


class AppliedRule(NamedTuple):
    """A rule as it is applied.

    Attributes:
        name: the rule's, with the options that are set.
        rule: the rule.
        options: the values of its options.
    """

    name: str
    rule: Decision
    options: Mapping[str, Any]


@dataclass(slots=True)
class RuleVerdicts:
    """What one rule decides in the debates of an arm on a dataset.

    Attributes:
        applied: the rule.
        right: 1 or 0 by debate, of those in which nothing is missing; without an answer 0.
        values: the value of its answer by debate, of the same.
        ties: debates whose best answers tie, so that the seat decides.
        undecided: debates without an answer although nothing is missing.
        missing: debates without an answer since agents did not state what the rule needs.
        margin: the sum of the margins of those debates that have one.
        margins: how many these are.
        stated: voters who state what it needs; None where that is not looked for.
        voters: voters in all debates.
    """

    applied: AppliedRule
    right: dict[Key, float] = field(default_factory=dict)
    values: dict[Key, Hashable] = field(default_factory=dict)
    ties: int = 0
    undecided: int = 0
    missing: int = 0
    margin: float = 0.0
    margins: int = 0
    stated: int | None = 0
    voters: int = 0

    @property
    def name(self) -> str:
        """The rule's name, with the options that are set."""
        return self.applied.name

    def add(self, key: Key, voters: RecordedVoters) -> None:
        """Apply the rule to one debate more."""
        question, rule = voters.question, self.applied.rule
        verdict = voters.decide(rule, self.applied.options)
        stated = rule.count_stated(voters.final, voters.said)
        self.stated = None if stated is None or self.stated is None else self.stated + stated
        self.voters += len(voters.final)
        if verdict.missing:
            self.missing += 1
            return
        answer, margin = verdict.answer, verdict.margin
        self.right[key] = float(is_correct(answer, question))
        self.values[key] = NONE if answer is None else answer_value(answer, question.kind)
        self.undecided += answer is None
        if margin is not None:
            self.ties += margin == 0 and answer is not None
            self.margin += margin
            self.margins += 1

    def agree_with(self, other: "RuleVerdicts") -> float | None:
        """Return the share of debates in which two rules decide alike, of those of both."""
        both = self.values.keys() & other.values.keys()
        alike = sum(self.values[key] == other.values[key] for key in both)
        return alike / len(both) if both else None


class RuleFigures(NamedTuple):
    """One rule beside plurality.

    Attributes:
        verdicts: what it decides.
        accuracy: of its verdicts; one without an answer is wrong.
        difference: its accuracy minus that of plurality, on the same debates.
        differs: the share of these in which the two decide differently; None without any.
    """

    verdicts: RuleVerdicts
    accuracy: Mean
    difference: Difference
    differs: float | None


def _lack_votes(runs: RecordedRuns) -> str:
    return "" if any(map(_read_voters, runs.examples)) else NO_VOTES


@analysis(
    source="moot; each rule names its own",
    group="debate",
    place=65,
    name="decisions",
    reported=False,
    lacks=_lack_votes,
)
def analyse_decisions(
    runs: RecordedRuns,
    *,
    rules: Annotated[
        list[str], Meta(description="a rule, also with options: last-k?k=3; all without any")
    ] = [],  # noqa: B006 -- read, never changed
) -> Report:
    """Tell what every decision rule would have decided, on the very same transcripts.

    Of each rule: its accuracy; how far that is above plurality's, tested pair by pair and corrected
    by Holm for all rules and methods on the dataset; how often the two differ; ties, which the
    lowest seat breaks; the margin; and how many voters stated what the rule needs. Then how often
    each two rules decide alike. Methods in which one agent votes are left out.
    """
    names = dict.fromkeys((DEFAULT, *(rules or registry.names())))
    chosen = [AppliedRule(name, *find_rule(name)) for name in names]
    decided: dict[str, dict[str, list[RuleVerdicts]]] = {}
    alone: list[str] = []
    for arm in runs.arms:
        if arm.kind == "vote":  # its replies are those of a debate
            continue
        found = apply_rules(chosen, runs, arm.name)
        if not found:
            alone.append(arm.name)
        for dataset, verdicts in found.items():
            decided.setdefault(dataset, {})[arm.name] = verdicts
    check_found(decided, runs, NO_VOTES)
    tables: list[ResultTable] = []
    findings: list[str] = []
    for dataset, arms in decided.items():
        figures = compare_rules(arms)
        tables.append(_tabulate(dataset, figures))
        tables += (_tabulate_agreement(dataset, name, own) for name, own in arms.items())
        for name, compared in figures.items():
            findings += _describe(f"{name} on {dataset}", compared)
    left_out = f"Left out, since fewer than two agents vote: {', '.join(alone)}."
    return Report(
        title=f"Decision rules: {runs.name}",
        about=f"{runs.key}: every rule over the same transcripts, without a call",
        tables=tables,
        findings=tuple(findings),
        notes=(left_out,) if alone else (),
    )


def apply_rules(
    rules: Sequence[AppliedRule], runs: RecordedRuns, arm: str
) -> dict[str, list[RuleVerdicts]]:
    """Return what each rule decides in the debates of an arm, by dataset.

    Debates that failed, those without a known right answer, and those in which fewer than two
    agents vote are left out.
    """
    found: dict[str, list[RuleVerdicts]] = {}
    for row in runs.debates(arm):
        voters = _read_voters(row)
        if voters is None:
            continue
        if row.dataset not in found:
            found[row.dataset] = [RuleVerdicts(each) for each in rules]
        for each in found[row.dataset]:
            each.add((row.question, row.replicate), voters)
    return found


def _read_voters(row: DebateRow) -> RecordedVoters | None:
    """Return the voters of a debate; None where rules cannot be compared by it."""
    if row.failed or not row.transcript.question.answers:
        return None
    voters = RecordedVoters(row.transcript)
    return voters if len(voters.final) >= 2 else None


def compare_rules(
    arms: Mapping[str, Sequence[RuleVerdicts]],
) -> dict[str, list[RuleFigures]]:
    """Return each rule's figures beside plurality's, by arm.

    The p of all rules of all arms are one family, which Holm corrects. A rule that nowhere has what
    it needs is not tested.

    Args:
        arms: what each rule decides on one dataset; plurality is first.
    """
    figures = {
        arm: [
            RuleFigures(
                each,
                mean_over_questions(each.right),
                compare_paired(each.right, own[0].right) if each is not own[0] else Difference(),
                _invert(each.agree_with(own[0])),
            )
            for each in own
        ]
        for arm, own in arms.items()
    }
    return correct_groups(figures, "difference")


def _invert(share: float | None) -> float | None:
    return None if share is None else 1 - share


def _tabulate(dataset: str, arms: Mapping[str, Sequence[RuleFigures]]) -> ResultTable:
    note = (
        "All rules of a method decide by the same transcripts. Stated: of all voters, those who "
        "state what the rule needs. Debates: those in which it has what it needs; the figures "
        "behind are of these. Margin: the mean distance of the best answer from the second best, "
        "in what the rule counts, where there are two. Gain: over plurality on the same debates. "
        "p Holm: exact, paired by question, corrected for all rules of all methods here. Differs: "
        "from plurality. Ties go to the lowest seat. None: verdicts without an answer, which are "
        "wrong."
    )
    return tabulate(
        f"{dataset}: decision rules",
        {arm: [each for each in own if each.verdicts.right] for arm, own in arms.items()},
        TableField("rule", value="verdicts.name"),
        TableField("needs", value="verdicts.applied.rule.needs"),
        TableField("stated %", "percent", _share_stated),
        TableField("debates", "count", lambda each: len(each.verdicts.right)),
        TableField("accuracy %", "percent", "accuracy"),
        TableField("margin", "number", _average_margin, 2),
        TableField("gain", "points", lambda each: None if _is_usual(each) else each.difference),
        TableField("p Holm", "p", "difference.p_holm"),
        TableField("differs %", "percent", lambda each: None if _is_usual(each) else each.differs),
        TableField("tied %", "percent", lambda each: each.verdicts.ties / len(each.verdicts.right)),
        TableField(
            "none %", "percent", lambda each: each.verdicts.undecided / len(each.verdicts.right)
        ),
        marked=_is_usual,
        note=note,
    )


def _share_stated(each: RuleFigures) -> float | None:
    own = each.verdicts
    return None if own.stated is None else own.stated / own.voters


def _average_margin(each: RuleFigures) -> float | None:
    own = each.verdicts
    return own.margin / own.margins if own.margins else None


def _is_usual(each: RuleFigures) -> bool:
    return each.verdicts.name == DEFAULT


def _tabulate_agreement(dataset: str, arm: str, rules: Sequence[RuleVerdicts]) -> ResultTable:
    """Return how often each two rules decide alike; rules that always do share a row."""
    groups: list[list[RuleVerdicts]] = []
    for each in rules:
        if each.values:
            alike = next((own for own in groups if own[0].values == each.values), None)
            if alike is None:
                groups.append([each])
            else:
                alike.append(each)
    rows = [
        TableRow(
            [f"{place + 1}", ", ".join(each.name for each in own)]
            + [own[0].agree_with(other[0]) for other in groups]
        )
        for place, own in enumerate(groups)
    ]
    columns = (
        *(Column(""), Column("rules")),
        *(Column(f"{place + 1} %", "percent") for place in range(len(groups))),
    )
    note = "Of the debates in which both rules have what they need. Rules in one row always agree."
    return ResultTable(f"{dataset}, {arm}: how often rules decide alike", columns, rows, note)


def _describe(where: str, figures: Sequence[RuleFigures]) -> Iterator[str]:
    """Yield what differs from plurality, or that nothing does, and what could not be applied."""
    first, *others = figures
    known = [each for each in others if each.verdicts.right]
    found = [each for each in known if (each.difference.p_holm or 0.0) <= ALPHA]
    n = format_things(first.accuracy.questions, "question")
    for each in sorted(found, key=lambda each: -(each.difference.mean or 0.0)):
        gap, own = each.difference, each.verdicts
        above = "above" if (gap.mean or 0.0) > 0 else "below"
        silent = f"; in {format_percent(own.undecided / len(own.right))} % it has no answer"
        yield (
            f"{where}: {own.name} is {format_percent(abs(gap.mean or 0.0))} points {above} "
            f"plurality ({_name_interval(gap)}, n = {format_things(gap.questions, 'question')}"
            f"{silent if own.undecided else ''})."
        )
    if not any(each.differs for each in known):
        yield f"{where}: no rule differs from plurality on these transcripts (n = {n})."
    elif not found:
        far = max(known, key=lambda each: abs(each.difference.mean or 0.0))
        gap = far.difference
        yield (
            f"{where}: no rule's accuracy is shown to differ from plurality's (n = {n}). Furthest "
            f"is {far.verdicts.name}: {format_percent(gap.mean, sign=True)} points "
            f"({_name_interval(gap)})."
        )
        if gap.smallest is not None:
            yield (
                f"{where}: a difference of {format_percent(gap.smallest)} points would have shown "
                "in 80 % of runs."
            )
    lacking = [each.verdicts for each in others if not each.verdicts.right]
    needed: dict[str, list[str]] = {}
    for own in lacking:
        needed.setdefault(own.applied.rule.needs, []).append(own.name)
    if needed:
        listed = "; ".join(f"{needs} ({', '.join(names)})" for needs, names in needed.items())
        yield f"{where}: some rules give no answer, for what they need is not stated: {listed}."


def _name_interval(gap: Difference) -> str:
    ends = format_interval(gap.low, gap.high, sign=True)
    return f"95 % interval {ends}, Holm-corrected p {format_p_equals(gap.p_holm)}"

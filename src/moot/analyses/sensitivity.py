"""Sensitivity: whether a choice that a paper leaves open changes what a method seems to be worth.

Arms that differ in one setting alone are one method under several choices. Each is compared, on the
same questions, with what the method is judged by: a vote at equal tokens, a vote, or the baseline.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from moot.analyses.analysis import analysis, check_found
from moot.analyses.debate_values import sum_values
from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.display_text import format_interval, format_percent
from moot.core.errors import UnknownName
from moot.core.results import ArmResult, Difference, EqualBudget, Mean
from moot.core.stored import Arm
from moot.core.table import Report, ResultTable
from moot.debate.faithful import list_settings, show_value
from moot.debate.protocol import registry
from moot.debate.protocol_settings import list_usual
from moot.statistics.accuracies import Key, compare_paired, correct_by_holm, is_shown

SOURCE = "faithful"
"""The setting that brings others with it."""
EQUAL = "="
"""The opponent that is a vote at each choice's own tokens."""
EXPLAINED = (
    "Gap: the accuracy less that of what it is compared with, in points. Change: less that under "
    "the first choice. p: by changes of sign on the same questions, corrected by Holm for all "
    "gaps, and for all changes."
)
Sign = Literal["changes", "does not change", "not shown"]


class MeasuredChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A method under one choice, on one dataset.

    Attributes:
        method: what the arms of all its choices have in common.
        choice: the value of the factor.
        arm: the arm that has it.
        against: what the gap is to, in words; empty where there is nothing.
        accuracy: of the arm.
        gap: its accuracy minus that of what it is judged by.
        change: its accuracy minus that under the first choice; None for the first.
    """

    dataset: str
    method: str
    choice: str
    arm: str
    against: str
    accuracy: Mean
    gap: Difference | None
    change: Difference | None


class MeasuredSensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the sign of a method's gap changes with a factor, on one dataset.

    Attributes:
        sign: ``"changes"`` where a gap above 0 is shown under one choice and a gap below 0 under
            another; ``"does not change"`` where the same sign is shown under all of them.
        choices: the method under each of its choices.
    """

    dataset: str
    method: str
    factor: str
    sign: Sign
    choices: tuple[MeasuredChoice, ...]


@analysis(
    group="settings",
    source="whether any choice that a paper leaves open changes the sign; moot",
    needs=("accuracy",),
    varies=(SOURCE,),
)
def sensitivity(
    runs: RecordedRuns,
    *,
    factor: Annotated[
        str, Meta(description="the setting whose values are compared, such as replies")
    ] = SOURCE,
    against: Annotated[
        str,
        Meta(
            description="the method that each is compared with; empty: a vote at equal tokens, "
            "else a vote, else the baseline"
        ),
    ] = "",
) -> Report:
    """Tell whether a choice changes the sign of what a method is worth.

    Methods that differ in one setting alone, by default in ``faithful``, are one method under
    several choices. Under each, its accuracy less that of what it is judged by, on the same
    questions.
    """
    names = [arm.name for arm in runs.arms]
    if against and against not in names:
        raise UnknownName("arm", against, names, where="option against")
    groups = group_arms(runs.arms, factor)
    check_found(groups, runs, f"no two methods differ in {factor} alone; --factor names another")
    found = measure_choices(runs, groups, factor, against)
    check_found(found, runs, "no debate of these methods has a known right answer")
    data = judge_signs(found, factor)
    return Report(
        title=f"Sensitivity: {runs.name}",
        about=f"{runs.key}: methods under several choices of {factor}",
        tables=[_tabulate(found, factor)],
        notes=(EXPLAINED,),
        findings=(*map(_describe, data), *describe_comparisons(_name_changes(found))),
        data=data,
    )


def group_arms(arms: Sequence[Arm], factor: str) -> list[dict[str, Arm]]:
    """Return the arms that differ in a factor alone, by its value; groups of two and more.

    With ``faithful`` come the settings that a source brings along. They count as differences only
    where arms of one source differ in them.
    """
    left_out = {
        protocol: {factor}
        | _list_brought([arm for arm in arms if arm.protocol == protocol], factor)
        for protocol in {arm.protocol for arm in arms}
    }
    groups: dict[Hashable, dict[str, Arm]] = {}
    for arm in arms:
        usual = _list_defaults(arm.protocol)
        rest = {**usual, **arm.factors}
        alike = {name: rest[name] for name in sorted(rest.keys() - left_out[arm.protocol])}
        key = arm.protocol, arm.kind, repr(alike)
        groups.setdefault(key, {}).setdefault(show_value(_value(arm, factor)), arm)
    return [group for group in groups.values() if len(group) > 1]


def _list_brought(arms: Sequence[Arm], factor: str) -> set[str]:
    """Return the settings that a source brings along, without those in which its arms differ."""
    protocol = registry.find(arms[0].protocol) if factor == SOURCE else None
    if protocol is None:
        return set()
    brought = {name for each in protocol.sources for name, _ in list_settings(protocol, each, {})}
    values: dict[tuple[str, str], set[str]] = {}
    for arm in arms:
        for name in brought:
            seen = values.setdefault((name, repr(_value(arm, factor))), set())
            seen.add(repr(_value(arm, name)))
    return brought - {name for (name, _), seen in values.items() if len(seen) > 1}


def _list_defaults(protocol_name: str) -> Mapping[str, Any]:
    """Return the settings of a protocol that are recorded only where they differ."""
    protocol = registry.find(protocol_name)
    return protocol.omitted if protocol else {}


def _value(arm: Arm, name: str) -> Any:  # noqa: ANN401 -- a setting is anything
    usual = {**list_usual(), **_list_defaults(arm.protocol)}
    return arm.factors.get(name, usual.get(name))


def measure_choices(
    runs: RecordedRuns, groups: Sequence[Mapping[str, Arm]], factor: str, against: str
) -> list[MeasuredChoice]:
    """Return each method under each choice on each dataset, with p corrected by Holm."""
    right = sum_values(runs.values, "accuracy")
    results = {(each.arm, each.dataset): each for each in runs.joined.arms}
    pools = {(each.arm, each.dataset): each.against for each in runs.joined.verdicts}
    found: list[MeasuredChoice] = []
    for dataset in runs.datasets:
        for group in groups:
            known = {
                choice: results[arm.name, dataset]
                for choice, arm in group.items()
                if (dataset, arm.name) in right
            }
            if len(known) > 1:
                judged = _find_opponent(known, pools, against)
                found += _measure_group(known, factor, judged, right)
    return correct_by_holm(correct_by_holm(found, "gap"), "change")


def _find_opponent(
    own: Mapping[str, ArmResult], pools: Mapping[tuple[str, str], str | None], against: str
) -> str:
    """Return the arm that all choices are compared with, ``EQUAL``, or an empty text."""
    if against:
        return against
    if all(_find_budget(each) is not None for each in own.values()):
        return EQUAL
    voted = {pools.get((each.arm, each.dataset)) for each in own.values()}
    told = voted if voted != {None} and len(voted) == 1 else {e.baseline for e in own.values()}
    [judged] = told if len(told) == 1 else {None}
    return judged if judged and judged not in {each.arm for each in own.values()} else ""


def _measure_group(
    own: Mapping[str, ArmResult],
    factor: str,
    judged: str,
    right: Mapping[tuple[str, str], Mapping[Key, float]],
) -> Iterator[MeasuredChoice]:
    """Yield a method under each of its choices; see ``_find_opponent``."""
    first = next(iter(own.values()))
    method = first.arm
    for choice, each in own.items():
        values = right[each.dataset, each.arm]
        budget = _find_budget(each) if judged == EQUAL else None
        other = right.get((each.dataset, judged))
        gap, words = (compare_paired(values, other), judged) if other else (None, "")
        if budget is not None:
            gap, words = budget.difference, "a vote at equal tokens"
        yield MeasuredChoice(
            dataset=each.dataset,
            method=_cut_name(method, f"{factor}={next(iter(own))}"),
            choice=choice,
            arm=each.arm,
            against=words,
            accuracy=each.accuracy,
            gap=gap,
            change=None
            if each is first
            else compare_paired(values, right[each.dataset, first.arm]),
        )


def _find_budget(each: ArmResult) -> EqualBudget | None:
    """Return the comparison with a vote at equal tokens, where there is one."""
    return next((budget for budget in each.budget if budget.matched == "tokens"), None)


def _cut_name(arm: str, stated: str) -> str:
    """Return an arm's name without the factor and its value, which are stated in it as one word."""
    words = (",".join(w for w in word.split(",") if w != stated) for word in arm.split(" "))
    return " ".join(filter(None, words))


def judge_signs(found: Sequence[MeasuredChoice], factor: str) -> tuple[MeasuredSensitivity, ...]:
    """Return for each method on each dataset whether the sign of its gap changes."""
    groups: dict[tuple[str, str], list[MeasuredChoice]] = {}
    for each in found:
        groups.setdefault((each.dataset, each.method), []).append(each)
    made = []
    for (dataset, method), choices in groups.items():
        shown = [_sign(each.gap) for each in choices]
        sign: Sign = "not shown"
        if {1, -1} <= {*shown}:
            sign = "changes"
        elif len({*shown}) == 1 and shown[0]:
            sign = "does not change"
        made.append(
            MeasuredSensitivity(
                dataset=dataset, method=method, factor=factor, sign=sign, choices=tuple(choices)
            )
        )
    return tuple(made)


def _sign(gap: Difference | None) -> int:
    """Return 1 or -1 for a difference that is shown to be above or below 0, else 0."""
    if gap is None or gap.mean is None or not is_shown(gap):
        return 0
    return 1 if gap.mean > 0 else -1


def _describe(each: MeasuredSensitivity) -> str:
    """Return a sentence: whether the sign changes, with the gap under each choice."""
    place = f"{each.method} on {each.dataset}"
    if not all(choice.gap for choice in each.choices):
        return f"{place}: it is compared with no other method; --against names one."
    judged = each.choices[0].against
    verdict = {
        "changes": f"the sign of its gap to {judged} changes with {each.factor}",
        "does not change": f"the sign of its gap to {judged} does not change with {each.factor}",
        "not shown": f"it is not shown whether the sign of its gap to {judged} changes with "
        f"{each.factor}",
    }[each.sign]
    told = [
        f"{format_percent(gap.mean, sign=True)} points under {choice.choice} "
        f"({format_interval(gap.low, gap.high, sign=True)}"
        f"{'' if is_shown(gap) else ', not shown'})"
        for choice in each.choices
        if (gap := choice.gap) is not None
    ]
    n = min(choice.gap.questions for choice in each.choices if choice.gap is not None)
    return f"{place}: {verdict}: {', '.join(told)}; n = {n} questions."


def _name_changes(found: Sequence[MeasuredChoice]) -> Iterator[NamedDifference]:
    firsts: dict[tuple[str, str], str] = {}
    for each in found:
        first = firsts.setdefault((each.dataset, each.method), each.choice)
        if each.change is not None:
            words = f"{each.method} on {each.dataset}, {each.choice} less {first}"
            yield NamedDifference(words, each.change)


def _tabulate(found: Sequence[MeasuredChoice], factor: str) -> ResultTable:
    several, has_gap = len({each.dataset for each in found}) > 1, any(e.against for e in found)
    return tabulate(
        f"Methods by {factor}",
        found,
        TableField("Choice", value="choice"),
        TableField("Accuracy %", "percent", "accuracy"),
        TableField("Gap", "points", lambda each: each.gap or Difference()),
        TableField("p (Holm)", "p", "gap.p_holm"),
        TableField("Change", "points", lambda each: each.change or Difference()),
        TableField("p (Holm)", "p", "change.p_holm"),
        band=lambda each: " ".join(
            [each.method, *[f"on {each.dataset}"] * several, *[f"against {each.against}"] * has_gap]
        ),
        marked=lambda each: each.change is None,
    )

"""Oversight: how often a judge finds the truth that has not read what its advocates have."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from moot.analyses.advocates import Advocate, measure_advocates
from moot.analyses.analysis import analysis, check_found
from moot.analyses.oversight_games import ExpertVerdicts, GameGroup, read_groups
from moot.analyses.oversight_measures import (
    OversightArm,
    ProtocolAccuracy,
    average_protocols,
    is_naive_of,
    measure_arms,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.display_text import format_things
from moot.core.results import Difference
from moot.core.table import Column, Report, ResultTable, TableRow


@analysis(source="arXiv:2402.06782, arXiv:2504.03731 (agent score difference)", place=18)
def oversight(runs: RecordedRuns) -> Report:
    """Tell how often a judge finds the truth that has not read the passage, and who convinces it.

    Of arms of ``oversight-debate`` and ``oversight-consultancy``; arms that differ in the order of
    the answers are one. An arm with ``rounds = 0`` is the naive judge, one of ``single`` the expert
    who reads the passage; both count for judges of their own model.
    """
    groups, experts = read_groups(runs)
    check_found(
        groups, runs, "it has no arm of oversight-debate or oversight-consultancy that can be read"
    )
    found = measure_arms(groups, experts)
    advocates = measure_advocates(groups)
    named = [
        NamedDifference(f"{each.arm} on {each.dataset} against a judge that hears no advocate", gap)
        for each in found
        if (gap := each.to_naive) is not None
    ]
    argued = [each for each in found if each.talked_out.n or each.talked_in.n]
    said = [each for each in found if each.right_side.words or each.wrong_side.words]
    tables = [
        _tabulate_judges(found),
        _tabulate_protocols(average_protocols(groups, experts)),
        _tabulate_sways(found),
        *([_tabulate_overrides(argued)] if argued else []),
        *([_tabulate_sides(said)] if said else []),
        *([_tabulate_advocates(advocates)] if advocates else []),
    ]
    return Report(
        title=f"Oversight: {runs.name}",
        about=f"{runs.key}: what a judge decides that has not read the passage",
        tables=tables,
        notes=tuple(_explain(found, groups, experts)),
        findings=tuple(describe_comparisons(named)),
        data=found,
    )


def _explain(
    found: Sequence[OversightArm], groups: Sequence[GameGroup], experts: ExpertVerdicts
) -> Iterator[str]:
    """Yield the notes of the report."""
    yield "A vote that cannot be read counts as wrong. Intervals are over questions."
    yield "p (Holm): corrected for all arms of a dataset."
    yield "Of more than two options the expert chooses among all: the share is then too large."
    if any(each.advantage.n and not each.exact for each in found):
        yield "Advantage of truth: with few debates of a question it is drawn towards 0."
    if any(each.talked_out.n for each in found):
        yield "Talked out and into: of votes that can be read, with and without advocates."
    if any(each.right_side.words for each in found):
        yield "Real runs of 3 words: of each quotation, the share that stands in the passage."
        yield 'Concessions are found by words such as "my opponent is right": others are missed.'
    if secret := sum(each.secret for each in found):
        yield (
            f"{format_things(secret, 'debate')} of secret questions: what was said is withheld, so "
            "quotations, words and concessions leave them out."
        )
    if alike := [each.arm for each in found if each.rated_alike]:
        yield (
            f"The judge's own model rated the drafts in {', '.join(dict.fromkeys(alike))}: they "
            "are chosen to convince this very judge."
        )
    for group in groups:
        arms = [each.arm for each in groups if is_naive_of(each, group)]
        if group.arm in arms[1:]:
            yield f"{group.dataset}: arms are compared with {arms[0]}, and not with {group.arm}."
    for (dataset, model), right in experts.items():
        first, *others = right
        for arm in others:
            yield f"{dataset}: the expert of {model} is {first}, and not {arm}."


def _tabulate_judges(found: Sequence[OversightArm]) -> ResultTable:
    rows = []
    for each in found:
        above = each.to_naive or Difference()
        cells: list[Any] = [each.dataset, each.arm, each.judge, each.accuracy, each.strict]
        rows.append(TableRow([*cells, above, above.p, above.p_holm, each.recovered, each.unread]))
    columns = (
        Column("dataset"),
        Column("arm"),
        Column("judge"),
        Column("judge right %", "percent"),
        Column("right in both orders %", "percent"),
        Column("above naive", "points"),
        Column("p", "p"),
        Column("p (Holm)", "p"),
        Column("gap recovered", "number", 2),
        Column("unread", "count"),
    )
    return ResultTable("what the judge decides", columns, rows)


def _tabulate_sways(found: Sequence[OversightArm]) -> ResultTable:
    rows = [
        TableRow(
            [
                *(each.dataset, each.arm, each.first, each.quoting),
                *(each.convinced_right, each.convinced_wrong, each.advantage),
            ]
        )
        for each in found
    ]
    columns = (
        Column("dataset"),
        Column("arm"),
        Column("takes A %", "percent"),
        Column("takes more real quotations %", "percent"),
        Column("right %", "percent", group="convinced by one side alone"),
        Column("wrong %", "percent", group="convinced by one side alone"),
        Column("advantage of truth", "signed", 2),
    )
    return ResultTable("what sways the judge", columns, rows)


def _tabulate_protocols(found: Iterable[ProtocolAccuracy]) -> ResultTable:
    rows = [
        TableRow(
            [
                *(each.dataset, each.judge, each.protocol),
                *(each.accuracy, each.advantage, each.expected, each.accuracy.n),
            ]
        )
        for each in found
    ]
    columns = (
        Column("dataset"),
        Column("judge"),
        Column("protocol"),
        Column("right %", "percent"),
        Column("advantage of truth", "signed", 2),
        Column("right if consultants choose %", "percent"),
        Column("debates", "count"),
    )
    return ResultTable("judges by protocol", columns, rows)


def _tabulate_overrides(found: Iterable[OversightArm]) -> ResultTable:
    rows = [
        TableRow(
            [
                *(each.dataset, each.arm, each.judge),
                *(each.talked_out, each.talked_out.n, each.talked_in, each.talked_in.n),
            ]
        )
        for each in found
    ]
    columns = (
        Column("dataset"),
        Column("arm"),
        Column("judge"),
        Column("talked out of it %", "percent", group="judge right by itself"),
        Column("debates", "count", group="judge right by itself"),
        Column("talked into the truth %", "percent", group="judge wrong by itself"),
        Column("debates", "count", group="judge wrong by itself"),
    )
    return ResultTable("what advocates talk the judge out of, and into", columns, rows)


def _tabulate_sides(found: Iterable[OversightArm]) -> ResultTable:
    rows = [
        TableRow(
            [
                *(each.dataset, each.arm, name, side.words, side.real, side.near),
                *(side.repeated, side.conceded),
            ]
        )
        for each in found
        for name, side in (("right", each.right_side), ("wrong", each.wrong_side))
        if side.words is not None
    ]
    columns = (
        Column("dataset"),
        Column("arm"),
        Column("side"),
        Column("words an argument", "number", 0),
        Column("real quotations %", "percent"),
        Column("real runs of 3 words %", "percent"),
        Column("repeated quotations %", "percent"),
        Column("conceding arguments %", "percent"),
    )
    return ResultTable("what each side says", columns, rows)


def _tabulate_advocates(found: Iterable[Advocate]) -> ResultTable:
    rows = [
        TableRow(
            [
                *(each.dataset, each.name, each.correct, each.incorrect, each.overall),
                *(each.strength, each.strength_right, each.strength_wrong, each.overall.n),
            ]
        )
        for each in found
    ]
    columns = (
        Column("dataset"),
        Column("advocate"),
        Column("for the right answer %", "percent", group="wins"),
        Column("for a wrong one %", "percent", group="wins"),
        Column("both, against others %", "percent", group="wins"),
        Column("overall", "signed", 2, group="strength (Bradley and Terry)"),
        Column("right side", "signed", 2, group="strength (Bradley and Terry)"),
        Column("wrong side", "signed", 2, group="strength (Bradley and Terry)"),
        Column("debates against others", "count"),
    )
    return ResultTable("who wins", columns, rows)

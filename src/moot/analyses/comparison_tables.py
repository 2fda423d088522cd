"""Two runs beside each other in tables: each pair of arms with how it differs, and on what."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from moot.analyses.analysis import analysis, check_found
from moot.analyses.comparison import ArmComparison, compare_arms
from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons, explain_unshown
from moot.analyses.summary import difference_kind, format_ratio
from moot.core.display_text import (
    format_count,
    format_interval,
    format_p,
    format_p_equals,
    format_percent,
    format_things,
    natural_sort_key,
    on_one_line,
)
from moot.core.errors import InputError
from moot.core.table import Cell, Column, Report, ResultTable, TableRow, make_columns
from moot.statistics.accuracies import find_p

VERDICTS = {
    "higher": "the second is right more often",
    "lower": "the first is right more often",
    "even": "no clear difference",
    "unknown": "too few questions to tell",
}

APART = 4
"""The most pairs of arms that each have a table in the terminal; more have a row each."""


def _lack_another(runs: RecordedRuns) -> str:
    return "" if len(runs.rows) > 1 else "to compare it, name another run, or --pair its methods"


@analysis(
    source="McNemar's exact test, corrected by Holm",
    group="accuracy",
    needs=("accuracy",),
    place=90,
    lacks=_lack_another,
)
def compare(
    runs: RecordedRuns,
    *,
    pair: Annotated[
        tuple[str, ...],
        Meta(
            description="A=B: method A of the first run with method B of the second; may be "
            "repeated; without any, methods of one name"
        ),
    ] = (),
    limit: Annotated[
        int, Meta(ge=0, description="the most questions named that only one has right")
    ] = 20,
) -> Report:
    """Compare two runs, or two methods of one run, on the questions that both have debated.

    Methods of one name are compared, or those that a pair names, as in single=society-of-minds.
    """
    if len(runs.rows) > 2:
        raise InputError(f"compare: two runs at most, not {len(runs.rows)}")
    found = tuple(
        each
        for each in compare_arms(runs.lab, *(row.key for row in runs.rows), arms=pair)
        if any(
            runs.shows(runs.name_arm(side.run, side.arm), each.dataset)
            for side in (each.first, each.second)
        )
    )
    check_found(found, runs, "no pair is of these methods and datasets")
    cut = {"only_first", "only_second"}
    data = [replace(each, **{name: getattr(each, name)[:limit] for name in cut}) for each in found]
    return tabulate_comparison(found, limit=limit)._replace(data=data)


def tabulate_comparison(found: Sequence[ArmComparison], *, limit: int = 20) -> Report:
    """Put each pair of arms into a table, with how they differ and on which questions.

    Args:
        found: what was compared.
        limit: the most questions named of each kind.
    """
    pairs: dict[str, int] = {}
    for each in found:
        pairs[each.dataset] = pairs.get(each.dataset, 0) + 1
    most = max(pairs.values())
    holm = "; Holm: for all pairs of methods that are compared on the dataset" if most > 1 else ""
    note = (
        "On the questions and replicates that both have. In brackets: 95 % intervals over "
        "questions. p: McNemar's exact test, of replicated questions by change of signs"
        f"{holm}. Calls to cost: the mean of a debate."
    )
    runs = dict.fromkeys(run for each in found for run in (each.first.run, each.second.run))
    named = [NamedDifference(_name_pair(each), each.difference) for each in found]
    tables = [_pair(each, limit) for each in found]
    if len(found) > APART:
        tables = [_overview(found), *(table._replace(wide=True) for table in tables)]
    return Report(
        title="Comparison",
        about=" and ".join(on_one_line(run, 80) for run in runs),
        tables=tables,
        findings=tuple(describe_comparisons(named)),
        notes=(note,),
        simulated=any(side.simulated for each in found for side in (each.first, each.second)),
    )


def _name_pair(each: ArmComparison) -> str:
    one, two = (on_one_line(side.arm, 80) for side in (each.first, each.second))
    return f"{one}, second run minus first, on {each.dataset}" * (one == two) or (
        f"{two} minus {one}, on {each.dataset}"
    )


def _overview(found: Sequence[ArmComparison]) -> ResultTable:
    """Put many pairs of arms into one table, a row each."""
    return tabulate(
        "Second minus first",
        found,
        TableField("arm", value=_name_arms, head="method"),
        TableField("first %", "percent", "first.accuracy"),
        TableField("second %", "percent", "second.accuracy"),
        TableField("difference", "points"),
        TableField("p (Holm)", "p", lambda each: find_p(each.difference)),
        TableField.of_smallest("smallest", "difference.smallest"),
        TableField("questions", "count", "difference.questions"),
        band=lambda each: each.dataset,
    )


def _name_arms(each: ArmComparison) -> str:
    sides = (each.first, each.second)
    return "; ".join(dict.fromkeys(on_one_line(side.label, 80) for side in sides))


def _pair(each: ArmComparison, limit: int) -> ResultTable:
    rows = []
    for place, side in (("first", each.first), ("second", each.second)):
        left = f"{format_count(side.left_out)} left out" * bool(side.left_out)
        n = Cell(side.accuracy.n, interval=left)
        name = Cell(on_one_line(side.label, 80), interval=on_one_line(side.run, 80))
        rows.append(TableRow([place, name, side.accuracy, n, side.calls, side.tokens, side.cost]))
    return ResultTable(
        each.dataset,
        (
            Column(""),
            Column("arm", head="method"),
            Column("accuracy %", "percent"),
            *make_columns("count", "debates", "calls", "tokens"),
            Column("cost", "money"),
        ),
        rows,
        findings=tuple(_sentences(each, limit)),
    )


def _sentences(each: ArmComparison, limit: int) -> Iterator[str]:
    gap = each.difference
    ends = format_interval(gap.low, gap.high, sign=True)
    yield f"Second minus first: {format_percent(gap.mean, sign=True)} points ({ends})."
    holm = f" ({format_p(gap.p_holm)} after Holm)" if gap.p_holm != gap.p else ""
    yield f"p {format_p_equals(gap.p)}{holm}: {VERDICTS[difference_kind(gap)]}."
    if why := explain_unshown(gap):
        yield why
    if gap.smallest is not None:
        yield f"Smallest difference so many questions show: {format_percent(gap.smallest)} points."
    ratios = []
    for name in ("calls", "tokens", "cost"):
        one, two = getattr(each.first, name), getattr(each.second, name)
        if one and two is not None:
            ratios.append(f"{name} × {format_ratio(two / one)}")
    if ratios:
        yield f"Second over first: {', '.join(ratios)}."
    replicated = gap.pairs > gap.questions
    right = "more often right in" if replicated else "right only in"
    for which, questions in (("first", each.only_first), ("second", each.only_second)):
        named = ", ".join(
            on_one_line(question, 40)
            for question in sorted(questions, key=natural_sort_key)[:limit]
        )
        rest = (
            f" … {format_count(len(questions) - limit)} more" if 0 < limit < len(questions) else ""
        )
        told = f": {named}{rest}" if named else ""
        yield f"{format_things(len(questions), 'question')} {right} the {which}{told}."

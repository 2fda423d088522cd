"""Whom judges favour, in tables: how verdicts divide, what each thing is worth, who is ahead."""

from collections.abc import Iterator

from moot.analyses.analysis import analysis
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.identity_ranking import rank_identities, tabulate_ranking
from moot.analyses.judge_bias import NO_SIDES, Effect, JudgeBias, Share, measure_judge_bias
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.seatings import PLACES, SUPPORT, Name
from moot.analyses.sentences import Family, NamedDifference, describe_comparisons, describe_family
from moot.analyses.side_charts import chart_sides
from moot.core.display_text import format_things
from moot.core.results import Difference
from moot.core.table import Report


def _lack_sides(runs: RecordedRuns) -> str:
    known = any(each.values.get(SUPPORT) is not None for each in runs.values)
    return "" if known else NO_SIDES


@analysis(
    source="Prejudice and Fidelity, section 6.1.2, figures 3 and 4",
    group="trust",
    place=30,
    draws=True,
    lacks=_lack_sides,
    varies=(*PLACES, "swaps_labels", "cast", "opening"),
)
def judge_bias(runs: RecordedRuns, *, family: Family = "all") -> Report:
    """Tell whom the judges favour: a label, a persona, or a place.

    Of debates with an affirmative and a negative side. Methods that differ in who sits where alone
    are compared.
    """
    found = measure_judge_bias(
        runs.values,
        arms=runs.arms,
        run=runs.key,
        name=runs.name,
        simulated=bool(runs.simulated),
        family=family,
    )
    report = tabulate_judge_bias(found)
    ranked = [tabulate_ranking(each) for each in rank_identities(runs.values, runs.arms)]
    return report._replace(
        tables=[*report.tables, *ranked],
        notes=(*report.notes, describe_family(family)),
        charts=tuple(chart_sides(found)),
        data=found,
        findings=tuple(describe_comparisons(_compare(found))),
    )


def _compare(found: JudgeBias) -> Iterator[NamedDifference]:
    """Yield the effects as differences of the share of verdicts from a half."""
    for each in found.effects:
        size = each.size
        yield NamedDifference(
            f"{each.group} on {each.dataset}, {each.opening}: being {_name_effect(each)}",
            Difference(
                mean=size.mean,
                low=size.low,
                high=size.high,
                pairs=size.n,
                questions=size.questions,
                p=each.p,
                p_holm=each.p_holm,
                smallest=each.smallest,
            ),
        )


def tabulate_judge_bias(found: JudgeBias) -> Report:
    """Put into tables how verdicts divide and what each thing is worth, group by group."""
    tables = []
    for dataset, group in dict.fromkeys((each.dataset, each.group) for each in found.shares):
        shares = [each for each in found.shares if (each.dataset, each.group) == (dataset, group)]
        effects = [each for each in found.effects if (each.dataset, each.group) == (dataset, group)]
        tables += [
            tabulate(
                f"{dataset}: {group}",
                shares,
                TableField("opening", head="planted answer"),
                TableField("verdicts for", value=lambda each: _versus(each.names, each)),
                *(TableField(name, "percent") for name in ("first", "second", "neither", "ratio")),
                TableField("debates", "count"),
            ),
            tabulate(
                f"{dataset}: {group}: what it is worth",
                effects,
                TableField("opening", head="planted answer"),
                TableField("being", value=_name_effect),
                TableField("effect", "points", "size"),
                *list_tests(),
                TableField("questions", "count", "size.questions"),
                TableField("seatings", "count"),
            ),
        ]
    return Report(
        title=f"Judge bias: {found.name}",
        about=f"{found.run}: whom the judges of {found.name} favour",
        tables=[table for table in tables if table.rows],
        notes=tuple(_notes(found)),
        simulated=found.simulated,
    )


def _name_effect(each: Effect) -> str:
    return "; ".join(_versus(pair, each) for pair in each.names)


def _versus(names: Name, each: Share | Effect) -> str:
    return f"{names[0]}, not {names[1]}{' (control)' * each.control}"


def _notes(found: JudgeBias) -> Iterator[str]:
    """Yield what a reader must know to read the figures."""
    yield (
        "Shares of verdicts in %, with 95 % intervals over questions. First and second: of the "
        "two names before; ratio: the first's part of the verdicts for either."
    )
    yield (
        "Effect: the share of verdicts for the first name minus 50, in points, over the "
        "questions debated in every seating, all else balanced; a verdict for neither counts "
        "half for each."
    )
    if any(each.control for each in found.effects):
        yield (
            "Control: names that mean nothing. A bias no larger than theirs is no bias of what "
            "the names say."
        )
    if found.mixed:
        yield (
            "POSITION AND LABEL CANNOT BE TOLD APART in the rows with more than one name: these "
            "were the same side in every seating. Run speaks_first and shown_first both ways."
        )
    if left := sum({(e.dataset, e.group, e.opening): e.left_out for e in found.effects}.values()):
        yield (
            f"{format_things(left, 'question')} left out of effects: not debated in every seating."
        )
    if failed := sum({(e.dataset, e.group, e.opening): e.failed for e in found.shares}.values()):
        yield f"{format_things(failed, 'debate')} failed and count nowhere."

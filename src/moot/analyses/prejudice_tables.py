"""The prejudice of debates in tables: those of APF-Bench, then every figure with its interval."""

from collections.abc import Iterator, Sequence

from moot.analyses.analysis import analysis
from moot.analyses.anchoring import HEADINGS, read_outcomes
from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.measured_arms import group_by
from moot.analyses.prejudice import OpeningGroup, Prejudice, measure_prejudice
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import (
    Family,
    NamedDifference,
    describe_comparisons,
    describe_family,
)
from moot.core.display_text import format_count, format_things, on_one_line
from moot.core.table import Cell, Column, Report, ResultTable, TableRow, make_columns
from moot.statistics.accuracies import find_p

BEST = "*"

FOLLOWED = "debates whose verdict is a value put forward"
ANYWAY = "open debates with the same value as their verdict on the same question"
SWAY = "followed minus anyway; above 0 towards the value, below 0 away from it"
ACCURACIES = (
    "Accuracies in %, with 95 % intervals over questions; * the highest of a row. Right, wrong and "
    "random: the first agent was asked whether such a value is the right answer. No answer: "
    "debates of all openings that failed or ended without an answer; they count as not right."
)
TESTS = (
    "Percentage points between the accuracies of two openings on the same questions. p: McNemar's "
    "exact test, of replicated questions by change of signs."
)
SWAYS = "Planted answer: what the first agent is led to say first. p: as above."
VARIATIONS = (
    "Range: the highest accuracy of an opening minus the lowest; it is never below 0, and by "
    "chance alone it would be what the next column says. p: how likely a range at least as wide is "
    "if the opening made no difference, corrected by Holm. SD: of the accuracies of the openings. "
    "Percentage points, intervals of resampled questions."
)
PAPER = "Accuracies in %; * the highest of a framework's openings."


@analysis(
    source="Prejudice and Fidelity, tables 1 and 2",
    group="settings",
    needs=("accuracy",),
    name="prejudice",
    place=20,
    varies=("opening",),
)
def analyse_prejudice(runs: RecordedRuns, *, family: Family = "dataset") -> Report:
    """Tell how far the opening decides the verdicts.

    Methods that differ in opening alone are compared: accuracy by opening, how much it varies, and
    how often the verdict is the value that was put forward, against the open debates.
    """
    found = measure_prejudice(
        read_outcomes(runs.debates()),
        arms=runs.arms,
        run=runs.key,
        name=runs.name,
        simulated=runs.simulated,
        family=family,
    )
    findings = tuple(describe_comparisons(_compare(found)))
    return tabulate_prejudice(found)._replace(
        data=found, findings=findings, notes=(describe_family(family),)
    )


def _compare(found: Prejudice) -> Iterator[NamedDifference]:
    """Yield the differences that tell prejudice: right against wrong openings, and the sways."""
    several = len({group.model for group in found.groups}) > 1
    for group in found.groups:
        of = f"{group.name}, {group.model}" if several else group.name
        for column in group.columns:
            if column.right_minus is not None:
                yield NamedDifference(
                    f"{of} on {group.dataset}: accuracy opened rightly minus wrongly",
                    column.right_minus,
                )
            if column.sway is not None:
                yield NamedDifference(
                    f"{of} on {group.dataset}: sway by the opening {_heading(column.label)}",
                    column.sway.difference,
                )


def tabulate_prejudice(found: Prejudice) -> Report:
    """Put the prejudice of a run into tables: the paper's own first, which are wide."""
    datasets = len({group.dataset for group in found.groups})
    groups = format_things(len(found.groups), "group")
    return Report(
        title=f"Prejudice: {found.name}",
        about=f"{found.run}: {groups} of methods by opening on "
        f"{format_things(datasets, 'dataset')}",
        tables=[*tabulate_papers(found), *tabulate_details(found)],
        simulated=found.simulated,
    )


def tabulate_papers(found: Prejudice) -> Iterator[ResultTable]:
    """Yield tables 1 and 2: frameworks by opening across, datasets and their models down.

    Those of society-level frameworks stand apart, as table 2.
    """
    for number, level in enumerate(("Model", "Society"), 1):
        own = [group for group in found.groups if group.society == (level == "Society")]
        names = dict.fromkeys(
            (group.name, column.label) for group in own for column in group.columns
        )
        rows = []
        for dataset, groups in group_by(own, lambda group: group.dataset).items():
            for model in dict.fromkeys(group.model for group in groups):
                means = {
                    (group.name, column.label): (column.accuracy, column.best)
                    for group in groups
                    if group.model == model
                    for column in group.columns
                }
                cells = [
                    Cell(means[name][0].mean, mark=BEST * means[name][1]) if name in means else "–"
                    for name in names
                ]
                counts = [accuracy.questions for accuracy, _ in means.values()]
                rows.append(
                    TableRow([on_one_line(model, 60), *cells, _range(counts)], band=dataset)
                )
        heads = (Column(_heading(opening), "percent", group=name) for name, opening in names)
        if rows:
            yield ResultTable(
                f"{level}-level frameworks (table {number})",
                (Column("model"), *heads, Column("questions", "count")),
                rows,
                PAPER,
                wide=True,
            )


def tabulate_details(found: Prejudice) -> Iterator[ResultTable]:
    """Yield for each dataset and model accuracy by opening, tests, sway and variation."""
    several = len({group.model for group in found.groups}) > 1
    for dataset, own in group_by(found.groups, lambda group: group.dataset).items():
        for model in dict.fromkeys(group.model for group in own):
            groups = [group for group in own if group.model == model]
            of = f"{dataset}, {on_one_line(model, 60)}" if several else dataset
            tables = (_accuracies(groups), _tests(groups), _sways(groups), _variations(groups))
            yield from (each._replace(title=f"{of}: {each.title}") for each in tables if each.rows)


def _accuracies(groups: Sequence[OpeningGroup]) -> ResultTable:
    labels = list(dict.fromkeys(column.label for group in groups for column in group.columns))
    rows = []
    for group in groups:
        by = {column.label: column for column in group.columns}
        cells = [
            Cell(by[label].accuracy, mark=BEST * by[label].best) if label in by else "–"
            for label in labels
        ]
        counts = [column.accuracy.questions for column in group.columns]
        lost = sum(column.unanswered for column in group.columns)
        rows.append(TableRow([_name(group), *cells, _range(counts), lost]))
    heads = make_columns("percent", *map(_heading, labels))
    return ResultTable(
        "accuracy by opening",
        (Column("protocol"), *heads, *make_columns("count", "questions", "no answer")),
        rows,
        ACCURACIES,
    )


def _tests(groups: Sequence[OpeningGroup]) -> ResultTable:
    rows = []
    for group in groups:
        for column in group.columns:
            named = _heading(column.label)
            for words, gap in (
                (f"{named} − open", column.difference),
                (f"right − {named}", column.right_minus),
            ):
                if gap is not None:
                    rows.append(
                        TableRow(
                            [_name(group), words, gap, find_p(gap), gap.smallest, gap.questions]
                        )
                    )
    return ResultTable(
        "tests",
        (
            Column("protocol"),
            Column("openings", head="planted answers"),
            Column("difference", "points"),
            Column("p (Holm)", "p"),
            TableField.of_smallest().column,
            Column("questions", "count"),
        ),
        rows,
        TESTS,
    )


def _sways(groups: Sequence[OpeningGroup]) -> ResultTable:
    rows = []
    for group in groups:
        for column in group.columns:
            if (sway := column.sway) is not None:
                gap = sway.difference
                figures = [sway.followed, sway.openly, gap, find_p(gap), gap.questions]
                rows.append(TableRow([_name(group), _heading(column.label), *figures]))
    return ResultTable(
        "sway",
        (
            Column("protocol"),
            Column("opening", head="planted answer"),
            Column("followed", "percent", about=FOLLOWED),
            Column("anyway", "percent", about=ANYWAY),
            Column("sway", "points", about=SWAY),
            Column("p (Holm)", "p"),
            Column("questions", "count"),
        ),
        rows,
        SWAYS,
    )


def _variations(groups: Sequence[OpeningGroup]) -> ResultTable:
    return tabulate(
        "variation across openings",
        [group for group in groups if group.variation],
        TableField("protocol", value=_name),
        TableField("openings", "count", "variation.openings", head="planted answers"),
        TableField("range", "percent", "variation.range"),
        TableField("by chance", "percent", "variation.chance"),
        TableField("p (Holm)", "p", "variation.p_holm"),
        TableField("SD", "percent", "variation.sd"),
        TableField("questions", "count", "variation.range.questions"),
        note=VARIATIONS,
    )


def _name(group: OpeningGroup) -> str:
    return on_one_line(group.name, 60)


def _heading(label: str) -> str:
    """Return an opening as a heading, with the distance of its values where it has one."""
    opening, _, distance = label.partition(" ")
    return f"{HEADINGS.get(opening, opening)} {distance}".strip()


def _range(counts: Sequence[int]) -> Cell | int:
    """Return on how many questions; where the counts differ, from the least to the most."""
    least, most = min(counts), max(counts)
    return most if least == most else Cell(f"{format_count(least)}–{format_count(most)}")

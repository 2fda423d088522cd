"""Whether confidences are calibrated, and what a debate does to them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from moot.analyses.analysis import analysis, check_found
from moot.analyses.confident_debates import (
    FIRST,
    LAST,
    VERDICT,
    ConfidenceGroup,
    gather_confidences,
    has_confidence,
)
from moot.analyses.measured_arms import make_slug, read_mean
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.display_text import format_interval, format_percent, format_things
from moot.core.results import Mean
from moot.core.table import Column, Report, ResultTable, TableRow
from moot.statistics.calibration import (
    BINS,
    bin_confidences,
    find_value,
    measure_change,
    measure_confidence,
)

FEW = 50
"""Questions below which the intervals are too short to be relied on."""
MOST_SEATS = 12
"""The most agents of an arm that have a row each."""
CALIBRATED = "calibrated"
"""What the diagonal is called."""

_MEASURED = {
    "accuracy": Column("accuracy %", "percent"),
    "confidence": Column("confidence %", "percent"),
    "overconfidence": Column("over-\nconfidence", "points"),
    "ece": Column("ECE", "number", 3),
    "brier": Column("Brier", "number", 3),
    "auroc": Column("AUROC", "number", 3),
    "auarc": Column("AUARC", "number", 3),
}
_CHANGED = {
    "accuracy": Column("accuracy", "points"),
    "confidence": Column("confidence", "points"),
    "overconfidence": Column("over-\nconfidence", "points"),
    **{name: Column(_MEASURED[name].name, "signed", 3) for name in ("ece", "brier", "auroc")},
}
_NAMES = (Column("dataset"), Column("arm", head="method"), Column("source"))


NO_CONFIDENCE = (
    "no answer of its debates has a confidence; ask for one by the setting confidence, or let "
    "several agents answer"
)
"""The lack of runs without one."""


def _lack_confidence(runs: RecordedRuns) -> str:
    known = any(has_confidence(each.transcript) for each in runs.examples)
    return "" if known else NO_CONFIDENCE


@analysis(
    source="ECE: arXiv:1706.04599; Brier (1950)",
    group="trust",
    place=45,
    name="calibration",
    draws=True,
    lacks=_lack_confidence,
)
def analyse_calibration(runs: RecordedRuns) -> Report:
    """Show whether confidences tell right answers from wrong ones, and what a debate does to them.

    Of every source of confidence: what agents state, and the share of the round's agents that
    agree with them. Of every method's first and last round, and of its verdict, whose stated
    confidence is the mean of those that support it. The last round is compared with the first on
    the same questions. Answers without a confidence are counted and left out; no number is guessed.
    """
    groups = [each for each in gather_confidences(runs) if each.answers]
    check_found(groups, runs, NO_CONFIDENCE)
    seats = [each for each in groups if each.seat]
    groups = [each for each in groups if not each.seat]
    tables = [_tabulate_measures(groups), *_tabulate_changes(groups), *_tabulate_seats(seats)]
    return Report(
        title=f"Calibration: {runs.name}",
        about=runs.key,
        tables=tables,
        charts=tuple(_draw(groups)),
        findings=tuple(_find(groups)),
        notes=_note_few(groups),
    )


def _note_few(groups: Sequence[ConfidenceGroup]) -> tuple[str, ...]:
    """Return a note where a group has few questions."""
    fewest = min(len({each.question for each in group.answers}) for group in groups)
    if fewest >= FEW:
        return ()
    note = f"The smallest group has {format_things(fewest, 'question')}: below {FEW}, intervals"
    return (f"{note} hold the truth less often than 95 %.",)


def _tabulate_measures(groups: Sequence[ConfidenceGroup]) -> ResultTable:
    columns = (
        *(*_NAMES, Column("answers"), Column("n", "count"), Column("stated %", "percent")),
        *_MEASURED.values(),
    )
    note = (
        f"ECE: {BINS} bins of equal width, as in most publications; with few answers chance alone "
        "makes it greater than 0, which its interval allows for. AUROC: the chance that a right "
        "answer has a higher confidence than a wrong one; 0.5 separates nothing. AUARC: accuracy "
        "of the most confident answers, averaged over how many are taken. Overconfidence: "
        "confidence minus accuracy. Intervals of 95 % over questions. Stated: the share of answers "
        "with a confidence; all other columns are of these."
    )
    rows = [
        TableRow(
            [
                *group.names,
                group.stage,
                len(group.answers),
                len(group.answers) / group.asked,
                *(measure_confidence(name, group.answers) for name in _MEASURED),
            ]
        )
        for group in groups
    ]
    return ResultTable("Calibration of confidences", columns, rows, note)


def _tabulate_changes(groups: Sequence[ConfidenceGroup]) -> Iterator[ResultTable]:
    """Yield a table of the last round minus the first, where there are both."""
    rows = [
        TableRow([*first.names, *(measure_change(name, *sides) for name in _CHANGED)])
        for first, last in _pair(groups)
        for sides in [(first.answers, last.answers)]
    ]
    if rows:
        note = "Last round minus first, on the same questions. Below 0 is better for ECE and Brier."
        yield ResultTable("What the debate changes", (*_NAMES, *_CHANGED.values()), rows, note)


def _tabulate_seats(groups: Sequence[ConfidenceGroup]) -> Iterator[ResultTable]:
    """Yield a table of the agents of each arm, where they are few."""
    shown = ("accuracy", "confidence", "ece", "brier", "auroc")
    rows = [
        TableRow(
            [
                *group.names,
                group.seat,
                group.stage,
                len(group.answers),
                *(find_value(name, group.answers) for name in shown),
            ]
        )
        for group in groups
    ]
    if rows:
        columns = (*_NAMES, Column("agent"), Column("answers"), Column("n", "count"))
        yield ResultTable(
            "Each agent", (*columns, *(_MEASURED[name] for name in shown)), rows, wide=True
        )


def _pair(
    groups: Sequence[ConfidenceGroup],
) -> Iterator[tuple[ConfidenceGroup, ConfidenceGroup]]:
    """Yield the first and the last round of each arm and source that has both."""
    for one, other in pairwise(groups):
        if (one.stage, other.stage) == (FIRST, LAST) and one.names == other.names:
            yield one, other


def _draw(groups: Sequence[ConfidenceGroup]) -> Iterator[Chart]:
    """Yield a reliability diagram for each dataset and source, with a panel for each arm."""
    places = list(dict.fromkeys((group.dataset, group.source) for group in groups))
    for dataset, source in places:
        own = [group for group in groups if (group.dataset, group.source) == (dataset, source)]
        arms = list(dict.fromkeys(group.arm for group in own))
        diagonal: list[DataRow] = [
            {"arm": arm, "answers": CALIBRATED, "confidence": end, "accuracy": end}
            for arm, end in product(arms, (0.0, 1.0))
        ]
        rows: list[DataRow] = [
            {
                "arm": group.arm,
                "answers": group.stage,
                "confidence": each.confidence,
                **read_mean("accuracy", each.right),
            }
            for group in own
            for each in bin_confidences(group.answers)
        ]
        questions = len({each.question for group in own for each in group.answers})
        yield Chart(
            make_slug("calibration", dataset, source),
            f"Reliability of confidences ({source}) on {dataset}",
            f"Each dot is a bin of answers, of {BINS} bins of equal width: the share of them that "
            "is right, with the 95 % interval over questions, against their mean confidence. On "
            "the diagonal confidence is calibrated; below it, answers are right less often than "
            f"their confidence says. {format_things(questions, 'question')}.",
            [*diagonal, *rows],
            Plot(
                "lines",
                Axis("confidence", "confidence", "share", (0.0, 1.0)),
                Axis("accuracy", "share right", "share", (0.0, 1.0)),
                colour="answers",
                panel="arm" if len(arms) > 1 else "",
                tooltip=(Axis("n", "answers"),),
            ),
        )


def _find(groups: Sequence[ConfidenceGroup]) -> Iterator[str]:
    """Yield what is shown of the last answers and of the verdict, and of what changes."""
    for group in groups:
        if group.stage != FIRST:
            yield _describe_group(group)
    for first, last in _pair(groups):
        confidence, accuracy = (
            measure_change(name, first.answers, last.answers) for name in ("confidence", "accuracy")
        )
        if _is_above(confidence, 0.0) and not _is_above(accuracy, 0.0):
            yield (
                f"{' · '.join(first.names)}: the debate raises confidence: "
                f"{_show(confidence)}, and no gain of accuracy is shown: {_show(accuracy)}."
            )
    for group in groups:
        if group.stage == VERDICT and group.split:
            yield (
                f"{' · '.join(group.names)}: of {format_things(group.split, 'debate')} that end "
                f"with two answers or more, in {group.escalated} two of these have an agent above "
                "75 %."
            )


def _describe_group(group: ConfidenceGroup) -> str:
    """Return what is shown of a group's calibration and separation, in a sentence."""
    over, area = (measure_confidence(name, group.answers) for name in ("overconfidence", "auroc"))
    words = "no miscalibration on the whole is shown"
    if over.low is not None and over.high is not None and not over.low <= 0 <= over.high:
        words = "overconfident" if over.low > 0 else "underconfident"
    separates = "whether it separates right from wrong is unknown"
    if area.low is not None and area.high is not None:
        known = "separates" if area.low > 0.5 else "is not shown to separate"
        known = (
            "is higher for wrong than for right answers: it misleads about"
            if (area.high < 0.5)
            else known
        )
        separates = (
            f"{known} right from wrong (AUROC {area.mean:.2f}, {area.low:.2f} to {area.high:.2f})"
        )
    missing = group.asked - len(group.answers)
    none = f"; {missing} of {group.asked} without a confidence" if missing else ""
    return (
        f"{' · '.join(group.names)}, {group.stage}: {words} (confidence minus accuracy "
        f"{_show(over)}); confidence {separates}; n = {format_things(over.questions, 'question')}"
        f"{none}."
    )


def _is_above(found: Mean, value: float) -> bool:
    return found.low is not None and found.low > value


def _show(found: Mean) -> str:
    """Return a difference of shares in points, with its interval."""
    ends = format_interval(found.low, found.high, sign=True)
    return f"{format_percent(found.mean, sign=True)} points ({ends})"

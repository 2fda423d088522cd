"""A paper repeated, as a report: tables beside the published ones, figures, and claims."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from moot import (
    Chart,
    InputError,
    NothingToAnalyse,
    RecordedRuns,
    Report,
    ResultTable,
)
from moot.contrib.papers.claim_tests import (
    ClaimResult,
    correct_together,
    measure_claim,
    tabulate_claims,
)
from moot.contrib.papers.paper_studies import PlannedPaper, Wanted
from moot.contrib.papers.published import CLAIMS, OurFigure, OurTable, Paper
from moot.contrib.papers.side_by_side import (
    OUTSIDE,
    Compared,
    compare_table,
    fill,
    tabulate_beside,
)
from moot.extend.analyses import TableField, analyses, tabulate
from moot.extend.studies import Lab
from moot.extend.words import format_things

SUMMARY = "summary"
"""The name of the part that says what was repeated and how its values stand."""


class PaperRuns:
    """The runs of a paper's studies, and what analyses give of them.

    Args:
        lab: whose store has the runs.
        planned: what was planned.
        keys: the runs, by the names of the paper's studies.
    """

    def __init__(self, lab: Lab, planned: PlannedPaper, keys: Mapping[str, str]) -> None:
        self._lab, self._planned, self._keys = lab, planned, keys
        self._made: dict[str, Report] = {}

    def label(self, studies: Iterable[str]) -> dict[str, str]:
        """Return the names of datasets in the runs of studies, by the paper's names."""
        return {
            name: label
            for study in studies
            if study in self._planned.studies
            for name, label in self._planned.studies[study].labels.items()
        }

    def read(
        self, studies: Iterable[str], arms: Sequence[str] = (), datasets: Sequence[str] = ()
    ) -> RecordedRuns:
        """Return the recorded runs of studies. Raises ``InputError`` where none of them was run."""
        keys = [self._keys[study] for study in studies if study in self._keys]
        if not keys:
            raise InputError(f"{' and '.join(studies)} was not run")
        return RecordedRuns(self._lab, keys, arms=arms, datasets=datasets)

    def analyse(self, of: OurTable | OurFigure) -> Report:
        """Return the report of an analysis on the runs of a table or a figure.

        Raises:
            InputError: its studies were not run, or an option has a wrong value.
            NothingToAnalyse: the runs have nothing that the analysis could look at.
        """
        labels = self.label(of.studies)
        options: dict[str, Any] = {
            name: [fill(each, labels) for each in value] if isinstance(value, list) else value
            for name, value in of.options.items()
        }
        arms = of.arms if isinstance(of, OurFigure) else []
        named = of.datasets if isinstance(of, OurFigure) else []
        datasets = [labels[name] for name in named if name in labels]
        key = repr((of.studies, of.analysis, options, arms, datasets))
        if key not in self._made:
            runs = self.read(of.studies, arms, datasets)
            self._made[key] = analyses.get(of.analysis).apply(runs, options)
        return self._made[key]


class RepeatedPaper(NamedTuple):
    """A paper repeated.

    Attributes:
        title: of the paper.
        report: all of it.
        parts: the summary, and each numbered table, as reports of their own, by their names.
    """

    title: str
    report: Report
    parts: dict[str, Report]


def repeat(paper: Paper, runs: PaperRuns, planned: PlannedPaper, wanted: Wanted) -> RepeatedPaper:
    """Return a paper's tables and figures out of recorded runs, beside what was published."""
    lacking: list[str] = []
    compared: list[Compared] = []
    parts: dict[str, list[ResultTable]] = {}
    for ours in paper.ours.tables:
        if _is_wanted(ours.table, wanted):
            published = paper.tables[ours.table]
            found = _try(runs, ours, ours.table, lacking) if ours.analysis else None
            own = compare_table(published, ours, found, runs.label(ours.studies))
            compared += own
            parts[ours.table] = [tabulate_beside(published, ours, own, planned.stand_ins)]
    charts: list[Chart] = []
    for figure in paper.ours.figures:
        if _is_wanted(figure.figure, wanted):
            found = _try(runs, figure, figure.figure, lacking)
            if found is not None:
                charts += _take_charts(figure, found)
                if tables := _take_tables(figure, found):
                    parts[figure.figure] = tables
    tested = _test(paper, runs) if _is_wanted(CLAIMS, wanted) else []
    return _assemble(paper, planned, wanted, compared, parts, charts, tested, lacking)


def _is_wanted(number: str, wanted: Wanted) -> bool:
    return not wanted.only or number in wanted.only


def _try(
    runs: PaperRuns, of: OurTable | OurFigure, number: str, lacking: list[str]
) -> Report | None:
    """Return the report of an analysis; None, and a line with the reason, without one."""
    try:
        return runs.analyse(of)
    except (InputError, NothingToAnalyse) as error:
        lacking.append(f"Without {number}: {error}.")
        return None


def _name(figure: OurFigure) -> str:
    """Return the number of a figure as a title begins with it."""
    return f"{figure.figure[:1].upper()}{figure.figure[1:]}"


def _take_charts(figure: OurFigure, found: Report) -> Iterator[Chart]:
    """Yield the charts of a figure under its number."""
    stem = "-".join(figure.figure.replace(",", "").replace(".", "-").lower().split())
    for chart in found.charts:
        yield chart._replace(name=f"{stem}-{chart.name}", title=f"{_name(figure)}: {chart.title}")


def _take_tables(figure: OurFigure, found: Report) -> list[ResultTable]:
    if not figure.tables:
        return []
    named = _name(figure)
    return [
        each._replace(title=f"{named}: {each.title}" if each.title else named, leads=False)
        for each in found.tables
    ]


def _test(paper: Paper, runs: PaperRuns) -> list[ClaimResult]:
    measured = []
    for claim in paper.ours.claims:
        try:
            found = runs.read(claim.studies)
        except InputError:
            continue
        measured.append(measure_claim(claim, found, runs.label(claim.studies)))
    return correct_together(measured)


def _assemble(
    paper: Paper,
    planned: PlannedPaper,
    wanted: Wanted,
    compared: Sequence[Compared],
    parts: Mapping[str, list[ResultTable]],
    charts: Sequence[Chart],
    tested: Sequence[ClaimResult],
    lacking: Sequence[str],
) -> RepeatedPaper:
    every = [each for tables in parts.values() for each in tables]
    measured = [each for each in compared if each.unit != "ticks"]
    if measured:
        every.insert(0, _summarise(measured))
    claims = [tabulate_claims(tested)] if tested else []
    simulated = wanted.model.startswith("simulated/")
    left = [f"Not run: {study}: {why}." for study, why in planned.absent.items()]
    report = Report(
        title=f"“{paper.title}” repeated on {wanted.model}",
        about=_describe(paper, planned, wanted),
        tables=[*every[:1], *claims, *every[1:]],
        notes=(*left, *lacking, *planned.followed),
        simulated=simulated,
        charts=tuple(charts),
        findings=tuple(_list_findings(compared, tested, planned, wanted)),
        data={"values": [_as_data(each) for each in compared]},
    )
    whole = {
        **({SUMMARY: [_open_document(report, every[0])]} if measured else {}),
        **({CLAIMS: claims} if claims else {}),
        **parts,
    }
    return RepeatedPaper(
        paper.title,
        report,
        {
            number: Report(tables[0].title, report.about, tables, simulated=simulated)
            for number, tables in whole.items()
        },
    )


def _open_document(report: Report, summary: ResultTable) -> ResultTable:
    """Return the table that opens a document: what was repeated on what, and how values stand."""
    simulated = ["Simulated: no language model takes part."] * report.simulated
    told = (*simulated, f"{report.about}.", *report.findings, *report.notes)
    return summary._replace(title=report.title, findings=told)


def _as_data(each: Compared) -> dict[str, Any]:
    return {**each._asdict(), "difference": each.difference, "within": each.within}


def _describe(paper: Paper, planned: PlannedPaper, wanted: Wanted) -> str:
    size = sum(each.plan.size for each in planned.studies.values())
    scaled = "" if wanted.scale == 1 else f", {100 * wanted.scale:g} % of the questions"
    told = f"{paper.source}; {', '.join(planned.studies)}: {format_things(size, 'debate')}{scaled}"
    followed = {"paper": "; protocols follow the paper", "code": "; protocols follow its code"}
    return told + followed.get(wanted.faithful, "")


def _list_findings(
    compared: Sequence[Compared],
    tested: Sequence[ClaimResult],
    planned: PlannedPaper,
    wanted: Wanted,
) -> Iterator[str]:
    """Yield sentences: on the stand-ins for data, on the agreement, and on the models."""
    if planned.stand_ins:
        yield planned.stand_ins
    ticks = [each for each in compared if each.unit == "ticks"]
    measured = [each for each in compared if each.unit != "ticks"]
    if measured:
        known = [each for each in measured if each.within is not None]
        printed = sum(each.published is not None for each in measured)
        inside = sum(bool(each.within) for each in known)
        yield (
            f"Of {printed:,} published values {len(known):,} stand beside one of ours with an "
            f"interval: {inside:,} lie within it, {len(known) - inside:,} outside."
        )
    if ticks:
        same = sum(each.difference == 0 for each in ticks)
        yield (f"Of {len(ticks)} places of ticks our transcripts have {same} as published.")
    if tested:
        times = [each.verdict for each in tested]
        told = ", ".join(f"{times.count(verdict)} {verdict}" for verdict in dict.fromkeys(times))
        yield f"Of {format_things(len(tested), 'claim')} of the text: {told}."
    if planned.replaced:
        yield f"{wanted.model} speaks in the place of {', '.join(planned.replaced)}."


class _Summed(NamedTuple):
    """How the values of a table stand."""

    table: str
    printed: int
    measured: int
    within: int
    outside: int
    doubtful: int


def _summarise(compared: Sequence[Compared]) -> ResultTable:
    """Tabulate how many values of each table lie within our interval."""
    rows = []
    for table in dict.fromkeys(each.table for each in compared):
        own = [each for each in compared if each.table == table]
        rows.append(
            _Summed(
                table,
                sum(each.published is not None for each in own),
                sum(each.difference is not None for each in own),
                sum(each.within is True for each in own),
                sum(each.within is False for each in own),
                sum(bool(each.doubts) and each.published is not None for each in own),
            )
        )
    return tabulate(
        "Published and ours",
        rows,
        TableField("table"),
        TableField("published", "count", "printed"),
        TableField("ours beside it", "count", "measured"),
        TableField("within", "count", "within", group="our interval"),
        TableField("outside", "count", "outside", group="our interval"),
        TableField("do not fit", "count", "doubtful"),
        note="Do not fit: published values that contradict others of the same paper. A value "
        f"outside our interval has {OUTSIDE}. A small number of questions has a wide interval, "
        "within which much lies.",
        leads=True,
    )

"""The reports of runs: of the analyses that their studies name, else of all that apply."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from moot.analyses.analysis import NothingToAnalyse, registry
from moot.analyses.arm_accuracy import report_accuracy
from moot.analyses.arm_tables import FEW
from moot.analyses.configurations import rank_protocols
from moot.analyses.method_table import TITLE, build_method_table, fold_datasets
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.summary import summarise_results
from moot.analyses.worth import describe_worth
from moot.core.display_text import format_things
from moot.core.errors import InputError
from moot.core.results import Results
from moot.core.table import Report, ResultTable
from moot.debate.agent_config import models_in
from moot.debate.protocol import kind_of

ACCURACY = "accuracy"
FINDINGS = 8
"""The most findings of an analysis that a terminal shows at the end of a run."""


def report_runs(
    runs: RecordedRuns, *, drawn: bool = False, only: Sequence[str] = ()
) -> tuple[dict[str, Report], dict[str, str], dict[str, str]]:
    """Apply analyses to runs: those that their studies name, and the accuracy; else all.

    Args:
        runs: the runs.
        drawn: whether the charts of other analyses are shown too, without their tables.
        only: names of analyses to apply in place of all these.

    Returns:
        The reports by the names of the analyses, in their order; the reasons why others have none,
        by name; and the same of those that nobody named and that have nothing to analyse.
    """
    named = list(only) or [name for study in runs.studies for name in study.analyses]
    names = named if only else [ACCURACY, *named]
    reports: dict[str, Report] = {}
    left_out, lacking = dict(registry.broken), dict[str, str]()
    if not named:
        lacking = {each.name: lack for each in registry if (lack := each.find_lack(runs))}
        able = [each for each in registry if each.name not in lacking]
        names = [each.name for each in able if each.reported]
        asked = f"it is made where it is asked for: moot analyse %s {runs.key}"
        left_out |= {each.name: asked % each.name for each in able if not each.reported}
    places: dict[str, int] = {}
    for name in dict.fromkeys(names):
        try:
            found = registry.get(name)
            reports[name], places[name] = found.apply(runs, {}), found.place
        except NothingToAnalyse as error:
            reasons = left_out if name in named else lacking
            reasons[name] = str(error).removeprefix(f"analysis {name}: ")
        except InputError as error:
            left_out[name] = str(error).removeprefix(f"analysis {name}: ")
    if drawn and not only:
        for found in registry:
            if found.draws and found.name not in {*reports, *left_out, *lacking}:
                with suppress(InputError):
                    report = found.apply(runs, {})
                    reports[found.name] = report._replace(tables=[], findings=(), notes=())
                    places[found.name] = found.place
    if ACCURACY in reports and all(arm.accuracy.mean is None for arm in runs.joined.arms):
        places[ACCURACY] = max(places.values()) + 1  # what else was found stands before it
    ordered = {name: reports[name] for name in sorted(reports, key=places.__getitem__)}
    return ordered, left_out, lacking


def drop_repeats(reports: Mapping[str, Report], runs: RecordedRuns) -> dict[str, Report]:
    """Return reports for one page: each without what the first of them says."""
    first = next(iter(reports.values()))
    made = {
        name: each._replace(
            about="" if each.about.startswith(runs.rows[0].key) else each.about,
            simulated=each.simulated and not first.simulated,
            findings=tuple(said for said in each.findings if said not in first.findings),
            notes=tuple(said for said in each.notes if said not in runs.notes),
        )
        for name, each in reports.items()
    }
    return made | {name: each for name, each in reports.items() if each is first}


def keep_leading(report: Report) -> Report:
    """Return a report with the one table that stands first, and without charts."""
    leading = [table for table in report.tables if table.leads][:1] or report.tables[:1]
    return report._replace(tables=leading, charts=())


def report_briefly(runs: RecordedRuns | None, found: Results) -> list[Report]:
    """Return what a terminal shows of runs: their accuracy, or what else there is without one.

    Args:
        runs: the runs; None for their accuracy alone.
        found: their results.
    """
    accuracy = report_accuracy(found)
    if runs is None or not found.arms or any(arm.accuracy.mean is not None for arm in found.arms):
        return [accuracy]
    others, *_ = report_runs(runs)
    return [*(each for name, each in others.items() if name != ACCURACY), accuracy]


def report_ending(runs: RecordedRuns, found: Results) -> tuple[list[ResultTable], Report]:
    """Return the end of ``moot run``: the answer and one table.

    Args:
        runs: the runs.
        found: their results.

    Returns:
        The forms of the table, the fullest first: the one that a terminal has lines for is shown;
        and a report without tables, with the answer as its findings, and, as its notes, a
        finding of each analysis that the studies name.
    """
    others = [
        f"{each.title}: {each.findings[0] if each.findings else each.notes[0]}"
        for each in _tell_findings(runs, set())
        if each.findings or each.notes
    ]
    if any(arm.accuracy.mean is not None for arm in found.arms):
        forms = [build_method_table(found)]
        if len(found.datasets) > 1:
            forms.append(fold_datasets(found))
        answer = Report(
            "", "", [], simulated=found.simulated, findings=tuple(describe_worth(found))
        )
        return forms, answer._replace(notes=tuple(others))
    first, *_ = report_briefly(runs, found)
    shown = [table for table in first.tables if not table.wide]
    said = first.findings or tuple(summarise_results(found))
    return shown[:1], first._replace(
        title="", about="", findings=said, tables=[], charts=(), notes=tuple(others)
    )


def report_in_terminal(runs: RecordedRuns, found: Results) -> list[Report]:
    """Return the reports that ``moot show`` prints: no more than can be read.

    The accuracy of all arms; of more than ``FEW``, one table of all methods on all datasets, or,
    where protocols have several arms, that of each protocol's best and median arm. Then what the
    analyses find that the studies name, without their tables. Where no accuracy is known, these
    analyses stand whole.

    Args:
        runs: the runs.
        found: their results.
    """
    reports = report_briefly(runs, found)
    arms = len(found.arms)
    if len(reports) > 1 or not arms:
        return reports
    [accuracy] = reports
    said = {*accuracy.findings}
    if arms > FEW:
        rest = (
            f"All {arms:,} accuracies and prices: moot analyse configurations {runs.key}. "
            f"Differences to the baseline: moot analyse accuracy {runs.key}."
        )
        accuracy = accuracy._replace(
            tables=_choose_tables(accuracy, runs), charts=(), notes=(rest, *accuracy.notes)
        )
    return [_cut_findings(accuracy, ACCURACY, runs), *_tell_findings(runs, said)]


def _choose_tables(accuracy: Report, runs: RecordedRuns) -> list[ResultTable]:
    """Return the one table of many arms: all methods, or the best arms of each protocol."""
    alike = Counter((arm.protocol, *sorted(models_in(arm.settings))) for arm in runs.arms)
    methods = [table for table in accuracy.tables if table.title == TITLE]
    if methods and all(
        arms == 1 for (protocol, *_), arms in alike.items() if not _is_pool(protocol)
    ):
        return methods
    return rank_protocols(runs).tables


def _is_pool(protocol: str) -> bool:
    """Whether a study may have a further arm of the protocol, for votes at equal tokens."""
    return kind_of(protocol) == "samples"


def _tell_findings(runs: RecordedRuns, said: set[str]) -> Iterator[Report]:
    """Yield what the analyses find that the studies name, but for what is said already."""
    for name in dict.fromkeys(name for study in runs.studies for name in study.analyses):
        try:
            found = registry.get(name)
            report = found.apply(runs, {}) if found.finds else Report("", "", [])
        except Exception as error:  # noqa: BLE001 -- a fault of one hides nothing that others tell
            reason = str(error) if isinstance(error, InputError) else repr(error)
            reason = reason.removeprefix(f"analysis {name}: ")
            yield Report(f"Nothing of {name}", "", [], notes=(reason,))
            continue
        if new := tuple(each for each in report.findings if each not in said):
            said.update(new)
            where = (f"Its tables: moot analyse {name} {runs.key}.",)
            yield _cut_findings(Report(report.title, "", [], findings=new, notes=where), name, runs)


def _cut_findings(report: Report, name: str, runs: RecordedRuns) -> Report:
    left = len(report.findings) - FINDINGS
    if left <= 0:
        return report
    more = f"… {format_things(left, 'further finding')}: moot analyse {name} {runs.key}"
    return report._replace(findings=(*report.findings[:FINDINGS], more))

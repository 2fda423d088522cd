"""Flip sources: why agents change their answers in a debate.

An agent that changes its answer may be unsure, so that asking again is enough; it may follow the
answers of others; it may follow all that looks like a reason; or it may be persuaded. The same
agent with the same first answer is shown nothing, bare answers, answers with filler, and whole
replies: from the first of these on at which it changes, one sees what it took.

Each arm has chance of its own, so that an agent that changes by chance under the second looks as if
it followed the answers. Second draws of the same prompts tell how often that happens; the net
figures are without it.
"""

from collections.abc import Iterator
from functools import partial

from moot.analyses.analysis import analysis, check_found
from moot.analyses.control_debates import NO_NOTHING, find_lacking_way, measure_sets
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.revised_answers import SOURCES, MeasuredSource, SetFlips, measure_flips
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.results import Difference, Mean
from moot.core.table import Report, ResultTable
from moot.studies.controls import REPEATED

_AMONG = {
    "instability": "all",
    "conformity": "stable",
    "placebo": "resistant",
    "persuasion": "resistant",
    "content of reasons": "resistant",
}


@analysis(
    source="arXiv:2606.00820; net figures: moot", group="debate", place=14, lacks=find_lacking_way
)
def flip_sources(runs: RecordedRuns) -> Report:
    """Tell why agents change their answers: unsure, conforming, moved by filler, or persuaded.

    Of methods that differ in what agents are shown before they revise their answers once. Net
    figures are without the changes that another draw of the same prompt makes as well.
    """
    sets = [each for each in measure_sets(runs) if "nothing" in each.ways and len(each.ways) > 1]
    check_found(sets, runs, NO_NOTHING)
    data = [measure_flips(each) for each in sets]
    tables, findings = [], list[str]()
    for each in data:
        tables.append(_tabulate(each))
        if each.attributed:
            tables.append(_tabulate_attribution(each))
        named = [
            NamedDifference(f"{_place(each)}{source.name}, net", source.net)
            for source in each.sources
            if source.net is not None
        ]
        findings += describe_comparisons(named)
    return Report(
        title=f"Flip sources: {runs.name}",
        about=f"{runs.key}: why agents change their answers in the first revision",
        tables=tables,
        notes=(
            "An agent counts once for each question and replicate; intervals are over questions.",
            "p: of net figures, by changes of sign. Holm: of one set of methods on one dataset.",
            *dict.fromkeys(note for each in sets for note in each.notes),
            *(note for each in data for note in _list_notes(each)),
        ),
        findings=tuple(findings),
        data=data,
    )


_CHANCE = {source.name for source in SOURCES if source.by_chance is not None}


def _list_notes(found: SetFlips) -> Iterator[str]:
    """Yield what the figures leave out, in sentences."""
    place = _place(found)
    if found.unparsed:
        yield f"{place}{found.unparsed} agents have an unparsed answer: left out."
    for name, lacks in found.missing.items():
        yield f"{place}{name}: not shown, there is no method that shows {', '.join(lacks)}."
    if any(source.net is None for source in found.sources if source.name in _CHANCE):
        yield (
            f"{place}no net figures without second draws: repeats = true in the methods that show "
            f"{' and '.join(REPEATED)}. At a temperature above 0 gross figures are too high."
        )


def _place(each: SetFlips) -> str:
    return ", ".join(filter(None, (each.name, each.dataset))) + ": "


def _tabulate(found: SetFlips) -> ResultTable:
    return tabulate(
        f"{_place(found)}how many agents each can move",
        found.sources,
        TableField("reason to change", value="name"),
        TableField("net", "points", lambda each: each.net or Difference()),
        *list_tests("net"),
        TableField("gross %", "percent", _find_gross),
        TableField("agents", "count", "gross.n"),
        TableField("among", value=lambda each: _AMONG[each.name]),
        *(
            TableField(f"{kind} %", "percent", partial(_find_kind, kind), group="of gross")
            for kind in _KINDS
        ),
        note="Stable: a peer has another answer, and with nothing shown the agent keeps its own. "
        "Resistant: it keeps it with bare answers shown, too. Net: without what another draw of "
        "the same prompt changes. Content of reasons: persuasion less placebo, agent by agent. "
        "Harmful: from right to wrong; useful: from wrong to right; neutral: from wrong to wrong.",
    )


def _find_gross(each: MeasuredSource) -> Mean | None:
    return None if each.name == "content of reasons" else each.gross


def _find_kind(kind: str, each: MeasuredSource) -> float | None:
    return getattr(each, kind) if _find_gross(each) else None


_KINDS = "harmful", "useful", "neutral"


def _tabulate_attribution(found: SetFlips) -> ResultTable:
    return tabulate(
        f"{_place(found)}changes in the debate",
        found.attributed,
        TableField("first reason", value="name"),
        TableField("changes", "count", "flips"),
        TableField("of agents %", "percent", "share"),
        *(TableField(kind, "count") for kind in _KINDS),
        marked=lambda each: each.name == "all changes",
        note=f"Of {found.units} agents. A change in the debate counts for instability where the "
        "agent also changes with nothing shown, else for conformity where it changes with bare "
        "answers, else for persuasion. These shares are gross: chance is in them.",
    )

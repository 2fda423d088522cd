"""Metrics of debates arm by arm, and of agents role by role (arXiv:2311.17371, A.3 and A.4)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from moot.analyses.analysis import analysis, check_found
from moot.analyses.described_tables import TERMS, mark_known
from moot.analyses.newer_metrics import find_values
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import format_things
from moot.core.events import Seated, Transcript, Turn
from moot.core.readings import Reading
from moot.core.results import Mean
from moot.core.table import Cell, Column, ColumnKind, Report, ResultTable, TableRow, Value
from moot.metrics.metric import Metric, MetricPlan
from moot.metrics.metric import registry as metrics
from moot.statistics.accuracies import Key, cluster_by_question, mean_with_interval
from moot.statistics.intervals import interval, mean

ABREAST = 4
"""Metrics beside each other in a table."""
OF_DEBATES = "arXiv:2311.17371, appendix A.3"
OF_AGENTS = 'arXiv:2311.17371, appendix A.4, "'

TEXT = "text"
"""The parser of replies that are only texts for others, such as a summary."""
USED = frozenset({"characters", "messages", "seconds", "tokens", "US dollars"})
"""The units of what replies take: any reply takes it, with an answer or without."""

Known = dict[tuple[str, ...], dict[str, dict[Key, float]]]  # by row, then by metric
Counts = dict[tuple[str, ...], int]  # the debates of each row

_KINDS: dict[str, ColumnKind] = {"share": "percent", "US dollars": "money", "seconds": "time"}

Names = Annotated[
    tuple[str, ...], Meta(description="a metric; may be repeated; without any, the paper's")
]


@analysis(source=f"{OF_DEBATES}", group="debate", name="debate-metrics", place=60, finds=False)
def tabulate_debates(runs: RecordedRuns, *, metric: Names = ()) -> Report:
    """Give metrics of debates by method: consensus, changes, rounds, answers that differ."""
    chosen = _choose(metric, OF_DEBATES)
    known, counts = Known(), Counts()
    for each in find_values(runs, [one.name for one in chosen]):
        row = each.dataset, each.arm
        counts[row] = counts.get(row, 0) + 1
        own = known.setdefault(row, {})
        key = each.question, each.replicate
        for one in chosen:
            if (value := each.values.get(one.name)) is not None:
                own.setdefault(one.name, {})[key] = value
    return _report(runs, "Metrics of debates", ("arm",), known, counts, chosen)


@analysis(
    source="arXiv:2311.17371, appendix A.4",
    group="debate",
    name="agent-metrics",
    place=61,
    finds=False,
)
def tabulate_agents(runs: RecordedRuns, *, metric: Names = ()) -> Report:
    """Give metrics of agents by method and role, as means over the agents of a role.

    A role is what an agent's seat says, such as angel, devil or judge; the roles of a network's
    nodes stand apart by node. Of a role that does not debate, a reply that needs no answer is none
    that lacks one: a ruling without a preference, a summary, a list of experts.
    """
    chosen = _choose(metric, OF_AGENTS)
    known, counts = Known(), Counts()
    taken = MetricPlan([one for one in chosen if one.unit in USED], parts=False)
    said = MetricPlan([one for one in chosen if one.unit not in USED], parts=False)
    for row in runs.debates():
        key = row.question, row.replicate
        for role, models, whole, answers in _split_roles(row.transcript):
            place = row.dataset, row.arm, role, models
            counts[place] = counts.get(place, 0) + 1
            own = known.setdefault(place, {})
            for name, value in (taken.measure(whole) | said.measure(answers)).items():
                if value is not None:
                    own.setdefault(name, {})[key] = value
    return _report(runs, "Metrics of agents", ("arm", "agent", "engine"), known, counts, chosen)


def _choose(names: Sequence[str], source: str) -> list[Metric]:
    """Return the metrics of these names; without any, those of a source."""
    if names:
        return [metrics.get(name, where="metric") for name in names]
    return [each for each in metrics if each.source.startswith(source)]


def _split_roles(transcript: Transcript) -> Iterator[tuple[str, str, Transcript, Transcript]]:
    """Yield each role, the models that speak in it, and the debate with that role as debaters.

    The debate comes twice: as it is, and with what needs no answer as what it is, no answer.
    """
    roles: dict[str, list[str]] = {}
    for seat in transcript.seats:
        name = f"{seat.node}: {seat.role}" if seat.node else seat.role
        roles.setdefault(name, []).append(seat.model)
    helpers = {seat.number for seat in transcript.seats if not seat.debater}
    if not helpers and len(roles) == 1:  # they are the debaters as it is
        [(role, models)] = roles.items()
        yield role, ", ".join(dict.fromkeys(models)), transcript, transcript
        return
    for role, models in roles.items():
        events = [
            Seated(seat=replace(event.seat, debater=_is_role(event, role)))
            if isinstance(event, Seated)
            else event
            for event in transcript.events
        ]
        answers = [
            replace(event, votes=False)
            if isinstance(event, Turn) and event.seat in helpers and _needs_no_answer(event)
            else event
            for event in events
        ]
        whole = Transcript(tuple(events))
        also = Transcript(tuple(answers)) if helpers else whole
        yield role, ", ".join(dict.fromkeys(models)), whole, also


def _needs_no_answer(turn: Turn) -> bool:
    """Whether a turn without an answer lacks none."""
    said = turn.reading
    return turn.answer is None and (
        turn.parser == TEXT or (isinstance(said, Reading) and said.needs_no_answer)
    )


def _is_role(event: Seated, role: str) -> bool:
    seat = event.seat
    return role == (f"{seat.node}: {seat.role}" if seat.node else seat.role)


def _report(
    runs: RecordedRuns,
    title: str,
    named: Sequence[str],
    known: Known,
    counts: Counts,
    chosen: Sequence[Metric],
) -> Report:
    """Make a table for each dataset and few metrics at a time."""
    shown = [one for one in chosen if any(own.get(one.name) for own in known.values())]
    check_found(shown, runs, "none of the metrics is known of any debate")
    tables = []
    for dataset in dict.fromkeys(key[0] for key in known):
        rows = {key[1:]: own for key, own in known.items() if key[0] == dataset}
        one_engine = len({key[-1] for key in rows}) == 1
        width = len(named) - (len(named) > 1 and one_engine)
        for start in range(0, len(shown), ABREAST):
            part = shown[start : start + ABREAST]
            columns = [
                *(_NAMES.get(name, Column(name)) for name in named[:width]),
                *map(_column, part),
            ]
            cells = [
                TableRow(
                    [
                        *key[:width],
                        *(_cell(own.get(one.name, {}), one, counts[dataset, *key]) for one in part),
                    ]
                )
                for key, own in rows.items()
            ]
            tables.append(ResultTable(f"{dataset}: {title.lower()}", tuple(columns), cells))
    missing = [one.name for one in chosen if one not in shown]
    notes = [NOTE, *[f"Known of no debate: {', '.join(missing)}."] * bool(missing)]
    return Report(
        title=f"{title}: {runs.name}",
        about=f"{runs.key}: {format_things(len(runs.values), 'debate')}",
        tables=tables,
        notes=tuple(notes),
    )


NOTE = (
    "Means over debates, with 95 % intervals over questions; shares in %. n: the debates of "
    "which it is known, where those are not all; – where it is known of none. What ends "
    "in of all counts all debaters; the same without it, those that spoke twice. moot metrics "
    "says what each is."
)
_NAMES = {"arm": Column("arm", head="method"), "engine": Column("engine", head="model")}


def _column(one: Metric) -> Column:
    kind = _KINDS.get(one.unit, "number")
    name = one.name.replace("-", " ")
    return Column(name, kind, 2 if kind == "number" else None, head=_say_name(name))


def _say_name(name: str) -> str:
    """Return the name of a metric in words of the field."""
    for own in ("unparsed", "oracle gap"):
        name = name.replace(own, TERMS[own].head)
    return name


def _cell(values: Mapping[Key, float], one: Metric, debates: int) -> Cell | Value:
    """Return the mean of the values of so many debates, with their number where it is less."""
    if not values:
        return None
    clusters = list(cluster_by_question(values))
    if one.range == (0, 1):
        got = mean_with_interval(clusters)
    else:
        low, high = interval(clusters, bounds=one.range) or (None, None)
        got = Mean(mean=mean(clusters), low=low, high=high, n=len(values), questions=len(clusters))
    return mark_known(got, debates)

"""Networks of debates: their paths, layers and sweeps (MAD-Community, tables 1 to 5, section 5)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from moot.analyses.analysis import analysis, check_found
from moot.analyses.arm_tables import tabulate_budgets
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.measured_arms import group_by
from moot.analyses.newer_metrics import find_values
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import describe_difference
from moot.core.display_text import (
    format_count,
    format_interval,
    format_percent,
    format_things,
)
from moot.core.recorded_settings import NetworkSettings, read_settings
from moot.core.results import Difference, Mean
from moot.core.stored import Arm
from moot.core.table import Cell, Column, Report, ResultTable, TableRow, Value
from moot.debate.graph import Graph
from moot.metrics.network_accuracy import LAYER, NODE, SWEEP
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)

NETWORK = "network"
"""The part that is the network's own verdict."""

NOTE = (
    "Accuracies in %, with 95 % intervals over questions; that of a layer or a sweep is the mean "
    "over its nodes."
)

PartScores = dict[str, dict[Key, float]]  # by part: a value's name, or NETWORK


class NetworkArm(NamedTuple):
    """A network on a dataset, with what is known of its parts.

    Attributes:
        parts: the names of the values shown, in order, by what they are called.
        scores: of each part, debate by debate.
    """

    arm: Arm
    dataset: str
    parts: Mapping[str, str]
    scores: PartScores


class PartDifference(NamedTuple):
    """How a part of a network differs from the part before it."""

    net: NetworkArm
    words: str
    gap: Difference


NO_SWEEPS = "no debate of it is of nodes that debate in sweeps"
NO_EDGES = "no debate of it is of a network with edges"
"""The lack of runs without a network that has paths or layers."""


def _lack_edges(runs: RecordedRuns) -> str:
    return "" if any(_network(arm).edges is not None for arm in runs.arms) else NO_EDGES


@analysis(source="MAD-Community, tables 1 to 5", group="networks", place=70, lacks=_lack_edges)
def networks(runs: RecordedRuns) -> Report:
    """Give the accuracies of networks, of their paths or layers, and how these differ.

    A network whose paths to the judge have unlike lengths is shown by the last node of each path,
    any other by its layers. Differences are paired: of the same debates.
    """
    found = [each for each in _find_networks(runs) if _network(each.arm).edges is not None]
    check_found(found, runs, NO_EDGES)
    results = {(each.arm, each.dataset): each for each in runs.joined.arms}
    tables: list[ResultTable] = []
    findings: list[str] = []
    for dataset, here in group_by(found, lambda each: each.dataset).items():
        by_parts = group_by(here, lambda net: (str(_network(net.arm).graph), *net.parts))
        tables += [_accuracies(dataset, own) for own in by_parts.values()]
        compared = _compare_parts(here)
        tables.append(_tabulate_differences(dataset, compared))
        findings += _describe_networks(compared)
        budgets = [results[each.arm.name, dataset] for each in here]
        if any(each.budget for each in budgets):
            table = tabulate_budgets(budgets)
            tables.append(table._replace(title=f"{dataset}: at the same price", wide=False))
    return Report(
        title=f"Networks: {runs.name}",
        about=f"{runs.key}: {format_things(len(found), 'network')}",
        tables=tables,
        notes=(NOTE, *_note_invented(runs, found)),
        findings=tuple(findings),
    )


def _lack_sweeps(runs: RecordedRuns) -> str:
    known = any(each.values.get("sweeps") is not None for each in runs.values)
    return "" if known else NO_SWEEPS


@analysis(source="MAD-Community, section 5", group="networks", place=71, lacks=_lack_sweeps)
def hopfield(runs: RecordedRuns) -> Report:
    """Tell how often the nodes of networks that all read one another agree, and how soon."""
    found = [each for each in _find_networks(runs) if _network(each.arm).edges is None]
    check_found(found, runs, NO_SWEEPS)
    agreed: dict[tuple[str, str], dict[Key, float]] = {}
    taken: dict[tuple[str, str], Counter[int]] = {}
    for each in find_values(runs, ["nodes-agree"]):
        sweeps, one_answer = each.values.get("sweeps"), each.values.get("nodes-agree")
        if sweeps is not None and one_answer is not None:
            place = each.arm, each.dataset
            agreed.setdefault(place, {})[each.question, each.replicate] = one_answer
            if one_answer:
                taken.setdefault(place, Counter())[int(sweeps)] += 1
    rows, said = [], []
    for net in found:
        place = net.arm.name, net.dataset
        share = mean_over_questions(agreed.get(place, {}))
        spread = taken.get(place, Counter())
        times = sum(spread.values())
        mean = sum(k * n for k, n in spread.items()) / times if times else None
        counts = ", ".join(f"{k}: {format_count(n)}" for k, n in sorted(spread.items()))
        accuracy = mean_over_questions(net.scores[NETWORK])
        cells: list[Cell | Value] = [net.arm.name, share, mean, counts or "–", accuracy]
        rows.append(TableRow([*cells, share.questions], band=net.dataset))
        said.append(
            f"{net.arm.name} on {net.dataset}: all nodes have one answer at the end of "
            f"{format_percent(share.mean)} % of debates "
            f"(95 % interval {format_interval(share.low, share.high)}, n = {share.questions})"
            + (f", after {mean:.1f} sweeps on average." if mean else ".")
        )
    columns = (
        Column("arm", head="method"),
        Column("agreed", "percent"),
        Column("sweeps to agreement", "number", 1),
        Column("debates by sweeps"),
        Column("accuracy %", "percent"),
        Column("questions", "count"),
    )
    note = (
        "Agreed: debates at whose end the verdicts of all nodes have one answer; their members may "
        "still differ. Sweeps: of those debates alone. "
        "A debate whose nodes agree ends: fewer questions, and harder ones, come to the next sweep."
    )
    return Report(
        title=f"Agreement of networks: {runs.name}",
        about=f"{runs.key}: {format_things(len(found), 'network')}",
        tables=[ResultTable("Agreement", columns, rows, note=note), _sweeps(found)],
        notes=(NOTE, *_note_invented(runs, found)),
        findings=tuple(said),
    )


def _note_invented(runs: RecordedRuns, found: Sequence[NetworkArm]) -> Iterator[str]:
    """Yield of each network in how many debates a judge gave an answer that nobody had given."""
    shares: dict[tuple[str, str], list[float]] = {}
    for each in runs.values:
        if (share := each.values.get("invented-answers")) is not None:
            shares.setdefault((each.arm, each.dataset), []).append(share)
    for net in found:
        own = shares.get((net.arm.name, net.dataset), [])
        if many := sum(share > 0 for share in own):
            counts = "counts (free_judge)" if _network(net.arm).free_judge else "is none"
            yield (
                f"{net.arm.name} on {net.dataset}: in {many} of "
                f"{format_things(len(own), 'debate')} a judge gave an answer that nobody it read "
                f"had given; of the judges of networks and communities it {counts}."
            )


def _find_networks(runs: RecordedRuns) -> Iterator[NetworkArm]:
    """Yield each arm on each dataset whose debates have nodes."""
    scores: dict[tuple[str, str], PartScores] = {}
    is_part = cache(lambda name: name.startswith((NODE, LAYER, SWEEP)))
    for each in runs.values:
        named = {name: each.values[name] for name in filter(is_part, each.values)}
        if not named:
            continue
        own = scores.setdefault((each.dataset, each.arm), {})
        for name, value in {**named, NETWORK: each.values.get("accuracy")}.items():
            if value is not None:
                own.setdefault(name, {})[each.question, each.replicate] = value
    for dataset in runs.datasets:
        for arm in runs.arms:
            own = scores.get((dataset, arm.name), {})
            if own.get(NETWORK):
                yield NetworkArm(arm, dataset, {**_name_parts(arm, own), NETWORK: NETWORK}, own)


def _network(arm: Arm) -> NetworkSettings:
    return read_settings(arm.settings, NetworkSettings)


def _name_parts(arm: Arm, scores: PartScores) -> dict[str, str]:
    """Return the parts that are shown of a network: its paths, its layers, or its sweeps."""
    network = _network(arm)
    names, edges = network.names, network.edges
    if edges is None:
        return {
            f"sweep {name.removeprefix(SWEEP)}": name for name in scores if name.startswith(SWEEP)
        }
    layer = Graph.build(names, edges).layer
    ends = [before for before, after in edges if after not in names]
    if len({layer[end] for end in ends}) > 1:
        return {f"path {end}": NODE + end for end in ends if NODE + end in scores}
    layers = sorted({layer[name] for name in names})
    return {f"layer {one}": f"{LAYER}{one}" for one in layers if f"{LAYER}{one}" in scores}


def _accuracies(dataset: str, found: Sequence[NetworkArm]) -> ResultTable:
    parts = found[0].parts
    rows = [
        TableRow([each.arm.name, *(_mean(each, name) for name in parts.values()), _count(each)])
        for each in found
    ]
    return ResultTable(
        f"{dataset}: {_network(found[0].arm).graph or found[0].arm.protocol}",
        (
            Column("arm", head="method"),
            *(Column(f"{called} %", "percent") for called in parts),
            Column("questions", "count"),
        ),
        rows,
    )


def _sweeps(found: Sequence[NetworkArm]) -> ResultTable:
    rows = []
    for each in found:
        for called, name in each.parts.items():
            mean = _mean(each, name)
            band = f"{each.arm.name}, {each.dataset}"
            rows.append(TableRow([called, mean, mean.n], marked=name == NETWORK, band=band))
    columns = (Column("part"), Column("accuracy %", "percent"), Column("debates", "count"))
    return ResultTable("Sweeps", columns, rows)


def _mean(each: NetworkArm, part: str) -> Mean:
    return mean_over_questions(each.scores.get(part, {}))


def _count(each: NetworkArm) -> int:
    return _mean(each, NETWORK).questions


def _compare_parts(found: Sequence[NetworkArm]) -> list[PartDifference]:
    """Return how each part differs from the one before it, debate by debate, corrected by Holm."""
    named = [
        PartDifference(
            net, f"{called} − {before}", compare_paired(net.scores[part], net.scores[earlier])
        )
        for net in found
        for (before, earlier), (called, part) in pairwise(net.parts.items())
    ]
    return correct_by_holm(named, "gap")


def _tabulate_differences(dataset: str, compared: Sequence[PartDifference]) -> ResultTable:
    return tabulate(
        f"{dataset}: paths and layers compared",
        compared,
        TableField("parts", value="words"),
        TableField("difference", "points", "gap"),
        *list_tests("gap", corrected="p Holm"),
        TableField.of_smallest(),
        TableField("questions", "count", "gap.questions"),
        band=lambda each: each.net.arm.name,
        note="Percentage points between two parts of the same debates. p: exact, by change of "
        "signs; Holm: corrected for all rows of the table.",
    )


def _describe_networks(compared: Sequence[PartDifference]) -> Iterator[str]:
    """Yield of each network how its own verdict differs from the part before it."""
    last = {net.arm.name: (net, what, gap) for net, what, gap in compared}
    for net, what, gap in last.values():
        said = describe_difference(f"{net.arm.name} on {net.dataset}: {what}", gap)
        shows = f" {format_percent(gap.smallest)} points would have shown." if gap.smallest else ""
        yield said + shows

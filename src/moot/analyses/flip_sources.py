"""Flip sources: why agents change their answers in a debate.

An agent that changes its answer may be unsure, so that asking again is enough; it may follow the
answers of others; it may follow all that looks like a reason; or it may be persuaded. The same
agent with the same first answer is shown nothing, bare answers, answers with filler, and whole
replies: from the first of these on at which it changes, one sees what it took.

Each arm has chance of its own, so that an agent that changes by chance under the second looks as if
it followed the answers. Second draws of the same prompts tell how often that happens; the net
figures are without it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from moot.analyses.analysis import NothingToAnalyse, analysis
from moot.analyses.control_debates import MeasuredSet, measure_sets
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.results import Difference, Mean
from moot.core.table import Column, Report, ResultTable, TableRow
from moot.statistics.accuracies import (
    Key,
    cluster_by_question,
    compare_paired,
    correct_differences,
    mean_within_bounds,
)
from moot.studies.controls import REPEATED


class RevisedAnswer(NamedTuple):
    """What one agent answered to one question, before and after each kind of exposure.

    Attributes:
        question: the question's id.
        first: its first answer.
        peers: the first answers of the others; unparsed ones left out.
        revised: its revised answer by what it was shown.
        again: the same of the second draw, where there was one.
        right: the right answers; empty where none is known.
    """

    question: str
    first: Hashable
    peers: tuple[Hashable, ...]
    revised: dict[str, Hashable]
    again: dict[str, Hashable]
    right: frozenset[Hashable]

    def keeps(self, *ways: str) -> bool:
        """Return whether it keeps its first answer under all of these."""
        return all(self.revised[way] == self.first for way in ways)

    def adopts(self, answer: Hashable) -> bool:
        """Return whether an answer is another than its first and one of its peers'."""
        return answer != self.first and answer in self.peers

    @property
    def is_opposed(self) -> bool:
        """Whether a peer has another answer."""
        return any(peer != self.first for peer in self.peers)


class FlipSource(NamedTuple):
    """A reason to change an answer, and how it is measured.

    Attributes:
        name: of the reason.
        needs: the arms that it is measured by.
        among: which agents are counted.
        changed: the answer that may be a flip.
        by_chance: the answer that is a flip by chance alone; None where there is none.
        anywhere: whether a change to any answer counts, not only to one of a peer's.
    """

    name: str
    needs: tuple[str, ...]
    among: Callable[[RevisedAnswer], bool]
    changed: Callable[[RevisedAnswer], Hashable]
    by_chance: Callable[[RevisedAnswer], Hashable] | None
    anywhere: bool = False

    def is_flip(self, unit: RevisedAnswer, answer: Hashable) -> bool:
        """Return whether an answer of an agent counts as a flip."""
        return answer != unit.first if self.anywhere else unit.adopts(answer)


def _resists(unit: RevisedAnswer) -> bool:
    return unit.is_opposed and unit.keeps("nothing", "stances")


def _hold(way: str) -> Callable[[RevisedAnswer], Hashable]:
    return lambda unit: unit.revised[way]


def _draw_again(way: str) -> Callable[[RevisedAnswer], Hashable]:
    return lambda unit: unit.again.get(way)


SOURCES = (
    FlipSource("instability", ("nothing",), lambda _: True, _hold("nothing"), None, anywhere=True),
    FlipSource(
        "conformity",
        ("nothing", "stances"),
        lambda unit: unit.is_opposed and unit.keeps("nothing"),
        _hold("stances"),
        _draw_again("nothing"),
    ),
    FlipSource(
        "placebo",
        ("nothing", "stances", "vacuous"),
        _resists,
        _hold("vacuous"),
        _draw_again("stances"),
    ),
    FlipSource(
        "persuasion",
        ("nothing", "stances", "reasons"),
        _resists,
        _hold("reasons"),
        _draw_again("stances"),
    ),
    FlipSource(
        "content of reasons",
        ("nothing", "stances", "vacuous", "reasons"),
        _resists,
        _hold("reasons"),
        _hold("vacuous"),
    ),
)
"""In the order in which each needs more than the one before it. The last is persuasion minus
placebo, agent by agent."""
_AMONG = {
    "instability": "all",
    "conformity": "stable",
    "placebo": "resistant",
    "persuasion": "resistant",
    "content of reasons": "resistant",
}


class MeasuredSource(msgspec.Struct, frozen=True, kw_only=True):
    """How often agents change for one reason.

    Attributes:
        gross: the share that changes, of those that are counted.
        net: the same minus what changes by chance; None where no second draw tells.
        harmful: the share that changes from right to wrong.
        useful: from wrong to right.
        neutral: from wrong to wrong; the three are None where no right answer is known.
    """

    name: str
    gross: Mean
    net: Difference | None
    harmful: float | None
    useful: float | None
    neutral: float | None


class Attribution(msgspec.Struct, frozen=True, kw_only=True):
    """The flips of a debate that are due to one reason, as counts of agents.

    Attributes:
        share: of all agents that are counted.
        flips: all of them.
        harmful: from right to wrong.
        useful: from wrong to right.
        neutral: from wrong to wrong.
    """

    name: str
    share: Mean
    flips: int
    harmful: int
    useful: int
    neutral: int


class SetFlips(msgspec.Struct, frozen=True, kw_only=True):
    """Why agents of a control set change their answers on one dataset.

    Attributes:
        units: agents that are counted, one for each question and replicate.
        unparsed: agents that are not, since one of their answers is unparsed.
        sources: the reasons to change, each among those that it can move.
        attributed: every change in the debate by the first reason that explains it, and all.
        missing: reasons, and the arms they lack.
    """

    name: str
    dataset: str
    units: int
    unparsed: int
    sources: tuple[MeasuredSource, ...]
    attributed: tuple[Attribution, ...]
    missing: dict[str, tuple[str, ...]]


@analysis(source="arXiv:2606.00820; net figures: moot", place=14)
def flip_sources(runs: RecordedRuns) -> Report:
    """Tell why agents change their answers: unsure, conforming, moved by filler, or persuaded.

    Of arms that differ in what agents are shown before they revise their answers once. Net figures
    are without the changes that another draw of the same prompt makes as well.
    """
    sets = [each for each in measure_sets(runs) if "nothing" in each.ways and len(each.ways) > 1]
    if not sets:
        raise NothingToAnalyse(
            f"{runs.key}: it has no arm that shows agents nothing beside one that shows them "
            "something; write controls = true into its study"
        )
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
            "p: of net figures, by changes of sign. Holm: of one set of arms on one dataset.",
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
        yield f"{place}{name}: not shown, there is no arm that shows {', '.join(lacks)}."
    if any(source.net is None for source in found.sources if source.name in _CHANCE):
        yield (
            f"{place}no net figures without second draws: repeats = true in the arms that show "
            f"{' and '.join(REPEATED)}. At a temperature above 0 gross figures are too high."
        )


def measure_flips(own: MeasuredSet) -> SetFlips:
    """Return why agents of a set change their answers."""
    units, unparsed = read_units(own)
    missing, found = {}, []
    for source in SOURCES:
        if lacks := tuple(way for way in source.needs if way not in own.debates):
            missing[source.name] = lacks
        else:
            found.append(_measure_source(source, units))
    nets = [source.net for source in found if source.net is not None]
    corrected = iter(correct_differences(nets))
    whole = all(way in own.debates for way in ("nothing", "stances", "reasons"))
    return SetFlips(
        name=own.name,
        dataset=own.dataset,
        units=len(units),
        unparsed=unparsed,
        sources=tuple(
            source if source.net is None else msgspec.structs.replace(source, net=next(corrected))
            for source in found
        ),
        attributed=tuple(attribute_flips(units)) if whole and units else (),
        missing=missing,
    )


def read_units(own: MeasuredSet) -> tuple[list[RevisedAnswer], int]:
    """Return the agents that have debated in every arm, and how many have an unparsed answer."""
    ways = [way for way in own.ways if any(way in source.needs for source in SOURCES)]
    units, unparsed = [], 0
    for key in own.pair(*ways):
        rows = {way: own.debates[way][key] for way in ways}
        start = rows["nothing"]
        for seat, first in enumerate(start.first):
            revised = {way: row.revised[seat] for way, row in rows.items()}
            again = {way: row.again[seat] for way, row in rows.items() if row.again}
            if None in (first, *revised.values(), *again.values()):
                unparsed += 1
                continue
            others = (*start.first[:seat], *start.first[seat + 1 :])
            peers = tuple(each for each in others if each is not None)
            units.append(RevisedAnswer(key[0], first, peers, revised, again, start.right))
    return units, unparsed


def _measure_source(source: FlipSource, units: Sequence[RevisedAnswer]) -> MeasuredSource:
    among = [unit for unit in units if source.among(unit)]
    flips = [source.is_flip(unit, source.changed(unit)) for unit in among]
    changed = _by_question(among, flips)
    net = None
    if source.by_chance is not None:
        drawn = [source.by_chance(unit) for unit in among]
        if None not in drawn:
            chance = [source.is_flip(unit, each) for unit, each in zip(among, drawn, strict=True)]
            net = compare_paired(changed, _by_question(among, chance))
    moved = [unit for unit, flip in zip(among, flips, strict=True) if flip]
    kinds = _count_kinds(moved, source.changed)
    known = any(unit.right for unit in units)
    shares = [count / len(among) if among and known else None for count in kinds]
    return MeasuredSource(
        name=source.name,
        gross=mean_within_bounds(cluster_by_question(changed)),
        net=net,
        harmful=shares[0],
        useful=shares[1],
        neutral=shares[2],
    )


def _by_question(units: Sequence[RevisedAnswer], flips: Sequence[bool]) -> dict[Key, float]:
    """Return flips as values of questions, of which those of one question stand together."""
    return {
        (unit.question, place): float(flip)
        for place, (unit, flip) in enumerate(zip(units, flips, strict=True))
    }


def _count_kinds(
    moved: Iterable[RevisedAnswer], changed: Callable[[RevisedAnswer], Hashable]
) -> tuple[int, int, int]:
    """Return how many changes are harmful, useful and neutral."""
    kinds = [(unit.first in unit.right, changed(unit) in unit.right) for unit in moved]
    return kinds.count((True, False)), kinds.count((False, True)), kinds.count((False, False))


def attribute_flips(units: Sequence[RevisedAnswer]) -> Iterator[Attribution]:
    """Yield the changes of the debate by the first reason that explains each, then all of them."""
    causes = [_find_cause(unit) for unit in units]
    for name in ("instability", "conformity", "persuasion", "all changes"):
        flips = [cause == name or bool(cause and name == "all changes") for cause in causes]
        moved = [unit for unit, flip in zip(units, flips, strict=True) if flip]
        harmful, useful, neutral = _count_kinds(moved, _hold("reasons"))
        yield Attribution(
            name=name,
            share=mean_within_bounds(cluster_by_question(_by_question(units, flips))),
            flips=len(moved),
            harmful=harmful,
            useful=useful,
            neutral=neutral,
        )


def _find_cause(unit: RevisedAnswer) -> str:
    """Return what an agent's change in the debate is due to; empty where it does not change."""
    if unit.keeps("reasons"):
        return ""
    if not unit.keeps("nothing"):
        return "instability"
    return "persuasion" if unit.keeps("stances") else "conformity"


def _place(each: SetFlips) -> str:
    return ", ".join(filter(None, (each.name, each.dataset))) + ": "


def _tabulate(found: SetFlips) -> ResultTable:
    rows = []
    for each in found.sources:
        net = each.net or Difference()
        gross = None if each.name == "content of reasons" else each.gross
        kinds = [each.harmful, each.useful, each.neutral] if gross else [None] * 3
        names: list[str] = [each.name, _AMONG[each.name]]
        rows.append(TableRow([*names, each.gross.n, gross, net, net.p, net.p_holm, *kinds]))
    columns = (
        Column("reason to change"),
        Column("among"),
        Column("agents", "count"),
        Column("gross %", "percent"),
        Column("net", "points"),
        Column("p", "p"),
        Column("p (Holm)", "p"),
        *(Column(name, "percent", group="of gross") for name in _KINDS),
    )
    note = (
        "Stable: a peer has another answer, and with nothing shown the agent keeps its own. "
        "Resistant: it keeps it with bare answers shown, too. Net: without what another draw of "
        "the same prompt changes. Content of reasons: persuasion less placebo, agent by agent. "
        "Harmful: from right to wrong; useful: from wrong to right; neutral: from wrong to wrong."
    )
    return ResultTable(f"{_place(found)}how many agents each can move", columns, rows, note=note)


_KINDS = ("harmful %", "useful %", "neutral %")


def _tabulate_attribution(found: SetFlips) -> ResultTable:
    rows = [
        TableRow(
            [each.name, each.flips, each.share, each.harmful, each.useful, each.neutral],
            marked=each.name == "all changes",
        )
        for each in found.attributed
    ]
    columns = (
        Column("first reason"),
        Column("changes", "count"),
        Column("of agents %", "percent"),
        *(Column(name.removesuffix(" %"), "count") for name in _KINDS),
    )
    note = (
        f"Of {found.units} agents. A change in the debate counts for instability where the agent "
        "also changes with nothing shown, else for conformity where it changes with bare answers, "
        "else for persuasion. These shares are gross: chance is in them."
    )
    return ResultTable(f"{_place(found)}changes in the debate", columns, rows, note=note)

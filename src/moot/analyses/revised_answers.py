"""Answers of one agent before and after each kind of exposure, and what made it change them.

See ``flip_sources``, which shows what is measured here.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from moot.analyses.control_debates import MeasuredSet
from moot.core.results import Difference, Mean
from moot.statistics.accuracies import (
    Key,
    cluster_by_question,
    compare_paired,
    correct_by_holm,
    mean_within_bounds,
)


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


def measure_flips(own: MeasuredSet) -> SetFlips:
    """Return why agents of a set change their answers."""
    units, unparsed = read_units(own)
    missing, found = {}, []
    for source in SOURCES:
        if lacks := tuple(way for way in source.needs if way not in own.debates):
            missing[source.name] = lacks
        else:
            found.append(_measure_source(source, units))
    whole = all(way in own.debates for way in ("nothing", "stances", "reasons"))
    return SetFlips(
        name=own.name,
        dataset=own.dataset,
        units=len(units),
        unparsed=unparsed,
        sources=tuple(correct_by_holm(found, "net")),
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

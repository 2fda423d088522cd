"""The gradient of information: how easily agents give up right answers, and for what.

Peers that were never asked seem to state a wrong answer: alone, with words that say nothing, with a
reason of another question, or with an argument for it. An agent that was right and takes the wrong
answer over has adopted it. Those that keep theirs both with nothing shown and with bare answers are
resistant; what moves them is more than conformity.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from moot.analyses.analysis import analysis, check_found
from moot.analyses.control_debates import read_revision
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.measured_arms import group_by
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.events import Transcript
from moot.core.recorded_settings import read_settings
from moot.core.results import Difference, Mean
from moot.core.stored import Arm
from moot.core.table import Report, ResultTable
from moot.debate.feature import list_common
from moot.parsing.same import is_correct, is_same
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)
from moot.studies.controls import ALONE, EXPOSURE, FIRST_REVISION

PLANTED = "planted-peers"
LEVELS = ("bare answers", "with filler", "with a foreign reason", "with an argument")
_BY_LEVEL = ("name", "level", "argues")


class PlantedDebate(NamedTuple):
    """One debate with planted peers.

    Attributes:
        was_right: whether the agent's first answer is right.
        is_right: whether its revised answer is.
        adopts: whether its revised answer is the wrong one that peers state.
    """

    was_right: bool
    is_right: bool
    adopts: bool


class MeasuredLevel(msgspec.Struct, frozen=True, kw_only=True):
    """How often agents that were right adopt a wrong answer at one level.

    Attributes:
        level: 0 to 3.
        adoption: among agents that were right at first.
        resistant: among those that stay right with nothing shown and with bare answers; at level 0
            unknown.
        more: the adoption at this level minus that at the level below that was debated, over the
            same agents; None at the least level.
    """

    level: int
    adoption: Mean
    resistant: Mean | None
    more: Difference | None


class Gradient(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of planted peers that are alike but for the level, on one dataset.

    Attributes:
        peers: how many state the wrong answer, in words.
        has_nothing: whether an arm with nothing shown tells who is stable.
    """

    dataset: str
    peers: str
    has_nothing: bool
    levels: tuple[MeasuredLevel, ...]


@analysis(source="arXiv:2606.00820", group="debate", place=16, protocols=(PLANTED,))
def information_gradient(runs: RecordedRuns) -> Report:
    """Tell how many agents give up a right answer: for bare answers, filler, or an argument.

    Of methods of planted-peers that are alike but for the level. Adoption is the share of agents
    that were right at first and take the wrong answer over.
    """
    families = group_by((arm for arm in runs.arms if arm.protocol == PLANTED), _name_family)
    found = [
        each
        for family in families.values()
        for dataset in runs.datasets
        for each in _measure_family(runs, dataset, family)
    ]
    check_found(found, runs, f"it has no method of {PLANTED} whose peers state a wrong answer")
    levels = iter(correct_by_holm((level for each in found for level in each.levels), "more"))
    found = [
        msgspec.structs.replace(each, levels=tuple(islice(levels, len(each.levels))))
        for each in found
    ]
    lacks = any(not each.has_nothing for each in found)
    return Report(
        title=f"Information gradient: {runs.name}",
        about=f"{runs.key}: right answers given up for a planted wrong one",
        tables=[_tabulate(each) for each in found],
        notes=(
            "p (Holm): corrected for all levels of all methods.",
            *(
                ["Resistant agents are not known without exposure agents = 1, shows = nothing."]
                if lacks
                else []
            ),
        ),
        findings=tuple(describe_comparisons(_name_gaps(found))),
        data=found,
    )


def _name_family(arm: Arm) -> str:
    return repr(sorted((k, v) for k, v in arm.factors.items() if k not in _BY_LEVEL))


class _Leveled(msgspec.Struct, frozen=True):
    level: int


def _level(arm: Arm) -> int:
    return read_settings(arm.settings, _Leveled).level


def _measure_family(runs: RecordedRuns, dataset: str, family: Sequence[Arm]) -> Iterator[Gradient]:
    """Yield the gradient of arms that are alike but for the level; nothing without debates."""
    read = {_level(arm): _read_arm(runs, dataset, arm) for arm in family}
    levels = {level: read[level] for level in sorted(read) if read[level]}
    if levels:
        stable = _find_stable(runs, dataset, family[0])
        has = family[0].settings
        yield Gradient(
            dataset=dataset,
            peers=f"{has['peers'] - has['dissenters']} of {has['peers']} peers",
            has_nothing=stable is not None,
            levels=tuple(_measure_levels(levels, stable)),
        )


def _measure_levels(
    levels: dict[int, dict[Key, PlantedDebate]], stable: set[Key] | None
) -> Iterator[MeasuredLevel]:
    """Yield every level; ``stable`` are the debates in which nothing shown changes nothing."""
    bare = levels.get(0, {})
    resists = {key for key in stable or () if key in bare and bare[key].is_right}
    before: dict[Key, float] | None = None
    for level, debates in levels.items():
        adopts = {key: float(each.adopts) for key, each in debates.items() if each.was_right}
        yield MeasuredLevel(
            level=level,
            adoption=mean_over_questions(adopts),
            resistant=mean_over_questions({k: v for k, v in adopts.items() if k in resists})
            if level and bare and stable is not None
            else None,
            more=None if before is None else compare_paired(adopts, before),
        )
        before = adopts


def _read_arm(runs: RecordedRuns, dataset: str, arm: Arm) -> dict[Key, PlantedDebate]:
    found = {}
    for row in runs.debates(arm.name):
        if row.dataset == dataset and not row.failed:
            read = read_planted(row.transcript)
            if read is not None:
                found[row.question, row.replicate] = read
    return found


def read_planted(transcript: Transcript) -> PlantedDebate | None:
    """Return what became of the agent's answer; None where no peer states a wrong one."""
    question = transcript.question
    first, *_, last = (turn for turn in transcript.turns if turn.role == "mind")
    stated = [_read_claim(part) for part in last.parts.values()]
    wrong = [each for each in stated if not is_correct(each, question)]
    if not wrong:
        return None
    return PlantedDebate(
        was_right=is_correct(first.answer, question),
        is_right=is_correct(last.answer, question),
        adopts=is_same(last.answer, wrong[0], question.kind),
    )


def _read_claim(part: str) -> str:
    """Return the answer that a part of a prompt states, as ``Turn.parts`` has it."""
    return part.partition(";")[0].removeprefix("states ").removeprefix("argument for ")


def _find_stable(runs: RecordedRuns, dataset: str, like: Arm) -> set[Key] | None:
    """Return the debates in which one agent keeps its right answer with nothing shown.

    None where no arm tells.
    """
    for arm in runs.arms:
        if _shows_nothing(arm.protocol, arm.settings) and all(
            arm.factors.get(name) == like.factors.get(name) for name in list_common()
        ):
            rows = [row for row in runs.debates(arm.name) if row.dataset == dataset]
            read = {(r.question, r.replicate): read_revision(r) for r in rows if not r.failed}
            return {
                key for key, each in read.items() if {each.first[0], each.revised[0]} <= each.right
            }
    return None


def _shows_nothing(protocol: str, has: dict[str, Any]) -> bool:
    alone = has.get("agents") == 1 and has.get("rounds") == FIRST_REVISION
    critique = protocol == ALONE and not has.get("critique") and has.get("memory") == "chat"
    return alone and (protocol == EXPOSURE or critique)


def _tabulate(found: Gradient) -> ResultTable:
    return tabulate(
        f"{found.dataset}: {found.peers} are wrong",
        found.levels,
        TableField("the peers' words", value=lambda each: LEVELS[each.level]),
        TableField("adopt %", "percent", "adoption"),
        TableField("agents", "count", "adoption.n"),
        TableField("more", "points", lambda each: each.more or Difference()),
        *list_tests("more"),
        TableField("adopt %", "percent", "resistant", group="resistant"),
        TableField("agents", "count", "resistant.n", group="resistant"),
        note="Of agents that were right at first: those that take over the wrong answer that peers "
        "state. More: than at the level above in the table. Resistant: right with nothing shown, "
        "and with bare answers, too.",
    )


def _name_gaps(found: Sequence[Gradient]) -> Iterator[NamedDifference]:
    for each in found:
        for below, level in zip(each.levels, each.levels[1:], strict=False):
            words = (
                f"{each.dataset}, {each.peers}: {LEVELS[level.level]}, less {LEVELS[below.level]}"
            )
            yield NamedDifference(words, level.more or Difference())

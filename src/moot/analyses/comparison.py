"""Two runs beside each other, or two arms of one: on the questions that both have debated."""

from collections.abc import Mapping, Sequence

import msgspec

from moot.analyses.debate_values import mean_tokens, mean_value
from moot.analyses.recorded_runs import require_same_question
from moot.core.display_text import format_some
from moot.core.errors import InputError, UnknownName
from moot.core.results import Difference, Mean
from moot.core.stored import DebateValues, RunRow, decode_study
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)
from moot.studies.asked_values import AskedValues
from moot.studies.lab import Lab

ArmPair = tuple[str, str]  # of an arm of the first run and of one of the second

_CHECKED = 25
"""Questions of a dataset of which it is looked up whether both runs asked the same."""


class ComparedArm(msgspec.Struct, frozen=True, kw_only=True):
    """One arm on the debates that are compared.

    Attributes:
        accuracy: over these debates.
        calls: per debate, paid for or replayed, as the next two.
        tokens: prompt and completion; None where a count is unknown.
        cost: in US dollars; None where a price is unknown.
        left_out: debates of this arm that the other does not have, or without a known answer.
    """

    run: str
    arm: str
    simulated: bool
    accuracy: Mean
    calls: float | None
    tokens: float | None
    cost: float | None
    left_out: int

    @property
    def label(self) -> str:
        """Its name as people are shown it."""
        return f"{self.arm} (simulated)" if self.simulated else self.arm


class ArmComparison(msgspec.Struct, frozen=True, kw_only=True):
    """An arm of the first run and one of the second on one dataset.

    Attributes:
        difference: the second's accuracy minus the first's; its ``p_holm`` is corrected for all
            pairs of arms compared on this dataset.
        only_first: ids of the questions that the first has right more often; with one replicate,
            that it alone has right.
        only_second: the same of the second.
    """

    dataset: str
    first: ComparedArm
    second: ComparedArm
    difference: Difference
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


class _Debates:
    """The debates of one arm on one dataset whose accuracy is known."""

    def __init__(self) -> None:
        self.n = 0
        self.right: dict[Key, float] = {}
        self.values: dict[Key, Mapping[str, float | None]] = {}

    def add(self, row: DebateValues) -> None:
        self.n += 1
        right = row.values.get("accuracy")
        if right is not None:
            self.right[row.question, row.replicate] = right
            self.values[row.question, row.replicate] = row.values


def compare_arms(
    lab: Lab, first: str, second: str | None = None, *, arms: Sequence[str] = ()
) -> tuple[ArmComparison, ...]:
    """Compare arms of two runs, or of one, on the (question, replicate) that both have.

    Args:
        lab: whose store has the runs.
        first: a run, by what ``Store.find_run`` takes.
        second: the other; the same where it is not given, and then ``arms`` are needed.
        arms: which arms to compare, as ``A=B``, or ``A`` where both runs have it; those of the same
            name, if not given.

    Returns:
        By dataset, then by arm, both in the order of the first run.

    Raises:
        InputError: the runs have nothing to compare, or did not ask the same questions.
        UnknownName: a run has no such arm.
    """
    one = lab.store.find_run(first)
    two = one if second is None else lab.store.find_run(second)
    pairs = list(dict.fromkeys(_parse_pair(one, two, each) for each in arms)) or _pair_same_names(
        one, two
    )
    left = _read_debates(lab, one, {name for name, _ in pairs})
    right = _read_debates(lab, two, {name for _, name in pairs})
    found = []
    for dataset in dict.fromkeys(dataset for dataset, _ in left):
        own = []
        for names in pairs:
            ones, twos = left.get((dataset, names[0])), right.get((dataset, names[1]))
            if ones and twos and (shared := [key for key in ones.right if key in twos.right]):
                sides = _side(one, names[0], ones, shared), _side(two, names[1], twos, shared)
                own.append(_compare_pair(dataset, sides, ones, twos))
                _check_same(lab, (one, two), names, dataset, shared)
        found += correct_by_holm(own, "difference")
    if not found:
        raise InputError(_explain_nothing(one, two, left, right))
    return tuple(found)


NAMES = 6
"""The most arms of a run that an error names."""


def _pair_same_names(one: RunRow, two: RunRow) -> list[ArmPair]:
    """Return a pair for each arm name that both runs have.

    Raises:
        InputError: they have no arm name in common, or both are the same run.
    """
    if one.id == two.id:
        raise InputError(
            f"run {one.key}: to compare it with itself say which methods, as in --pair "
            f"{_example(one)}"
        )
    theirs = {arm.name for arm in decode_study(two).arms}
    same = [(arm.name, arm.name) for arm in decode_study(one).arms if arm.name in theirs]
    if not same:
        raise InputError(
            f"runs {one.key} and {two.key} have no method of the same name; say which to compare, "
            f"as in --pair {_example(one, two)}. {_arms(one)}. {_arms(two)}"
        )
    return same


def _arms(row: RunRow) -> str:
    names = [arm.name for arm in decode_study(row).arms]
    return f"{row.key} has {format_some(names, NAMES)}"


def _example(one: RunRow, two: RunRow | None = None) -> str:
    """Return an example of what to write after --pair."""
    names = decode_study(one).arms[0].name, decode_study(two or one).arms[-1].name
    return "'{}={}'".format(*names)


def _parse_pair(one: RunRow, two: RunRow, given: str) -> ArmPair:
    """Return the arms that ``A=B`` names; a name may have a sign of equality of its own."""
    ones, twos = ({arm.name for arm in decode_study(row).arms} for row in (one, two))
    words = given.split("=")
    ways = [("=".join(words[:k]), "=".join(words[k:])) for k in range(1, len(words))]
    ways.append((given, given))
    for first, second in ways:
        if first in ones and second in twos:
            return first, second
    known = next((second for first, second in ways if first in ones), None)
    if known is not None:
        raise UnknownName("method", known, twos, where=f"method {given!r} of run {two.key}")
    raise UnknownName("method", ways[0][0], ones, where=f"method {given!r} of run {one.key}")


def _read_debates(lab: Lab, row: RunRow, arms: set[str]) -> dict[tuple[str, str], _Debates]:
    """Return the debates of these arms, by dataset and arm."""
    found: dict[tuple[str, str], _Debates] = {}
    for each in AskedValues(lab, row).read_shown():
        if each.arm in arms:
            found.setdefault((each.dataset, each.arm), _Debates()).add(each)
    return found


def _side(row: RunRow, arm: str, debates: _Debates, shared: Sequence[Key]) -> ComparedArm:
    values = [debates.values[key] for key in shared]
    return ComparedArm(
        run=row.key,
        arm=arm,
        simulated=arm in decode_study(row).simulated,
        accuracy=mean_over_questions({key: debates.right[key] for key in shared}),
        calls=mean_value(values, "calls"),
        tokens=mean_tokens(values),
        cost=mean_value(values, "cost"),
        left_out=debates.n - len(shared),
    )


def _compare_pair(
    dataset: str, sides: tuple[ComparedArm, ComparedArm], one: _Debates, two: _Debates
) -> ArmComparison:
    gaps: dict[str, float] = {}
    for (question, replicate), value in two.right.items():
        if (question, replicate) in one.right:
            gap = value - one.right[question, replicate]
            gaps[question] = gaps.get(question, 0.0) + gap
    return ArmComparison(
        dataset=dataset,
        first=sides[0],
        second=sides[1],
        difference=compare_paired(two.right, one.right),
        only_first=tuple(question for question, gap in gaps.items() if gap < 0),
        only_second=tuple(question for question, gap in gaps.items() if gap > 0),
    )


def _check_same(
    lab: Lab, rows: tuple[RunRow, RunRow], names: ArmPair, dataset: str, shared: Sequence[Key]
) -> None:
    """Check that both runs mean the same question by an id: a dataset may have been made anew."""
    if rows[0].id != rows[1].id:
        for question in list(dict.fromkeys(question for question, _ in shared))[:_CHECKED]:
            require_same_question(lab, list(zip(rows, names, strict=True)), dataset, question)


def _explain_nothing(
    one: RunRow,
    two: RunRow,
    left: Mapping[tuple[str, str], _Debates],
    right: Mapping[tuple[str, str], _Debates],
) -> str:
    """Return the text of an error: the reason why there is nothing to compare."""
    sets = [list(dict.fromkeys(dataset for dataset, _ in each)) for each in (left, right)]
    for row, own in ((one, sets[0]), (two, sets[1])):
        if not own:
            return f"run {row.key}: no debate of these methods has ended yet; nothing to compare"
    if not set(sets[0]) & set(sets[1]):
        return (
            f"runs {one.key} and {two.key} share no dataset: the first has {', '.join(sets[0])}, "
            f"the second {', '.join(sets[1])}"
        )
    return (
        f"runs {one.key} and {two.key} share no question whose right answer is known "
        f"in the methods compared"
    )

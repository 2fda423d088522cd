"""Whom judges favour: a label, a persona, or a place ("Prejudice and Fidelity", section 6.1.2).

A debate of two sides is a pairing: each side has a label (affirmative or negative), one of them
speaks first, one is shown first to the judge, and each may have a persona. Arms that differ
in these alone are the seatings of one group. The effects of label, place and
persona can be separated only as far as the seatings vary them: in a single seating, label and
place are the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from moot.analyses.analysis import NothingToAnalyse, analysis
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.seatings import (
    CALLED,
    PLACES,
    Name,
    Seating,
    group_by_seating,
    is_labelled,
    pair_of,
    read_seating,
)
from moot.core.display_text import format_things
from moot.core.results import Mean
from moot.core.stored import Arm, DebateValues
from moot.core.table import Column, Report, ResultTable, TableRow, make_columns
from moot.debate.opening_values import OPENINGS
from moot.parsing.ruling import SIDES
from moot.prompts.personas import is_control
from moot.statistics.accuracies import mean_with_interval
from moot.statistics.intervals import Cluster, interval, mean
from moot.statistics.paired import holm, sign_flip


@analysis(source="Prejudice and Fidelity, section 6.1.2, figures 3 and 4", place=30)
def judge_bias(runs: RecordedRuns) -> Report:
    """Tell whom the judges favour: a label, a persona, or a place.

    Of debates with an affirmative and a negative side. Arms that differ in who sits where alone
    are compared.
    """
    found = measure_judge_bias(
        runs.values,
        arms=runs.arms,
        run=runs.key,
        name=runs.name,
        simulated=bool(runs.simulated),
    )
    return tabulate_judge_bias(found)._replace(data=found)


class EffectGroup(NamedTuple):
    """What the figures of a group are of."""

    dataset: str
    opening: str
    group: str


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How the verdicts of a group divide between two kinds of sides, over all its seatings.

    Attributes:
        group: what its arms have in common.
        names: the two, e.g. ``("affirmative", "negative")`` or ``("left", "right")``.
        control: whether the names mean nothing.
        seatings: the arms over which it goes.
        debates: held, failed ones left out.
        failed: debates that failed.
        first: the share of verdicts for the first of the names, 0 to 1.
        second: for the second.
        neither: for none.
        ratio: the first's part of the verdicts for either: the paper's bias ratio, 1/2 for none.
    """

    dataset: str
    opening: str
    group: str
    names: Name
    control: bool
    seatings: int
    debates: int
    failed: int
    first: Mean
    second: Mean
    neither: Mean
    ratio: Mean


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What being one thing and not another is worth in verdicts, all else being balanced.

    Attributes:
        group: what its arms have in common.
        names: every pair of names between which the seatings cannot tell: one, where they can.
        control: whether it is of names that mean nothing, and so a yardstick.
        size: the share of verdicts for the first name minus 1/2, -1/2 to 1/2, a verdict for neither
            side counting as half of one for each; over the questions debated in every seating, each
            seating alike. 0 where judges do not care. ``n`` is the number of debates.
        p: of the exact or drawn test by changes of sign, question by question.
        p_holm: the same, corrected by Holm for all effects of the run.
        seatings: how many there are.
        left_out: questions that have not been debated in every seating.
    """

    dataset: str
    opening: str
    group: str
    names: tuple[Name, ...]
    control: bool
    size: Mean
    p: float
    p_holm: float = 1.0
    seatings: int
    left_out: int

    @property
    def mixed(self) -> bool:
        """Whether it could be of several things."""
        return len(self.names) > 1


class JudgeBias(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the judges of one run favour."""

    run: str
    name: str
    simulated: bool
    shares: tuple[Share, ...]
    effects: tuple[Effect, ...]

    @property
    def mixed(self) -> bool:
        """Whether position and label cannot be told apart in some group."""
        return any(
            SIDES in each.names and set(each.names) & set(PLACES.values()) for each in self.effects
        )


def has_two_sides(arms: Iterable[Arm]) -> bool:
    """Whether any of these arms has an affirmative and a negative side, which can be exchanged."""
    return any(PLACES.keys() & arm.settings.keys() for arm in arms)


def measure_judge_bias(
    rows: Iterable[DebateValues],
    *,
    arms: Sequence[Arm],
    run: str = "",
    name: str = "",
    simulated: bool = False,
) -> JudgeBias:
    """Take the biases of a run's judges from the values of its debates.

    Args:
        rows: one for each debate, failed ones included.
        arms: of the study; those without an affirmative and a negative side are passed over.
        run: the run's key.
        name: the study's name.
        simulated: whether any agent is no language model.

    Raises:
        NothingToAnalyse: no debate has two sides and a verdict.
    """
    by_arm: dict[tuple[str, str], list[DebateValues]] = {}
    for row in rows:
        by_arm.setdefault((row.dataset, row.arm), []).append(row)
    shares: list[Share] = []
    effects: list[Effect] = []
    for dataset in dict.fromkeys(dataset for dataset, _ in by_arm):
        for group, own in group_by_seating([arm for arm in arms if (dataset, arm.name) in by_arm]):
            pair = pair_of(own)
            called = is_labelled(own)
            seatings = [
                read_seating(arm, pair, by_arm[dataset, arm.name], called=called) for arm in own
            ]
            if not any(value is not None for each in seatings for value in each.debates.values()):
                continue
            where = EffectGroup(dataset, own[0].settings["opening"], group)
            shares += _shares(seatings, where)
            effects += _effects(seatings, where)
    if not shares:
        raise NothingToAnalyse(
            f"{name or run}: no verdict of it supports an affirmative or a negative side; judge "
            "bias is of protocols with two sides, such as debate-moderated and multi-persona "
            "(of a run from before there was such a metric: moot measure RUN)"
        )
    place = {str(opening): number for number, opening in enumerate(OPENINGS)}

    def order(each: Share | Effect) -> tuple[str, str, int]:
        return each.dataset, each.group, place[each.opening]

    fixed = holm([each.p for each in effects])
    effects = [replace(each, p_holm=p) for each, p in zip(effects, fixed, strict=True)]
    return JudgeBias(
        run=run,
        name=name,
        simulated=simulated,
        shares=tuple(sorted(shares, key=order)),
        effects=tuple(sorted(effects, key=order)),
    )


def _shares(seatings: Sequence[Seating], where: EffectGroup) -> list[Share]:
    """Return how verdicts divide by label, by persona and by each place that was exchanged."""
    shown = [
        names
        for names in seatings[0].signs
        if names not in PLACES.values() or len({each.signs[names] for each in seatings}) > 1
    ]
    return [_share(names, seatings, where) for names in shown]


def _share(names: Name, seatings: Sequence[Seating], where: EffectGroup) -> Share:
    counts: dict[str, tuple[list[float], list[float], list[float]]] = {}
    for each in seatings:
        for (question, _), value in each.debates.items():
            first, second, neither = counts.setdefault(question, ([], [], []))
            for_one = value if value is None or each.signs[names] > 0 else 1 - value
            first.append(float(for_one == 1))
            second.append(float(for_one == 0))
            neither.append(float(for_one is None))
    parts = [
        mean_with_interval(
            [Cluster(sum(count[part]), len(count[part])) for count in counts.values()]
        )
        for part in range(3)
    ]
    either = [
        Cluster(sum(first), int(sum(first) + sum(second)))
        for first, second, _ in counts.values()
        if sum(first) + sum(second)
    ]
    return Share(
        **where._asdict(),
        names=names,
        control=_is_control(names),
        seatings=len(seatings),
        debates=sum(len(each.debates) for each in seatings),
        failed=sum(each.failed for each in seatings),
        first=parts[0],
        second=parts[1],
        neither=parts[2],
        ratio=mean_with_interval(either),
    )


def _is_control(names: Name) -> bool:
    first, second = names
    return is_control(first.removeprefix(CALLED), second.removeprefix(CALLED))


def _effects(seatings: Sequence[Seating], where: EffectGroup) -> list[Effect]:
    """Estimate each effect that the seatings can separate; those they cannot stand together."""
    import numpy as np

    columns: dict[tuple[int, ...], list[Name]] = {}
    for names in seatings[0].signs:
        signs = tuple(each.signs[names] for each in seatings)
        turned = tuple(-sign for sign in signs)
        if turned in columns:
            columns[turned].append((names[1], names[0]))
        else:
            columns.setdefault(signs, []).append(names)
    by_seating = [each.questions() for each in seatings]
    every = set().union(*by_seating)
    common = sorted(set(by_seating[0]).intersection(*by_seating[1:]))
    if not common:
        return []
    # Least squares: in a balanced design it is the mean over the seatings, each sign applied; in
    # another, the part of each column that the others do not explain.
    weights = np.linalg.pinv(np.array(list(columns), dtype=float).T)
    sided = np.array([[each[question] for question in common] for each in by_seating])
    debates = sum(len(each.debates) for each in seatings)
    found = []
    for pairs, own in zip(columns.values(), weights, strict=True):
        sizes = [round(float(size), 12) for size in own @ sided / 2]
        reach = float(abs(own).sum()) / 2
        clusters = [Cluster(size, 1) for size in sizes]
        low, high = interval(clusters, bounds=(-reach, reach)) or (None, None)
        size = Mean(mean=mean(clusters), low=low, high=high, n=debates, questions=len(common))
        found.append(
            Effect(
                **where._asdict(),
                names=tuple(pairs),
                control=_is_control(pairs[0]),
                size=size,
                p=sign_flip(clusters),
                seatings=len(seatings),
                left_out=len(every) - len(common),
            )
        )
    return found


def tabulate_judge_bias(found: JudgeBias) -> Report:
    """Put into tables how verdicts divide and what each thing is worth, group by group."""
    tables = []
    for dataset, group in dict.fromkeys((each.dataset, each.group) for each in found.shares):
        shares = [each for each in found.shares if (each.dataset, each.group) == (dataset, group)]
        effects = [each for each in found.effects if (each.dataset, each.group) == (dataset, group)]
        tables += [
            ResultTable(
                f"{dataset}: {group}",
                (
                    *make_columns("text", "opening", "verdicts for"),
                    *make_columns("percent", "first", "second", "neither", "ratio"),
                    Column("debates", "count"),
                ),
                [_share_row(each) for each in shares],
            ),
            ResultTable(
                f"{dataset}: {group}: what it is worth",
                (
                    *make_columns("text", "opening", "being"),
                    Column("effect", "points"),
                    *make_columns("p", "p", "p Holm"),
                    *make_columns("count", "questions", "seatings"),
                ),
                [_effect_row(each) for each in effects],
            ),
        ]
    return Report(
        title=f"Judge bias: {found.name}",
        about=f"{found.run}: whom the judges of {found.name} favour",
        tables=[table for table in tables if table.rows],
        notes=tuple(_notes(found)),
        simulated=found.simulated,
    )


def _share_row(each: Share) -> TableRow:
    shares = (each.first, each.second, each.neither, each.ratio)
    return TableRow([each.opening, _versus(each.names, each), *shares, each.debates])


def _effect_row(each: Effect) -> TableRow:
    names = "; ".join(_versus(pair, each) for pair in each.names)
    counts = (each.size.questions, each.seatings)
    return TableRow([each.opening, names, each.size, each.p, each.p_holm, *counts])


def _versus(names: Name, each: Share | Effect) -> str:
    return f"{names[0]}, not {names[1]}{' (control)' * each.control}"


def _notes(found: JudgeBias) -> Iterator[str]:
    """Yield what a reader must know to read the figures."""
    yield (
        "Shares of verdicts in %, with 95 % intervals over questions. First and second: of the "
        "two names before; ratio: the first's part of the verdicts for either."
    )
    yield (
        "Effect: the share of verdicts for the first name minus 50, in points, over the "
        "questions debated in every seating, all else balanced; a verdict for neither counts "
        "half for each."
    )
    if any(each.control for each in found.effects):
        yield (
            "Control: names that mean nothing. A bias no larger than theirs is no bias of what "
            "the names say."
        )
    if found.mixed:
        yield (
            "POSITION AND LABEL CANNOT BE TOLD APART in the rows with more than one name: these "
            "were the same side in every seating. Run speaks_first and shown_first both ways."
        )
    if left := sum({(e.dataset, e.group, e.opening): e.left_out for e in found.effects}.values()):
        yield (
            f"{format_things(left, 'question')} left out of effects: not debated in every seating."
        )
    if failed := sum({(e.dataset, e.group, e.opening): e.failed for e in found.shares}.values()):
        yield f"{format_things(failed, 'debate')} failed and count nowhere."

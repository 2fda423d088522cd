"""Whom judges favour: a label, a persona, or a place ("Prejudice and Fidelity", section 6.1.2).

A debate of two sides is a pairing: each side has a label (affirmative or negative), one of them
speaks first, one is shown first to the judge, and each may have a persona. Arms that differ
in these alone are the seatings of one group. The effects of label, place and
persona can be separated only as far as the seatings vary them: in a single seating, label and
place are the same.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from moot.analyses.analysis import NothingToAnalyse
from moot.analyses.anchoring import model_names
from moot.analyses.measured_arms import group_by
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
from moot.analyses.sentences import family_of
from moot.core.recorded_settings import OpeningSettings, read_settings
from moot.core.results import Mean
from moot.core.stored import Arm, DebateValues
from moot.debate.opening_values import OPENINGS
from moot.parsing.ruling import SIDES
from moot.prompts.personas import is_control
from moot.statistics.accuracies import correct_by_holm, mean_with_interval
from moot.statistics.intervals import Cluster, interval, mean
from moot.statistics.paired import sign_flip
from moot.statistics.power import smallest_mean_difference

NO_SIDES = (
    "no verdict of it supports an affirmative or a negative side; judge bias is of protocols with "
    "two sides, such as debate-moderated and multi-persona (of a run from before there was such a "
    "metric: moot measure RUN)"
)
"""The lack of runs without debates of two sides."""


class EffectGroup(NamedTuple):
    """What the figures of a group are of."""

    dataset: str
    opening: str
    group: str
    model: str


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
    model: str
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
        p_holm: the same, corrected by Holm for all effects of the family.
        smallest: the smallest effect that so many questions show in 80 % of studies; None for too
            few questions.
        seatings: how many there are.
        left_out: questions that have not been debated in every seating.
    """

    dataset: str
    opening: str
    group: str
    model: str
    names: tuple[Name, ...]
    control: bool
    size: Mean
    p: float
    p_holm: float = 1.0
    smallest: float | None = None
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


def measure_judge_bias(
    rows: Iterable[DebateValues],
    *,
    arms: Sequence[Arm],
    run: str = "",
    name: str = "",
    simulated: bool = False,
    family: str = "all",
) -> JudgeBias:
    """Take the biases of a run's judges from the values of its debates.

    Args:
        rows: one for each debate, failed ones included.
        arms: of the study; those without an affirmative and a negative side are passed over.
        run: the run's key.
        name: the study's name.
        simulated: whether any agent is no language model.
        family: the effects that Holm's correction takes together; see ``Family``.

    Raises:
        NothingToAnalyse: no debate has two sides and a verdict.
    """
    by_arm = group_by(rows, lambda row: (row.dataset, row.arm))
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
            opening = read_settings(own[0].settings, OpeningSettings).opening
            where = EffectGroup(dataset, opening, group, model_names(own[0]))
            shares += _shares(seatings, where)
            effects += _effects(seatings, where)
    if not shares:
        raise NothingToAnalyse(f"{name or run}: {NO_SIDES}")
    place = {str(opening): number for number, opening in enumerate(OPENINGS)}

    def order(each: Share | Effect) -> tuple[str, str, int]:
        return each.dataset, each.group, place[each.opening]

    effects = correct_by_holm(effects, by=lambda each: family_of(family, each.dataset, each.model))
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
                smallest=smallest_mean_difference(clusters),
                seatings=len(seatings),
                left_out=len(every) - len(common),
            )
        )
    return found

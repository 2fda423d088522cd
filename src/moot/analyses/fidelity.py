"""Fidelity: what more agents, rounds, calls, tokens and money are worth (APF-Bench, section 6.2).

Source: "Understanding Prejudice and Fidelity of Diverge-to-Converge Multi-Agent Systems": section
4.2 defines fidelity, figures 5 to 8 and tables 3 and 4 show it. Everything is computed from the
recorded debates of a run; nothing is asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from statistics import fmean

import msgspec

from moot.analyses.cost_by_protocol import ProtocolCost, cost_protocols
from moot.analyses.debate_values import (
    DebatesByArm,
    MetricValues,
    group_debates,
    mean_tokens,
    mean_value,
)
from moot.analyses.debate_values import accuracies_of as right_in
from moot.analyses.endings import EarlyEnding, find_early_endings
from moot.analyses.ladders import SIZES, Ladder, StepSetting, find_ladders
from moot.core.errors import InputError
from moot.core.results import Difference, Mean
from moot.core.stored import DebateValues, StudyRow
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)
from moot.statistics.saturation import MARGIN, SaturationKind, find_saturation


class CurvePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One arm of a curve, on the debates that all arms of the curve have.

    Attributes:
        size: the value of the setting.
        accuracy: with its interval over questions.
        calls: per debate, as the next three.
        tokens: prompt and completion; None where a count is unknown in any debate.
        cost: in US dollars; None where a price is unknown in any debate.
        seconds: on the critical path; None where unknown in any debate.
    """

    arm: str
    size: float
    accuracy: Mean
    calls: float | None
    tokens: float | None
    cost: float | None
    seconds: float | None


class Saturation(msgspec.Struct, frozen=True, kw_only=True):
    """Where a curve is shown to stop rising; see ``moot.statistics.saturation``.

    Attributes:
        kind: what is shown of it.
        at: the size from which on no larger one is better by more than the margin; None where the
            curve is not shown to rise, or rises to its end.
        low: the lower end of the 95 % interval of ``at``.
        high: the upper end; None where it may lie beyond the largest size.
        margin: a gain that counts for nothing, as a share.
        rise: the accuracy at ``at``, or at the largest size where there is none, minus that at the
            smallest.
        after: the accuracy at the largest size minus that at ``at``; None where they are the same.
    """

    kind: SaturationKind
    at: float | None
    low: float | None
    high: float | None
    margin: float
    rise: Difference
    after: Difference | None


class ScalingCurve(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy along one setting, all else alike.

    Attributes:
        setting: that of the arms which differs.
        varied: True when every agent has a temperature of its own.
        told: what tells it from other curves of its protocol and setting; empty if it is alone.
        simulated: True when any arm of it is.
        points: from the least to the greatest value.
        change: the last accuracy minus the first; its ``p_holm`` is corrected for all curves of the
            dataset.
        saturation: None for a curve over temperatures, which is no size.
    """

    dataset: str
    protocol: str
    setting: StepSetting
    varied: bool
    told: str
    simulated: bool
    points: tuple[CurvePoint, ...]
    change: Difference
    saturation: Saturation | None


class Fidelity(msgspec.Struct, frozen=True, kw_only=True):
    """The fidelity of the protocols of one run.

    Attributes:
        run: its key.
        name: the study's.
        simulated: True when any arm is.
        margin: a gain in accuracy that counts for nothing, as a share.
    """

    run: str
    name: str
    simulated: bool
    margin: float
    curves: tuple[ScalingCurve, ...]
    endings: tuple[EarlyEnding, ...]
    charges: tuple[ProtocolCost, ...]


def measure_fidelity(
    rows: Iterable[DebateValues], study: StudyRow, *, run: str = "", margin: float = MARGIN
) -> Fidelity:
    """Measure how accuracy goes with agents, rounds, calls, tokens and money, from a run's debates.

    Args:
        rows: one for each debate, failed ones included, in any order.
        study: what the store keeps of the run's study.
        run: the run's key.
        margin: a gain in accuracy up to this counts as none: at least 0, less than 1.

    Raises:
        InputError: the margin is out of range, or no debate has a known accuracy.
    """
    if not 0 <= margin < 1:
        raise InputError(f"margin = {margin}: must be at least 0 and less than 1")
    known = group_debates(rows)
    if not known:
        raise InputError(f"run {run}: no debate has ended whose right answer is known")
    simulated = set(study.simulated)
    datasets = list(dict.fromkeys(dataset for dataset, _ in known))
    found = find_ladders(study.arms)
    curves = [
        curve
        for ladder in found
        for dataset in datasets
        if (curve := _curve(ladder, dataset, known, simulated, margin))
    ]
    curves = correct_by_holm(curves, "change", by=lambda curve: curve.dataset)
    return Fidelity(
        run=run,
        name=study.name,
        simulated=bool(simulated),
        margin=margin,
        curves=tuple(curves),
        endings=tuple(find_early_endings(study.arms, datasets, known, simulated)),
        charges=tuple(cost_protocols(study.arms, datasets, known, simulated)),
    )


def _curve(
    ladder: Ladder,
    dataset: str,
    known: DebatesByArm,
    simulated: AbstractSet[str],
    margin: float,
) -> ScalingCurve | None:
    """Return a ladder on a dataset; None where fewer than two of its arms share a debate there."""
    rungs = [rung for rung in ladder.rungs if (dataset, rung.arm) in known]
    if len(rungs) < 2:
        return None
    values = [known[dataset, rung.arm] for rung in rungs]
    shared = sorted(set(values[0]).intersection(*values[1:]))
    if not shared:
        return None
    points = tuple(
        _point(rung.arm, rung.size, [own[key] for key in shared], right_in(own, shared))
        for rung, own in zip(rungs, values, strict=True)
    )
    right = [right_in(own, shared) for own in values]
    return ScalingCurve(
        dataset=dataset,
        protocol=ladder.protocol,
        setting=ladder.setting,
        varied=ladder.varied,
        told=ladder.label,
        simulated=any(rung.arm in simulated for rung in rungs),
        points=points,
        change=compare_paired(right[-1], right[0]),
        saturation=_saturation(points, right, margin) if ladder.setting in SIZES else None,
    )


def _point(
    arm: str, size: float, values: Sequence[MetricValues], right: dict[Key, float]
) -> CurvePoint:
    return CurvePoint(
        arm=arm,
        size=size,
        accuracy=mean_over_questions(right),
        calls=mean_value(values, "calls"),
        tokens=mean_tokens(values),
        cost=mean_value(values, "cost"),
        seconds=mean_value(values, "seconds"),
    )


def _saturation(
    points: Sequence[CurvePoint], right: Sequence[dict[Key, float]], margin: float
) -> Saturation:
    import numpy as np

    columns = [_by_question(own) for own in right]
    found = find_saturation(np.array(columns).T, margin)
    ends = [None if at is None else points[at].size for at in (found.at, found.low, found.high)]
    at = found.at if found.at is not None else len(right) - 1
    return Saturation(
        kind=found.kind,
        at=ends[0],
        low=ends[1],
        high=ends[2],
        margin=margin,
        rise=compare_paired(right[at], right[0]),
        after=compare_paired(right[-1], right[at]) if at < len(right) - 1 else None,
    )


def _by_question(right: Mapping[Key, float]) -> list[float]:
    """The mean over the replicates of each question, in one order for all arms of a curve."""
    grouped: dict[str, list[float]] = {}
    for (question, _), value in right.items():
        grouped.setdefault(question, []).append(value)
    return [fmean(values) for values in grouped.values()]

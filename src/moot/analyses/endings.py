"""In which round debates ended that may end early (APF-Bench, table 4)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from moot.analyses.debate_values import (
    FAILED,
    DebatesByArm,
    DebateValuesByKey,
    MetricValues,
    accuracies_of,
)
from moot.analyses.ladders import describe_differences
from moot.core.recorded_settings import OpeningSettings, SizeSettings, read_settings
from moot.core.results import Mean
from moot.core.stored import Arm
from moot.statistics.accuracies import cluster_by_question, mean_over_questions, mean_with_interval


class EarlyEnding(msgspec.Struct, frozen=True, kw_only=True):
    """The rounds in which the debates of an arm ended, where they may end early (table 4).

    Attributes:
        told: what tells the arm from others of its protocol, its opening left out.
        opening: how its first agent is asked.
        limit: the most rounds there can be.
        accuracy: over all debates, failed ones included.
        first: the share of debates that ended in round 1, of those with a verdict.
        first_accuracy: the accuracy of these; in round 1 the easier questions end.
        later_accuracy: the accuracy of the others.
        rounds: how many debates ended in each round, by its number.
    """

    dataset: str
    protocol: str
    arm: str
    told: str
    opening: str
    simulated: bool
    limit: int
    accuracy: Mean
    first: Mean
    first_accuracy: Mean
    later_accuracy: Mean
    rounds: dict[int, int]


def find_early_endings(
    arms: Sequence[Arm],
    datasets: Sequence[str],
    known: DebatesByArm,
    simulated: AbstractSet[str],
) -> Iterator[EarlyEnding]:
    """Yield the arms whose debates may end early and did, dataset by dataset."""
    sizes = {arm.name: read_settings(arm.settings, SizeSettings).rounds for arm in arms}
    limits = {name: rounds for name, rounds in sizes.items() if rounds is not None}
    ended: dict[tuple[str, str], Counter[int]] = {
        (dataset, arm): Counter(map(_rounds, filter(_is_ended, values.values())))
        for (dataset, arm), values in known.items()
        if limits.get(arm, 1) > 1
    }
    early = {
        arm for (_, arm), rounds in ended.items() if any(each < limits[arm] for each in rounds)
    }
    for protocol in dict.fromkeys(arm.protocol for arm in arms if arm.name in early):
        own = [arm for arm in arms if arm.protocol == protocol and limits.get(arm.name, 1) > 1]
        words = describe_differences([_strip_opening(arm) for arm in own])
        for dataset in datasets:
            for arm, told in zip(own, words, strict=True):
                if (dataset, arm.name) in ended:
                    yield _ending(
                        dataset,
                        arm,
                        told,
                        limits[arm.name],
                        known[dataset, arm.name],
                        ended[dataset, arm.name],
                        simulated=arm.name in simulated,
                    )


def _strip_opening(arm: Arm) -> dict[str, Any]:
    opens = {"opening", "distance", "squares", "put"}
    return {key: value for key, value in arm.factors.items() if key not in opens}


def _is_ended(values: MetricValues) -> bool:
    """Whether a debate has a verdict and its number of rounds is known."""
    return not values[FAILED] and bool(values.get("rounds"))


def _rounds(values: MetricValues) -> int:
    return round(values.get("rounds") or 0.0)


def _ending(
    dataset: str,
    arm: Arm,
    told: str,
    limit: int,
    values: DebateValuesByKey,
    rounds: Counter[int],
    *,
    simulated: bool,
) -> EarlyEnding:
    own = {key: each for key, each in values.items() if _is_ended(each)}
    first = [key for key, each in own.items() if _rounds(each) == 1]
    later = [key for key, each in own.items() if _rounds(each) > 1]
    return EarlyEnding(
        dataset=dataset,
        protocol=arm.protocol,
        arm=arm.name,
        told=told,
        opening=read_settings(arm.settings, OpeningSettings).opening,
        simulated=simulated,
        limit=limit,
        accuracy=mean_over_questions(accuracies_of(values, values)),
        first=mean_with_interval(
            cluster_by_question({k: float(_rounds(v) == 1) for k, v in own.items()})
        ),
        first_accuracy=mean_over_questions(accuracies_of(own, first)),
        later_accuracy=mean_over_questions(accuracies_of(own, later)),
        rounds=dict(sorted(rounds.items())),
    )

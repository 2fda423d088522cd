"""The arms that figures show: those of all runs, dataset by dataset, each with what it is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.core.display_text import on_one_line
from moot.core.results import ArmResult, Results
from moot.core.stored import StudyRow

LONGEST = 44
"""Characters of a name that a figure shows."""


@dataclass(frozen=True)
class ChartArm:
    """An arm on a dataset.

    Attributes:
        number: from 1, among the arms of all runs: the same on every dataset.
        name: what it is called, with its run where two runs have it, and whether it is simulated.
        protocol: its protocol's name, and whether it is simulated; empty where it is unknown.
        settings: all that are in force, and the prompts where these are a factor; empty where they
            are unknown.
        run: the run's key.
        baseline: the arm it is compared with, on the same dataset and in the same run.
    """

    result: ArmResult
    number: int
    name: str
    protocol: str
    settings: Mapping[str, Any]
    run: str
    baseline: ArmResult | None

    @property
    def label(self) -> str:
        """Its number and its name: no two arms have the same."""
        return f"{self.number}  {self.name}"

    @property
    def dataset(self) -> str:
        """The dataset as figures call it."""
        return shorten(self.result.dataset)

    @property
    def kind(self) -> str:
        """The protocol, or its own name where that is not known: what it is drawn together with."""
        return self.protocol or self.name


def gather_arms(found: Sequence[Results], studies: Mapping[str, StudyRow]) -> list[ChartArm]:
    """The arms of all runs that have an accuracy, in the order of runs, datasets and arms."""
    runs = Counter(arm for results in found for arm in {each.arm for each in results.arms})
    numbers: dict[tuple[str, str], int] = {}
    shown = []
    for results in found:
        study = studies.get(results.run)
        arms = {arm.name: arm for arm in study.arms} if study else {}
        bases = {(arm.dataset, arm.arm): arm for arm in results.arms}
        for arm in results.arms:
            if arm.accuracy.mean is None:
                continue
            known, against = arms.get(arm.arm), arm.baseline or results.baseline or ""
            of = f" · {on_one_line(results.run, 24)}" if runs[arm.arm] > 1 else ""
            mark = " (simulated)" * arm.simulated
            shown.append(
                ChartArm(
                    result=arm,
                    number=numbers.setdefault((results.run, arm.arm), len(numbers) + 1),
                    name=shorten(arm.arm) + of + mark,
                    protocol=shorten(known.protocol) + mark if known else "",
                    settings=known.factors if known else {},
                    run=results.run,
                    baseline=None if arm.arm == against else bases.get((arm.dataset, against)),
                )
            )
    return shown


def shorten(name: str) -> str:
    """Return a name on one line, cut in its middle: names of one grid differ at their ends."""
    flat = on_one_line(name, 10_000)
    tail = LONGEST // 2
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - tail - 1]}…{flat[-tail:]}"


def by_dataset(arms: Sequence[ChartArm]) -> dict[str, list[ChartArm]]:
    """Return the arms of each dataset, by its whole name."""
    grouped: dict[str, list[ChartArm]] = {}
    for arm in arms:
        grouped.setdefault(arm.result.dataset, []).append(arm)
    return grouped


def by_kind(arms: Sequence[ChartArm]) -> dict[str, list[ChartArm]]:
    """Return the arms of each protocol; simulated ones apart from others."""
    grouped: dict[str, list[ChartArm]] = {}
    for arm in arms:
        grouped.setdefault(arm.kind, []).append(arm)
    return grouped


def make_slug(*parts: str) -> str:
    """Return a name for a file: lower case letters, digits and hyphens."""
    short = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    return "-".join(part for part in short if part)

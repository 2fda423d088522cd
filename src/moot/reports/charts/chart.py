"""What a figure is, and where a figure of every kind comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from moot.core.errors import InputError
from moot.core.results import Results
from moot.core.stored import StudyRow

if TYPE_CHECKING:
    from altair import TopLevelMixin

    from moot.analyses.judge_bias import JudgeBias


@dataclass(frozen=True)
class Chart:
    """A figure, defined once: for pages, for print, and as data.

    Attributes:
        name: of its file, without a suffix: its kind and, where it shows one dataset, the dataset;
            lower case, no two of one call the same.
        title: what it shows.
        caption: how to read it, what is missing in it, and its source.
        spec: its Vega-Lite definition, an Altair chart.
    """

    name: str
    title: str
    caption: str
    spec: "TopLevelMixin"

    @cached_property
    def data(self) -> dict[str, Any]:
        """The definition as plain data."""
        from altair import data_transformers

        with data_transformers.enable("default", max_rows=None):  # results are small, not samples
            made = self.spec.to_dict(validate=False)  # its parts were, as they were made
        return {**made, "datasets": {name: list(rows) for name, rows in made["datasets"].items()}}


def charts(
    found: Sequence[Results],
    studies: Mapping[str, StudyRow],
    biases: "Sequence[JudgeBias]" = (),
) -> list[Chart]:
    """Every figure that the results can show; none for results that show nothing.

    Args:
        found: of one or more runs; the arms of one dataset are drawn together.
        studies: by the key of the run, for the protocol and the settings of each arm; an arm that
            is not in them is drawn where neither is needed.
        biases: whom the judges of these runs favour, for runs whose debates have two sides.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    installed()
    from moot.reports.charts import (
        agreement,
        behaviour,
        charges,
        flips,
        gains,
        improvement,
        medical,
        network,
        openings,
        protocols,
        rounds,
        scaling,
        sides,
        temperature,
        tradeoff,
    )
    from moot.reports.charts.arms import gather

    arms = gather(found, studies)
    kinds = (
        tradeoff,
        protocols,
        medical,
        improvement,
        gains,
        agreement,
        openings,
        scaling,
        temperature,
        charges,
        behaviour,
        rounds,
        flips,
        network,
    )
    made = [chart for kind in kinds for chart in kind.draw(arms)]
    for bias in biases:
        made += sides.draw(bias, names_run=len(biases) > 1)
    return _named_apart(made)


def _named_apart(made: Sequence[Chart]) -> list[Chart]:
    """The same, with a number for names that two datasets share once they are made short."""
    taken: dict[str, int] = {}
    apart = []
    for chart in made:
        taken[chart.name] = times = taken.get(chart.name, 0) + 1
        apart.append(chart if times == 1 else replace(chart, name=f"{chart.name}_{times}"))
    return apart


def installed() -> None:
    """Whether figures can be drawn at all. Raises ``InputError`` saying how to get there."""
    from importlib.util import find_spec

    missing = [name for name in ("altair", "vl_convert") if find_spec(name) is None]
    if missing:
        raise InputError(
            f"figures need {' and '.join(missing)}: install with pip install moot[report]"
        )

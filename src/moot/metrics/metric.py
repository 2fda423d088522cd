"""What a metric is: a pure function of a transcript with a unit, a range and a source."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from moot.core.errors import InputError
from moot.core.events import Transcript
from moot.core.registry import Registry
from moot.metrics.by_round import measure_rounds
from moot.metrics.debaters import SharedMetric, keep_last
from moot.metrics.network_accuracy import measure_nodes

MetricFunction = Callable[[Transcript], float | None]
MetricGroup = tuple[Callable[[Transcript], Any], list[tuple[str, Callable[[Any], float | None]]]]
"""What several metrics are computed from, and these: their names and functions of it."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A registered metric; calling it measures one debate.

    Attributes:
        name: its function's, without ``measure_`` and with hyphens.
        function: None as its value means that it does not apply, or cannot be known.
        unit: e.g. ``"tokens"``; ``"share"`` for a part of one.
        range: the least and the greatest value; None where there is no greatest.
        better: which way is good.
        total: what a run shows: the mean over its debates, or their sum.
        source: where it comes from.
    """

    name: str
    function: MetricFunction
    unit: str
    range: tuple[float, float | None]
    better: Literal["higher", "lower", "neither"]
    total: Literal["mean", "sum"]
    source: str

    @property
    def help(self) -> str:
        """What it measures, in one line."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    def __call__(self, transcript: Transcript) -> float | None:
        """Measure one debate."""
        return self.function(transcript)


registry: Registry[Metric] = Registry("metric", "moot.metrics", table="METRICS")
"""Metrics by name."""


def metric(
    *,
    unit: str = "share",
    range: tuple[float, float | None] | None = None,  # noqa: A002 - the word users read in `moot metrics`
    better: Literal["higher", "lower", "neither"] = "neither",
    total: Literal["mean", "sum"] = "mean",
    source: str = "moot",
    name: str = "",
) -> Callable[[MetricFunction], Metric]:
    """Register a function of a transcript as a metric.

    Args:
        unit: of its values, e.g. ``"tokens"``; ``"share"`` for a part of one.
        range: the least and the greatest value; None where there is no greatest. By default a share
            is 0 to 1, and anything else 0 or more.
        better: which way is good.
        total: what a run shows: the mean over its debates, or their sum.
        source: where the measure comes from.
        name: another name than the function's, which is used without ``measure_``, with hyphens.

    Raises:
        InputError: when it decorates, if the function has no docstring or the name is taken.
    """

    def register(function: MetricFunction) -> Metric:
        own_name = name or function.__name__.removeprefix("measure_").replace("_", "-")
        if not function.__doc__:
            message = f"metric {own_name!r}: give its function a docstring that states the formula"
            raise InputError(message)
        usual = (0, 1 if unit == "share" else None)
        made = Metric(own_name, function, unit, range or usual, better, total, source)
        registry.add(own_name, made)
        return made

    return register


class MetricPlan:
    """Metrics that are measured together: what several of them need is computed once.

    Args:
        metrics: the metrics.
        parts: whether the values of rounds and of a network's nodes stand beside theirs.

    Attributes:
        metrics: the metrics, in order.
    """

    def __init__(self, metrics: Iterable[Metric], *, parts: bool = True) -> None:
        self.metrics, self._parts = tuple(metrics), parts
        self._none = dict[str, float | None].fromkeys(each.name for each in self.metrics)
        groups: dict[Any, list[tuple[str, Callable[[Any], float | None]]]] = {}
        for each in self.metrics:
            function = each.function
            if isinstance(function, SharedMetric):
                groups.setdefault(function.needs, []).append((each.name, function.value_of))
            else:
                groups.setdefault(_pass, []).append((each.name, function))
        self._groups: list[MetricGroup] = list(groups.items())

    def measure(self, transcript: Transcript) -> dict[str, float | None]:
        """Return the values of one debate by name; None for no value."""
        values = self._none.copy()
        for needs, metrics in self._groups:
            if (shared := needs(transcript)) is not None:
                for name, value_of in metrics:
                    values[name] = value_of(shared)
        if self._parts:
            values |= measure_rounds(transcript)
            values |= measure_nodes(transcript)
        return values


def _pass(transcript: Transcript) -> Transcript:
    return transcript


plan_measures: Callable[[tuple[Metric, ...]], MetricPlan] = keep_last(MetricPlan)
"""Return the plan of metrics, which is kept until others are asked for."""


def measure(transcript: Transcript) -> dict[str, float | None]:
    """Return the values of all metrics of one debate by name, and those of its rounds and nodes."""
    return plan_measures(registry.all()).measure(transcript)

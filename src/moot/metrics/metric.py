"""What a metric is: a pure function of a transcript with a unit, a range and a source."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from moot.core.errors import InputError
from moot.core.events import Transcript
from moot.core.registry import Registry
from moot.metrics.by_round import of_rounds
from moot.metrics.nodes import of_nodes

Function = Callable[[Transcript], float | None]


@dataclass(frozen=True, slots=True)
class Metric:
    """A registered metric; calling it measures one debate.

    Attributes:
        name: its function's, with hyphens.
        function: None as its value means that it does not apply, or cannot be known.
        unit: e.g. ``"tokens"``; ``"share"`` for a part of one.
        range: the least and the greatest value; None where there is no greatest.
        better: which way is good.
        total: what a run shows: the mean over its debates, or their sum.
        source: where it comes from.
    """

    name: str
    function: Function
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


registry: Registry[Metric] = Registry("metric", "moot.metrics")
"""Metrics by name."""


def metric(
    *,
    unit: str,
    range: tuple[float, float | None],  # noqa: A002 - the word users read in `moot metrics`
    better: Literal["higher", "lower", "neither"] = "neither",
    total: Literal["mean", "sum"] = "mean",
    source: str = "moot",
) -> Callable[[Function], Metric]:
    """Register a function of a transcript as a metric, under its name with hyphens.

    Raises ``InputError`` when the function has no docstring, or when the name is taken.
    """

    def register(function: Function) -> Metric:
        name = function.__name__.replace("_", "-")
        if not function.__doc__:
            message = f"metric {name!r}: give its function a docstring that states the formula"
            raise InputError(message)
        made = Metric(name, function, unit, range, better, total, source)
        registry.add(name, made)
        return made

    return register


def measure(transcript: Transcript) -> dict[str, float | None]:
    """Every registered metric of one debate, by name, and what its rounds and nodes came to."""
    values = {metric.name: metric.function(transcript) for metric in registry}
    return values | of_rounds(transcript) | of_nodes(transcript)

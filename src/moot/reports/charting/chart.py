"""What a figure is, and the registry of the kinds of figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from moot.analyses.judge_bias import JudgeBias
from moot.core.errors import InputError
from moot.core.registry import Registry
from moot.core.results import Results
from moot.core.stored import StudyRow
from moot.reports.charting.chart_arms import gather_arms

if TYPE_CHECKING:
    from altair import TopLevelMixin

D = TypeVar("D", bound=Callable[..., Any])


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


DrawCharts = Callable[[Sequence[Any]], Iterable[Chart]]
"""What draws the figures of one kind."""


class ChartKind(NamedTuple):
    """A kind of figures.

    Attributes:
        name: what the names of its figures begin with.
        place: where its figures stand among those of other kinds; the least comes first.
        of: what it is drawn of: ``arms`` (``ChartArm``) or ``biases`` (``JudgeBias``).
        draw: yields its figures; none where what it is given shows nothing.
    """

    name: str
    place: int
    of: Literal["arms", "biases"]
    draw: DrawCharts


chart_kinds: Registry[ChartKind] = Registry("figure", "moot.reports.charts")
"""Every kind of figures. A package adds its own by an entry point in ``moot.reports.charts``."""


def chart_kind(
    name: str, *, place: int = 100, of: Literal["arms", "biases"] = "arms"
) -> Callable[[D], D]:
    """Register what draws the figures of one kind; the arguments are those of ``ChartKind``."""

    def register(draw: D) -> D:
        chart_kinds.add(name, ChartKind(name, place, of, draw))
        return draw

    return register


def draw_charts(
    found: Sequence[Results],
    studies: Mapping[str, StudyRow],
    biases: Sequence[JudgeBias] = (),
) -> list[Chart]:
    """Draw every figure that the results can show; none for results that show nothing.

    Args:
        found: of one or more runs; the arms of one dataset are drawn together.
        studies: by the key of the run, for the protocol and the settings of each arm; an arm that
            is not in them is drawn where neither is needed.
        biases: whom the judges of these runs favour, for runs whose debates have two sides.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    check_installed()
    given = {"arms": gather_arms(found, studies), "biases": biases}
    kinds = sorted(chart_kinds, key=lambda kind: (kind.place, kind.name))
    return _number_duplicates([chart for kind in kinds for chart in kind.draw(given[kind.of])])


def _number_duplicates(made: Sequence[Chart]) -> list[Chart]:
    """Return the same, with a number for names that two datasets share once they are made short."""
    taken: dict[str, int] = {}
    apart = []
    for chart in made:
        taken[chart.name] = times = taken.get(chart.name, 0) + 1
        apart.append(chart if times == 1 else replace(chart, name=f"{chart.name}_{times}"))
    return apart


def check_installed() -> None:
    """Check that figures can be drawn at all. Raises ``InputError`` that says what to install."""
    missing = [name for name in ("altair", "vl_convert") if find_spec(name) is None]
    if missing:
        raise InputError(
            f"figures need {' and '.join(missing)}: install with pip install moot[report]"
        )

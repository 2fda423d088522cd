"""The charts of a run's essays: the measures of tables 1 and 2, and who wins against whom.

Source: "Debate-to-Write", which has them as tables alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moot import Axis, Chart, Plot
from moot.extend.analyses import Mean
from moot.extend.words import format_things

CELL = 44
"""The height of a cell of a win-rate matrix."""


def draw_measures(
    dataset: str, what: str, axis: Axis, arms: Sequence[str], means: Mapping[str, Sequence[Mean]]
) -> Chart:
    """Return a picture of measures: a panel for each, a dot for each arm.

    Args:
        dataset: its name.
        what: they tell: quality, diversity, or rankings.
        axis: of the values, the same for all measures; its field is ``value``.
        arms: their names.
        means: by the heading of the measure, the mean of each arm.
    """
    rows = [
        {
            "arm": arm,
            "measure": heading,
            axis.field: mean.mean,
            "low": mean.low,
            "high": mean.high,
        }
        for heading, own in means.items()
        for arm, mean in zip(arms, own, strict=True)
        if mean.mean is not None
    ]
    return Chart(
        _name_file(what, dataset),
        f"{dataset}: {what} of essays",
        "Dots: the mean of a method; whiskers: its 95 % interval over propositions. n of each dot: "
        f"{_count(each for own in means.values() for each in own)}. After Debate-to-Write, "
        "tables 1 and 2.",
        rows,
        Plot("dots", axis, Axis("arm", "", "text"), panel="measure"),
    )


def draw_matrix(dataset: str, aspect: str, wins: Mapping[tuple[str, str], Mean]) -> Chart:
    """Return the matrix of win rates: the arm of a row against that of a column.

    Args:
        dataset: its name.
        aspect: what the judge compared by.
        wins: by arm and other arm, how often the first is preferred.
    """
    rows = [
        {"arm": arm, "against": other, "won": mean.mean, "low": mean.low, "high": mean.high}
        for (arm, other), mean in wins.items()
    ]
    arms = list(dict.fromkeys(arm for pair in wins for arm in pair))
    return Chart(
        _name_file("wins", dataset, aspect),
        f"{dataset}: who is preferred, by {aspect}",
        f"How often a judge prefers the essay of the row's method to that of the column's, in %, "
        f"by {aspect}; ties count half. Blue: above 50; red: below. n of each cell: "
        f"{_count(wins.values())}; intervals stand in the table of pairs.",
        rows,
        _define_matrix(arms),
    )


def _count(means: Iterable[Mean]) -> str:
    return describe_range((each.questions for each in means), "proposition")


def describe_range(numbers: Iterable[int], thing: str) -> str:
    """Return how many things there are, from the fewest to the most: ``2 to 4 essays``.

    Those that are not there at all do not count.
    """
    known = sorted({*filter(None, numbers)} or {0})
    fewest = f"{known[0]} to " if len(known) > 1 else ""
    return fewest + format_things(known[-1], thing)


def _define_matrix(arms: Sequence[str]) -> dict[str, Any]:
    """Return the Vega-Lite definition of a matrix of coloured cells with their rates."""
    label = {"labelExpr": "split(datum.label, ', ')", "labelLimit": 150, "title": None}
    place = {"type": "nominal", "sort": list(arms)}
    told = [{"field": field, "type": "nominal"} for field in ("arm", "against")]
    told += [
        {"field": field, "type": "quantitative", "format": ".1%"}
        for field in ("won", "low", "high")
    ]
    return {
        "height": CELL * len(arms),
        "autosize": {"type": "fit-x"},  # the names beside the cells take a part of the width
        "data": {"name": "rows"},
        "encoding": {
            "x": {**place, "field": "against", "axis": {**label, "labelAngle": -60}},
            "y": {**place, "field": "arm", "axis": label},
            "tooltip": told,
        },
        "layer": [
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "color": {
                        "field": "won",
                        "type": "quantitative",
                        "scale": {
                            "domain": [0, 0.5, 1],
                            "range": ["#e8927c", "#f2f2f2", "#6aa5dc"],
                        },
                        "legend": None,
                    }
                },
            },
            {
                "mark": {"type": "text", "fontSize": {"expr": "11 * unit"}, "color": "#111111"},
                "encoding": {
                    "text": {"field": "won", "type": "quantitative", "format": ".0%"},
                },
            },
        ],
    }


def _name_file(*parts: str) -> str:
    """Return a chart's name: lower case letters, digits and hyphens."""
    short = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    return "-".join(filter(None, short))

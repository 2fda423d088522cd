"""Networks of debates, with the accuracy of each node on it."""

from collections.abc import Iterator, Mapping, Sequence
from math import cos, pi, sin
from typing import Any, NamedTuple

from moot.analyses.analysis import analysis
from moot.analyses.measured_arms import (
    MeasuredArm,
    gather_arms,
    make_slug,
    note_arms,
    read_mean,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Chart, DataRow
from moot.core.display_text import format_percent, on_one_line
from moot.core.errors import MootError
from moot.core.recorded_settings import JUDGE, NetworkSettings, read_settings
from moot.core.results import Mean
from moot.core.table import Column, Report
from moot.debate.graph import Graph

NodePlace = tuple[float, float]

DOWN = 62
"""Pixels between the nodes of a layer."""


class NetworkDrawing(NamedTuple):
    """The places of nodes, in steps across and down, and the edges between them.

    Attributes:
        spots: by node.
        edges: from a node to one that reads it.
        both: whether every edge goes both ways.
        asked: nodes that read the question and no other node.
    """

    spots: Mapping[str, NodePlace]
    edges: Sequence[tuple[str, str]]
    both: bool
    asked: Sequence[str] = ()


NO_NETWORK = "no method is a network of debates"
"""The lack of runs without one."""


def _lack_network(runs: RecordedRuns) -> str:
    nets = (read_settings(arm.settings, NetworkSettings) for arm in runs.arms)
    return "" if any(each.names for each in nets) else NO_NETWORK


@analysis(
    source="MAD-Community, figures 2 to 4",
    group="networks",
    needs=("accuracy",),
    place=14,
    name="network",
    draws=True,
    lacks=_lack_network,
)
def analyse_network_graph(runs: RecordedRuns) -> Report:
    """Draw each network of debates, with the accuracy of each node on it."""
    arms = [arm for arm in gather_arms(runs) if arm.result.nodes]
    columns = ("name", "accuracy", "debates")
    own = {"name": Column("node")}
    report = report_charts(runs, "Networks", map(_draw, arms), columns, own, lacking=NO_NETWORK)
    tables = [
        table._replace(rows=[row for row in table.rows if row.cells[0] is not None])
        for table in report.tables
    ]
    return report._replace(tables=tables)


def _draw(arm: MeasuredArm) -> Chart:
    drawn = place_network(arm)
    nodes = list(_list_nodes(arm, drawn))
    edges = [_join(drawn.spots[one], drawn.spots[other]) for one, other in drawn.edges]
    if drawn.both:
        edges += [_join(drawn.spots[other], drawn.spots[one]) for one, other in drawn.edges]
    if drawn.asked:
        columns, heights = zip(*(drawn.spots[node] for node in drawn.asked), strict=True)
        place = min(columns) - 0.8, (min(heights) + max(heights)) / 2
        nodes.append({"x": place[0], "y": place[1], "question": "question"})
        edges += [_join(place, drawn.spots[node]) for node in drawn.asked]
    shown = [arm.model] if arm.model and "+" in arm.model else []
    whole = f"{format_percent(arm.result.accuracy.mean)} % together"
    way = (
        f"All read each other; {whole}."
        if drawn.both
        else "An arrow leads to a node that reads the other's verdict. All read the question; its "
        "arrows lead to those that read nothing else. The accuracy of the judge is that of the "
        "network."
    )
    return Chart(
        make_slug("network", arm.dataset, arm.label),
        f"{arm.label} on {arm.dataset}: accuracy in each node",
        f"Each circle is a node with the accuracy of its own verdict, in %. {way} Where nodes "
        "debate several times, a node's is over the debates so far. After MAD-Community, figures "
        "2 to 4.",
        [*edges, *nodes],
        _define(nodes),
        (*note_arms([arm]), *shown),
    )


def _join(one: NodePlace, other: NodePlace) -> DataRow:
    return {"x": one[0], "y": one[1], "x2": other[0], "y2": other[1]}


def _list_nodes(arm: MeasuredArm, drawn: NetworkDrawing) -> Iterator[dict[str, Any]]:
    """Yield a node each; one that never debated has no accuracy.

    Of a circle, the lower half has its names below: no line goes through them.
    """
    for node, (x, y) in drawn.spots.items():
        got = arm.result.accuracy if node == JUDGE else arm.result.nodes.get(node, Mean())
        yield {
            "x": x,
            "y": y,
            "name": on_one_line(node, 40),
            "shown": format_percent(got.mean),
            **read_mean("accuracy", got),
            "debates": got.n,
            "under": drawn.both and y > 0.1,
        }


def place_network(arm: MeasuredArm) -> NetworkDrawing:
    """Return how an arm's network is drawn: in layers along its edges, else in a circle."""
    nodes = list(arm.result.nodes)
    edges = read_settings(arm.arm.settings, NetworkSettings).edges
    if not edges:
        return _place_circle(nodes)
    try:
        graph = Graph.build(list(dict.fromkeys(a for a, _ in edges)), edges)
    except MootError:  # a store that others have written may hold any graph
        return _place_circle(nodes)
    asked = [node for node, before in graph.before.items() if not before]
    return NetworkDrawing(_place_layers(graph), edges, both=False, asked=asked)


def _place_circle(nodes: Sequence[str]) -> NetworkDrawing:
    reach = max(1.0, len(nodes) / 5)
    spots = {
        node: (reach * sin(2 * pi * k / len(nodes)), -reach * cos(2 * pi * k / len(nodes)))
        for k, node in enumerate(nodes)
    }
    edges = [(a, b) for k, a in enumerate(nodes) for b in nodes[k + 1 :]]
    return NetworkDrawing(spots, edges, both=True)


def _place_layers(graph: Graph) -> dict[str, NodePlace]:
    """Return each node's spot: a column for each layer, from the left.

    A node is level with those it reads, as far as there is room.
    """
    spots: dict[str, NodePlace] = {}
    columns: dict[int, list[str]] = {}
    for node, layer in graph.layer.items():
        columns.setdefault(layer, []).append(node)
    tallest = max(map(len, columns.values()))
    for layer, nodes in sorted(columns.items()):
        wanted = [_level(graph.before[node], spots, float(k)) for k, node in enumerate(nodes)]
        gap = tallest / len(nodes) if len(set(wanted)) == 1 else 1.0
        for node, height in zip(nodes, spread_apart(wanted, gap), strict=True):
            spots[node] = (float(layer), height)
    spots[JUDGE] = (max(columns) + 1.0, _level(graph.judged, spots, 0.0))
    return spots


def _level(before: Sequence[str], spots: Mapping[str, NodePlace], free: float) -> float:
    """Return the mean height of those that are read; ``free`` where there are none."""
    return sum(spots[node][1] for node in before) / len(before) if before else free


def spread_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Return heights as near as they were with ``gap`` between any two, in the same order."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    groups: list[list[float]] = []  # the middle of a group of touching nodes, and their number
    for k in order:
        groups.append([heights[k], 1])
        while len(groups) > 1:
            (one, n), (other, m) = groups[-2:]
            if one + gap * (n - 1) / 2 + gap <= other - gap * (m - 1) / 2 + 1e-12:
                break
            groups[-2:] = [[(one * n + other * m) / (n + m), n + m]]
    spread = [middle + gap * (k - (n - 1) / 2) for middle, n in groups for k in range(int(n))]
    result = [0.0] * len(heights)
    for k, height in zip(order, spread, strict=True):
        result[k] = height
    return result


_TOLD = ("accuracy", "low", "high")
"""The shares that a node's tooltip has."""


def _define(nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the Vega-Lite definition of lines between circles, with names and accuracies."""
    places = {axis: [node[axis] for node in nodes] for axis in "xy"}
    ends = {axis: [min(own) - 0.55, max(own) + 0.55] for axis, own in places.items()}
    place = {
        axis: {
            "field": axis,
            "type": "quantitative",
            "axis": None,
            "scale": {"domain": ends[axis][:: -1 if axis == "y" else 1], "nice": False},
        }
        for axis in "xy"
    }
    beside: dict[str, Any] = {"dy": {"expr": "datum.under ? 29 * unit : -27 * unit"}}
    return {
        "height": DOWN * (ends["y"][1] - ends["y"][0] + 0.6),
        "data": {"name": "rows"},
        "encoding": place,
        "layer": [
            {
                "mark": {"type": "rule", "color": "#bbbbbb", "strokeWidth": {"expr": "1.5 * unit"}},
                "transform": [{"filter": "isValid(datum.x2)"}],
                "encoding": {"x2": {"field": "x2"}, "y2": {"field": "y2"}},
            },
            _draw_heads(ends),
            _write("question", stroke="white", strokeWidth=9),
            _write("question"),
            _write("name", **beside, stroke="white", strokeWidth=3),
            _draw_circles(nodes),
            _write("shown", "name", color="#111111"),
            _write("name", **beside),
        ],
    }


def _write(field: str, having: str = "", **look: Any) -> dict[str, Any]:  # noqa: ANN401 -- as JSON
    """Return the layer of a text for each row that has a field: that of the text, if not given."""
    return {
        "mark": {"type": "text", "fontSize": {"expr": "11 * unit"}, **look},
        "transform": [{"filter": f"isValid(datum.{having or field})"}],
        "encoding": {"text": {"field": field}},
    }


def _draw_circles(nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the layer of circles, the darker the more accurate their nodes."""
    known = [node["accuracy"] for node in nodes if node.get("accuracy") is not None]
    accuracy = {"field": "accuracy", "type": "quantitative"}
    legend = {
        "title": "accuracy",
        "format": ".0%",
        "orient": "bottom",
        "direction": "horizontal",
        "gradientLength": {"expr": "120 * unit"},
    }
    scale = {
        "domain": [max(0, min(known) - 0.1), min(1, max(known) + 0.1)],
        "range": ["#f4f8fc", "#63a8dc"],
    }
    size = {"expr": "1300 * unit * unit"}
    return {
        "mark": {"type": "circle", "size": size, "stroke": "#757575", "opacity": 1},
        "transform": [{"filter": "isValid(datum.name)"}],
        "encoding": {
            "color": {**accuracy, "scale": scale, "legend": legend},
            "tooltip": [
                {"field": "name", "type": "nominal"},
                *({**accuracy, "field": each, "format": ".1%"} for each in _TOLD),
            ],
        },
    }


def _draw_heads(ends: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return the layer of arrowheads: each touches the circle that its line leads to."""
    wide, high = (ends[axis][1] - ends[axis][0] for axis in "xy")
    steps = {
        "across": f"(datum.x2 - datum.x) * width / {wide}",
        "down": f"(datum.y2 - datum.y) * height / {high}",
        "back": "24 * unit / sqrt(pow(datum.across, 2) + pow(datum.down, 2))",
        "tip_x": "datum.x2 - (datum.x2 - datum.x) * datum.back",
        "tip_y": "datum.y2 - (datum.y2 - datum.y) * datum.back",
        "turned": "atan2(datum.down, datum.across) * 180 / PI + 90",
    }
    made = [{"calculate": how, "as": field} for field, how in steps.items()]
    turned = {"field": "turned", "type": "quantitative", "scale": None}
    return {
        "mark": {
            "type": "point",
            "shape": "triangle",
            "filled": True,
            "opacity": 1,
            "color": "#757575",
            "size": {"expr": "60 * unit * unit"},
        },
        "transform": [{"filter": "isValid(datum.x2)"}, *made],
        "encoding": {"x": {"field": "tip_x"}, "y": {"field": "tip_y"}, "angle": turned},
    }

"""Networks of debates, with the accuracy of each node on it (MAD-Community, figures 2 to 4)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, pi, sin
from typing import TYPE_CHECKING

from moot.core.display_text import on_one_line
from moot.core.errors import MootError
from moot.core.results import Mean
from moot.debate.graph import JUDGE, Graph
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, make_slug
from moot.reports.charting.chart_layout import Spot, spread_apart

if TYPE_CHECKING:
    import altair as alt

ACROSS, DOWN = 105, 74
"""Pixels between layers, and between the nodes of one."""
RADIUS = 25


@dataclass(frozen=True)
class NetworkDrawing:
    """Where nodes stand, in steps across and down, and which is read by which.

    Attributes:
        spots: by node.
        edges: from a node to one that reads it.
        both: whether every edge goes both ways.
    """

    spots: Mapping[str, Spot]
    edges: Sequence[tuple[str, str]]
    both: bool


@chart_kind("network", place=14)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield a figure for each dataset with a network, a panel for each network."""
    import altair as alt

    for dataset, own in by_dataset(arms).items():
        networks = [arm for arm in own if arm.result.nodes]
        if not networks:
            continue
        title = f"Accuracy in each node on {own[0].dataset}"
        caption = (
            "Each circle is a node with the accuracy of its own verdict; an arrow leads to who "
            "reads it. The accuracy of the judge is that of the network. Where nodes debate "
            "several times, a node's is over the debates that came so far."
        )
        shares = [
            share
            for arm in networks
            for got in (arm.result.accuracy, *arm.result.nodes.values())
            if (share := got.mean) is not None
        ]
        ends = look.share(min(shares), max(shares))
        panels = [_panel(arm, ends) for arm in networks]
        spec = alt.concat(*panels, columns=min(2, len(panels)), spacing=40)
        yield Chart(make_slug("network", dataset), title, caption, look.finish_figure(spec, title))


def place_network(arm: ChartArm) -> NetworkDrawing:
    """Return how an arm's network is drawn: in layers along its edges, else in a circle."""
    nodes = list(arm.result.nodes)
    edges = [(str(a), str(b)) for a, b in arm.settings.get("edges") or ()]
    if not edges:
        return _circle(nodes)
    try:
        graph = Graph.build(list(dict.fromkeys(a for a, _ in edges)), edges)
    except MootError:  # a store that others have written may hold any graph
        return _circle(nodes)
    return NetworkDrawing(_place_layers(graph), edges, both=False)


def _circle(nodes: Sequence[str]) -> NetworkDrawing:
    reach = max(1.0, len(nodes) / 5)
    spots = {
        node: (reach * sin(2 * pi * k / len(nodes)), -reach * cos(2 * pi * k / len(nodes)))
        for k, node in enumerate(nodes)
    }
    edges = [(a, b) for k, a in enumerate(nodes) for b in nodes[k + 1 :]]
    return NetworkDrawing(spots, edges, both=True)


def _place_layers(graph: Graph) -> dict[str, Spot]:
    """Return each node's spot: a column for each layer, from the left.

    A node is level with those it reads, as far as there is room.
    """
    spots: dict[str, Spot] = {}
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


def _level(before: Sequence[str], spots: Mapping[str, Spot], free: float) -> float:
    """Return the mean height of those that are read; ``free`` where there are none."""
    return sum(spots[node][1] for node in before) / len(before) if before else free


def _panel(arm: ChartArm, ends: tuple[float, float]) -> "alt.LayerChart":
    import altair as alt

    drawn = place_network(arm)
    places, (width, height) = _pixels(drawn.spots)
    x = alt.X("x:Q", axis=None).scale(domain=[0, width], nice=False)
    y = alt.Y("y:Q", axis=None).scale(domain=[height, 0], nice=False)
    lines, heads = _arrows(drawn, places)
    nodes = look.data(list(_circles(arm, places)))
    layers = [
        look.data(lines)
        .mark_rule(color="#cccccc" if drawn.both else look.FAINT)
        .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q")),
        look.data(heads)
        .mark_point(shape="triangle", filled=True, size=70, color=look.FAINT, opacity=1)
        .encode(x=x, y=y, angle=alt.Angle("angle:Q").scale(None)),
        nodes.mark_circle(size=pi * RADIUS**2, stroke=look.FAINT, strokeWidth=1, opacity=1).encode(
            x=x,
            y=y,
            color=alt.Color("accuracy:Q", title="accuracy")
            .scale(domain=list(ends), range=["#f4f8fc", "#63a8dc"])
            .legend(format="%", orient="bottom", gradientLength=200, tickCount=4),
            tooltip=[
                alt.Tooltip("name:N", title="node"),
                alt.Tooltip("accuracy:Q", format=".1%"),
                alt.Tooltip("low:Q", title="from", format=".1%"),
                alt.Tooltip("high:Q", title="to", format=".1%"),
                alt.Tooltip("debates:Q"),
            ],
        ),
        nodes.mark_text(fontSize=12, color=look.INSIDE).encode(x=x, y=y, text=alt.Text("said:N")),
        *(
            text.encode(x=x, y=y, text=alt.Text("shown:N"))
            for text in (
                nodes.mark_text(fontSize=11, dy=-RADIUS - 8, stroke="white", strokeWidth=3),
                nodes.mark_text(fontSize=11, dy=-RADIUS - 8, color=look.INK),
            )
        ),
    ]
    title = arm.label
    if drawn.both:
        title += f": {100 * (arm.result.accuracy.mean or 0.0):.1f} % together"
    return look.panel(layers, width, height, title)


def _pixels(spots: Mapping[str, Spot]) -> tuple[dict[str, Spot], Spot]:
    """Return each node's (x, y) in pixels, and the width and height of the area around them."""
    left, top = (min(spot[k] for spot in spots.values()) for k in (0, 1))
    edge = RADIUS + 22
    places = {
        node: (edge + ACROSS * (x - left), edge + DOWN * (y - top))
        for node, (x, y) in spots.items()
    }
    width, height = (max(spot[k] for spot in places.values()) + edge for k in (0, 1))
    return places, (max(width, 240.0), height)


def _circles(arm: ChartArm, places: Mapping[str, Spot]) -> Iterator[look.DataRow]:
    """Yield a node each; a node that was never held has no accuracy."""
    for node, (x, y) in places.items():
        got = arm.result.accuracy if node == JUDGE else arm.result.nodes.get(node, Mean())
        name = on_one_line(node, 60)
        yield {
            "x": x,
            "y": y,
            "name": name,
            "shown": name if len(name) <= 16 else f"{name[:8]}…{name[-7:]}",
            "said": "–" if got.mean is None else f"{100 * got.mean:.1f}%",
            "accuracy": got.mean,
            "low": got.low,
            "high": got.high,
            "debates": got.n,
        }


def _arrows(
    drawn: NetworkDrawing, places: Mapping[str, Spot]
) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Return the lines between circles, and the heads of those that lead one way."""
    lines, heads = [], []
    for a, b in drawn.edges:
        (x, y), (x2, y2) = places[a], places[b]
        away = hypot(x2 - x, y2 - y) or 1.0
        dx, dy = (x2 - x) / away, (y2 - y) / away
        end = RADIUS if drawn.both else RADIUS + 9
        lines.append(
            {"x": x + RADIUS * dx, "y": y + RADIUS * dy, "x2": x2 - end * dx, "y2": y2 - end * dy}
        )
        if not drawn.both:
            tip = {"x": x2 - (RADIUS + 6) * dx, "y": y2 - (RADIUS + 6) * dy}
            heads.append({**tip, "angle": degrees(atan2(dx, -dy))})
    return lines, heads

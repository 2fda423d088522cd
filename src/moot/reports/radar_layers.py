"""A radar: a spoke for each name, and a closed line for each colour through its values on them."""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin
from typing import Any

from moot.reports.chart_style import GRID, INK
from moot.reports.plot_grid import PlotGrid, list_names

RINGS = (0.25, 0.5, 0.75, 1.0)
"""The shares that have a ring; every second ring has its number."""
REACH = 1.35
"""How far up and down a panel goes, where 1 is the greatest ring."""


def draw_radar(
    alt: Any,  # noqa: ANN401 -- altair, which is not typed for what is made
    grid: PlotGrid,
    rows: Sequence[dict[str, Any]],
    looks: dict[str, Any],
) -> Iterator[Any]:
    """Yield the layers of a panel: rings, spokes with their names, lines and marks.

    Args:
        alt: altair.
        grid: the panels; names stand on its axis up, shares from 0 to 1 on the one across.
        rows: those of the panel; each gets the fields ``radar_x``, ``radar_y`` and ``radar_order``.
            The rows of the grid are put in the order of the spokes, too.
        looks: the encodings of colour, shape, opacity and tooltip.
    """
    spokes = list_names(grid.rows, grid.plot.y.field)
    value = grid.plot.across[0].field
    for row in rows:
        spoke = spokes.index(row[grid.plot.y.field])
        row.update(_point(row[value], spoke, spokes, radar_order=spoke))
    grid.rows.sort(key=lambda row: spokes.index(row[grid.plot.y.field]))
    wide = REACH * grid.area / grid.measure_height(rows)
    at = {
        channel: make(field=f"radar_{channel}", type="quantitative")
        .axis(None)
        .scale(domain=[-far, far], nice=False)
        for channel, make, far in (("x", alt.X, wide), ("y", alt.Y, REACH))
    }
    yield from _draw_frame(alt, grid, spokes, at)
    closed = alt.Chart().mark_line(interpolate="linear-closed", strokeWidth=grid.font / 8)
    order = alt.Order(field="radar_order", type="quantitative")
    yield closed.encode(**at, order=order, color=looks["color"], opacity=looks["opacity"])
    marks = alt.Chart().mark_point(filled=True, stroke="white", strokeWidth=grid.font / 18)
    yield marks.encode(**at, **looks, size=alt.value(0.3 * grid.font**2))


def _draw_frame(
    alt: Any,  # noqa: ANN401
    grid: PlotGrid,
    spokes: Sequence[str],
    at: dict[str, Any],
) -> Iterator[Any]:
    """Yield the rings and the spokes with what stands at them."""
    ends = range(len(spokes) + 1)
    lines = [_point(ring, k, spokes, line=f"{ring}", order=k) for ring in RINGS for k in ends]
    lines += [
        _point(far, k, spokes, line=f"spoke {k}", order=far) for k in ends for far in (0.0, 1.0)
    ]
    base = alt.Chart(alt.InlineData(values=lines)).mark_line(color=GRID, strokeWidth=grid.font / 12)
    yield base.encode(**at, detail="line:N", order="order:Q")
    shown = [_point(ring, 0, spokes, text=f"{ring:.0%}") for ring in RINGS[1::2]]
    numbers = alt.Chart(alt.InlineData(values=shown))
    look = {"align": "left", "dx": 3, "fontSize": 0.85 * grid.small, "color": INK}
    yield numbers.mark_text(**look).encode(**at, text="text:N")
    line = 1.2 * grid.small
    for k, name in enumerate(spokes):
        side, top = _place(1.0, k, spokes)
        align = "center" if abs(side) < 0.1 else "left" if side > 0 else "right"
        words = grid.split_lines(name.replace("\n", " "), 9 * grid.font)
        up = (len(words) - 1) * line * (1 if top > 0.9 else 0.5)
        look = {"align": align, "baseline": "middle", "fontSize": grid.small, "color": INK}
        base = alt.Chart(alt.InlineData(values=[_point(1.12, k, spokes)]))
        made = base.mark_text(**look, lineHeight=line, dy=-up)
        yield made.encode(**at, text=alt.value(words))


def _place(share: float, spoke: int, spokes: Sequence[str]) -> tuple[float, float]:
    angle = 2 * pi * spoke / len(spokes)
    return share * sin(angle), share * cos(angle)


def _point(share: float, spoke: int, spokes: Sequence[str], **more: str | float) -> dict[str, Any]:
    x, y = _place(share, spoke, spokes)
    return {"radar_x": x, "radar_y": y, **more}

"""A plot drawn by altair: the one place that knows what marks, axes and legends are."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from math import pi, sqrt
from typing import Any
from warnings import catch_warnings

from moot.core.chart import Axis, DataRow, Plot
from moot.reports.chart_layout import FORMATS, find_front, place_labels, spread_beside
from moot.reports.chart_style import AREA, COLOURS, FAINT, INK, PALE, ChartStyle, look_of
from moot.reports.plot_grid import PlotGrid, list_names
from moot.reports.radar_layers import draw_radar

_CROSS = "M-1-1L1 1M1-1L-1 1"
_BY_LINES = "split(datum.label, '\\n')"

Encoding = dict[str, Any]


class PlotLayers:
    """A plot while it is drawn.

    Its rows get further fields: the places of what stands aside, and of labels.

    Attributes:
        grid: its panels, and the room that they need; what stands in both is of the grid.
        numbers: those that stand in the place of the labels of the front, by label; once it is
            drawn.
        aside: the titles of the axes on which marks stand side by side; once it is drawn.
    """

    def __init__(
        self, rows: Sequence[DataRow], plot: Plot, style: ChartStyle, width: float
    ) -> None:
        self.grid = PlotGrid(rows, plot, style, width)
        self.plot, self.style, self.font, self.small = plot, style, style.font, self.grid.small
        self.names, self.values, self.colours = self.grid.names, self.grid.values, self.grid.colours
        self.numbers: dict[str, int] = {}
        self.aside: dict[str, None] = {}
        self.alt: Any = import_module("altair")  # slow to import, and not typed for what is made

    def draw(self) -> Any:  # noqa: ANN401 -- a chart of altair
        """Return all panels, in rows."""
        each = [(name, axis) for name in self.grid.panels for axis in self.plot.across]
        drawn = [self._draw_panel(number, *one) for number, one in enumerate(each)]
        made = self.alt.concat(
            *drawn, data=self.alt.NamedData(name="rows"), columns=self.grid.columns
        )
        made = made.properties(spacing=self.font * 1.4, align="each")
        made = made.resolve_scale(xOffset="independent", yOffset="independent")
        if self._picks:
            with catch_warnings(action="ignore"):  # one selection for all panels is what is meant
                made = made.add_params(self._picked)
        return made

    def _draw_panel(self, number: int, name: str, across: Axis) -> Any:  # noqa: ANN401
        rows, axes = self.grid.panels[name], len(self.plot.across)
        if self.plot.mark == "radar":
            layers = list(draw_radar(self.alt, self.grid, rows, self._radar_looks))
        else:
            layers = list(self._draw_layers(number, rows, across))
        if name and (number % axes == 0 or self.grid.columns < axes):
            layers.append(self._write_heading(name))
        made = self.alt.LayerChart(layer=layers)
        made = made.properties(width=self.grid.area, height=self.grid.measure_height(rows))
        if name:
            made = made.transform_filter(
                self.alt.FieldEqualPredicate(field=self.plot.panel, equal=name)
            )
        if axes > 1:
            made = made.transform_filter(f"isValid(datum[{across.field!r}])")
        return made

    @property
    def _radar_looks(self) -> Encoding:
        names = {"color": self._colour, "shape": self._shape}
        return {**names, "opacity": self._opacity, "tooltip": self._tooltip}

    def _write_heading(self, name: str) -> Any:  # noqa: ANN401
        """Return a panel's name above it: a title would be moved by marks at the upper edge."""
        value, line = self.alt.value, 1.2 * self.font
        lines = self.grid.split_lines(name, self.grid.area)
        look = {"align": "left", "baseline": "top", "fontSize": self.font, "lineHeight": line}
        made = self.alt.Chart(self.alt.InlineData(values=[{}])).mark_text(**look, color=INK)
        up = len(lines) * line + 0.7 * self.font
        return made.encode(x=value(0), y=value(-up), text=value(lines))

    def _draw_layers(self, number: int, rows: list[dict[str, Any]], across: Axis) -> Iterator[Any]:
        """Yield the layers of a panel, the lowest first."""
        plot = self.plot
        labelled = number % self.grid.columns == 0 or not self.grid.shares_y
        aside = self._move_apart(number, rows, across)
        at = {
            "x": self._place("x", across, aside, rows),
            "y": self._place("y", plot.y, plot.y.field, rows, labelled=labelled),
            **self._stand_beside(rows),
        }
        straight = {"x": at["x"], "y": at["y"]}
        if plot.reference is not None:
            yield self._draw_reference(rows, across, labelled=labelled)
        if plot.mark == "bars":
            yield self._draw_bars(rows, at)
        if plot.mark == "boxes":
            yield from self._draw_boxes(straight)
        if self.grid.whisks:
            yield self._draw_whiskers(rows, across, at, labelled=labelled)
        if plot.front:
            yield self._join_front(number, rows, across).encode(**straight)
        if plot.mark == "lines":
            line = self._draw_line(across)
            yield line.encode(**straight, color=self._colour, opacity=self._opacity)
        if plot.mark in ("dots", "lines"):
            yield from self._draw_dots(at)
        if plot.label and self.names:
            yield self._write_at_ends(at)
        elif plot.label:
            yield from self._write_labels(number, rows, across, straight)

    # Encodings.

    def _place(
        self,
        channel: str,
        axis: Axis,
        field: str,
        rows: Sequence[DataRow],
        *,
        labelled: bool = True,
    ) -> Any:  # noqa: ANN401 -- alt.X or alt.Y
        alt = self.alt
        length = self.grid.area if channel == "x" else self.grid.measure_height(rows)
        shown: Encoding = {"labelAngle": 0, "labels": labelled, "ticks": labelled}
        title = (
            (self.grid.split_lines(axis.title, length) if axis.title else None)
            if labelled
            else None
        )
        kind = "nominal" if axis.kind == "text" else "quantitative"
        made = {"x": alt.X, "y": alt.Y}[channel](field=field, type=kind, title=title)
        if axis.kind == "text":
            shown |= {"grid": False, "ticks": False, "domain": False, "labelExpr": _BY_LINES}
            shown["labelPadding"] = 0.6 * self.font
            if channel == "y":  # a label is level with the middle of its lines
                shown["labelOffset"] = {
                    "condition": [
                        {
                            "test": f"{_BY_LINES}.length == {n}",
                            "value": (1 - n) * 0.55 * self.small,
                        }
                        for n in range(2, 9)
                    ],
                    "value": 0,
                }
            names = list_names(rows, axis.field)
            return made.axis(**shown).scale(domain=names, paddingInner=0.25, paddingOuter=0.15)
        scale = self.grid.scales[axis]
        shown |= {"format": FORMATS[axis.kind], "labelFlush": True, "labelOverlap": "greedy"}
        shown["labelSeparation"] = 0.4 * self.font
        if axis.kind == "points":  # zero has no sign
            shown["labelExpr"] = "datum.value == 0 ? '0%' : datum.label"
        if scale.ticks:
            shown["values"] = list(scale.ticks)
        else:
            shown["tickCount"] = max(2, int(length / (5.5 * self.font)))
        domain = list(scale.ends)
        logarithmic = {"type": "log"} if scale.is_log else {"zero": False}
        return made.axis(**shown).scale(domain=domain, nice=False, **logarithmic)

    def _stand_beside(self, rows: Sequence[DataRow]) -> Encoding:
        """Return the encoding of colours that stand side by side at one name."""
        if self.grid.count_beside(rows) < 2:
            return {}
        channel = "yOffset" if self.grid.horizontal else "xOffset"
        made = self.alt.YOffset if self.grid.horizontal else self.alt.XOffset
        own = {row[self.plot.colour] for row in rows}
        offset = made(field=self.plot.colour, type="nominal")
        domain = [name for name in self.colours if name in own]
        return {channel: offset.scale(domain=domain, paddingInner=0.1)}

    def _move_apart(self, number: int, rows: list[dict[str, Any]], across: Axis) -> str:
        """Return the field of the places across, in which marks of several colours do not meet.

        Marks of measured values, such as shares and calls, stay where they are.
        """
        colour = self.plot.colour
        known = [row for row in rows if row.get(across.field) is not None]
        values = {row[across.field] for row in known}
        pairs = {(row[across.field], row[colour]) for row in known} if colour else values
        if not across.steps or len(pairs) == len(values) or not self.grid.whisks:
            return across.field
        self.aside[across.title] = None
        scale = self.grid.scales[across]
        places = sorted(map(scale.place, values))
        room = min([b - a for a, b in pairwise(places)] or [0.2]) * self.grid.area
        own = {row[colour] for row in known}
        order = [name for name in self.colours if name in own]
        moved = spread_beside(len(order), 0.5 * room, 0.45 * self.font)
        for row in known:
            by = moved[order.index(row[colour])] / self.grid.area
            row[f"place_{number}"] = scale.value(scale.place(row[across.field]) + by)
        return f"place_{number}"

    @cached_property
    def _looks(self) -> dict[str, tuple[str, str]]:
        return look_of(self.colours)

    @cached_property
    def _colour(self) -> Any:  # noqa: ANN401 -- alt.Color, or a value
        if not self.plot.colour:
            return self.alt.value(COLOURS[0])
        made = self.alt.Color(field=self.plot.colour, type="nominal", legend=self._legend)
        return made.scale(domain=self.colours, range=[colour for colour, _ in self._looks.values()])

    @cached_property
    def _shape(self) -> Any:  # noqa: ANN401 -- alt.Shape, or a value
        if not self.plot.colour:
            return self.alt.value("circle")
        made = self.alt.Shape(field=self.plot.colour, type="nominal", legend=self._legend)
        return made.scale(domain=self.colours, range=[shape for _, shape in self._looks.values()])

    @cached_property
    def _legend(self) -> Any:  # noqa: ANN401 -- alt.Legend, or None
        if len(self.colours) < 2 or (self.names and self.plot.colour == self.names.field):
            return None
        room = self.grid.measure(self.colours) + 3 * self.font
        free = self.grid.width - self.grid.beside_panel  # legends begin where the first panel does
        if self.plot.size:
            free -= self.grid.measure([self.plot.size.title]) + 3 * self.font
        columns = max(1, min(len(self.colours), int(free / room)))
        return self.alt.Legend(
            title=None, orient="bottom", columns=columns, symbolLimit=0, labelExpr=_BY_LINES
        )

    @property
    def _picks(self) -> bool:
        """Whether a reader of a page can pick a colour in the legend."""
        return len(self.colours) > 1 and self.plot.mark in ("dots", "lines", "radar")

    @cached_property
    def _picked(self) -> Any:  # noqa: ANN401 -- a parameter of altair
        return self.alt.selection_point(name="picked", fields=[self.plot.colour], bind="legend")

    @cached_property
    def _opacity(self) -> Any:  # noqa: ANN401 -- a value of altair
        value = self.alt.value
        if not self._picks:
            return value(1)
        return self.alt.when(self._picked).then(value(1)).otherwise(value(0.15))

    @cached_property
    def _tooltip(self) -> list[Any]:
        """What is told where the reader points at a mark: every field that is used."""
        plot = self.plot
        axes = [Axis(field, kind="text") for field in (plot.panel, plot.colour) if field]
        axes += [*plot.across, plot.y, *([plot.size] if plot.size else []), *plot.tooltip]
        if self.grid.whisks:
            axes += [
                Axis("low", "from", self.values.kind),
                Axis("high", "to", self.values.kind),
            ]
        told: dict[str, Any] = {}
        for axis in axes:
            title = axis.title or axis.field
            given: Encoding = {"type": "nominal"}
            if axis.kind != "text":
                given = {"type": "quantitative", "format": FORMATS[axis.kind].replace("~%", ".1%")}
            told.setdefault(axis.field, self.alt.Tooltip(field=axis.field, title=title, **given))
        return list(told.values())

    # Layers.

    def _order(self, rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401
        """Return a chart whose rows have their place in the field ``order``."""
        for k, row in enumerate(rows):
            row["order"] = k
        return self.alt.Chart()

    def _draw_bars(self, rows: list[dict[str, Any]], at: Encoding) -> Any:  # noqa: ANN401
        alt, stacked = self.alt, self.plot.stacked
        base = self._order(rows) if stacked else alt.Chart()
        order = alt.Order(field="order") if stacked else alt.Undefined
        return base.mark_bar().encode(**at, color=self._colour, order=order, tooltip=self._tooltip)

    def _draw_line(self, across: Axis) -> Any:  # noqa: ANN401
        """Return the lines of all colours: through the marks, over a share a fit to them."""
        line = self.alt.Chart()
        if across.kind == "share":
            groups = [self.plot.colour] if self.plot.colour else []
            line = line.transform_regression(across.field, self.plot.y.field, groupby=groups)
        return line.mark_line(strokeWidth=self.font / 8)

    def _draw_whiskers(
        self, rows: Sequence[DataRow], across: Axis, at: Encoding, *, labelled: bool
    ) -> Any:  # noqa: ANN401
        along, axis = ("x", across) if self.grid.horizontal else ("y", self.plot.y)
        bars = self.plot.mark == "bars"
        ends = {
            along: self._place(along, axis, "low", rows, labelled=labelled),
            f"{along}2": getattr(self.alt, f"{along.upper()}2")(field="high"),
            "color": self.alt.value(INK) if bars else self._colour,
        }
        faint = 0.9 if bars or self.style.theme == "dark" else 0.6
        rule = self.alt.Chart().mark_rule(strokeWidth=0.12 * self.font, strokeOpacity=faint)
        return rule.encode(**{**at, **ends}, opacity=self._opacity)

    def _join_front(self, number: int, rows: list[dict[str, Any]], across: Axis) -> Any:  # noqa: ANN401
        field = f"front_{number}"
        for k in find_front([(row.get(across.field), row[self.plot.y.field]) for row in rows]):
            rows[k][field] = True
        base = self.alt.Chart().transform_filter(f"datum.{field}")
        return base.mark_line(color=FAINT, strokeDash=[5, 3], strokeWidth=self.font / 12)

    def _draw_reference(self, rows: Sequence[DataRow], across: Axis, *, labelled: bool) -> Any:  # noqa: ANN401
        """Return a line across the values of all marks."""
        alt, plot = self.alt, self.plot
        assert plot.reference is not None
        channel = "x" if self.grid.horizontal else "y"
        axis = across if self.grid.horizontal else plot.y
        rule = {"strokeDash": [4, 3], "strokeWidth": self.font / 12}
        if isinstance(plot.reference, str):
            fields = [plot.reference, *([plot.colour] if plot.colour else [])]
            base = alt.Chart().transform_aggregate(n="count()", groupby=fields)
            made = self._place(channel, axis, plot.reference, rows, labelled=labelled)
            colour = self._colour if plot.colour else alt.value(COLOURS[1])
        else:
            base = alt.Chart(alt.InlineData(values=[{}]))
            ends = {"domain": list(self.grid.scales[axis].ends), "nice": False, "zero": False}
            made = getattr(alt, f"{channel.upper()}Datum")(plot.reference, type="quantitative")
            made, colour = made.scale(**ends).title(None), alt.value(FAINT)
        return base.mark_rule(**rule).encode(**{channel: made}, color=colour)

    def _draw_boxes(self, at: Encoding) -> Iterator[Any]:
        """Yield a box for each name, a mark for each row, and their mean.

        What is hollow has a cross beside the box, and counts in neither box nor mean.
        """
        alt, size, thick = self.alt, self.font, self.font / 12
        assert self.names is not None
        line = alt.MarkConfig(color=COLOURS[0], strokeWidth=1.2 * thick)
        box = alt.MarkConfig(fill=AREA, stroke=COLOURS[0], strokeWidth=thick)
        boxes = alt.Chart().mark_boxplot(
            extent="min-max", size=1.3 * size, box=box, median=line, rule=line
        )
        inside = f"!datum[{self.plot.hollow!r}]" if self.plot.hollow else "true"
        yield boxes.transform_filter(inside).encode(**at)
        shape = alt.value("circle")
        if self.plot.hollow:
            crossed = alt.when(f"datum[{self.plot.hollow!r}]").then(alt.value(_CROSS))
            shape = crossed.otherwise(shape)
        dots = alt.Chart().mark_point(
            size=0.17 * size**2, strokeWidth=1.2 * thick, color=COLOURS[1]
        )
        yield dots.encode(**at, shape=shape, tooltip=self._tooltip)
        mean = (
            alt.Chart()
            .transform_filter(inside)
            .transform_aggregate(groupby=[self.names.field], mean=f"mean({self.values.field})")
        )
        mean = mean.mark_point(shape="diamond", filled=True, size=0.42 * size**2, color="black")
        along = "x" if self.grid.horizontal else "y"
        middle = at[along].copy()
        middle.field = "mean"
        tip = alt.Tooltip(field="mean", type="quantitative", format=".1%")
        yield mean.encode(**{**at, along: middle}, tooltip=[tip])

    def _draw_dots(self, at: Encoding) -> Iterator[Any]:
        alt, plot, base = self.alt, self.plot, self.alt.Chart()
        size = alt.value(0.4 * self.font**2)
        if plot.size:
            found = [row.get(plot.size.field) or 0 for row in self.grid.rows]
            ends = sorted({min(found), max(found)})
            legend = alt.Legend(values=ends, format=FORMATS[plot.size.kind], orient="bottom")
            legend.direction = "horizontal"
            legend.symbolFillColor = legend.symbolStrokeColor = FAINT
            size = alt.Size(field=plot.size.field, type="quantitative", title=plot.size.title)
            scaled = {"domain": [0, max(found) or 1], "range": self._sizes}
            size = size.scale(type="linear", **scaled).legend(legend)
        looks = {
            "color": self._colour,
            "shape": self._shape,
            "size": size,
            "opacity": self._opacity,
            "tooltip": self._tooltip,
        }
        through = 0.75 if plot.size else 1.0  # marks of several sizes cover each other
        edge = {"stroke": "white", "strokeWidth": self.font / 18}
        filled = base.mark_point(filled=True, fillOpacity=through, **edge)
        if plot.hollow:
            filled = filled.transform_filter(f"!datum[{plot.hollow!r}]")
            empty = base.mark_point(filled=False, fill="white", strokeWidth=self.font / 9)
            empty = empty.transform_filter(f"datum[{plot.hollow!r}]")
            yield empty.encode(**at, **looks)
        yield filled.encode(**at, **looks)

    @property
    def _sizes(self) -> list[float]:
        return [0.25 * self.font**2, (0.7 if self.plot.mark == "lines" else 1.3) * self.font**2]

    def _write_at_ends(self, at: Encoding) -> Any:  # noqa: ANN401
        """Return the texts of marks at the right or the upper edge of their panel."""
        small, value = self.small, self.alt.value
        base = self.alt.Chart().transform_filter(f"isValid(datum[{self.plot.label!r}])")
        area = self.grid.area
        if self.grid.horizontal:
            made, end = base.mark_text(fontSize=small, align="left", dx=4), {"x": value(area)}
        else:
            made, end = base.mark_text(fontSize=small, dy=-0.8 * small), {"y": value(0)}
        return made.encode(
            **{**at, **end}, text=self.alt.Text(field=self.plot.label, type="nominal")
        )

    def _write_labels(
        self, number: int, rows: list[dict[str, Any]], across: Axis, at: Encoding
    ) -> Iterator[Any]:
        """Yield the texts beside marks, with lines to them, where they cover the least."""
        alt, plot = self.alt, self.plot
        x, y, text = (f"{what}_{number}" for what in ("label_x", "label_y", "label"))
        size = self.grid.area, self.grid.measure_height(rows)
        scales = self.grid.scales[across], self.grid.scales[plot.y]
        known = [row for row in rows if row.get(across.field) is not None]
        spots = [
            (
                size[0] * scales[0].place(row[across.field]),
                size[1] * (1 - scales[1].place(row[plot.y.field])),
            )
            for row in known
        ]
        for row in known:
            shown = not plot.front or row.get(f"front_{number}")
            name = str(row.get(plot.label) or "") if shown else ""
            if plot.front and name:
                name = str(self.numbers.setdefault(name, len(self.numbers) + 1))
            row[text] = name
        radius = sqrt((self._sizes[1] if plot.size else 0.4 * self.font**2) / pi)
        texts = [row[text] for row in known]
        for row, spot in zip(
            known, place_labels(spots, texts, radius, size, self.small), strict=True
        ):
            row[x], row[y] = (
                scales[0].value(spot[0] / size[0]),
                scales[1].value(1 - spot[1] / size[1]),
            )
        base = alt.Chart().transform_filter(f"datum.{text}")
        rule = base.mark_rule(color=PALE, strokeWidth=0.6)
        yield rule.encode(**at, x2=alt.X2(field=x), y2=alt.Y2(field=y))
        places = {"x": at["x"].copy(), "y": at["y"].copy()}
        places["x"].field, places["y"].field = x, y
        for look in ({"stroke": "white", "strokeWidth": 3}, {"color": INK}):
            made = base.mark_text(fontSize=self.small, **look)
            yield made.encode(**places, text=alt.Text(field=text, type="nominal"))

"""How much room a plot needs: its panels, the axes beside them, and what stands at one place."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import ceil
from textwrap import wrap
from typing import Any

from moot.core.chart import Axis, DataRow, Plot
from moot.reports.chart_layout import Scale, make_scale, measure_text
from moot.reports.chart_style import ChartStyle

SMALL = 0.92
"""The size of labels of axes and legends, as a part of that of titles."""


class PlotGrid:
    """The panels of a plot, in a picture of a certain width.

    Args:
        rows: those of the chart.
        plot: how they are drawn.
        style: what it looks like.
        width: of all panels with their axes.

    Attributes:
        rows: the same, with long names in lines.
        font: the size of titles.
        small: the size of labels.
        horizontal: whether names stand on the axis up.
        names: the axis of names; None where both have numbers.
        values: the axis that whiskers go along.
        colours: the names that colours tell, in order.
        whisks: whether whiskers are drawn.
    """

    def __init__(
        self, rows: Sequence[DataRow], plot: Plot, style: ChartStyle, width: float
    ) -> None:
        self.plot, self.style, self.width, self.font = plot, style, width, style.font
        self.small = SMALL * style.font
        self.horizontal = plot.y.kind == "text"
        across = plot.across[0]
        self.names = plot.y if self.horizontal else across if across.kind == "text" else None
        self.values = across if self.horizontal else plot.y
        self.rows: list[dict[str, Any]] = [dict(row) for row in rows]
        limits = {plot.colour: 0.9 * width} if plot.colour else {}
        limits |= {self.names.field: self._limit_names()} if self.names else {}
        for field, limit in limits.items():
            for row in self.rows:
                row[field] = "\n".join(self.split_lines(str(row[field]), limit))
        self.colours = list_names(self.rows, plot.colour) if plot.colour else []
        self.whisks = style.whiskers and plot.whiskers and plot.mark != "boxes"
        self.whisks &= any(row.get("low") is not None for row in self.rows)

    @cached_property
    def panels(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of each panel, by its name; one without a name where there is one."""
        if not self.plot.panel:
            return {"": self.rows}
        found: dict[str, list[dict[str, Any]]] = {}
        for row in self.rows:
            found.setdefault(str(row[self.plot.panel]), []).append(row)
        return found

    @cached_property
    def columns(self) -> int:
        """Panels beside each other."""
        axes = len(self.plot.across)
        count = len(self.panels) * axes
        if self.plot.columns:
            return min(count, self.plot.columns)
        if len(self.panels) > 1 and axes > 1:
            return axes if self._area_of(axes) >= self._least_area else 1
        fitting = [k for k in range(1, count + 1) if self._area_of(k) >= self._least_area]
        return ceil(count / ceil(count / max(fitting, default=1)))

    @cached_property
    def area(self) -> float:
        """The width of each panel, between its axes."""
        return self._area_of(self.columns)

    def _area_of(self, columns: int) -> float:
        axes = 1 if self.shares_y else columns
        return (self.width - axes * self.beside_panel - (columns - 1) * 2 * self.font) / columns

    @cached_property
    def _least_area(self) -> float:
        """The width that a panel needs."""
        words = (len(word) for name in self.panels for word in name.split())
        plain = max(
            (11 if self.horizontal else 15) * self.font, max(words, default=0) * self.letter
        )
        if self.names is None or self.horizontal:
            return plain
        every = [list_names(own, self.names.field) for own in self.panels.values()]
        names = max(every, key=lambda own: len(own) * self.measure(own))
        beside = 1.1 * self.font * (self.count_beside(self.rows) + 1)
        label = self.measure(names) + 0.6 * self.font
        return max(0.6 * plain, len(names) * max(label, beside))

    @cached_property
    def beside_panel(self) -> float:
        """The width of the axis beside a panel, and of what stands at its right."""
        labels = list_names(self.rows, self.plot.y.field) if self.horizontal else ["100%"]
        title = 1.6 * self.font if self.plot.y.title else 0.0
        right = 0.0
        if self.plot.label and self.horizontal:
            right = self.measure(str(row.get(self.plot.label) or "") for row in self.rows)
        return self.measure(labels) + title + right + 1.6 * self.font

    def measure(self, texts: Iterable[str]) -> float:
        """Return the width of the widest of texts that stand as labels."""
        return measure_text((line for text in texts for line in text.split("\n")), self.small)

    @cached_property
    def shares_y(self) -> bool:
        """Whether all panels have the same axis up."""
        if not self.horizontal:
            return True
        return len({tuple(list_names(own, self.plot.y.field)) for own in self.panels.values()}) == 1

    def measure_height(self, rows: Sequence[DataRow]) -> float:
        """Return the height of a panel with these rows."""
        if self.style.height is not None:
            return self.style.height
        if self.plot.mark == "radar":
            return 0.8 * self.area
        if not self.horizontal:
            return max(12 * self.font, min(0.72 * self.area, 25 * self.font))
        rows = self.rows if self.shares_y else rows  # names stand beside the first panel alone
        names = list_names(rows, self.plot.y.field)
        lines = max(name.count("\n") + 1 for name in names)
        apart = {"boxes": 1.3, "bars": 0.7}.get(self.plot.mark, 0.6)
        step = max(0.9 * self.count_beside(rows) + apart, 1.1 * lines + 0.3)
        return max(3 * self.font, len(names) * step * self.font)

    def count_beside(self, rows: Sequence[DataRow]) -> int:
        """Return how many colours stand side by side at one name."""
        plot, names = self.plot, self.names
        if not plot.colour or plot.stacked or names is None:
            return 1
        if plot.mark == "lines" and not self.whisks:
            return 1
        at: dict[object, set[object]] = {}
        for row in rows:
            at.setdefault((row.get(plot.panel), row[names.field]), set()).add(row[plot.colour])
        return max(map(len, at.values()), default=1)

    @cached_property
    def scales(self) -> dict[Axis, Scale]:
        """The scale of each axis of numbers."""
        return {
            axis: self._make_scale(axis)
            for axis in (*self.plot.across, self.plot.y)
            if axis.kind != "text"
        }

    def _make_scale(self, axis: Axis) -> Scale:
        plot = self.plot
        fields = {axis.field}
        if axis == self.values:
            fields |= {"low", "high"} if self.whisks else set()
            fields |= {plot.reference} if isinstance(plot.reference, str) else set()
        found = [row[f] for row in self.rows for f in fields if row.get(f) is not None]
        if axis == self.values and isinstance(plot.reference, int | float):
            found.append(plot.reference)
        bars = plot.mark == "bars" and axis == self.values
        return make_scale(axis, found or [0.0], from_zero=bars)

    def split_lines(self, text: str, length: float) -> list[str]:
        """Return a text in lines that have room in a length."""
        return wrap(text, max(8, int(length / self.letter))) or [""]

    @property
    def letter(self) -> float:
        """The width of a letter of a title."""
        return 0.54 * self.font

    def _limit_names(self) -> float:
        """Return how wide a line of a name may be, beside bars or beneath them."""
        if self.names is None or self.horizontal:
            return 0.42 * self.width
        field = self.names.field
        most = max(len(list_names(own, field)) for own in self.panels.values())
        return (self.width - self.beside_panel) / most - 0.6 * self.font


def list_names(rows: Sequence[DataRow], field: str) -> list[str]:
    """Return the names in a field, each once, in the order of the rows."""
    return list(dict.fromkeys(str(row[field]) for row in rows))

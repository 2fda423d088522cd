"""A chart before it is drawn: rows of data, and how they are plotted."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from moot.core.notebook_display import render_html

AxisKind = Literal["text", "number", "log", "share", "points", "money", "tokens"]
"""What an axis has: names in the order of the rows; numbers from the least to the greatest; numbers
on a logarithmic scale where they span much; shares of one or differences of shares, both shown in
percent; US dollars or tokens, both on a logarithmic scale where they span much."""

Mark = Literal["dots", "lines", "bars", "boxes", "radar"]
"""What stands for a row: a dot; a dot on the line of its colour, which over a share is the straight
line of least squares, since a share that was measured goes back and forth; a bar; for all rows of
one name a box with a dot for each row; or a point on the spoke of its name, for shares."""

DataRow: TypeAlias = Mapping[str, str | float | bool | None]
"""What is drawn as one mark, by field."""


class Axis(NamedTuple):
    """What is read along one axis.

    Attributes:
        field: the field of the rows.
        title: what stands beside the axis; empty for an axis of names that need none.
        kind: what the values are.
        ends: the least and the greatest value shown; None to fit the rows.
        steps: whether the values are few that were set, such as rounds: marks of several colours at
            one of them stand side by side. Marks at a measured value stand at it.
    """

    field: str
    title: str = ""
    kind: AxisKind = "number"
    ends: tuple[float, float] | None = None
    steps: bool = False


class Plot(NamedTuple):
    """How rows are drawn.

    The fields ``low`` and ``high`` of the rows, where a row has them, are the ends of a whisker
    along the axis that has no names (``y`` where neither has). Marks of several colours at one
    name, or one step across, stand side by side, so that whiskers do not cover each other. Every
    field that is named here is told where the reader of a page points at a mark.

    Attributes:
        mark: what stands for a row.
        x: the axis across. Several axes: a panel for each, of the rows that have its field.
        y: the axis up, the same in all panels.
        colour: the field that is told by colour and shape, with a legend; empty for none.
        panel: the field whose values have a panel each; empty for one panel.
        columns: panels beside each other; 0 for as many as there is room for.
        label: the field of a short text beside each mark; empty for none. With a front, its marks
            alone have numbers, and the texts stand with them above the picture.
        size: the axis of what sets the size of the marks; None for none.
        hollow: the field that says whether a mark is hollow, or a cross in a box; empty for none.
        front: whether a line joins the marks that no other beats, which would be higher and not
            further to the right, or further to the left and not lower.
        stacked: whether bars of one place stand on each other instead of side by side.
        reference: where a line is drawn on the axis of the whiskers: a value, or a field, with a
            line for each colour, or for each panel without colours; None for none.
        whiskers: whether whiskers are drawn, where they would not cover too much.
        tooltip: further fields that are told where the reader points at a mark.
    """

    mark: Mark
    x: Axis | tuple[Axis, ...]
    y: Axis
    colour: str = ""
    panel: str = ""
    columns: int = 0
    label: str = ""
    size: Axis | None = None
    hollow: str = ""
    front: bool = False
    stacked: bool = False
    reference: float | str | None = None
    whiskers: bool = True
    tooltip: tuple[Axis, ...] = ()

    @property
    def across(self) -> tuple[Axis, ...]:
        """The axes across: one, or one for each panel."""
        return (self.x,) if isinstance(self.x, Axis) else self.x


class Chart(NamedTuple):
    """A chart, the same for pages, for print, and as data.

    Attributes:
        name: of its file, without a suffix: lower case letters, digits and hyphens.
        title: what it shows.
        caption: what dots, bars and whiskers are, on how many questions, and the source.
        rows: what is drawn, one mark each.
        plot: how it is drawn. A Vega-Lite definition of one's own, as plain data, can stand here:
            it finds the rows as the data set ``rows``, the width of the picture as its own, and
            the parameter ``unit``: the size of a pixel, which is smaller in print.
        notes: what must not be missed; they stand in the picture.
    """

    name: str
    title: str
    caption: str
    rows: Sequence[DataRow]
    plot: Plot | Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return what it shows, and of how many rows, in one line."""
        return f"Chart({self.name!r}, {self.title!r}, {len(self.rows)} rows)"

    def _repr_html_(self) -> str:
        return render_html(self)

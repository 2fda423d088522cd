"""Charts as Vega-Lite definitions, with their titles, their fonts and their data."""

from textwrap import wrap
from typing import Any

from moot.core.chart import Chart, Plot
from moot.core.display_text import make_visible, on_one_line
from moot.reports.chart_style import FAINT, GRID, INK, PALE, ChartStyle, darken
from moot.reports.plot_grid import SMALL
from moot.reports.plot_layers import PlotLayers

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


def make_vega(chart: Chart, style: ChartStyle = ChartStyle()) -> dict[str, Any]:  # noqa: B008
    """Return a chart's Vega-Lite definition, with its data.

    Raises:
        InputError: altair is not installed.
    """
    ChartStyle.check_installed()
    chart = _clean(chart)
    width = style.whole_width - 2 * _padding(style)
    if isinstance(chart.plot, Plot):
        from altair.utils.schemapi import debug_mode

        drawing = PlotLayers(chart.rows, chart.plot, style, width)
        with debug_mode(arg=False):  # to check each part as it is made takes most of the time
            spec = drawing.draw().to_dict(validate=False)
        rows = drawing.grid.rows
        told = [_keep_whole(f"{number} {name}") for name, number in drawing.numbers.items()]
        same = [title.partition(",")[0] for title in drawing.aside]
        beside = [f"Marks at the same {title} stand side by side" for title in same]
        chart = chart._replace(notes=(*chart.notes, *[" · ".join(told)] * bool(told), *beside))
    else:
        from altair import SCHEMA_URL

        unit = style.font / 12
        spec = {"$schema": SCHEMA_URL, "width": width, **chart.plot}
        spec["height"] = style.height or unit * spec.get("height", 0.6 * width)
        spec["params"] = [*spec.get("params", ()), {"name": "unit", "value": unit}]
        rows = [dict(row) for row in chart.rows]
    spec |= {
        "title": _title(chart, style, width),
        "description": chart.title,
        "background": "white",
        "padding": _padding(style),
        "config": _config(style),
        "datasets": {**spec.get("datasets", {}), "rows": rows},
    }
    dark: dict[str, Any] = darken(spec)
    return dark if style.theme == "dark" else spec


def _clean(chart: Chart) -> Chart:
    """Return a chart whose texts have nothing that cannot be seen: names come from anywhere."""
    rows = [
        {k: on_one_line(v, 10_000) if isinstance(v, str) else v for k, v in row.items()}
        for row in chart.rows
    ]
    title = on_one_line(chart.title, 10_000)
    return chart._replace(rows=rows, title=title, notes=tuple(map(make_visible, chart.notes)))


def _padding(style: ChartStyle) -> int:
    return 4 if style.for_print else 12


_WHOLE = str.maketrans({" ": "\N{NO-BREAK SPACE}", "-": "\N{NON-BREAKING HYPHEN}"})
_LOOSE = str.maketrans({"\N{NO-BREAK SPACE}": " ", "\N{NON-BREAKING HYPHEN}": "-"})


def _keep_whole(name: str) -> str:
    """Return a name that no line breaks within."""
    return name.translate(_WHOLE)


def _title(chart: Chart, style: ChartStyle, width: float) -> dict[str, Any]:
    """Return the title and, beneath it, what must not be missed."""
    size = 1.15 * style.font
    room = int(width / (0.5 * style.font))
    under = [part.translate(_LOOSE) for note in chart.notes for part in wrap(note, room)]
    return {
        "text": wrap(chart.title, int(width / (0.6 * size))),
        **({"subtitle": under} if under else {}),
        "anchor": "start",
        "fontSize": size,
        "subtitleColor": FAINT,
        "subtitleFontSize": 0.95 * style.font,
        "offset": 0.9 * style.font,
    }


def _config(style: ChartStyle) -> dict[str, Any]:
    small = {"labelFontSize": SMALL * style.font, "titleFontSize": style.font, "labelLimit": 0}
    thin = style.font / 12
    colours = {"labelColor": INK, "titleColor": INK}
    return {
        "font": FONT,
        "view": {"stroke": None},
        "title": {"color": INK, "fontWeight": "normal"},
        "axis": {
            **small,
            **colours,
            "titleFontWeight": "normal",
            "gridColor": GRID,
            "gridWidth": thin,
            "domainColor": PALE,
            "tickColor": PALE,
            "tickSize": 4 * thin,
            "titleLimit": 0,
        },
        "legend": {
            **small,
            **colours,
            "titleFontWeight": "normal",
            "symbolSize": 0.5 * style.font**2,
            "rowPadding": 2 * thin,
            "columnPadding": style.font,
            "layout": {"bottom": {"margin": 2 * style.font}},
        },
        "text": {"color": INK},
    }

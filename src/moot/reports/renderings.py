"""The forms in which any report can be had; none of them knows an analysis."""

import re
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import NamedTuple

import msgspec

from moot.core.errors import InputError
from moot.core.files import Content
from moot.core.table import Report
from moot.reports.chart_files import SUFFIXES, render_chart
from moot.reports.chart_style import ChartStyle
from moot.reports.drawings import DEFINITION, PICTURES
from moot.reports.export.row_files import ROW_WRITERS
from moot.reports.html import html_page
from moot.reports.latex import write_latex
from moot.reports.markdown import write_markdown


class Rendering(NamedTuple):
    """A form of reports.

    Attributes:
        write: returns the content of each file, by its name.
        printed: whether it is one text that a terminal can show.
    """

    write: Callable[[Report, ChartStyle], dict[str, Content]]
    printed: bool = False

    def text(self, report: Report) -> str:
        """Return a report in a form that is one text."""
        [content] = self.write(report, ChartStyle()).values()
        return content.decode() if isinstance(content, bytes) else "".join(map(str, content))


def write_json(report: Report) -> bytes:
    """Return all of a report as JSON: its tables with typed values, its charts, and its data."""
    return msgspec.json.format(msgspec.json.encode(report.to_dict())) + b"\n"


def write_tables(report: Report, form: str) -> dict[str, Content]:
    """Return each table as a file of records, by a name made of its title.

    Args:
        report: what an analysis returned.
        form: ``csv`` or ``parquet``.
    """
    files: dict[str, Content] = {}
    for number, table in enumerate(report.tables, 1):
        file = BytesIO()
        with ROW_WRITERS[form](file, table.fields) as write:
            for record in table.records:
                write(list(record.values()))
        short = re.sub(r"[^a-z0-9]+", "-", table.title.lower())[:40].strip("-")
        files[f"{number}-{short or 'table'}.{form}"] = file.getvalue()
    return files


def _write_page(report: Report, style: ChartStyle) -> dict[str, Content]:
    return {"report.html": html_page([report], style=style)}


def _draw_charts(form: str, report: Report, style: ChartStyle) -> dict[str, Content]:
    """Return each chart of a report as a file."""
    if not report.charts:
        raise InputError(f"{report.title}: it has no chart; ask for its tables")
    return {
        f"{chart.name}.{SUFFIXES[form]}": render_chart(chart, form, style)
        for chart in report.charts
    }


RENDERINGS: dict[str, Rendering] = {
    "markdown": Rendering(lambda report, _: {"report.md": write_markdown(report)}, printed=True),
    "html": Rendering(_write_page),
    "latex": Rendering(lambda report, _: {"report.tex": write_latex(report)}, printed=True),
    "json": Rendering(lambda report, _: {"report.json": write_json(report)}, printed=True),
    "csv": Rendering(lambda report, _: write_tables(report, "csv")),
    "parquet": Rendering(lambda report, _: write_tables(report, "parquet")),
    **{form: Rendering(partial(_draw_charts, form)) for form in (*PICTURES, DEFINITION)},
}
"""The forms by name."""

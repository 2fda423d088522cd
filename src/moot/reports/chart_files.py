"""Charts as files: pictures, definitions, and pages of their own."""

from pathlib import Path
from typing import Final

from moot.core.chart import Chart
from moot.core.errors import InputError
from moot.core.files import output_error, write_file
from moot.reports.chart_page import make_page
from moot.reports.chart_style import ChartStyle
from moot.reports.drawings import DEFINITION, PICTURES, draw_chart

SUFFIXES: Final = {form: form for form in (*PICTURES, "html")} | {DEFINITION: "json"}
"""The forms of a chart, with the suffixes of their files."""


def render_chart(chart: Chart, form: str, style: ChartStyle = ChartStyle()) -> bytes:  # noqa: B008
    """Return a chart in one of the forms of ``SUFFIXES``.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    if form == "html":
        return "".join(make_page(chart, style)).encode()
    return draw_chart(chart, form, style)


def write_chart(chart: Chart, path: str | Path, style: ChartStyle = ChartStyle()) -> None:  # noqa: B008
    """Write a chart as what the suffix of ``path`` says; folders are made where missing.

    Raises:
        InputError: for a suffix that is none of ``SUFFIXES``, for a file that cannot be written,
            and where altair or vl-convert is not installed.
    """
    path = Path(path)
    forms = {suffix: form for form, suffix in SUFFIXES.items()}
    form = forms.get(path.suffix.lower().removeprefix("."))
    if form is None:
        raise InputError(f"figure {path}: a figure is written as one of .{', .'.join(forms)}")
    try:
        write_file(path, render_chart(chart, form, style))
    except OSError as error:
        raise output_error(f"figure {path}", error) from None

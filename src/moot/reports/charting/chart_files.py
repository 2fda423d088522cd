"""A figure as a file: a page of its own, a picture, or its definition."""

import json
from pathlib import Path
from typing import Final

from moot.core.errors import InputError
from moot.core.files import output_error, write_file
from moot.reports.charting.chart import Chart, check_installed
from moot.reports.charting.chart_page import page

FORMATS: Final = ("html", "png", "svg", "pdf", "json")
"""What a figure can be written as, by the suffix of its file."""

_SHARP = 2.0  # pixels of a PNG for each of the figure's


def write_chart(chart: Chart, path: str | Path) -> None:
    """Write a figure as what the suffix of ``path`` says; folders are made where missing.

    Raises:
        InputError: for a suffix that is none of ``FORMATS``, for a file that cannot be written, and
            where altair or vl-convert is not installed.
    """
    path = Path(path)
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InputError(f"figure {path}: a figure is written as one of .{', .'.join(FORMATS)}")
    content = _content(chart, suffix)
    try:
        write_file(path, content)
    except OSError as error:
        raise output_error(f"figure {path}", error) from None


def _content(chart: Chart, suffix: str) -> bytes:
    check_installed()
    import vl_convert
    from altair import SCHEMA_VERSION

    spec = chart.data
    version = ".".join(SCHEMA_VERSION.split(".")[:2])
    match suffix:
        case "png":
            return vl_convert.vegalite_to_png(spec, vl_version=version, scale=_SHARP)
        case "pdf":
            return vl_convert.vegalite_to_pdf(spec, vl_version=version)
        case "svg":
            return vl_convert.vegalite_to_svg(spec, vl_version=version).encode()
        case "html":
            return "".join(page(chart)).encode()
        case _:
            return (json.dumps(spec, indent=1, ensure_ascii=False) + "\n").encode()

"""A chart as a picture, or as its definition in JSON; what was drawn is kept.

A picture is kept by a digest of all that it depends on: the chart, the style, the versions of what
draws, and the code that draws. So what is kept is never out of date, and a page whose charts were
drawn before waits for none of it.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from moot.core.chart import Chart
from moot.core.errors import InputError
from moot.core.files import write_file
from moot.reports import chart_layout, chart_style, plot_grid, plot_layers, plots
from moot.reports.chart_style import ChartStyle
from moot.reports.plots import make_vega

PICTURES: Final = ("svg", "png", "pdf")
DEFINITION: Final = "vega"
"""The form that is no picture: a Vega-Lite definition, as JSON."""
KEPT_FILES: Final = 600
"""The most drawings that are kept on the disk; the oldest half goes when there are more."""

_PAPER_DPI, _SHARP = 300, 2.0  # of a PNG for print; its pixels for each pixel of a screen
_KEPT_HERE = 128
_here: dict[str, bytes] = {}


def draw_chart(chart: Chart, form: str, style: ChartStyle = ChartStyle()) -> bytes:  # noqa: B008
    """Return a chart as one of ``PICTURES`` or as its ``DEFINITION``.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    what = msgspec.json.encode([chart, form, style])
    return keep_drawing(what, lambda: _draw(chart, form, style))


def keep_drawing(what: bytes, draw: Callable[[], bytes]) -> bytes:
    """Return what was drawn before of the same; draw it if it was not.

    Args:
        what: all that the drawing depends on, but for the code that draws.
        draw: returns the drawing.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    key = blake2b(_digest_code() + what, digest_size=20).hexdigest()
    if (content := _here.get(key)) is None:
        content = _read_kept(key)
        if content is None:
            content = draw()
            _keep(key, content)
        if len(_here) >= _KEPT_HERE:
            del _here[next(iter(_here))]
        _here[key] = content
    return content


def _draw(chart: Chart, form: str, style: ChartStyle) -> bytes:
    if form == DEFINITION:
        return (json.dumps(make_vega(chart, style), indent=1, ensure_ascii=False) + "\n").encode()
    ChartStyle.check_installed()
    import vl_convert

    spec = json.loads(draw_chart(chart, DEFINITION, style))
    given: dict[str, Any] = {"vl_version": vega_lite_version(spec)}
    if form == "png":
        scale = _PAPER_DPI / 72 if style.for_print else _SHARP
        return vl_convert.vegalite_to_png(spec, scale=scale, **given)
    if form == "pdf":
        return vl_convert.vegalite_to_pdf(spec, **given)
    svg = vl_convert.vegalite_to_svg(spec, **given)
    if style.for_print:  # a length without a unit is a pixel, of which an inch has 96, not 72
        lengths = r'(<svg[^>]* width="[\d.]+)"([^>]* height="[\d.]+)"'
        svg = re.sub(lengths, r'\1pt"\2pt"', svg, count=1)
    return svg.encode()


def vega_lite_version(spec: Mapping[str, Any]) -> str:
    """Return the version of Vega-Lite that a definition names, without its patch."""
    found = re.search(r"/v(\d+\.\d+)[^/]*$", str(spec.get("$schema")))
    if found is None:
        raise InputError(f"a chart's $schema names no version of Vega-Lite: {spec.get('$schema')}")
    return found[1]


@cache
def _digest_code() -> bytes:
    """Return a digest of the code that draws and of the versions of its libraries."""
    ChartStyle.check_installed()
    files = (each.__file__ for each in (plots, plot_layers, plot_grid, chart_layout, chart_style))
    own = b"".join(Path(str(file)).read_bytes() for file in (*files, __file__))
    libraries = version("altair") + version("vl-convert-python")
    return blake2b(own + libraries.encode(), digest_size=20).digest()


def drawings_folder() -> Path:
    """Return where drawings are kept: a folder in ``XDG_CACHE_HOME``, else in ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moot" / "drawings"


def _read_kept(key: str) -> bytes | None:
    with suppress(OSError, RuntimeError):  # RuntimeError: a user without a home
        return (drawings_folder() / key).read_bytes()
    return None


def _keep(key: str, content: bytes) -> None:
    """Keep a drawing; where that is not possible, it is drawn again another time."""
    with suppress(OSError, RuntimeError, InputError):
        folder = drawings_folder()
        write_file(folder / key, content)
        kept = list(folder.iterdir())
        if len(kept) > KEPT_FILES:
            kept.sort(key=lambda file: file.stat().st_mtime)
            for file in kept[: len(kept) // 2]:
                file.unlink(missing_ok=True)

"""The figures of a run as pictures; both functions take seconds and run in a process apart."""

import json
from typing import NamedTuple

from moot.core.results import Results
from moot.core.stored import RunRow
from moot.reports.charting import draw_charts
from moot.studies.study_run import read_study


class RunFigure(NamedTuple):
    """A figure that can be drawn.

    Attributes:
        name: of its file, as ``moot figures`` writes it.
        title: its title.
        caption: how to read it.
        spec: its Vega-Lite definition, as JSON.
    """

    name: str
    title: str
    caption: str
    spec: bytes


def list_figures(row: RunRow, results: Results) -> dict[str, RunFigure]:
    """Return every figure of a run by name. Raises ``InputError`` if they cannot be drawn."""
    return {
        each.name: RunFigure(each.name, each.title, each.caption, json.dumps(each.data).encode())
        for each in draw_charts([results], {row.key: read_study(row)})
    }


def draw_svg(spec: bytes) -> bytes:
    """Return a figure as a picture; the first takes seconds, as the drawing library starts."""
    import vl_convert
    from altair import SCHEMA_VERSION

    version = ".".join(SCHEMA_VERSION.split(".")[:2])
    return vl_convert.vegalite_to_svg(json.loads(spec), vl_version=version).encode()

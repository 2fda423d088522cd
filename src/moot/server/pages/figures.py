"""The figures of a run as pictures: defined and drawn in a process of their own."""

import json
from typing import NamedTuple

from moot.core.results import Results
from moot.core.stored import RunRow


class Figure(NamedTuple):
    """A figure that can be drawn.

    Attributes:
        name: as ``moot figures`` names its file.
        title: what it shows.
        caption: how to read it.
        spec: its Vega-Lite definition, as JSON.
    """

    name: str
    title: str
    caption: str
    spec: bytes


def figures(row: RunRow, results: Results) -> list[Figure]:
    """Every figure of a run. Takes seconds. Raises ``InputError`` where they cannot be drawn."""
    from moot.reports.charts import charts
    from moot.studies.run import about

    return [
        Figure(each.name, each.title, each.caption, json.dumps(each.data).encode())
        for each in charts([results], {row.key: about(row)})
    ]


def svg(spec: bytes) -> bytes:
    """A figure as a picture; the first takes seconds, as the drawing library starts."""
    import vl_convert
    from altair import SCHEMA_VERSION

    version = ".".join(SCHEMA_VERSION.split(".")[:2])
    return vl_convert.vegalite_to_svg(json.loads(spec), vl_version=version).encode()

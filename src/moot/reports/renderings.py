"""The forms in which any report can be had; none of them knows an analysis."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from moot.core.table import Cell, Report, ResultTable, Value
from moot.reports.latex import write_latex
from moot.reports.markdown import write_markdown


class Rendering(NamedTuple):
    """A form of reports.

    Attributes:
        write: returns the content of each file, by its name.
        printed: whether it is one text that a terminal can show.
    """

    write: Callable[[Report], dict[str, bytes]]
    printed: bool = False


def write_json(report: Report) -> str:
    """Return all of a report as JSON: its tables with typed values, its charts, and its data."""
    content = {
        "title": report.title,
        "about": report.about,
        "simulated": report.simulated,
        "findings": report.findings,
        "tables": [_table(table) for table in report.tables],
        "charts": [chart._asdict() | {"plot": _plain(chart.plot)} for chart in report.charts],
        "notes": report.notes,
        "data": report.data,
    }
    return msgspec.json.format(msgspec.json.encode(content)).decode() + "\n"


def _table(table: ResultTable) -> dict[str, object]:
    columns = [column._asdict() for column in table.columns]
    return {
        "title": table.title,
        "columns": columns,
        "rows": [
            {"band": row.band, "marked": row.marked, "cells": [_cell(cell) for cell in row.cells]}
            for row in table.rows
        ],
        "note": table.note,
        "findings": table.findings,
    }


def _cell(cell: Cell | Value) -> object:
    return cell._asdict() if isinstance(cell, Cell) else cell


def _plain(plot: object) -> object:
    as_dict = getattr(plot, "_asdict", None)
    return {name: _plain(value) for name, value in as_dict().items()} if as_dict else plot


RENDERINGS: dict[str, Rendering] = {
    "markdown": Rendering(
        lambda report: {"report.md": write_markdown(report).encode()}, printed=True
    ),
    "latex": Rendering(lambda report: {"report.tex": write_latex(report).encode()}, printed=True),
    "json": Rendering(lambda report: {"report.json": write_json(report).encode()}, printed=True),
}
"""The forms by name."""

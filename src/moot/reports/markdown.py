"""Reports in GitHub's Markdown."""

import re
from collections.abc import Iterator

from moot.core.table import Report, ResultTable, ShownCell
from moot.core.table_text import SIMULATED

_MARKS = re.compile(r"([\\`*_{}\[\]<>#!|~])")
_LINKS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)", re.IGNORECASE)
_MATHS = re.compile(r"\$(?!\d)")
_GAPS = re.compile(r"\n{3,}")  # where a table has no note


def write_markdown(report: Report) -> str:
    """Return Markdown in the order of a page: the answer, the tables that lead, what charts show.

    Then what the report is of and finds besides, its other tables and notes. It has one heading.
    """
    tables, notes = report.arranged
    leading = [table for table in tables if table.leads and not table.wide]
    charts = [chart for chart in report.charts if chart.caption not in {t.note for t in tables}]
    lines = [f"## {escape_markdown(report.title)}", ""]
    lines += [f"**{SIMULATED}**", ""] if report.simulated else []
    lines += [f"**{escape_markdown(each)}**" for each in report.findings[:1]]
    for table in leading:
        lines += ["", *_titled(table)]
    for chart in charts:
        lines += [f"Figure: {escape_markdown(f'{chart.title}. {chart.caption}')}", ""]
    lines += ["", *(f"- {escape_markdown(each)}" for each in report.findings[1:]), ""]
    lines += [escape_markdown(report.about), ""]
    for table in (each for each in tables if each not in leading):
        lines += _titled(table)
    lines += [f"- {escape_markdown(note)}" for note in notes]
    return _GAPS.sub("\n\n", "\n".join(lines)) + "\n"


def markdown_table(table: ResultTable) -> Iterator[str]:
    """Yield the table with its title as a heading, what it shows and its note, line by line.

    A heading that columns share stands in each of them; one that rows share has a row of its own.
    """
    yield f"### {escape_markdown(table.title)}"
    yield ""
    yield from _grid(table)


def _titled(table: ResultTable) -> Iterator[str]:
    yield f"**{escape_markdown(table.title)}**"
    yield ""
    yield from _grid(table)


def _grid(table: ResultTable) -> Iterator[str]:
    yield _row([escape_markdown(column.heading) for column in table.columns])
    yield _row(["---" if column.is_text else "---:" for column in table.columns])
    band = ""
    for row, cells in zip(table.rows, table.shown, strict=True):
        if row.band != band:
            band = row.band
            yield _row([f"**{escape_markdown(band)}**", *[""] * (len(cells) - 1)])
        yield _row([_cell(cell) for cell in cells])
    yield ""
    for finding in table.findings:
        yield f"- {escape_markdown(finding)}"
    yield ""
    yield escape_markdown(table.words)
    yield ""


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: ShownCell) -> str:
    return escape_markdown(cell.line)


def escape_markdown(text: str) -> str:
    """Return a text escaped so that Markdown makes no emphasis, link, formula, tag or cell."""
    marked = _MARKS.sub(r"\\\1", " ".join(text.split()).replace("&", "&amp;"))
    return _MATHS.sub(r"\\$", _LINKS.sub("<!-- -->", marked))

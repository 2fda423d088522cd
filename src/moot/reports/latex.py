r"""Tables in LaTeX, which fit between the margins of a page.

LaTeX itself makes a table smaller where it is too wide (``adjustbox``) and breaks a long one over
pages (``longtable``); rules are those of ``booktabs``. Signs that pdfTeX does not know are written
as commands.
"""

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import NamedTuple

from moot.core.table import SIMULATED, Column, Report, ResultTable, ShownCell

LONG = 44
"""The most lines of a table that stands on one page."""
LINE = 75
"""About how many characters stand in a line of a page; a table with more is made narrow."""
NAME = 20
"""Characters of a name in a line of a narrow table."""
HEADING = 10
"""Characters of a heading in a line of a narrow table."""
_PACKAGES = r"% needs \usepackage{adjustbox,array,booktabs,longtable,pdflscape}"
_SMALLER = {"footnotesize": r"\scriptsize", "scriptsize": r"\tiny"}
"""The size of the letters of an interval beneath its figure, by that of the figure."""
_SIZES = (
    (64, "footnotesize", False),
    (80, "scriptsize", False),
    (105, "footnotesize", True),
    (0, "scriptsize", True),
)
"""How many characters a line of a long table has at most, the size of its letters then, and whether
the page is turned; the last is for all others."""

_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': '{"}',
    "−": r"$-$",
    "–": "--",
    "…": r"\ldots{}",
    "→": r"$\rightarrow$",
    "·": r"\textperiodcentered{}",
    "\u00a0": "~",
}
_SIGN = re.compile("[" + re.escape("".join(_SIGNS)) + "]")
_JOINED = re.compile(r"([-'`?!,])(?=[-'`,])")  # what TeX would make one sign of
_BREAKS = re.compile(r"(\\_|[=/,:])(?=\S)")  # where a name may go on in another line
_ARGUMENT = re.compile(r"^([\[*])")  # what would belong to the command before it


def write_latex(report: Report) -> str:
    """Return LaTeX of the tables, one below the other."""
    warning = [f"% {SIMULATED}"] if report.simulated else []
    tables = (line for table in report.tables for line in latex_table(table))
    return "\n".join([*warning, *tables]) + "\n"


def latex_table(table: ResultTable) -> Iterator[str]:
    """Yield one table, with title, findings and note as its caption, line by line."""
    shown = table.shown
    layout = _layout(table, shown)
    words = " ".join([f"{table.title}.", *table.findings, table.note]).strip()
    caption = rf"\caption{{{escape_latex(words)}}}"
    kinds = "".join(layout.kinds)
    head = [r"\toprule", _row([_heading(each, layout) for each in layout.columns]), r"\midrule"]
    yield _PACKAGES
    rows = _rows(table, shown, layout)
    if not layout.long:
        yield from (r"\begin{table}", r"\centering", rf"\{layout.size}", caption)
        yield from (r"\begin{adjustbox}{max width=\linewidth}", rf"\begin{{tabular}}{{{kinds}}}")
        yield from (*head, *rows, r"\bottomrule")
        yield from (r"\end{tabular}", r"\end{adjustbox}", r"\end{table}", "")
    else:
        group = "landscape" if layout.turned else "center"
        yield from (rf"\begin{{{group}}}", rf"\{layout.size}", r"\setlength{\tabcolsep}{3pt}")
        yield from (rf"\begin{{longtable}}{{{kinds}}}", rf"{caption} \\")
        yield from (*head, r"\endfirsthead", *head, r"\endhead", *rows, r"\bottomrule")
        yield from (r"\end{longtable}", rf"\end{{{group}}}", "")


class _Layout(NamedTuple):
    """How a table is set.

    Attributes:
        narrow: whether names stand in several lines, and intervals beneath figures.
        bands: how many columns stand above the rows that have them in common.
        columns: the others.
        kinds: of the others, as LaTeX has them.
        size: of the letters.
        long: whether it may go on on the next page.
        turned: whether it stands across pages that are turned.
    """

    narrow: bool
    bands: int
    columns: tuple[Column, ...]
    kinds: list[str]
    size: str
    long: bool
    turned: bool = False


def _layout(table: ResultTable, shown: list[list[ShownCell]]) -> _Layout:
    """Make a table narrow that has more characters in a line than a page."""
    number = range(len(table.columns))
    whole = [max(len(_text(cells[k])) for cells in shown) if shown else 0 for k in number]
    widths = [max(len(c.name), width) + 2 for c, width in zip(table.columns, whole, strict=True)]
    narrow = sum(widths) > LINE
    if not narrow:
        kinds = ["l" if column.is_text else "r" for column in table.columns]
        return _Layout(narrow, 0, table.columns, kinds, "small", long=len(shown) > LONG)
    bands = max(0, table.named_by - 1)
    kinds, width = [], 0
    for k in number[bands:]:
        if table.columns[k].is_text:
            name = min(NAME, widths[k])
            kinds.append(rf">{{\raggedright\arraybackslash}}p{{{0.55 * name:.1f}em}}")
            width += name
        else:
            kinds.append("r")
            cells = [cells[k] for cells in shown]
            lines = wrap(table.columns[k].name, HEADING, break_long_words=False)
            width += 2 + max(
                *(len(line) for line in lines),
                *(max(len(cell.text), 3 * len(cell.interval) // 4) for cell in cells),
                0,
            )
    _, size, turned = next((each for each in _SIZES if width <= each[0]), _SIZES[-1])
    texts = [cells[k].text for cells in shown for k in number[bands:] if table.columns[k].is_text]
    intervals = any(cell.interval for cells in shown for cell in cells)
    height = (1 + intervals) * len(shown) + sum(len(text) // NAME > intervals for text in texts)
    long = height > LONG
    if not long:
        size, turned = "footnotesize", False
    return _Layout(narrow, bands, table.columns[bands:], kinds, size, long=long, turned=turned)


def _rows(table: ResultTable, shown: list[list[ShownCell]], layout: _Layout) -> Iterator[str]:
    """Yield the rows; those with the same names before their last are below a band with these."""
    last: list[str] = []
    for cells in shown:
        band = [cell.text for cell in cells[: layout.bands]]
        if band != last:
            if last:
                yield r"\addlinespace"
            named = zip(table.columns, band, strict=False)
            words = "; ".join(f"{column.name}: {name}" for column, name in named)
            width = rf"p{{{0.9:g}\linewidth}}" if len(words) > LINE else "l"
            yield (
                rf"\multicolumn{{{len(layout.columns)}}}{{@{{}}{width}@{{}}}}"
                rf"{{\itshape {_breaking(words)}}} \\*"
            )
            last = band
        both = zip(layout.columns, cells[layout.bands :], strict=True)
        yield _row([_cell(column, cell, layout) for column, cell in both])


def _heading(column: Column, layout: _Layout) -> str:
    """Return a column's heading in LaTeX, in several lines above figures of a narrow table."""
    lines = wrap(column.name, HEADING, break_long_words=False) if layout.narrow else []
    if len(lines) < 2 or column.is_text:
        return escape_latex(column.name)
    return r"\shortstack[r]{" + r" \\ ".join(map(escape_latex, lines)) + "}"


def _cell(column: Column, cell: ShownCell, layout: _Layout) -> str:
    if not layout.narrow:
        return escape_latex(_text(cell))
    if column.is_text:
        return rf"\hspace{{0pt}}{_breaking(_text(cell))}" if cell.text else ""
    if not cell.interval:
        return escape_latex(cell.text)
    interval = escape_latex(cell.interval.replace(" … ", "…"))
    lines = rf"{escape_latex(cell.text)} \\ {_SMALLER[layout.size]} {{}}[{interval}]"
    return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{lines}\end{{tabular}}"


def _text(cell: ShownCell) -> str:
    return f"{cell.text} [{cell.interval}]" if cell.interval else cell.text


def _breaking(text: str) -> str:
    return _BREAKS.sub(r"\1\\allowbreak{}", escape_latex(text))


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def escape_latex(text: str) -> str:
    """Return a text in which LaTeX's special signs are escaped."""
    apart = _JOINED.sub("\\1\0", " ".join(text.split(" ")))
    written = _SIGN.sub(lambda found: _SIGNS[found[0]], apart).replace("\0", "{}")
    return _ARGUMENT.sub(r"{\1}", written)

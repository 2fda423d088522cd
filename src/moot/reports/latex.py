r"""Tables in LaTeX, with the rules of the package ``booktabs``.

The text needs no other package where the names in it do not: signs that pdfTeX does not know are
written as commands.
"""

import re
from collections.abc import Iterator

from moot.reports.grid import Cell, Grid

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
_ARGUMENT = re.compile(r"^([\[*])")  # what would belong to the command before it


def latex(grid: Grid) -> Iterator[str]:
    """The table as a float with its title and its note as caption, line by line."""
    yield "% needs \\usepackage{booktabs}"
    yield "\\begin{table}"
    yield "\\centering"
    yield "\\small"
    yield f"\\caption{{{escaped(f'{grid.title}. {grid.note}')}}}"
    yield f"\\begin{{tabular}}{{{''.join('l' if c.words else 'r' for c in grid.columns)}}}"
    yield "\\toprule"
    yield _row([escaped(column.name) for column in grid.columns])
    yield "\\midrule"
    for row in grid.rows:
        yield _row([_cell(cell) for cell in row.cells])
    yield "\\bottomrule"
    yield "\\end{tabular}"
    yield "\\end{table}"
    yield ""


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell) -> str:
    return escaped(f"{cell.text} [{cell.interval}]" if cell.interval else cell.text)


def escaped(text: str) -> str:
    """A text that LaTeX sets as it is."""
    apart = _JOINED.sub("\\1\0", " ".join(text.split(" ")))
    written = _SIGN.sub(lambda found: _SIGNS[found[0]], apart).replace("\0", "{}")
    return _ARGUMENT.sub(r"{\1}", written)

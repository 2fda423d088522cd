r"""Tables in LaTeX, with the rules of the package ``booktabs``.

The text needs no other package where the names in it do not: signs that pdfTeX does not know are
written as commands.
"""

import re
from collections.abc import Iterable, Iterator

from moot.reports.grid import Cell, Grid
from moot.reports.latex_fit import NARROW, groups, narrow, parts, places, text_width
from moot.analyses.summary import SIMULATED

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


def latex_page(grids: Iterable[Grid], *, simulated: bool) -> str:
    """Tables below each other."""
    warning = [f"% {SIMULATED}"] if simulated else []
    return "\n".join([*warning, *(text for grid in grids for text in latex(grid))]) + "\n"


def latex(grid: Grid) -> Iterator[str]:
    """The table as floats that fit a page, title and note as caption, line by line."""
    for part in parts(grid):
        yield from _float(part.grid, part.names)


def _float(grid: Grid, names: float | None) -> Iterator[str]:
    yield "% needs \\usepackage{booktabs}"
    yield "\\begin{table}"
    yield "\\centering"
    yield "\\small" if names is None else "\\footnotesize"
    yield f"\\caption{{{escaped(f'{grid.title}. {grid.note}'.strip())}}}"
    yield from _whole(grid) if names is None else _narrow(grid, names)
    yield "\\bottomrule"
    yield "\\end{tabular}"
    yield "\\end{table}"
    yield ""


def _whole(grid: Grid) -> Iterator[str]:
    """Every cell in one line."""
    yield f"\\begin{{tabular}}{{{''.join('l' if c.words else 'r' for c in grid.columns)}}}"
    yield "\\toprule"
    yield _row([escaped(column.name) for column in grid.columns])
    yield "\\midrule"
    for row in grid.rows:
        yield _row([_cell(cell) for cell in row.cells])


def _narrow(grid: Grid, names: float) -> Iterator[str]:
    """Names in several lines, intervals beneath figures, above rows what they have in common."""
    first = groups(grid)
    columns = grid.columns[first:]
    kind = "p" if grid.columns[first].words else "r"
    left = f"p{{{names}em}}" if kind == "p" else "r"
    yield "\\setlength{\\tabcolsep}{3pt}"
    yield f"\\begin{{tabular}}{{@{{}}{left}{'r' * (len(columns) - 1)}@{{}}}}"
    yield "\\toprule"
    headed = [_headed(grid, k) for k in range(first + 1, len(grid.columns))]
    yield _row([escaped(columns[0].name), *headed])
    yield "\\midrule"
    last: list[str] = []
    for row in grid.rows:
        where = places(row, grid)
        if where != last:
            if last:
                yield "\\addlinespace"
            yield _heading(grid, where)
            last = where
        name, *figures = row.cells[first:]
        told = _name(name.text, names) if kind == "p" else _cell(name)
        yield _row([told, *map(_figure, figures)])


def _heading(grid: Grid, where: list[str]) -> str:
    """What the rows below have in common, across the whole table."""
    told = "; ".join(
        f"{column.name}: {place}" for column, place in zip(grid.columns, where, strict=False)
    )
    kind = "l" if text_width(told) <= NARROW else f"p{{{NARROW}em}}"
    size = len(grid.columns) - len(where)
    return f"\\multicolumn{{{size}}}{{@{{}}{kind}@{{}}}}{{\\itshape {_breaking(told)}}} \\\\"


def _headed(grid: Grid, k: int) -> str:
    """The heading of a column of figures, in as many lines as their width asks for."""
    name, width = grid.columns[k].name, narrow(grid, k)
    if text_width(name) <= width:
        return escaped(name)
    return f"\\parbox[b]{{{width:.1f}em}}{{\\raggedleft {escaped(name)}}}"


def _figure(cell: Cell) -> str:
    if not cell.interval:
        return escaped(cell.text)
    lines = f"{escaped(cell.text)} \\\\ \\scriptsize {{}}[{escaped(cell.interval)}]"
    return f"\\begin{{tabular}}[t]{{@{{}}r@{{}}}}{lines}\\end{{tabular}}"


def _name(text: str, width: float) -> str:
    """A name in as many lines as it takes."""
    if text_width(text) <= width:
        return escaped(text)
    return f"\\raggedright\\hspace{{0pt}}{_breaking(text)}"


def _breaking(text: str) -> str:
    return _BREAKS.sub(r"\1\\allowbreak{}", escaped(text))


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell) -> str:
    return escaped(f"{cell.text} [{cell.interval}]" if cell.interval else cell.text)


def escaped(text: str) -> str:
    """A text that LaTeX sets as it is."""
    apart = _JOINED.sub("\\1\0", " ".join(text.split(" ")))
    written = _SIGN.sub(lambda found: _SIGNS[found[0]], apart).replace("\0", "{}")
    return _ARGUMENT.sub(r"{\1}", written)

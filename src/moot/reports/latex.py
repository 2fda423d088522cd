r"""Tables in LaTeX, which fit between the margins of a page or of two columns of one.

A table that is too wide for a column stands across the page (``table*``), and LaTeX itself makes it
smaller where it is still too wide (``adjustbox``). A long one goes on on the next page
(``longtable``), for which a page of two columns becomes one of one; where it is too wide for a
turned page it is cut into several. Texts get the room that figures leave. Rules are those of
``booktabs``. Signs that pdfTeX does not know are written as commands.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from unicodedata import name

from moot.core.table import REACH, Column, Report, ResultTable, ShownCell
from moot.core.table_text import SIMULATED, pack_columns

PACKAGES = r"% needs \usepackage{adjustbox,array,booktabs,longtable,pdflscape}"
LONG = 42
"""The most lines of a table that stands on one page, those of its note among them."""
NOTE = 100
"""About how many characters stand in a line of a note, whose letters are small."""
HALF = 48
"""About how many characters stand in a line of one of two columns."""
LINE = 75
"""About how many characters stand in a line of a page; a table with more is made narrow."""
NAMES = (20, 16, 12)
"""Characters of a text in a line of a narrow table: the first with which the table fits."""
HEADING = 10
"""Characters of a heading in a line of a narrow table."""
_SMALLER = {"footnotesize": r"\scriptsize", "scriptsize": r"\tiny"}
"""The size of the letters of an interval beneath its figure, by that of the figure."""
_SIZES = (
    (74, "footnotesize", False),
    (84, "scriptsize", False),
    (108, "footnotesize", True),
    (WIDEST := 125, "scriptsize", True),
)
"""About how many characters stand in a line of a long table, the size of its letters then, and
whether the page is turned."""
FLOATS = 18
"""The most tables that LaTeX keeps back until they have a page."""
_ONE_COLUMN = r"\makeatletter\if@twocolumn\onecolumn\aftergroup\twocolumn\fi\makeatother"


def _name_greek(letter: str) -> str:
    """Return the command of a Greek letter."""
    named = name(letter).rsplit(" ", 1)[1].replace("LAMDA", "LAMBDA")
    return named.capitalize() if letter.isupper() else named.lower()


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
    "±": r"$\pm$",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "–": "--",
    "…": r"\ldots{}",
    "→": r"$\rightarrow$",
    "·": r"\textperiodcentered{}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "\u00a0": "~",
    "←": r"$\leftarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "√": r"$\surd$",
    "✓": r"$\surd$",
    "∞": r"$\infty$",
    "∈": r"$\in$",
    "«": r"$\ll$",
    "»": r"$\gg$",
    **{sign: f"$\\{_name_greek(sign)}$" for sign in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"},
}
_SIGN = re.compile("[" + re.escape("".join(_SIGNS)) + "]")
_UNKNOWN = re.compile(
    r"[^\0-\xaa\xac-\xba\xbc-\u017f\u0218-\u021b‐-—‘’“”•‰€™]|[ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ]"
)
"""Signs that pdfTeX has no letter for, after those of ``_SIGNS``."""
_JOINED = re.compile(r"([-'`?!,])(?=[-'`,])")  # what TeX would make one sign of
_BREAKS = re.compile(
    r"(\\[_&]|[=?]|(?<!\d)[/,:]|[/,:](?!\d)|(?<=\d)\+|\\textgreater\{\}|\{\[\}U\+[0-9A-F]+\])(?=\S)"
)
"""Where a name may go on in another line; a figure never does."""
_LONG_WORD = re.compile(r"(?=[^\W_]*\d)[^\W_]{9,}|[^\W_]{24,}")
"""Words that TeX does not hyphenate, such as hashes and long numbers."""
_PIECE = re.compile(r"[^\W_]{8}(?=[^\W_])")
_ARGUMENT = re.compile(r"^([\[*])")  # what would belong to the command before it


def write_latex(report: Report) -> str:
    """Return LaTeX of the tables, one below the other; what they show stands in comments."""
    said = [SIMULATED] * report.simulated + [report.title, *report.findings, *report.notes]
    comments = [f"% {' '.join(each.split())}" for each in said]
    tables: list[str] = []
    for number, table in enumerate(report.tables, 1):
        tables += [*latex_table(table), *[r"\clearpage", ""][: 2 * (number % FLOATS == 0)]]
    odd = any("[}U+" in line for line in tables)
    comments += [
        "% signs that pdfTeX has no letter for are written by their numbers: [U+4E2D]"
    ] * odd
    return "\n".join([*comments, PACKAGES, "", *tables]) + "\n"


def latex_table(table: ResultTable) -> Iterator[str]:
    """Yield one table, line by line: its title as the caption, findings and note below it.

    A long one that is too wide for a turned page is cut into several, each with the names of the
    rows.
    """
    narrow = _Narrow(table)
    if _width(table) > LINE and narrow.height > LONG and narrow.width > WIDEST:
        for part in narrow.parts():
            yield from _set_table(part)
    else:
        yield from _set_table(table)


def _set_table(table: ResultTable) -> Iterator[str]:
    caption = rf"\caption{{{_breaking(table.title)}}}"
    words = _breaking(" ".join([*table.findings, table.words]).strip())
    below = [rf"\par\smallskip{{\scriptsize {words}\par}}"] * bool(words)
    set_table = _Narrow(table) if _width(table) > LINE else _Wide(table)
    kinds, rows = "".join(set_table.kinds), list(_write_rows(set_table))
    head = [r"\toprule", *_write_head(set_table), r"\midrule"]
    if set_table.height <= LONG:
        name = "table*" if set_table.width > HALF else "table"
        size = "footnotesize" if isinstance(set_table, _Narrow) else "small"
        yield from (rf"\begin{{{name}}}", r"\centering", rf"\{size}", caption)
        yield from (r"\begin{adjustbox}{max width=\linewidth}", rf"\begin{{tabular}}{{{kinds}}}")
        yield from (*head, *rows, r"\bottomrule")
        yield from (r"\end{tabular}", r"\end{adjustbox}", *below, rf"\end{{{name}}}", "")
    else:
        group = "landscape" if set_table.turned else "center"
        yield from (r"\begingroup", _ONE_COLUMN, rf"\begin{{{group}}}", rf"\{set_table.size}")
        yield from (r"\setlength{\tabcolsep}{3pt}", rf"\begin{{longtable}}{{{kinds}}}")
        yield from (rf"{caption} \\", *head, r"\endfirsthead", *head, r"\endhead", *rows)
        yield from (r"\bottomrule", r"\end{longtable}", *below)
        yield from (rf"\end{{{group}}}", r"\endgroup", "")


def _width(table: ResultTable) -> int:
    """Return about how many characters a line of a table has, intervals beside their figures."""
    shown = table.shown
    return sum(
        2 + max(_extent(column.shown), *(_extent(_beside(cells[place])) for cells in shown), 0)
        for place, column in enumerate(table.columns)
    )


def _count_lines(table: ResultTable) -> int:
    """Return about how many lines a table has, each row in one, with its note."""
    noted = len(" ".join([*table.findings, table.words])) // NOTE
    return len(table.rows) + 2 * len({row.band for row in table.rows}) + noted


class _Wide:
    """A table whose intervals stand beside their figures.

    Attributes:
        kinds: of its columns, as LaTeX has them.
        width: about how many characters a line has.
        height: about how many lines of text it has.
        size: of the letters, where it is long.
        turned: whether it stands on turned pages then.
    """

    size, turned = "small", False

    def __init__(self, table: ResultTable) -> None:
        self.table, self.width = table, _width(table)
        self.height = _count_lines(table)
        self.kinds = ["l" if column.is_text else "r" for column in table.columns]

    def heading(self, column: Column) -> str:
        """Return the heading of a column."""
        return escape_latex(column.shown)

    def cell(self, column: Column, cell: ShownCell) -> str:  # noqa: ARG002 -- as narrow tables
        """Return a cell."""
        return escape_latex(_beside(cell))


class _Narrow:
    """A table whose names stand in several lines, and intervals beneath figures.

    It has the attributes of ``_Wide``, and the width of each column.
    """

    def __init__(self, table: ResultTable) -> None:
        self.table = _share_names(table)
        shown, columns = self.table.shown, self.table.columns
        whole = [
            self._measure(column, [cells[k] for cells in shown]) for k, column in enumerate(columns)
        ]
        widths = self._fit(whole)
        room, self.size, self.turned = next((e for e in _SIZES if sum(widths) <= e[0]), _SIZES[-1])
        self.widths = _share_room(widths, whole, 9 * room // 10)
        self.width = sum(self.widths)
        self.kinds = [
            rf">{{\raggedright\arraybackslash}}p{{{0.48 * (width - 1):.1f}em}}"
            if column.is_text
            else "r"
            for column, width in zip(columns, self.widths, strict=True)
        ]
        self.height = _count_lines(self.table) - len(shown)
        self.height += sum(map(self._count_row, shown))
        self._small = _SMALLER[self.size if self.height > LONG else "footnotesize"]

    def parts(self) -> Iterator[ResultTable]:
        """Yield tables of as many columns as a turned page has room for; the first has the note."""
        table, named = self.table, self.table.named_by
        groups = [column.group for column in table.columns[named:]]
        room = WIDEST - sum(self.widths[:named])
        blocks = pack_columns(groups, self.widths[named:], room)
        for number, block in enumerate(blocks, 1):
            places = [*range(named), *(named + place for place in block)]
            yield table._replace(
                title=f"{table.title} ({number} of {len(blocks)})",
                columns=tuple(table.columns[place] for place in places),
                rows=[row._replace(cells=[row.cells[p] for p in places]) for row in table.rows],
                note=table.note if number == 1 else "",
                findings=table.findings if number == 1 else (),
            )

    def _fit(self, whole: Sequence[int]) -> list[int]:
        """Return the least widths of columns with which they fit, texts in several lines."""
        for most in (*NAMES, NAMES[0]):
            widths = [
                min(most, width) if column.is_text else width
                for column, width in zip(self.table.columns, whole, strict=True)
            ]
            if sum(widths) <= WIDEST:
                break
        return widths

    def _count_row(self, cells: Sequence[ShownCell]) -> int:
        """Return about how many lines a row has: those of its longest name, or of a figure."""
        names = [
            -(-_extent(_beside(cell)) // max(1, width - 1))
            for cell, width, column in zip(cells, self.widths, self.table.columns, strict=True)
            if column.is_text
        ]
        figures = 1 + any(
            cell.interval
            for cell, column in zip(cells, self.table.columns, strict=True)
            if not column.is_text
        )
        return max([figures, *names])

    def _measure(self, column: Column, cells: Sequence[ShownCell]) -> int:
        """Return about how many characters wide a column is."""
        lines = wrap(column.shown, HEADING, break_long_words=False) or [""]
        if column.is_text:
            return 2 + max(*map(_extent, lines), *(_extent(_beside(cell)) for cell in cells), 0)
        figures = (max(len(cell.text), 4 * len(cell.interval) // 5) for cell in cells)
        return 2 + max(*map(len, lines), *figures, 0)

    def heading(self, column: Column) -> str:
        """Return the heading of a column, above figures in several lines."""
        lines = wrap(column.shown, HEADING, break_long_words=False)
        if len(lines) < 2 or column.is_text:
            return escape_latex(column.shown)
        return r"\shortstack[r]{" + r" \\ ".join(map(escape_latex, lines)) + "}"

    def cell(self, column: Column, cell: ShownCell) -> str:
        """Return a cell, its interval beneath it."""
        if column.is_text:
            return rf"\hspace{{0pt}}{_breaking(_beside(cell))}" if cell.text else ""
        if not cell.interval:
            return escape_latex(cell.text)
        interval = escape_latex(cell.interval.replace(" … ", "…"))
        if not cell.interval.startswith(REACH):
            interval = f"{{}}[{interval}]"
        lines = rf"{escape_latex(cell.text)} \\ {self._small} {interval}"
        return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{lines}\end{{tabular}}"


def _write_head(layout: _Wide | _Narrow) -> Iterator[str]:
    """Yield the headings: those that columns share above a rule, and their own."""
    if groups := layout.table.groups:
        cells, rules, place = [], [], 1
        for name, number in groups:
            text = escape_latex(name)
            cells.append(
                rf"\multicolumn{{{number}}}{{c}}{{{text}}}" if name else " & " * (number - 1)
            )
            rules += [rf"\cmidrule(lr){{{place}-{place + number - 1}}}"] * bool(name)
            place += number
        yield _row(cells)
        yield "".join(rules)
    yield _row([layout.heading(column) for column in layout.table.columns])


def _write_rows(layout: _Wide | _Narrow) -> Iterator[str]:
    """Yield the rows, each band of them below its heading."""
    band = ""
    for number, (row, cells) in enumerate(zip(layout.table.rows, layout.table.shown, strict=True)):
        if row.band != band:
            band = row.band
            yield from [r"\addlinespace"] * bool(number)
            width = r"p{0.9\linewidth}" if len(band) > LINE else "l"
            yield (
                rf"\multicolumn{{{len(layout.kinds)}}}{{@{{}}{width}@{{}}}}"
                rf"{{\itshape {_breaking(band)}}} \\*"
            )
        yield _row([layout.cell(*both) for both in zip(layout.table.columns, cells, strict=True)])


def _share_names(table: ResultTable) -> ResultTable:
    """Return a table in which rows share a band for their first names, where they have them alike.

    As many columns of names become bands as leave two rows or more to a band; never the last of
    them, and none of a table that has only text, whose columns are what it says.
    """
    named = table.named_by - 1
    if named + 1 == len(table.columns) or not table.rows or any(row.band for row in table.rows):
        return table
    bands = [[cell.text for cell in cells[:named]] for cells in table.shown]
    for shared in range(named, 0, -1):
        runs = groupby(band[:shared] for band in bands)
        if 2 * sum(1 for _ in runs) <= len(bands):
            return _fold_names(table, shared)
    return table


def _fold_names(table: ResultTable, shared: int) -> ResultTable:
    """Return a table whose first columns are the bands of its rows."""
    rows = []
    for row, cells in zip(table.rows, table.shown, strict=True):
        named = zip(table.columns[:shared], cells, strict=False)
        band = "; ".join(f"{column.heading}: {cell.text}" for column, cell in named)
        rows.append(row._replace(cells=row.cells[shared:], band=band))
    return table._replace(columns=table.columns[shared:], rows=rows)


def _share_room(widths: Sequence[int], whole: Sequence[int], room: int) -> list[int]:
    """Return widths of columns; those with the most lines get the room that is left."""
    shared = list(widths)
    for _ in range(room - sum(widths)):
        short = [place for place, width in enumerate(shared) if width < whole[place]]
        if not short:
            break
        shared[max(short, key=lambda place: whole[place] / shared[place])] += 1
    return shared


def _extent(text: str) -> int:
    """Return about how many characters wide a text is; capitals and signs as numbers are wide."""
    unknown = len(_UNKNOWN.findall(_SIGN.sub("", text)))
    return len(text) + sum(map(str.isupper, text)) // 2 + 8 * unknown


def _beside(cell: ShownCell) -> str:
    if cell.interval.startswith(REACH):
        return cell.line
    return f"{cell.text} [{cell.interval}]" if cell.interval else cell.text


def _breaking(text: str) -> str:
    """Return a text that may go on in another line within its names and long words."""
    broken = _BREAKS.sub(r"\1\\allowbreak{}", escape_latex(text))
    return _LONG_WORD.sub(lambda word: _PIECE.sub(r"\g<0>\\allowbreak{}", word[0]), broken)


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def escape_latex(text: str) -> str:
    """Return a text in which LaTeX's special signs are escaped.

    A sign that pdfTeX has no letter for, as 中, becomes its number: ``[U+4E2D]``.
    """
    apart = _JOINED.sub("\\1\0", " ".join(text.split(" ")))
    written = _SIGN.sub(lambda found: _SIGNS[found[0]], apart).replace("\0", "{}")
    written = _UNKNOWN.sub(lambda found: f"{{[}}U+{ord(found[0]):04X}]", written)
    return _ARGUMENT.sub(r"{\1}", written)

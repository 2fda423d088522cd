"""Debatepedia: titles of debates in an encyclopaedia of them, archived in 2020.

The published file is the log of a crawler: on each line the address of one archived page. A line
of this form, though not one of theirs:

    https://web.archive.org/web/2020/http://www.debatepedia.org/en/index.php/Debate:_Is_tea_good%3F

becomes ``Question(id="debatepedia-title-0000", kind="text", text="Is tea good?")``; no answer is
known to be right. Ids count the lines from 0. Pages that came before, and those of categories and
of single arguments, are left out. Titles are also read from JSON lines made of that file:

    {"id": "debatepedia-title-0000", "topic": "Is tea good?"}

They are not the 573 questions that "Prejudice and Fidelity" takes from the same encyclopaedia.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from moot.core.questions import Question
from moot.datasets.columns import RowCells
from moot.datasets.dataset import dataset
from moot.datasets.published import describe
from moot.datasets.records import json_lines, make_row_error

PAGE = "debatepedia.org/en/index.php/"
"""What stands in an address before the title."""

OTHERS = ("Category:", "Argument:")
"""What the titles of pages begin with that are no debates."""


@dataset(**describe("debatepedia").registration)
def debatepedia(path: Path) -> Iterator[Question]:
    """Topics of debates, to argue about."""
    json = path.read_bytes().lstrip().startswith(b"{")
    rows = json_lines(path, RowCells) if json else _read_log(path)
    return describe("debatepedia").map_rows(path, rows, "debatepedia")


def _read_log(path: Path) -> Iterator[tuple[int, RowCells]]:
    """Yield the id and title of each debate in the log, with its line."""
    seen: set[str] = set()
    for line, raw in enumerate(path.read_bytes().splitlines(), start=1):
        _, known, page = raw.decode(errors="replace").partition(PAGE)
        if not known:
            raise make_row_error(path, line, f"it is no address with {PAGE} in it")
        title = unquote(page).replace("_", " ").removeprefix("Debate:").strip()
        if title not in seen and not title.startswith(OTHERS):
            seen.add(title)
            yield line, {"id": f"debatepedia-title-{line - 1:04}", "topic": title}

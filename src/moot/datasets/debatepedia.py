"""Debatepedia: titles of debates in an encyclopaedia of them, archived in 2020.

The published file is the log of somebody's crawler, the address of one archived page a line. A line
of this form, though not one of theirs:

    https://web.archive.org/web/2020/http://www.debatepedia.org/en/index.php/Debate:_Is_tea_good%3F

becomes ``Question(id="debatepedia-title-0000", kind="text", text="Is tea good?")``, of which nobody
knows what is right. Ids count the lines from 0. Pages that came before, and those of categories and
of single arguments, are left out. Titles are also read from JSON lines made of that file:

    {"id": "debatepedia-title-0000", "topic": "Is tea good?"}

They are not the 573 questions that "Prejudice and Fidelity" takes from the same encyclopaedia.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import msgspec

from moot.core.questions import Question
from moot.datasets.dataset import File, dataset
from moot.datasets.records import damaged, json_lines

SOURCE = "https://raw.githubusercontent.com/tejush1998/Debatepedia-data"
COMMIT = "e49a60fdbc0089115ab76168ef0e3271316bea02"

PAGE = "debatepedia.org/en/index.php/"
"""What stands in an address before the title."""

OTHERS = ("Category:", "Argument:")
"""What the titles of pages begin with that are no debates."""


class Row(msgspec.Struct):
    """One line, where the file is JSON lines."""

    id: str
    topic: str


@dataset(
    kinds=("text",),
    rows=322,
    files=(
        File(
            name="error",
            url=f"{SOURCE}/{COMMIT}/error",
            sha256="b7ea7408806236942eb2a310b0e392bf321579ac2f6bd2f71fdb3ac7e7578b46",
            bytes=76853,
        ),
    ),
)
def debatepedia(path: Path) -> Iterator[Question]:
    """Topics of debates, to argue about."""
    json = path.read_bytes().lstrip().startswith(b"{")
    for line, name, topic in (_made if json else _logged)(path):
        if not (name and topic.strip()):
            raise damaged(path, line, "the row has no id, or no title")
        yield Question(id=name, kind="text", text=topic.strip())


def _made(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, id and title of each row."""
    return ((line, row.id, row.topic) for line, row in json_lines(path, Row))


def _logged(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, id and title of each debate that is in the log."""
    seen: set[str] = set()
    for line, raw in enumerate(path.read_bytes().splitlines(), start=1):
        _, known, page = raw.decode(errors="replace").partition(PAGE)
        if not known:
            raise damaged(path, line, f"it is no address with {PAGE} in it")
        title = unquote(page).replace("_", " ").removeprefix("Debate:").strip()
        if title not in seen and not title.startswith(OTHERS):
            seen.add(title)
            yield line, f"debatepedia-title-{line - 1:04}", title

"""GPQA: questions of graduate level that a search does not answer (Rein et al. 2023).

The archive of arXiv:2311.12022 holds a CSV file for each part, encrypted with a password that its
authors publish: they ask that no question is shown in the open, so that models are not trained on
it. It is decrypted only in memory, and every question is ``secret``: neither the store nor any
output has its texts. The columns that are read:

    Record ID, Question, Correct Answer, Incorrect Answer 1, Incorrect Answer 2, Incorrect Answer 3

A row becomes ``Question(id="gpqa-rec…", kind="choice", …, secret=True)``. The id is the record's,
so that a question of the diamond part has the id it has in main. The four answers stand in an order
drawn from the record's id, white space around them left out. In one record of main a wrong answer
is spelt as the right one: either letter is right there.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal
from zipfile import BadZipFile, ZipFile

import msgspec
from msgspec import Meta

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.datasets.dataset import dataset
from moot.datasets.ids import rank
from moot.datasets.published import describe
from moot.datasets.records import csv_rows, make_row_error

PASSWORD = b"deserted-untie-orchid"
"""As published in the authors' README: it keeps out crawlers, not readers."""


class GpqaRow(msgspec.Struct):
    """One row of the file; what moot does not use is not read."""

    record: str = msgspec.field(name="Record ID")
    question: str = msgspec.field(name="Question")
    right: str = msgspec.field(name="Correct Answer")
    wrong_1: str = msgspec.field(name="Incorrect Answer 1")
    wrong_2: str = msgspec.field(name="Incorrect Answer 2")
    wrong_3: str = msgspec.field(name="Incorrect Answer 3")


@dataset(**describe("gpqa").registration)
def gpqa(
    path: Path,
    *,
    part: Annotated[
        Literal["main", "diamond"],
        Meta(description="main: 448 questions; diamond: the 198 that its experts agree on best"),
    ] = "main",
) -> Iterator[Question]:
    """Science of graduate level; never stored or shown in plain text."""
    file = path / f"gpqa_{part}.csv"  # for error texts: it exists only in the archive
    for line, row in csv_rows(file, GpqaRow, data=_decrypt(path, file.name)):
        texts = (row.right, row.wrong_1, row.wrong_2, row.wrong_3)
        answers = tuple(text.strip() for text in texts)
        if not (row.record.strip() and row.question.strip() and all(answers)):
            raise make_row_error(file, line, "a record has an id, a question and four answers")
        order = sorted(range(4), key=lambda place: rank("gpqa", row.record.strip(), place))
        choices = tuple(answers[place] for place in order)
        right = tuple("ABCD"[at] for at, choice in enumerate(choices) if choice == answers[0])
        yield Question(
            id=f"gpqa-{row.record.strip()}",
            kind="choice",
            text=row.question.strip(),
            choices=choices,
            answer=right if len(right) > 1 else right[0],
            secret=True,
        )


def _decrypt(path: Path, name: str) -> bytes:
    """Return a file of the archive. Raises ``InputError`` for another or damaged archive."""
    try:
        with ZipFile(path) as archive:
            return archive.read(f"dataset/{name}", pwd=PASSWORD)
    except KeyError:
        why = f"there is no dataset/{name} in it"
    except (BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
        why = f"dataset/{name} cannot be decrypted: {error}"
    raise InputError(f"{path}: {why}; fetch or add the file again")

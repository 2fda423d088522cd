"""CosmosQA: what a passage from a diary does not say but means, four choices (Huang et al. 2019).

The validation part (arXiv:1909.00277): that of the test has no published answers. A CSV file with a
header, the label a number that counts the answers from 0. Rows of this form, though not of theirs:

    id,context,question,answer0,answer1,answer2,answer3,label
    3X##q1,We left at ten .,Why so early ?,Rain .,Sleep .,Hunger .,None of the above choices .,1

become ``Question(id="cosmosqa-1", kind="choice", text="Why so early ?", context="We left at ten .",
choices=("Rain .", "Sleep .", "Hunger .", "None of the above choices ."), answer="B")``. The id
counts the rows from 1. Of the 2985 rows, 2187 have the choice ``None of the above choices .``, at
any of the four places; and 382 ask a question again that another row asks of the same passage, with
other choices.

The training part is the published training file, of the same form; it gives no reasons.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from moot.core.questions import Example, Question
from moot.datasets.dataset import File, dataset
from moot.datasets.tables import csv_rows

SOURCE = "https://raw.githubusercontent.com/wilburOne/cosmosqa"
COMMIT = "b6eb99cca4e2a51dd28a9a6f562534872d851639"


class Row(msgspec.Struct):
    """One row of the file; its long published id is not read."""

    context: str
    question: str
    answer0: str
    answer1: str
    answer2: str
    answer3: str
    label: Annotated[int, Meta(ge=0, le=3)]


@dataset(
    kinds=("choice",),
    rows=2985,
    files=(
        File(
            name="valid.csv",
            url=f"{SOURCE}/{COMMIT}/data/valid.csv",
            sha256="a6a94fc1463ca82bb10f98ef68ed535405e6f5c36e044ff8e136b5c19dea63f3",
            bytes=2128345,
        ),
    ),
    licence="CC-BY-4.0",
    paper="arXiv:1909.00277",
)
def cosmosqa(path: Path) -> Iterator[Question]:
    """What a passage from a diary does not say but means, four choices."""
    return _questions(path, "cosmosqa")


@cosmosqa.training(
    files=(
        File(
            name="train.csv",
            url=f"{SOURCE}/{COMMIT}/data/train.csv",
            sha256="d8d5ca1f9f6534b6530550718591af89372d976a8fc419360fab4158dee4d0b2",
            bytes=16660449,
        ),
    )
)
def worked(path: Path) -> Iterator[Example]:
    """The published training file."""
    return (Example(question=question) for question in _questions(path, "cosmosqa-training"))


def _questions(path: Path, name: str) -> Iterator[Question]:
    for place, (_, row) in enumerate(csv_rows(path, Row), 1):
        choices = (row.answer0, row.answer1, row.answer2, row.answer3)
        yield Question(
            id=f"{name}-{place}",
            kind="choice",
            text=row.question.strip(),
            context=row.context.strip(),
            choices=tuple(choice.strip() for choice in choices),
            answer="ABCD"[row.label],
        )

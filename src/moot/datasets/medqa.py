"""MedQA: questions of the US medical licensing examination, four choices (Jin et al. 2021).

One JSON object a line; the test part of the English questions (arXiv:2009.13081), each with four
of its published options. A row of this form, though not one of theirs:

    {"question": "A child has a runny nose. What is most likely?", "answer": "A cold",
     "options": {"A": "Gout", "B": "A cold", "C": "Measles", "D": "Sepsis"}, "meta_info": "step1",
     "answer_idx": "B", "metamap_phrases": ["child", "runny nose"]}

becomes ``Question(id="medqa-1", kind="choice", text="A child has …", choices=("Gout", "A cold",
"Measles", "Sepsis"), answer="B")``. The id counts the file's lines from 1. White space around a
question or an option is left out; the examination's step and the phrases are not read.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from moot.core.questions import Question
from moot.datasets.dataset import File, dataset
from moot.datasets.records import damaged, json_lines

SOURCE = "https://raw.githubusercontent.com/Taewhoo/BioRAG"
COMMIT = "fdb2e334aa08ad6fc3e3fefd91e409961ebf3e0b"

LETTERS = ("A", "B", "C", "D")


class Row(msgspec.Struct, rename={"letter": "answer_idx"}):
    """One line of the file; what moot does not use is not read."""

    question: str
    options: dict[str, str]
    answer: str
    letter: str


@dataset(
    kinds=("choice",),
    rows=1273,
    files=(
        File(
            name="phrases_no_exclude_test.jsonl",
            url=f"{SOURCE}/{COMMIT}/phrases_no_exclude_test.jsonl",
            sha256="2e51d17d47099a72c4eea6b6a3307de71360333e0c99beb1d53d7a42834cacc4",
            bytes=2075680,
        ),
    ),
    licence="MIT",
    paper="arXiv:2009.13081",
)
def medqa(path: Path) -> Iterator[Question]:
    """Questions of the US medical licensing examination, four choices."""
    for line, row in json_lines(path, Row):
        if tuple(row.options) != LETTERS:
            raise damaged(path, line, "the options are not A, B, C and D")
        if row.options.get(row.letter) != row.answer:
            raise damaged(path, line, f"the answer is not the option {row.letter!r}")
        yield Question(
            id=f"medqa-{line}",
            kind="choice",
            text=row.question.strip(),
            choices=tuple(option.strip() for option in row.options.values()),
            answer=row.letter,
        )

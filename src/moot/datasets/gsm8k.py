r"""GSM8K: grade-school mathematics in words, the test split (Cobbe et al. 2021, arXiv:2110.14168).

One JSON object a line. The answer is worked out in words, and its last line is ``#### `` and the
number. A row of this form, though not one of theirs:

    {"question": "A pen costs $2. What do 600 pens cost?",
     "answer": "600*2=<<600*2=1200>>1,200\n#### 1,200"}

becomes ``Question(id="gsm8k-1", kind="number", text="A pen costs …", answer="1200")``. The id
counts the file's lines from 1. Commas are removed from the number; the worked answer is not kept.

The training part is the published training file, of the same form. There the worked answer is kept
as the reason, without the calculator's marks: ``600*2=1,200``.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from moot.core.questions import Example, Question
from moot.datasets.canonical import parse_number
from moot.datasets.dataset import dataset
from moot.datasets.published import describe
from moot.datasets.records import json_lines, make_row_error

CALCULATED = re.compile(r"<<[^<>]*>>")


class Gsm8kRow(msgspec.Struct):
    """One line of the file."""

    question: str
    answer: str


@dataset(**describe("gsm8k").registration)
def gsm8k(path: Path) -> Iterator[Question]:
    """Grade-school mathematics in words."""
    return (example.question for example in _rows(path, "gsm8k"))


@gsm8k.training(files=describe("gsm8k").training_files)
def read_training(path: Path) -> Iterator[Example]:
    """The published training file."""
    return _rows(path, "gsm8k-training")


def _rows(path: Path, name: str) -> Iterator[Example]:
    for line, row in json_lines(path, Gsm8kRow):
        steps, mark, last = row.answer.rpartition("####")
        gold = last.strip().replace(",", "")
        if not mark or parse_number(gold) is None:
            raise make_row_error(path, line, "the answer does not end in '####' and a number")
        question = Question(id=f"{name}-{line}", kind="number", text=row.question, answer=gold)
        yield Example(question=question, reason=CALCULATED.sub("", steps).strip())

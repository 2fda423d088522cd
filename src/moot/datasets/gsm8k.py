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
from moot.datasets.dataset import File, dataset
from moot.datasets.records import damaged, json_lines, number

SOURCE = "https://raw.githubusercontent.com/openai/grade-school-math"
COMMIT = "3101c7d5072418e28b9008a6636bde82a006892c"
DATA = f"{SOURCE}/{COMMIT}/grade_school_math/data"

CALCULATED = re.compile(r"<<[^<>]*>>")


class Row(msgspec.Struct):
    """One line of the file."""

    question: str
    answer: str


@dataset(
    kinds=("number",),
    rows=1319,
    files=(
        File(
            name="test.jsonl",
            url=f"{DATA}/test.jsonl",
            sha256="3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
            bytes=749738,
        ),
    ),
    licence="MIT",
    paper="arXiv:2110.14168",
)
def gsm8k(path: Path) -> Iterator[Question]:
    """Grade-school mathematics in words."""
    return (example.question for example in _rows(path, "gsm8k"))


@gsm8k.training(
    files=(
        File(
            name="train.jsonl",
            url=f"{DATA}/train.jsonl",
            sha256="17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465",
            bytes=4166206,
        ),
    )
)
def worked(path: Path) -> Iterator[Example]:
    """The published training file."""
    return _rows(path, "gsm8k-training")


def _rows(path: Path, name: str) -> Iterator[Example]:
    for line, row in json_lines(path, Row):
        steps, mark, last = row.answer.rpartition("####")
        gold = last.strip().replace(",", "")
        if not mark or number(gold) is None:
            raise damaged(path, line, "the answer does not end in '####' and a number")
        question = Question(id=f"{name}-{line}", kind="number", text=row.question, answer=gold)
        yield Example(question=question, reason=CALCULATED.sub("", steps).strip())

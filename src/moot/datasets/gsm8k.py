r"""GSM8K: grade-school mathematics in words, the test split (Cobbe et al. 2021, arXiv:2110.14168).

One JSON object a line. The answer is worked out in words, and its last line is ``#### `` and the
number. A row of this form, though not one of theirs:

    {"question": "A pen costs $2. What do 600 pens cost?",
     "answer": "600*2=<<600*2=1200>>1,200\n#### 1,200"}

becomes ``Question(id="gsm8k-1", kind="number", text="A pen costs …", answer="1200")``. The id
counts the file's lines from 1. Commas are removed from the number; the worked answer is not kept.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from moot.core.questions import Question
from moot.datasets.dataset import File, dataset
from moot.datasets.records import damaged, json_lines, number

SOURCE = "https://raw.githubusercontent.com/openai/grade-school-math"
COMMIT = "3101c7d5072418e28b9008a6636bde82a006892c"


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
            url=f"{SOURCE}/{COMMIT}/grade_school_math/data/test.jsonl",
            sha256="3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
            bytes=749738,
        ),
    ),
    licence="MIT",
    paper="arXiv:2110.14168",
)
def gsm8k(path: Path) -> Iterator[Question]:
    """Grade-school mathematics in words."""
    for line, row in json_lines(path, Row):
        gold = row.answer.rpartition("####")[2].strip().replace(",", "")
        if "####" not in row.answer or number(gold) is None:
            raise damaged(path, line, "the answer does not end in '####' and a number")
        yield Question(id=f"gsm8k-{line}", kind="number", text=row.question, answer=gold)

"""Starters: forty small questions of our own, of every kind but chess, to meet moot with.

They are easy for a person; a small model gets some of them right. They stand in ``starters.jsonl``,
a question a line. The training part has twenty others, five of each kind, with a reason each, in
``starters-training.jsonl``.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from moot.core.questions import Example, Question
from moot.datasets.dataset import dataset
from moot.datasets.example_rows import read_examples

FOLDER = Path(__file__).parent


@dataset(kinds=("choice", "boolean", "number", "text"), rows=40, licence="Apache-2.0")
def starters() -> Iterator[Question]:
    """Forty small questions of our own, of every kind but chess."""
    for question in (example.question for example in read_examples(FOLDER / "starters.jsonl")):
        # Of a text the answers are a tuple, also of one: runs are known by their questions' JSON.
        is_text = question.kind == "text"
        yield replace(question, answer=question.answers) if is_text else question


@starters.training()
def read_training() -> Iterator[Example]:
    """Twenty others, each with a reason."""
    return iter(read_examples(FOLDER / "starters-training.jsonl"))

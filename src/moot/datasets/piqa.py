"""PIQA: which of two ways reaches a goal in the physical world (Bisk et al. 2020).

The validation part (arXiv:1911.11641): that of the test has no published answers. ``valid.jsonl``
has one JSON object a line, ``valid-labels.lst`` on the same line 0 where the first way is right and
1 where the second is. A row of this form, though not one of theirs:

    {"goal": "To keep soup warm,", "sol1": "put it in a fridge.", "sol2": "put a lid on the pot. "}

with the label 1 becomes ``Question(id="piqa-1", kind="choice", text="Goal: To keep soup warm,
Which of these two solutions reaches it?", choices=("put it in a fridge.", "put a lid on the pot."),
answer="B")``, with a blank line between goal and question. The id counts the lines from 1. White
space around a text is left out. Some goals come several times, with other ways. "Prejudice and
Fidelity" calls the ways solution-1 and solution-2 and asks for 0 or 1; here they are options.
"""

from collections.abc import Iterator
from pathlib import Path

from moot.core.questions import Question
from moot.datasets.columns import RowCells
from moot.datasets.dataset import dataset
from moot.datasets.published import describe
from moot.datasets.records import json_lines, make_row_error


@dataset(**describe("piqa").registration)
def piqa(path: Path, labels: Path) -> Iterator[Question]:
    """Which of two ways reaches a goal in the physical world."""
    return describe("piqa").map_rows(path, _label_rows(path, labels), "piqa")


def _label_rows(path: Path, labels: Path) -> Iterator[tuple[int, RowCells]]:
    """Yield the rows of a file, each with its label, which is on the same line of another file."""
    values = labels.read_bytes().splitlines()
    for line, label in enumerate(values, 1):
        if label not in {b"0", b"1"}:
            raise make_row_error(labels, line, "the label is neither 0 nor 1")
    line = 0
    for line, row in json_lines(path, RowCells):
        if line > len(values):
            raise make_row_error(labels, line, f"there is no label for line {line} of {path.name}")
        yield line, {**row, "label": values[line - 1].decode()}
    if line < len(values):
        raise make_row_error(labels, line + 1, f"{path.name} has no question on this line")

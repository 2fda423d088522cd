r"""PubMedQA: questions that an abstract answers with yes, no or maybe (Jin et al. 2019).

Two JSON objects: ``ori_pqal.json`` has 1000 rows labelled by experts (arXiv:1909.06146), each under
its PubMed number, and ``test_ground_truth.json`` the decisions for the 500 of them that are the
test. Rows of this form, though not of theirs:

    {"123": {"QUESTION": "Do pens help?", "CONTEXTS": ["Pens are common.", "Of 9 pens, 8 did."],
     "LABELS": ["BACKGROUND", "RESULTS"], "final_decision": "yes", "LONG_ANSWER": "They do.", …}}

    {"123": "yes"}

become ``Question(id="pubmedqa-123", kind="choice", text="Do pens help?", context="BACKGROUND: Pens
are common.\nRESULTS: Of 9 pens, 8 did.", choices=("yes", "no", "maybe"), answer="A")``. The
conclusion, ``LONG_ANSWER``, is no part of what is asked: it gives the answer away.

The training part is the other 500, each with its conclusion as the reason.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from moot.core.errors import NOT_JSON
from moot.core.questions import Example, Question
from moot.datasets.dataset import dataset
from moot.datasets.published import describe
from moot.datasets.records import make_row_error

PubMedDecision = Literal["yes", "no", "maybe"]
DECISIONS: tuple[PubMedDecision, ...] = ("yes", "no", "maybe")

Value = TypeVar("Value")


class PubMedRow(msgspec.Struct):
    """What is published under one PubMed number; what moot does not use is not read."""

    question: str = msgspec.field(name="QUESTION")
    contexts: list[str] = msgspec.field(name="CONTEXTS")
    labels: list[str] = msgspec.field(name="LABELS")
    conclusion: str = msgspec.field(name="LONG_ANSWER")
    decision: PubMedDecision = msgspec.field(name="final_decision")


@dataset(**describe("pubmedqa").registration)
def pubmedqa(path: Path, truth: Path) -> Iterator[Question]:
    """Questions that a medical abstract answers with yes, no or maybe."""
    rows = _members(path)
    for number, raw in _members(truth).items():
        decision = _value(raw, str, truth, number)
        if number not in rows:
            raise make_row_error(truth, _line(truth, number), f"{path.name} has no row {number!r}")
        row = _value(rows[number], PubMedRow, path, number)
        if row.decision != decision:
            why = f"the decision is {decision!r}, in {path.name} {row.decision!r}"
            raise make_row_error(truth, _line(truth, number), why)
        yield _question(f"pubmedqa-{number}", row, path, number)


@pubmedqa.training(files=describe("pubmedqa").training_files)
def read_training(path: Path, truth: Path) -> Iterator[Example]:
    """Yield an example for each row that is not in the test part."""
    tested = _members(truth)
    for number, raw in _members(path).items():
        if number not in tested:
            row = _value(raw, PubMedRow, path, number)
            question = _question(f"pubmedqa-training-{number}", row, path, number)
            yield Example(question=question, reason=row.conclusion.strip())


def _question(name: str, row: PubMedRow, path: Path, number: str) -> Question:
    if not row.contexts or len(row.contexts) != len(row.labels):
        why = f"the row has {len(row.contexts)} contexts and {len(row.labels)} labels"
        raise make_row_error(path, _line(path, number), why)
    parts = zip(row.labels, row.contexts, strict=True)
    return Question(
        id=name,
        kind="choice",
        text=row.question.strip(),
        context="\n".join(f"{label}: {text.strip()}" for label, text in parts),
        choices=DECISIONS,
        answer="ABC"[DECISIONS.index(row.decision)],
    )


def _members(path: Path) -> dict[str, msgspec.Raw]:
    """The rows of a file by their PubMed numbers, each still to be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
    except NOT_JSON as error:
        raise make_row_error(path, 1, str(error)) from None


def _value(raw: msgspec.Raw, type: type[Value], path: Path, number: str) -> Value:  # noqa: A002
    try:
        return msgspec.json.decode(raw, type=type)
    except NOT_JSON as error:
        raise make_row_error(path, _line(path, number), str(error)) from None


def _line(path: Path, number: str) -> int:
    """Where the row of this number starts; looked for only when there is an error to report."""
    data = path.read_bytes()
    return data.count(b"\n", 0, max(data.find(f'"{number}"'.encode()), 0)) + 1

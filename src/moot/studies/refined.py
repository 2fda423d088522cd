"""A refined dataset: its questions as a file that any study can use, and where they come from."""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from moot.core.errors import InputError
from moot.core.files import output_error, write_files
from moot.core.questions import Question

_json = msgspec.json.encode


class Combination(NamedTuple):
    """A protocol, and how its first agent is asked."""

    protocol: str
    opening: str


class CountedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """How hard a question was.

    Attributes:
        models_right: how many models have it right, each by the share of its replicates.
        combinations_right: how many debates of the combinations, in the same way.
    """

    id: str
    models_right: float
    combinations_right: float


class RefinedSet(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one dataset.

    Attributes:
        dataset: its label in the study.
        source: its name.
        parameters: the dataset's own, as ``n`` and ``draw_seed``: which questions were looked at.
        files: the SHA-256 of each published file that it reads, by name.
        questions_sha256: of all questions looked at, as a file of them would be.
        asked: how many these were.
        dropped: those of them that all models have right.
        questions: those that are kept, the hardest first.
    """

    dataset: str
    source: str
    parameters: dict[str, Any]
    n: int | None
    draw_seed: int
    files: dict[str, str]
    questions_sha256: str
    asked: int
    dropped: int
    questions: tuple[CountedQuestion, ...]

    @property
    def stem(self) -> str:
        """The name of its files, without a suffix."""
        return re.sub(r"[^\w.-]+", "-", self.dataset).strip("-.") or "dataset"


class Refined(msgspec.Struct, frozen=True, kw_only=True):
    """The result of refining the datasets of a study.

    Attributes:
        study: its name.
        seed: of the draw of combinations, and of the order of questions that are equally hard.
        keep: the most questions kept of each dataset.
        models: the models by the arms in which they answered alone.
        pool: the combinations there were.
        combinations: those that were drawn.
        runs: the keys of the runs: of the models, then of the combinations.
        failed: debates of both that failed; they count as not right.
        simulated: True when any model is no language model.
        datasets: in the order of the study.
    """

    study: str
    seed: int
    keep: int
    models: dict[str, str]
    pool: tuple[Combination, ...]
    combinations: tuple[Combination, ...]
    runs: tuple[str, ...]
    failed: int
    simulated: bool
    datasets: tuple[RefinedSet, ...]


def encode_questions(questions: Iterable[Question]) -> bytes:
    """Encode questions as JSON lines that the dataset ``file`` reads without a mapping."""
    return b"".join(_line(question) + b"\n" for question in questions)


def _line(question: Question) -> bytes:
    if question.secret:  # an error has said so before
        raise InputError(f"question {question.id!r} is secret and is not written to a file")
    row: dict[str, Any] = {"id": question.id, "kind": question.kind, "question": question.text}
    if question.context:
        row["context"] = question.context
    if question.choices:
        row["choices"] = question.choices
    return _json(row | {"answer": question.answer})


def hash_content(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return sha256(data).hexdigest()


def write_refined(
    folder: Path, refined: Refined, each: RefinedSet, questions: Sequence[Question]
) -> None:
    """Write a refined dataset and, beside it, its provenance.

    Raises:
        InputError: a file cannot be written.
    """
    lines = encode_questions(questions)
    provenance = {
        **msgspec.to_builtins(refined),
        "datasets": [each],
        "kept": len(questions),
        "sha256": hash_content(lines),
    }
    path = folder / f"{each.stem}.jsonl"
    about = msgspec.json.format(_json(provenance)) + b"\n"
    try:
        write_files({path: lines, path.with_suffix(".provenance.json"): about})
    except OSError as error:
        raise output_error(error.filename or str(path), error) from None

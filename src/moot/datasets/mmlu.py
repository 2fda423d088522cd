"""MMLU: examination questions of six clinical subjects, four choices (Hendrycks et al. 2021).

The test part of six of the 57 subjects (arXiv:2009.03300): those of "Should we be going MAD?"
(Smit et al. 2024), section 3. That paper speaks of 123 questions; the six subjects have 1089.
Each is a CSV file with a header, the answer a number that counts the choices from 0. Rows of this
form, though not of theirs:

    question,choice0,choice1,choice2,choice3,answer
    Which of these is a bone?,Skin,Femur,Liver,Lung,1

become ``Question(id="mmlu-anatomy-1", kind="choice", text="Which of …", choices=("Skin", "Femur",
"Liver", "Lung"), answer="B")``. The id has the subject and counts its rows from 1. White space
around a text is left out. 78 questions of clinical knowledge are published again in college
medicine, word for word: 1011 are different.

The training part is the published development part: five questions of each subject, without
reasons. "Should we be going MAD?" shows five examples.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, get_args

from msgspec import Meta

from moot.core.questions import Example, Question
from moot.datasets.dataset import dataset
from moot.datasets.published import describe

Subject = Literal[
    "anatomy",
    "clinical_knowledge",
    "college_medicine",
    "medical_genetics",
    "professional_medicine",
    "college_biology",
]
"""The six subjects, in the order of their files."""


Chosen = Annotated[Literal["all", Subject], Meta(description="one of the six alone")]


@dataset(**describe("mmlu").registration)
def mmlu(*paths: Path, subject: Chosen = "all") -> Iterator[Question]:
    """Examination questions of six clinical subjects, four choices."""
    return _read(paths, subject, "mmlu")


@mmlu.training(files=describe("mmlu").training_files)
def read_training(*paths: Path, subject: Chosen = "all") -> Iterator[Example]:
    """Five questions of each subject, without reasons."""
    return (Example(question=question) for question in _read(paths, subject, "mmlu-training"))


def _read(paths: tuple[Path, ...], subject: Chosen, prefix: str) -> Iterator[Question]:
    for name, path in zip(get_args(Subject), paths, strict=True):
        if subject in {"all", name}:
            yield from describe("mmlu").read(path, f"{prefix}-{name}")

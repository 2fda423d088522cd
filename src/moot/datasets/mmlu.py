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
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from moot.core.questions import Question
from moot.datasets.dataset import File, dataset
from moot.datasets.tables import csv_rows

SOURCE = "https://raw.githubusercontent.com/HaeChan0305/MLILAB-FedLLM"
COMMIT = "d92730e8bacd7b3a61e551e015e40588e10234b4"

Subject = Literal[
    "anatomy",
    "clinical_knowledge",
    "college_medicine",
    "medical_genetics",
    "professional_medicine",
    "college_biology",
]

PUBLISHED: dict[Subject, tuple[int, str]] = {
    "anatomy": (29892, "b27ce42f40482ba735cf0de8e8bbba3382d506c099d8483c55e9cacdac4e3eec"),
    "clinical_knowledge": (
        56347,
        "9ba57061f15ae7263a12eeb413b73d876038e0ce21734ffce411e1ae22662737",
    ),
    "college_medicine": (
        78382,
        "65876236acf78e813e62b78cdc2217c2651785324b8c51148aaffa6d89436d0d",
    ),
    "medical_genetics": (
        18470,
        "b330e63b2e60345285490ff495d5f4aea1981d738cc303c559903ec1c12238c1",
    ),
    "professional_medicine": (
        211363,
        "3490aa679090fdfd94f1a887219f2a85bb4028f4d0e6d49d6242fb9a99b846a1",
    ),
    "college_biology": (
        45399,
        "872bae5fe76cecb083603a7ba95adc436a8e345f50c5ee232cc8bfa9f9f56713",
    ),
}


class Row(msgspec.Struct):
    """One row of a file."""

    question: str
    choice0: str
    choice1: str
    choice2: str
    choice3: str
    answer: Annotated[int, Meta(ge=0, le=3)]


@dataset(
    kinds=("choice",),
    rows=1089,
    files=tuple(
        File(
            name=f"{subject}_test.csv",
            url=f"{SOURCE}/{COMMIT}/data/mmlu/test/{subject}_test.csv",
            sha256=sha256,
            bytes=size,
        )
        for subject, (size, sha256) in PUBLISHED.items()
    ),
    licence="MIT",
    paper="arXiv:2009.03300",
)
def mmlu(
    *paths: Path,
    subject: Annotated[Literal["all", Subject], Meta(description="one of the six alone")] = "all",
) -> Iterator[Question]:
    """Examination questions of six clinical subjects, four choices."""
    for name, path in zip(PUBLISHED, paths, strict=True):
        if subject in {"all", name}:
            for place, (_, row) in enumerate(csv_rows(path, Row), 1):
                choices = (row.choice0, row.choice1, row.choice2, row.choice3)
                yield Question(
                    id=f"mmlu-{name}-{place}",
                    kind="choice",
                    text=row.question.strip(),
                    choices=tuple(choice.strip() for choice in choices),
                    answer="ABCD"[row.answer],
                )

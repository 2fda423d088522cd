"""StrategyQA: yes or no, by facts that the question does not name (Geva et al. 2021).

All questions with published answers (arXiv:2101.02235): 2061 of ``train.json``, then 229 of
``dev.json``, as their authors divided them. Each file is one JSON list. A row of this form, though
not one of theirs:

    {"qid": "0a1b", "term": "Snail", "description": "an animal", "question": "Could a snail win the
     Tour de France?", "answer": false, "facts": ["Snails crawl."], "decomposition": […], …}

becomes ``Question(id="strategyqa-0a1b", kind="boolean", text="Could a snail …", answer="false")``.
The id has the published one. White space around a question is left out. The description and the
facts are not read: one has to think of them. One question comes twice.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from moot.core.questions import Question
from moot.datasets.dataset import File, dataset
from moot.datasets.records import json_list

SOURCE = "https://raw.githubusercontent.com/eladsegal/strategyqa"
COMMIT = "1ba1e97452e189569357876f2854b01357ffbe37"


class Row(msgspec.Struct):
    """One element of a list; what moot does not use is not read."""

    qid: str
    question: str
    answer: bool


@dataset(
    kinds=("boolean",),
    rows=2290,
    files=(
        File(
            name="train.json",
            url=f"{SOURCE}/{COMMIT}/data/strategyqa/train.json",
            sha256="0f72560b8a6fad3db847d2f1a7524fb087297843bb45a8d3245ffd68cbe0de12",
            bytes=3857762,
        ),
        File(
            name="dev.json",
            url=f"{SOURCE}/{COMMIT}/data/strategyqa/dev.json",
            sha256="0d94842ffb022db8fd5ecd2168b785d5cf67f6faf64f665476bad544a3eb9dde",
            bytes=424195,
        ),
    ),
    licence="MIT",
    paper="arXiv:2101.02235",
)
def strategyqa(*paths: Path) -> Iterator[Question]:
    """Yes or no, by facts that the question does not name."""
    for path in paths:
        for _, row in json_list(path, Row):
            yield Question(
                id=f"strategyqa-{row.qid}",
                kind="boolean",
                text=row.question.strip(),
                answer="true" if row.answer else "false",
            )

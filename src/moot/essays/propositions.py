"""Propositions: what one may argue for and against (Hu et al. 2024, Debate-to-Write).

The 64 of figure 11 of arXiv:2406.19643, taken there from idebate.net and from Reddit's Change My
View. moot knows no address of a file with them: it takes a copy, one JSON object a line in the
figure's order. A row of this form, though not one of theirs:

    {"id": "proposition-00", "proposition": "We should abolish Mondays", "topic": "Society"}

becomes ``Question(id="proposition-00", kind="text", text="We should abolish Mondays")``, of which
nobody knows what is right. The topics are not kept.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from moot.core.questions import Question
from moot.datasets.dataset import File, dataset
from moot.datasets.records import damaged, json_lines


class Row(msgspec.Struct):
    """One line of the file."""

    id: str
    proposition: str


@dataset(
    kinds=("text",),
    rows=64,
    files=(
        File(
            name="propositions.jsonl",
            url="",
            sha256="ab80e89ef4a8030e49d9ee7897be16e1e57c3700ee465cddaf9b09ea63708925",
            bytes=7722,
        ),
    ),
    paper="arXiv:2406.19643",
)
def propositions(path: Path) -> Iterator[Question]:
    """Controversial propositions, to argue about."""
    for line, row in json_lines(path, Row):
        if not (row.id and row.proposition.strip()):
            raise damaged(path, line, "the row has no id, or no proposition")
        yield Question(id=row.id, kind="text", text=row.proposition.strip())

"""Questions in a file of the user's: JSON lines, one JSON array, CSV with a header, or Parquet.

[[datasets]]
name = "file"
path = "birds.csv"
columns = { question = "ask", choices = ["a", "b", "c"], answer = "label" }
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.files import expand_home
from moot.core.questions import KINDS, Question
from moot.datasets.columns import (
    ColumnMapping,
    FirstNumber,
    FixedKind,
    MappedColumns,
    SkipUnreadable,
    read_questions,
)
from moot.datasets.dataset import dataset


@dataset(kinds=KINDS, licence="yours")
def file(
    *,
    folder: Path,
    path: Annotated[
        str, Meta(description="of the file: .jsonl, .json, .csv, .tsv or .parquet")
    ] = "",
    columns: MappedColumns = None,
    kind: FixedKind = None,
    first: FirstNumber = None,
    skip_unreadable: SkipUnreadable = False,
) -> Iterator[Question]:
    """Questions in a file of yours: JSON lines, CSV or Parquet."""
    if not path:
        raise InputError("dataset 'file': path is not given; name a file, as in path = 'my.jsonl'")
    mapping = ColumnMapping(
        columns=columns, kind=kind, first=first, skip_unreadable=skip_unreadable
    )
    return read_questions(folder / expand_home(path, "file"), mapping, dataset="file")

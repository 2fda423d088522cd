"""Datasets described by a file: what they are, where their files are, which column holds what.

Each published dataset has a file ``NAME.toml`` in this folder:

    summary = "What a passage from a diary does not say but means, four choices."
    kinds = ["choice"]
    rows = 2985
    licence = "CC-BY-4.0"
    paper = "arXiv:1909.00277"
    source = "https://raw.githubusercontent.com/wilburOne/cosmosqa/b6eb99c…/data"
    first = 0

    [columns]
    question = "question"
    choices = ["answer0", "answer1", "answer2", "answer3"]
    answer = "label"

    [[files]]
    path = "valid.csv"
    sha256 = "a6a94fc1…"
    bytes = 2128345

``columns``, ``kind`` and ``first`` mean what they mean for a file of the user's
(``moot.datasets.columns``). A dataset whose format needs more has a module of the same name, which
reads the files; the description then has no ``summary``. Another package describes its dataset in
the same way: ``birds = describe_dataset(Path(__file__).with_name("birds.toml"))``.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

import msgspec

from moot.core.encoding import drop_mark
from moot.core.questions import Example, Kind, Question
from moot.datasets.columns import ColumnMapping, RowCells, map_rows, read_questions
from moot.datasets.dataset import Dataset, File, dataset
from moot.datasets.records import make_row_error
from moot.datasets.usual_columns import Columns

FOLDER = Path(__file__).parent


class PublishedFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of a published dataset.

    Attributes:
        path: where it is below the source; or a whole address, of a file that is elsewhere.
        sha256: of its uncompressed bytes, in hexadecimal.
        bytes: how many those are; 0 where that is not stated.
    """

    path: str
    sha256: str
    bytes: int = 0


class DatasetDescription(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The description of a dataset in a file.

    Attributes:
        summary: one line; empty if a module reads the dataset.
        kinds: the kinds its questions may have.
        rows: how many questions it has.
        licence: of the questions.
        paper: where it was published.
        needs: the library that its questions are read with; empty if there is none.
        source: the address of the folder with the files, pinned to a version; empty if the files
            are not published.
        files: what it reads.
        training: what its training part reads.
        columns: what gives each role; see ``moot.datasets.columns``.
        kind: of all questions, unless a column says it.
        first: the number of the first choice, where answers are the numbers of choices.
        instead: what stands for a column in rows that lack it: another column, or a template.
    """

    summary: str = ""
    kinds: tuple[Kind, ...]
    rows: int
    licence: str = "unknown"
    paper: str = ""
    needs: str = ""
    source: str = ""
    files: tuple[PublishedFile, ...]
    training: tuple[PublishedFile, ...] = ()
    columns: Columns = {}
    kind: Kind | None = None
    first: Literal[0, 1] | None = None
    instead: dict[str, str] = {}

    @property
    def registration(self) -> dict[str, Any]:
        """The arguments of ``dataset`` for the function that reads it."""
        return {
            "kinds": self.kinds,
            "rows": self.rows,
            "licence": self.licence,
            "paper": self.paper,
            "needs": self.needs,
            "files": self._locate(self.files),
        }

    @property
    def training_files(self) -> tuple[File, ...]:
        """The files of the training part, with addresses."""
        return self._locate(self.training)

    @property
    def mapping(self) -> ColumnMapping:
        """The rules for its rows; published questions have an answer if any column has it."""
        columns = {"id": "{dataset}-{line}"} | self.columns
        answered = "answer" in columns
        return ColumnMapping(
            columns=columns,
            kind=self.kind,
            first=self.first,
            answered=answered,
            instead=self.instead,
        )

    def read(self, path: Path, dataset: str) -> Iterator[Question]:
        """Yield the questions of a file; ids begin with ``dataset``."""
        return read_questions(path, self.mapping, dataset=dataset, error=make_row_error)

    def map_rows(
        self, path: Path, rows: Iterable[tuple[int, RowCells]], dataset: str
    ) -> Iterator[Question]:
        """Yield the questions of rows that were read from a file, each with its line."""
        return map_rows(path, rows, self.mapping, dataset=dataset, error=make_row_error)

    def _locate(self, files: tuple[PublishedFile, ...]) -> tuple[File, ...]:
        return tuple(
            File(
                name=file.path.rpartition("/")[2],
                url=urljoin(f"{self.source}/", file.path) if self.source else "",
                sha256=file.sha256,
                bytes=file.bytes,
            )
            for file in files
        )


@cache
def describe(name: str) -> DatasetDescription:
    """Return the description of a dataset in the file ``NAME.toml`` of this folder."""
    return _load(FOLDER / f"{name}.toml")


def describe_dataset(path: Path) -> Dataset:
    """Register the dataset that a file describes, under the name of the file.

    Raises:
        msgspec.ValidationError: the description is wrong.
    """
    about = _load(path)
    name = path.stem

    def read(*paths: Path) -> Iterator[Question]:
        return (question for each in paths for question in about.read(each, name))

    def read_training(*paths: Path) -> Iterator[Example]:
        training = f"{name}-training"
        found = (question for each in paths for question in about.read(each, training))
        return (Example(question=question) for question in found)

    read.__name__, read.__doc__ = name.replace("-", "_"), about.summary
    made = dataset(**about.registration)(read)
    if about.training:
        made.training(files=about.training_files)(read_training)
    return made


def _load(path: Path) -> DatasetDescription:
    return msgspec.toml.decode(drop_mark(path.read_bytes()), type=DatasetDescription)


for _file in sorted(FOLDER.glob("*.toml")):
    if not _file.with_name(f"{_file.stem.replace('-', '_')}.py").exists():
        describe_dataset(_file)

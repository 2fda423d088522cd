"""Rows of any file becoming questions, by a mapping that says which column holds what.

``columns`` has roles for keys: ``question``, and if there are any ``answer``, ``choices``,
``context``, ``id`` and ``kind``; without it the columns have the names of their roles. A row

    {"ask": "Which bird cannot fly?", "a": "robin", "b": "emu", "c": "swift", "label": "B"}

the first of ``birds.jsonl``, becomes ``Question(id="birds-1", kind="choice", …, answer="B")``. Ids
count the lines, or the rows of Parquet, from 1. ``choices.text`` is what ``text`` holds in the
table that stands in the column ``choices``.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.core.questions import KINDS, Kind, Question
from moot.datasets.example_files import WANTED, Answer, canonical, only_kind
from moot.datasets.ids import Ids
from moot.datasets.records import is_list, json_lines, json_list
from moot.datasets.tables import csv_rows

ROLES = ("question", "answer", "choices", "context", "id", "kind")
"""What a column can hold."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Columns = dict[str, str | list[str]]
Row = dict[str, Any]

Mapped = Annotated[
    Columns | None, Meta(description="the column of each role; choices may have several")
]
Fixed = Annotated[
    Kind | None, Meta(description="of all questions; else what their answers can only be")
]
First = Annotated[
    Literal[0, 1] | None, Meta(description="where answers count the choices: of the first one")
]
"""The parameters of every dataset that reads by a mapping."""


def read(
    path: Path, columns: Columns | None, kind: Kind | None, first: int | None, *, dataset: str
) -> Iterator[Question]:
    """The questions of a file: JSON lines, one JSON array, CSV with a header, or Parquet.

    Args:
        path: of the file; its ending says what it is.
        columns: the column of each role.
        kind: of all questions, unless a column says it.
        first: 0 or 1 where answers count the choices: the number of the first one.
        dataset: who asks, for error texts.

    Raises:
        InputError: the file cannot be read, or a row is no question; it names file, line, column.
    """
    mapping = _mapping(columns, dataset)
    ids = Ids()
    try:
        for number, row in _rows(path, mapping):
            question = _Reading(path, number, row, mapping).question(kind, first)
            ids.add(question.id)
            yield question
        if twice := ids.twice():
            _unique(path, mapping, twice)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def _mapping(columns: Columns | None, dataset: str) -> Columns | None:
    """The column or columns of each role; None where they have the names of their roles."""
    if columns is None:
        return None
    where = f"dataset {dataset!r}, parameter 'columns'"
    for role, named in columns.items():
        if role not in ROLES:
            raise UnknownName("key", role, ROLES, where=where)
        if isinstance(named, list) and (role != "choices" or len(named) < 2):
            raise InputError(f"{where}: {role} = {named}: name one column; choices may have more")
    return {"question": "question"} | columns


def _rows(path: Path, mapping: Columns | None) -> Iterator[tuple[int, Row]]:
    """The rows of a file by column, with their lines; those of Parquet with their numbers."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _parquet(path, mapping)
    if suffix == ".csv":
        return csv_rows(path, Row, _wrong)
    return (json_list if is_list(path) else json_lines)(path, Row, _wrong)


def _unique(path: Path, mapping: Columns | None, suspects: set[int]) -> None:
    """Whether the rows whose ids have these hashes have different ones."""
    seen: dict[str, int] = {}
    for number, row in _rows(path, mapping):
        name = _Reading(path, number, row, mapping).id
        if hash(name) in suspects and (other := seen.setdefault(name, number)) != number:
            raise _wrong(path, number, f"the id {name!r} is also in {_place(path, other)}")


def _parquet(path: Path, mapping: Columns | None) -> Iterator[tuple[int, Row]]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise InputError(f"{path}: to read Parquet, pip install 'moot[data]'") from None
    try:
        with parquet.ParquetFile(path) as table:
            there = table.schema_arrow.names
            needed = {"question"} if mapping is None else set(_named(mapping))
            wanted = needed.union(ROLES if mapping is None else ())
            roots = {_root(name, there) for name in needed}
            wanted |= roots
            columns = [name for name in there if name in wanted or not roots <= set(there)]
            numbers = count(1)
            for batch in table.iter_batches(columns=columns, batch_size=1000):
                yield from zip(numbers, batch.to_pylist(), strict=False)
    except ArrowException as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _root(name: str, there: Collection[str]) -> str:
    """The column that ``name`` is, or is within."""
    return name if name in there else name.partition(".")[0]


def _named(mapping: Columns) -> Iterator[str]:
    for named in mapping.values():
        yield from [named] if isinstance(named, str) else named


@lru_cache(maxsize=64)  # rows of one file have few sets of columns, often one
def _plain(columns: tuple[str, ...]) -> Columns:
    """Every role by its own name, where the row has it."""
    return {role: role for role in ROLES if role == "question" or role in columns}


class _Reading:
    """One row becoming a question."""

    def __init__(self, path: Path, number: int, row: Row, mapping: Columns | None) -> None:
        self.path, self.number, self.row = path, number, row
        self.mapping = _plain(tuple(row)) if mapping is None else mapping

    def question(self, kind: Kind | None, first: int | None) -> Question:
        """The question; ``kind`` if the row has none of its own, ``first`` as of ``file``."""
        text, choices = self.text("question"), self.choices()
        if not text:
            raise self.wrong("question", "it is empty")
        answers = self.answers()
        kind = self.kind(kind, choices, answers)
        right = tuple([self.answer(answer, kind, choices, first) for answer in answers])
        return Question(
            id=self.id,
            kind=kind,
            text=text,
            context=self.text("context") or None,
            choices=choices,
            answer=(right if len(right) > 1 else right[0]) if right else None,
        )

    @property
    def id(self) -> str:
        """Its own, else one that says where it stands."""
        return self.text("id") or f"{self.path.stem}-{self.number}"

    def cell(self, role: str) -> Any:  # noqa: ANN401 - whatever the file has there
        """What stands in the column of a role; None without such a column."""
        named = self.mapping.get(role)
        return None if named is None else self.column(str(named))

    def column(self, name: str) -> Any:  # noqa: ANN401 - whatever the file has there
        if name in self.row:
            return self.row[name]
        value: Any = self.row
        for step in name.split("."):
            if not isinstance(value, dict) or step not in value:
                raise UnknownName("column", name, self.row, where=_place(self.path, self.number))
            value = value[step]
        return value

    def text(self, role: str) -> str:
        """A text or a number as a text; empty where there is none."""
        if role not in self.mapping:
            return ""
        value = self.row.get(str(self.mapping[role]))
        if type(value) is str:  # as nearly all are
            return value.strip()
        value = self.cell(role)
        if isinstance(value, bool) or not isinstance(value, str | int | None):
            raise self.wrong(role, f"expected a text, got {type(value).__name__}")
        return "" if value is None else str(value).strip()

    def choices(self) -> tuple[str, ...]:
        """The options: of a column each, or of one column with a list or ``one|two``."""
        named = self.mapping.get("choices", "")
        if not named:
            return ()
        if isinstance(named, list):
            cells = [self.column(name) for name in named]
            while cells and not _said(cells[-1]):
                cells.pop()  # a question with fewer than others
        else:
            value = self.cell("choices")
            cells = value.split("|") if isinstance(value, str) and value.strip() else value or []
        if not isinstance(cells, list) or not all(map(_said, cells)):
            raise self.wrong("choices", "expected a list of texts, none of them empty")
        return tuple(map(_said, cells))

    def answers(self) -> list[Answer]:
        """Everything that is right, as it stands there; empty where nobody knows."""
        value = self.cell("answer")
        answers = value if isinstance(value, list) else [value]
        for answer in answers:
            if answer is not None and not isinstance(answer, Answer):
                raise self.wrong("answer", f"expected a text, got {type(answer).__name__}")
        return [answer for answer in answers if _said(answer)]

    def kind(self, kind: Kind | None, choices: Sequence[str], answers: list[Answer]) -> Kind:
        """Its own kind, else the given one, else what choices and answers can only be."""
        said = self.text("kind")
        own = next((known for known in KINDS if known == said), None) if said else None
        if said and own is None:
            raise self.wrong("kind", f"{said!r} is not one of {', '.join(KINDS)}")
        bare: Kind | None = only_kind(answers) if answers else "text"
        found = own or kind or ("choice" if choices else bare)
        if found is None:
            why = f"{answers[0]!r} fits several kinds: say kind, one of {', '.join(KINDS)}"
            raise self.wrong("answer", why)
        if (found == "choice") != (2 <= len(choices) <= len(LETTERS)):
            why = f"the kind is {found!r}, with {len(choices)} choices"
            raise self.wrong("choices", f"{why}; a choice, and nothing else, has 2 to 26")
        return found

    def answer(
        self, answer: Answer, kind: Kind, choices: tuple[str, ...], first: int | None
    ) -> str:
        """One of the right answers, in canonical form."""
        wanted, right = WANTED[kind], canonical(answer, kind, choices)
        if kind == "choice" and first is not None:
            numbered = enumerate(LETTERS[: len(choices)], first)
            right = {str(place): letter for place, letter in numbered}.get(
                _said(answer).removesuffix(".0")
            )
            wanted = f"a number from {first} to {first + len(choices) - 1}"
        if right is None:
            raise self.wrong("answer", f"{answer!r}; for kind {kind!r} it must be {wanted}")
        return right

    def wrong(self, role: str, why: str) -> InputError:
        named = self.mapping.get(role, role)
        columns = ", ".join(map(repr, [named] if isinstance(named, str) else named))
        return _wrong(self.path, self.number, f"column {columns}: {why}")


def _said(value: object) -> str:
    """What a cell says; empty for one that is."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) else ""


def _place(path: Path, number: int) -> str:
    return f"{path}, {'row' if path.suffix.lower() == '.parquet' else 'line'} {number}"


def _wrong(path: Path, number: int, why: str) -> InputError:
    return InputError(f"{_place(path, number)}: {why}")

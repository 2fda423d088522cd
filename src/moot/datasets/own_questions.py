"""A user's own questions: a file as it is, with its usual columns recognised."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from moot.core.errors import InputError
from moot.core.files import expand_home
from moot.core.questions import Kind, Question
from moot.datasets import library
from moot.datasets.columns import ColumnMapping, read_questions, read_rows
from moot.datasets.dataset import registry
from moot.datasets.records import make_own_row_error
from moot.datasets.unread_rows import Tell
from moot.datasets.usual_columns import (
    Columns,
    find_usual,
    join_choices,
    list_columns,
    split_choices_by_letter,
)


class OwnQuestions(NamedTuple):
    """The questions of a file or of a dataset, each once.

    Attributes:
        questions: in the order of the file; of equal ones the first.
        columns: the column of each role: ``question``, ``answer``, ``choices`` or the letters of
            columns with one choice each, and others that are there. The dataset ``file`` takes it
            as ``columns``. Empty for a dataset.
        others: the columns of the file's first rows that have no role.
        given: rows that were read.
        unique: questions among them that are not equal to an earlier one.
        file_sha256: of the file, in hexadecimal; None for a dataset.
        notes: for people: what was taken for what, rows that are left out, equal questions.
    """

    questions: list[Question]
    columns: dict[str, str]
    others: tuple[str, ...]
    given: int
    unique: int
    file_sha256: str | None
    notes: tuple[str, ...]


def read_own_questions(
    source: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    kind: Kind | None = None,
    skip_unreadable: bool = False,
    tell: Tell | None = None,
) -> OwnQuestions:
    """Return the questions of a file: CSV, TSV, JSON, JSON lines or Parquet; or of a dataset.

    Args:
        source: the path of the file, or the name of a dataset.
        columns: the columns of roles that are not recognised; an empty name leaves a role out.
        kind: of all questions; None to conclude it from the answers.
        skip_unreadable: whether rows that cannot be read are left out.
        tell: takes the note on rows that are left out; it is among the notes, if not given.

    Raises:
        UnknownName: there is neither such a file nor such a dataset; a column is not there.
        InputError: the file cannot be read, or a row is no question; it names file, line, column.
    """
    path = expand_home(source, "questions")
    if not path.exists() and isinstance(source, str) and registry.find(source) is not None:
        return _read_dataset(source, of_file=bool(columns or kind or skip_unreadable))
    if not path.is_file():
        raise InputError(
            f"{source}: there is no such file, and no dataset of this name; "
            "'moot data list' lists the datasets"
        )
    try:
        found, names = _merge_columns(path, columns or {})
        digest = sha256(path.read_bytes()).hexdigest()
    except OSError as why:
        raise InputError(f"{path} cannot be read: {why.strerror or why}") from None
    mapping = ColumnMapping(columns=found, kind=kind, skip_unreadable=skip_unreadable)
    notes = [f"{path}: {list_columns(found)}"]
    questions = list(read_questions(path, mapping, dataset=path.stem, tell=tell or notes.append))
    roles = split_choices_by_letter(found)
    others = tuple(name for name in names if name not in roles.values())
    return _keep_unique(questions, roles, others, digest, notes)


def _read_dataset(name: str, *, of_file: bool) -> OwnQuestions:
    """Return the questions of a dataset; ``of_file`` says that settings of a file are given."""
    if of_file:
        raise InputError(
            f"{name}: columns, a kind and rows to skip are of files; {name} is a dataset"
        )
    return _keep_unique(library.questions(name), {}, (), None, ())


def _merge_columns(path: Path, given: Mapping[str, str]) -> tuple[Columns, tuple[str, ...]]:
    """Return the usual columns of a file, those that are given in their place, and all names."""
    ColumnMapping(columns=dict(given)).check(str(path))
    rows = read_rows(path, None, make_own_row_error, on_error=lambda _: None)
    names = dict.fromkeys(
        name for _, (_, row) in zip(range(100), rows, strict=False) for name in row
    )
    found = find_usual(tuple(names))
    if names and found["question"] not in names and not given.get("question"):
        raise _ask_for_columns(path, tuple(names), found)
    if any(role == "choices" or len(role) == 1 for role in given):
        found = {role: named for role, named in found.items() if role != "choices"}
    return join_choices(found | dict(given)) or {}, tuple(names)


def _ask_for_columns(path: Path, names: tuple[str, ...], found: Columns) -> InputError:
    """Return the error of a file in which no column is that of the question by its name."""
    first, *rest = [name for name in names if name not in found.values()] or names
    answer = found.get("answer") or next(iter(rest), "COLUMN")
    return InputError(
        f"{path}: none of its columns is known to be the question: {', '.join(names)}. "
        f"Name the columns, as in question={first},answer={answer}"
    )


def _keep_unique(
    every: list[Question],
    columns: dict[str, str],
    others: tuple[str, ...],
    digest: str | None,
    notes: tuple[str, ...] | list[str],
) -> OwnQuestions:
    """Return the questions, each once, with a note on those that are equal to an earlier one."""
    first: dict[tuple[object, ...], Question] = {}
    other = 0
    for each in every:
        kept = first.setdefault((each.kind, each.flat_words, each.choices), each)
        other += kept.answer != each.answer
    told = list(notes)
    if (twice := len(every) - len(first)) > 0:
        said = f", {other:,} of them with another right answer" if other else ""
        told.append(
            f"{twice:,} of {len(every):,} questions are equal to an earlier one{said}: "
            "each is asked once"
        )
    return OwnQuestions(
        [*first.values()], columns, others, len(every), len(first), digest, tuple(told)
    )

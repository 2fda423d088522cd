"""Rows of a file become questions, by a mapping from columns to roles.

The keys of ``columns`` are roles: ``question`` and, where there are any, ``answer``, ``choices``,
``labels``, ``context``, ``documents``, ``id``, ``kind``, ``secret`` and ``tempting``; or letters,
each with the column of one choice. Without a mapping, columns have the names of their roles, or
others that are usual (``moot.datasets.usual_columns``). The row

    {"ask": "Which bird cannot fly?", "a": "robin", "b": "emu", "c": "swift", "label": "B"}

is the first of ``birds.jsonl``. With the mapping

    {"question": "ask", "choices": ["a", "b", "c"], "answer": "label"}

it becomes ``Question(id="birds-1", kind="choice", …, answer="B")``. A role is given by

- a column, such as ``ask``;
- a path into a table, such as ``choices.text``: what is ``text`` in the column ``choices``;
- a template, such as ``Goal: {goal}``, with columns in braces. There ``{dataset}`` is the name of
  the dataset, ``{row}`` the number of the row and ``{line}`` that of its line, both from 1.

Datasets that moot knows are read by the same mapping (``moot.datasets.published``), and so are
files of worked examples.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta

from moot.core.errors import InputError, UnknownName, check_known
from moot.core.questions import KINDS, WITHHELD, Kind, Question, QuestionDocument
from moot.datasets.canonical import (
    LETTERS,
    WANTED,
    RawAnswer,
    as_text,
    find_only_kind,
    find_twins,
    split_choices,
    split_tables,
    to_canonical,
)
from moot.datasets.ids import IdHashes
from moot.datasets.records import (
    TABLES,
    OnError,
    RowError,
    csv_rows,
    describe_place,
    find_list_key,
    find_separator,
    is_list,
    json_lines,
    json_list,
    make_own_row_error,
    make_row_error,
    parquet_rows,
    stop,
)
from moot.datasets.row_documents import read_documents
from moot.datasets.unread_rows import Tell, UnreadRows, say_once
from moot.datasets.usual_columns import (
    ROLES,
    Columns,
    count_known,
    describe_columns,
    find_near_answers,
    find_usual,
    join_choices,
)

MAPPED_ROLES = (*ROLES, "answer_again")
"""The keys of a mapping. ``answer_again`` is a second column that must say the same answer."""
_FIELD = re.compile(r"\{([^{}]+)\}")

RowCells = dict[str, Any]

MappedColumns = Annotated[
    Columns | None, Meta(description="the column of each role; choices may have several")
]
FixedKind = Annotated[
    Kind | None, Meta(description="of all questions; else what their answers can only be")
]
FirstNumber = Annotated[
    Literal[0, 1] | None, Meta(description="where answers count the choices: of the first one")
]
SkipUnreadable = Annotated[
    bool,
    Meta(
        description="leave out rows that cannot be read, and say how many",
        extra_json_schema={"late": True},
    ),
]
"""The parameters of every dataset that reads by a mapping."""


class ColumnMapping(msgspec.Struct, frozen=True, kw_only=True):
    """The rules by which the rows of a file become questions.

    Attributes:
        columns: what gives each role; None if the columns have the names of their roles.
        kind: of all questions, unless a column says it; None to conclude it from the answers.
        first: the number of the first choice, where answers are the numbers of choices.
        answered: whether a row without an answer is an error.
        examples: whether the rows are worked examples: with choices, a row is a choice even
            where ``kind`` is another. The white space around context and listed choices is kept.
        skip_unreadable: whether rows that cannot be read are left out.
        instead: what stands for a column in rows that lack it, by the column's name: another
            column, or a template.
    """

    columns: Columns | None = None
    kind: Kind | None = None
    first: Literal[0, 1] | None = None
    answered: bool = False
    examples: bool = False
    skip_unreadable: bool = False
    instead: dict[str, str] = {}

    def check(self, dataset: str) -> None:
        """Raise ``InputError`` for a role that does not exist or cannot have several columns."""
        where = f"dataset {dataset!r}, parameter 'columns'"
        for role, named in (self.columns or {}).items():
            if len(role) > 1 or role not in LETTERS:
                check_known("key", [role], MAPPED_ROLES, where=where)
            if isinstance(named, list) and (role != "choices" or len(named) < 2):
                why = f"{role} = {named}: name one column; choices may have more"
                raise InputError(f"{where}: {why}")


def read_questions(
    path: Path,
    mapping: ColumnMapping,
    *,
    dataset: str,
    error: RowError | None = None,
    tell: Tell = say_once,
) -> Iterator[Question]:
    """Yield the questions of a file: JSON lines, JSON, CSV or TSV with a header, or Parquet.

    Of a file of the user's, all rows that cannot be read are counted before the first is named.

    Args:
        path: of the file; its ending says what it is.
        mapping: which column holds what.
        dataset: the name of the dataset, for ids and error texts.
        error: makes the error of a row; None for one that names file and line.
        tell: takes notes for people: what was taken for what, and the rows that are left out.

    Raises:
        InputError: the file cannot be read, or a row is no question; it names file, line, column.
    """
    mapping.check(dataset)
    mapping = msgspec.structs.replace(mapping, columns=join_choices(mapping.columns))
    wrong, ids = error or make_own_row_error, IdHashes()
    unread = UnreadRows(path, skip=mapping.skip_unreadable)
    on_error = stop if error else unread.add
    try:
        rows = read_rows(path, mapping.columns, wrong, on_error=on_error)
        for each in read_each(path, rows, mapping, dataset, wrong):
            try:
                question = each.question()
            except InputError as why:
                on_error(why)
                continue
            if not ids and (said := describe_columns(path, each.columns, mapping.columns)):
                tell(said)
            ids.add(question.id)
            if not unread.stops:
                yield question
        if told := unread.finish(len(ids)):
            tell(told)
        if not ids:
            raise InputError(f"{path}: no questions: it has no rows")
        if twice := ids.find_repeats():
            rows = read_rows(path, mapping.columns, wrong, on_error=on_error)
            _check_ids(read_each(path, rows, mapping, dataset, wrong), twice)
    except OSError as why:
        raise InputError(f"{path} cannot be read: {why.strerror or why}") from None


def map_rows(
    path: Path,
    rows: Iterable[tuple[int, RowCells]],
    mapping: ColumnMapping,
    *,
    dataset: str,
    error: RowError,
) -> Iterator[Question]:
    """Yield the questions of rows, each of which has its line number.

    Raises:
        InputError: a row is no question.
    """
    return (each.question() for each in read_each(path, rows, mapping, dataset, error))


def read_rows(
    path: Path,
    columns: Columns | None,
    error: RowError,
    *,
    pad: bool = False,
    on_error: OnError = stop,
) -> Iterator[tuple[int, RowCells]]:
    """Yield the rows of a file by column, with their lines; those of Parquet with their numbers."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return parquet_rows(path, lambda names: _choose_columns(columns, names))
    if suffix in TABLES:
        sign = find_separator(path, partial(count_known, columns))
        return csv_rows(path, RowCells, error, pad=pad, separator=sign, on_error=on_error)
    if suffix in _WORKBOOKS:
        raise InputError(f"{path}: moot reads no workbooks; save the sheet as CSV")
    if is_list(path):
        return json_list(path, RowCells, error, on_error=on_error)
    if suffix == ".json" and (key := find_list_key(path)):
        return json_list(path, RowCells, error, key=key, on_error=on_error)
    return json_lines(path, RowCells, error, on_error=on_error)


_WORKBOOKS = frozenset({".xlsx", ".xls", ".ods", ".numbers"})


def _choose_columns(columns: Columns | None, names: list[str]) -> list[str]:
    """Return the columns of a Parquet file to read: all of them if a needed one is not there."""
    if columns is None:
        plain: set[str] = set()
        for one in find_usual(tuple(names)).values():
            plain.update([one] if isinstance(one, str) else one)
        plain.update(find_near_answers(tuple(names)))
        return [name for name in names if name in plain] if plain <= set(names) else names
    needed: set[str] = set()
    for given in ({"question": find_usual(tuple(names))["question"]} | columns).values():
        for named in [given] if isinstance(given, str) else given:
            parts = [named] if named in names else _FIELD.findall(named) or [named]
            needed.update(part if part in names else part.partition(".")[0] for part in parts)
    needed -= _NUMBERS.keys()
    return [name for name in names if name in needed] if needed <= set(names) else names


def _check_ids(readings: Iterable["RowReading"], suspects: set[int]) -> None:
    """Raise ``InputError`` if two rows whose ids have these hashes have the same id."""
    seen: dict[str, RowReading] = {}
    for each in readings:
        try:
            name = each.id
        except InputError:
            continue  # a row that is left out
        if hash(name) in suspects and (other := seen.setdefault(name, each)) != each:
            where = describe_place(other.path, other.line)
            raise each.error(each.path, each.line, f"the id {name!r} is also in {where}")


def read_each(
    path: Path,
    rows: Iterable[tuple[int, RowCells]],
    mapping: ColumnMapping,
    dataset: str,
    error: RowError,
) -> Iterator["RowReading"]:
    """Yield the readings of rows, each of which has its line number."""
    columns, before = mapping.columns, 0
    for number, (line, row) in enumerate(rows, 1):
        found = find_usual(tuple(row)) if columns is None else columns
        if "question" not in found:
            found = {"question": find_usual(tuple(row))["question"], **found}
        yield RowReading(path, number, line, row, found, mapping, dataset, error, line == before)
        before = line


class RowReading(NamedTuple):
    """One row becoming a question.

    Attributes:
        number: of the row, from 1.
        line: where it begins, from 1.
        shares_line: whether the row before it begins on the same line, as in JSON of one line.
    """

    path: Path
    number: int
    line: int
    row: RowCells
    columns: Columns
    mapping: ColumnMapping
    dataset: str
    error: RowError
    shares_line: bool = False

    def question(self) -> Question:
        """Return the question. Raises ``InputError`` if the row is none."""
        text, choices = self.text("question"), self.choices()
        if not text:
            raise self.wrong("question", "it is empty")
        answers = self.answers()
        kind = self.kind(choices, answers)
        right = tuple([self.answer(each, kind, choices) for each in answers])
        if len({*choices}) < len(choices):
            right = tuple(dict.fromkeys(chain(*(find_twins(each, choices) for each in right))))
        if "answer_again" in self.columns:
            self.check_again(right, choices)
        return Question(
            id=self.id,
            kind=kind,
            text=text,
            context=self.context() or None,
            choices=choices,
            answer=(right if len(right) > 1 else right[0]) if right else None,
            tempting=tuple(self.tempting(right, kind, choices)) or UNSET,
            documents=self.documents(kind, choices) or UNSET,
            secret=self.is_secret or UNSET,
        )

    @property
    def id(self) -> str:
        """The id that the row has, else one that says where it stands."""
        place = f"{self.line}-{self.number}" if self.shares_line else f"{self.line}"
        return self.text("id") or f"{self.path.stem}-{place}"

    @property
    def is_secret(self) -> bool:
        """Whether the texts of the question are to be shown nowhere."""
        if "secret" not in self.columns:
            return False
        cell = self.cell("secret")
        said = "" if cell is None else as_text(cell).lower() or str(cell).strip()
        if said not in _TRUTHS:
            raise self.wrong("secret", f"{said[:20]!r}; it is true or false")
        return _TRUTHS[said]

    def cell(self, role: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value in the column of a role; None if no column has this role."""
        named = self.columns.get(role)
        return None if named is None else self.column(str(named))

    def column(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value of a column, of a path into one, or of a template."""
        if name in self.row:
            return self.row[name]
        if "{" in name:
            return _FIELD.sub(self.field, name)
        other = self.mapping.instead.get(name, "")
        if "{" in other or other in self.row:
            return self.column(other)
        value: Any = self.row
        for step in name.split("."):
            if not isinstance(value, dict) or step not in value:
                if self.error is make_row_error:  # the names are not the user's
                    there = ", ".join(self.row)
                    why = f"column {name!r} is missing; the row has {there or 'none'}"
                    raise self.error(self.path, self.line, why)
                where = describe_place(self.path, self.line)
                if self.mapping.columns is None and not self.mapping.examples:
                    where += f": name its column, as in columns = {{{name} = …}}"
                raise UnknownName("column", name, self.row, where=where)
            value = value[step]
        return value

    def field(self, found: re.Match[str]) -> str:
        """Return the text that replaces a name in braces in a template; it cannot be empty."""
        if (number := _NUMBERS.get(found[1])) is not None:
            return str(number(self))
        if not (text := as_text(self.column(found[1]))):
            raise self.error(self.path, self.line, f"column {found[1]!r}: expected a text")
        return text

    def text(self, role: str) -> str:
        """Return a text, or a number as a text; empty where there is none."""
        if role not in self.columns:
            return ""
        value = self.row.get(str(self.columns[role]))
        if type(value) is str:  # as nearly all are
            return value.strip()
        value = self.cell(role)
        if isinstance(value, bool) or not isinstance(value, str | int | None):
            raise self.wrong(role, f"expected a text, got {type(value).__name__}")
        return "" if value is None else str(value).strip()

    def context(self) -> str:
        """Return the passage to read first; empty where there is none."""
        text = self.text("context")
        return str(self.cell("context")) if text and self.mapping.examples else text

    def choices(self) -> tuple[str, ...]:
        """Return the options: of a column each, or of one with a list or ``one|two``."""
        named = self.columns.get("choices", "")
        if not named:
            return ()
        cells: Any
        if isinstance(named, list):
            cells = [self.column(name) for name in named]
            while cells and not as_text(cells[-1]):
                cells.pop()  # a question with fewer than others
        else:
            cells = self.cell("choices") or []
            if type(cells) is not list or type(next(iter(cells), "")) is not str:
                cells, _ = split_tables(split_choices(cells))
        if isinstance(cells, list):
            while cells and cells[-1] is None:
                cells = cells[:-1]
        if not isinstance(cells, list) or not all(map(as_text, cells)):
            raise self.wrong("choices", "expected a list of texts, none of them empty")
        return tuple(map(str if self.mapping.examples else as_text, cells))

    def labels(self, choices: tuple[str, ...]) -> list[str]:
        """Return the names of choices in the row itself, such as 1 to 4; empty without names.

        They stand in a column, beside the texts of the choices (``choices.text`` and
        ``choices.label``), or in the tables of the choices.
        """
        named = self.columns.get("choices", "")
        if "labels" in self.columns:
            cells = split_choices(self.cell("labels") or [])
        elif isinstance(named, list):
            return []
        elif type(cell := self.row.get(named)) is list and cell and type(cell[0]) is str:
            return []  # as nearly all are
        elif named.endswith(".text") and named not in self.row:
            beside = self.column(named.removesuffix(".text"))
            cells = beside.get("label") if isinstance(beside, dict) else None
        else:
            _, cells = split_tables(self.cell("choices"))
        found = [as_text(each) for each in cells][: len(choices)] if isinstance(cells, list) else []
        if len(found) == len(choices) and all(found):
            return found
        if "labels" in self.columns:
            raise self.wrong("labels", f"{len(found)} labels for {len(choices)} choices")
        return []

    def documents(self, kind: Kind, choices: tuple[str, ...]) -> tuple[QuestionDocument, ...]:
        """Return the documents of the question."""
        if "documents" not in self.columns:  # as in nearly all files; a row takes a quarter less
            return ()
        return read_documents(
            self.cell("documents"), kind, choices, partial(self.wrong, "documents")
        )

    def tempting(self, right: tuple[str, ...], kind: Kind, choices: tuple[str, ...]) -> list[str]:
        """Return the wrong answers that are easily taken for right, each once."""
        if "tempting" not in self.columns:
            return []
        found = [self.answer(each, kind, choices) for each in self.answers("tempting")]
        return [each for each in dict.fromkeys(found) if each not in right]

    def answers(self, role: str = "answer") -> list[RawAnswer]:
        """Return every answer as the row has it; an empty list if none is known."""
        if role == "answer" and role not in self.columns and self.mapping.columns is None:
            self.check_near_answer()
        value = self.cell(role)
        answers = value if isinstance(value, list) else [value]
        for answer in answers:
            if answer is not None and not isinstance(answer, RawAnswer):
                raise self.wrong(role, f"expected a text, got {type(answer).__name__}")
        found = [answer for answer in answers if as_text(answer)]
        if role == "answer" and self.mapping.answered and len(found) < max(len(answers), 1):
            raise self.wrong("answer", "it is empty")
        return found

    def check_near_answer(self) -> None:
        """Raise ``InputError`` if right answers seem to stand in a column of another name."""
        for name in find_near_answers(tuple(self.row)):
            if self.row[name] not in (None, "", []):
                where = describe_place(self.path, self.line)
                raise InputError(
                    f"{where}: no column 'answer'; did you mean {name!r}? If so, rename it, or say "
                    f"columns = {{answer = {name!r}}}; if not, say columns = "
                    f"{{question = {self.columns['question']!r}}}"
                )

    def kind(self, choices: Sequence[str], answers: list[RawAnswer]) -> Kind:
        """Return the kind of the row, else that of the mapping, else the only possible one."""
        given = self.text("kind")
        own = next((known for known in KINDS if known == given), None)
        if given and own is None:
            raise self.wrong("kind", f"{given!r} is not one of {', '.join(KINDS)}")
        # Examples with choices are choices, even where the dataset's questions are of another kind.
        usual = ("choice" if choices and self.mapping.examples else None) or self.mapping.kind
        found = own or usual or ("choice" if choices else None)
        found = found or (find_only_kind(answers) if answers else "text")
        if found is None:
            why = (
                f"{self.quote(answers[0])} fits several kinds: say kind, one of "
                f"{', '.join(KINDS)}, in a column or as a key of the study"
            )
            raise self.wrong("answer", why)
        if (found == "choice") != (2 <= len(choices) <= len(LETTERS)):
            why = f"the kind is {found!r}, with {len(choices)} choices"
            hint = "; in one text, choices are a|b or a JSON list" if len(choices) == 1 else ""
            raise self.wrong("choices", f"{why}; a choice, and nothing else, has 2 to 26{hint}")
        return found

    def answer(self, answer: RawAnswer, kind: Kind, choices: tuple[str, ...]) -> str:
        """Return one of the right answers in canonical form."""
        wanted, first = WANTED[kind], self.mapping.first
        if kind == "choice" and first is not None:
            right = _LETTERS_FROM[first].get(as_text(answer).removesuffix(".0"), "")
            right = right if right in LETTERS[: len(choices)] else ""
            wanted = f"a number from {first} to {first + len(choices) - 1}"
        elif kind == "choice":
            right = self.choose(as_text(answer), choices)
            wanted = f"{wanted}; where choices are counted, say first = 0 or first = 1"
        else:
            right = to_canonical(answer, kind, choices) or ""
        if not right:
            raise self.wrong(
                "answer", f"{self.quote(answer)}; for kind {kind!r} it must be {wanted}"
            )
        return right

    def choose(self, said: str, choices: tuple[str, ...]) -> str:
        """Return the letter of the choice that an answer names; empty for none.

        A label of the row's own comes first. A number that is no choice's text is a place, from 1
        where other rows of the file have letters, else from where the file's numbers say.
        """
        if said in (labels := self.labels(choices)):
            return LETTERS[labels.index(said)]
        found = to_canonical(said, "choice", choices) or ""
        if found and len(said) == 1 and said in choices and choices[LETTERS.index(found)] != said:
            other = LETTERS[choices.index(said)]
            why = f"{self.quote(said)} is a letter, and the text of ({other})"
            hint = f"write ({found}) or ({other}); of a column of letters, answer = '({{column}})'"
            raise self.wrong("answer", f"{why}: {hint}")
        number = said.removesuffix(".0")  # of a column of numbers with gaps
        if found or not number.isdigit() or not number.isascii():
            return found
        if (first := self.find_first()) is None:
            return ""
        place = _LETTERS_FROM[first].get(number, "")
        return place if place in LETTERS[: len(choices)] else ""

    def find_first(self) -> Literal[0, 1] | None:
        """Return the number of the first choice, by the other rows; None if they do not say it."""
        file = self.path.stat()
        mapping = msgspec.json.encode(self.mapping)
        return _find_first(self.path, mapping, (file.st_mtime_ns, file.st_size))

    def check_again(self, right: tuple[str, ...], choices: tuple[str, ...]) -> None:
        """Raise ``InputError`` if a second column does not say an answer, or its choice's text."""
        again = as_text(self.cell("answer_again"))
        texts = [choices[LETTERS.index(each)] if choices else each for each in right]
        if again not in texts:
            said, wanted = self.quote(again), self.quote(" or ".join(texts))
            raise self.wrong("answer_again", f"{said}, but the answer is {wanted}")

    def quote(self, value: object) -> str:
        """Return a value as an error quotes it; that of a secret question is withheld."""
        return WITHHELD if self.is_secret else repr(value)

    def wrong(self, role: str, why: str) -> InputError:
        """Return the error for what stands in the columns of a role."""
        named = self.columns.get(role, role)
        columns = ", ".join(map(repr, [named] if isinstance(named, str) else named))
        return self.error(self.path, self.line, f"column {columns}: {why}")


@lru_cache(maxsize=8)
def _find_first(path: Path, given: bytes, version: tuple[int, int]) -> Literal[0, 1] | None:  # noqa: ARG001 -- another version is another file
    """Return the number of the first choice in a file whose answers are letters or numbers.

    Beside letters, and no 0, it is 1. Where all answers are numbers and none is the text of a
    choice, it is 0 if one of them is 0, and 1 if one of them is the number of its choices; one
    number alone says nothing.
    """
    mapping = msgspec.json.decode(given, type=ColumnMapping)
    said, last, is_text = set(), False, False
    rows = read_rows(path, mapping.columns, make_own_row_error, on_error=lambda _: None)
    for each in read_each(path, rows, mapping, "", make_own_row_error):
        with suppress(InputError):
            choices, answer = each.choices(), as_text(each.cell("answer")).removesuffix(".0")
            said.add(answer)
            last |= answer == str(len(choices))
            is_text |= answer in choices
    said.discard("")
    if "0" not in said and any(len(each) == 1 and each in LETTERS for each in said):
        return 1
    if is_text or len(said) < 2 or not all(map(str.isdigit, said)) or ("0" in said) == last:
        return None
    return 1 if last else 0


_LETTERS_FROM = {
    first: {str(place): letter for place, letter in enumerate(LETTERS, first)} for first in (0, 1)
}
"""The letters of choices by their numbers, by that of the first one."""

_TRUTHS = dict.fromkeys(("true", "yes", "1"), True) | dict.fromkeys(("false", "no", "0", ""), False)
"""The texts of a truth value."""

_NUMBERS: dict[str, Callable[[RowReading], object]] = {
    "dataset": attrgetter("dataset"),
    "line": attrgetter("line"),
    "row": attrgetter("number"),
}
"""Names in a template that are no columns."""

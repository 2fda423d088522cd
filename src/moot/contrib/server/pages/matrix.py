"""The matrix of runs: a row for each question, a column for each method."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from time import monotonic
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from moot.contrib.server.pages.archive import RunArchive, archive_of
from moot.contrib.server.pages.index import DebateLine, match_name
from moot.contrib.server.pages.listing import WORDS, decode_question, read_search
from moot.contrib.server.pages.page_rendering import (
    AGAIN,
    NoPage,
    computing,
    make_url,
    parse_number,
    render,
)
from moot.contrib.server.pages.survey import SHOWN_ARMS, RunSurvey
from moot.extend.records import RunRow
from moot.extend.stores import StoreReader
from moot.extend.words import make_visible, on_one_line

FORMAT = "moot-matrix/1"
BESIDE = "with"
"""The parameter with the key of a further run; it may be repeated."""
FILTERS = {
    "all": "all",
    "disagree": "methods disagree",
    "lost": "debate lost",
    "won": "debate won",
}
"""The filters of rows, in words."""
LETTERS = {"right": "r", "wrong": "w", "unparsed": "u", "failed": "f", "open": "o"}
"""The letter of each outcome in a cell, which has one for each replicate."""
ABSENT = "."
"""The letter of a replicate that was not run."""
SIGNS = {
    "r": ("✓", "right"),
    "w": ("✗", "wrong"),
    "u": ("–", "no readable answer"),
    "f": ("–", "failed"),
    "o": ("·", "no known answer"),
}
"""The sign and the words of each letter."""
MOST = 50
"""Rows on a page."""
WINDOW = 500
"""The most rows of an answer in JSON."""
SIDE = 6
"""The most replicates of a cell that are shown beside each other; more are counted."""
SECONDS = 2.0
"""The longest time of a search; then it returns what it has found."""

_WHOLE = 200_000  # bytes of a transcript that is read whole for its question
_CHUNK = 100  # questions that are read at once in a search
_KEPT = 1_000  # characters of a question that are searched
_SHOWN = 240  # characters of a question that are shown
_SHORT = 4  # characters of a short name; two more where it is a word
_WORD = re.compile(r"[^\W\d_]+|\d+")


class MatrixColumn(NamedTuple):
    """A method of a run.

    Attributes:
        run: the run's key.
        arm: its name in the study.
        name: tells it from all other columns.
        against: the place of the column that the debate is compared with; None for a method that
            is no debate, and where there is no such column.
    """

    run: str
    arm: str
    name: str
    against: int | None = None


class MatrixRow(NamedTuple):
    """A question.

    Attributes:
        dataset: of the question.
        question: its id.
        cells: for each column the letters of its debates, by replicate; empty where none was run.
        numbers: for each run the row in the store of one of its debates; 0 for none.
        disagree: whether a method is right more often than another.
        lost: the places of the debates that are right less often than their opponent.
        won: the same for more often.
    """

    dataset: str
    question: str
    cells: tuple[str, ...]
    numbers: tuple[int, ...]
    disagree: bool
    lost: frozenset[int]
    won: frozenset[int]


class MatrixChoice(NamedTuple):
    """The rows that are shown.

    Attributes:
        show: one of ``FILTERS``.
        method: the place of the only debate that ``lost`` and ``won`` look at; None for any.
        dataset: of this dataset only; empty for all.
        text: that the question or its id contains; empty for any.
    """

    show: str = "all"
    method: int | None = None
    dataset: str = ""
    text: str = ""


class Matrix:
    """The outcomes of all debates of some runs.

    Args:
        surveys: of the runs, by their keys, in order.
        names: of the columns that are shown; none for the first ``SHOWN_ARMS``.

    Attributes:
        every: the names of all columns that there are.
        columns: those that are shown, in the order of the studies.
        shorts: their short names.
        rows: a row for each question, in the order of the first run that has it.
        datasets: of the rows, in order.
        any_open: whether a debate's right answer is not known.
        texts: the questions that were read, on one line and cut, by the number of their row.
    """

    def __init__(self, surveys: Mapping[str, RunSurvey], names: Sequence[str] = ()) -> None:
        every = list(_list_columns(surveys))
        self.every = [each.name for each in every]
        known = {match_name(self.every, name) for name in names} & {*self.every}
        shown = [each for each in every if not known or each.name in known]
        self.columns = _find_opponents(shown if known else shown[:SHOWN_ARMS], surveys)
        self.shorts = shorten_names([each.arm for each in self.columns])
        self.rows = list(self._list_rows(surveys))
        self.datasets = list(dict.fromkeys(row.dataset for row in self.rows))
        self.any_open = any("o" in cell for row in self.rows for cell in row.cells)
        self.texts: dict[int, str] = {}

    def _list_rows(self, surveys: Mapping[str, RunSurvey]) -> Iterator[MatrixRow]:
        places = {(each.run, each.arm): at for at, each in enumerate(self.columns)}
        cells: dict[tuple[str, str], list[str]] = {}
        numbers: dict[tuple[str, str], list[int]] = {}
        for number, (run, survey) in enumerate(surveys.items()):
            for line in survey.index.lines:
                if (at := places.get((run, line.key[0]))) is None:
                    continue
                own = cells.setdefault(line.key[1:3], [""] * len(places))
                own[at] = _add_letter(own[at], line)
                rows = numbers.setdefault(line.key[1:3], [0] * len(surveys))
                rows[number] = rows[number] or line.number
        for key, own in cells.items():
            yield self._mark_row(key, own, numbers[key])

    def _mark_row(
        self, key: tuple[str, str], cells: Sequence[str], numbers: Sequence[int]
    ) -> MatrixRow:
        shares = [_find_share(cell) for cell in cells]
        lost, won = set[int](), set[int]()
        for place, column in enumerate(self.columns):
            own = shares[place]
            its = None if column.against is None else shares[column.against]
            if own is not None and its is not None and own != its:
                (lost if own < its else won).add(place)
        unlike = len({share for share in shares if share is not None}) > 1
        return MatrixRow(
            *key, tuple(cells), tuple(numbers), unlike, frozenset(lost), frozenset(won)
        )

    def choose(self, choice: MatrixChoice) -> list[int]:
        """Return the places of the rows of a choice, whatever their texts are."""
        one = None if choice.method is None else {choice.method}
        return [
            at
            for at, row in enumerate(self.rows)
            if (not choice.dataset or row.dataset == choice.dataset) and _passes(row, choice, one)
        ]

    def count(self, choice: MatrixChoice) -> dict[str, int]:
        """Return the number of rows of each of ``FILTERS``, whatever their texts are."""
        return {show: len(self.choose(choice._replace(show=show))) for show in FILTERS}


def _list_columns(surveys: Mapping[str, RunSurvey]) -> Iterator[MatrixColumn]:
    """Yield the methods that have a debate; those of the same debates by another rule are none."""
    found = []
    for run, survey in surveys.items():
        shown = {arm.arm for arm in survey.results.arms}
        found += [(run, arm) for arm in survey.index.arms if arm in shown]
    arms = [arm for _, arm in found]
    for run, arm in found:
        yield MatrixColumn(run, arm, arm if arms.count(arm) == 1 else f"{arm} · {run}")


def _find_opponents(
    columns: Sequence[MatrixColumn], surveys: Mapping[str, RunSurvey]
) -> list[MatrixColumn]:
    """Return the columns, debates with the place of the column that they are compared with."""
    places = {(each.run, each.arm): at for at, each in enumerate(columns)}
    against: dict[tuple[str, str], int | None] = {}
    for run, survey in surveys.items():
        baselines = {arm.arm: arm.baseline for arm in survey.results.arms}
        for verdict in survey.results.verdicts:
            other = verdict.against or baselines.get(verdict.arm)
            if other and other != verdict.arm:
                against.setdefault((run, verdict.arm), places.get((run, other)))
    return [each._replace(against=against.get((each.run, each.arm))) for each in columns]


def _add_letter(cell: str, line: DebateLine) -> str:
    """Return a cell with a further debate; those of a question come in order of replicates."""
    return cell.ljust(line.key[3], ABSENT) + LETTERS[line.outcome]


def shorten_names(names: Sequence[str]) -> list[str]:
    """Return short names, each once, for heads of columns: initials and numbers.

    ``self-consistency, 6 samples`` becomes ``SC6S``; a word is cut.
    """
    shorts: list[str] = []
    for name in names:
        words = _WORD.findall(name) or [name or "–"]
        initials = "".join(word if word.isdigit() else word[0].upper() for word in words)
        made = words[0][: _SHORT + 2] if len(words) == 1 else initials[:_SHORT]
        alike = sum(each.partition("·")[0] == made for each in shorts)
        shorts.append(f"{made}·{alike + 1}" if alike else made)
    return shorts


@cache
def _find_share(cell: str) -> float | None:
    """Return the share of right debates of a cell; None where none has a known right answer."""
    known = sum(cell.count(letter) for letter in "rwuf")
    return cell.count("r") / known if known else None


def _passes(row: MatrixRow, choice: MatrixChoice, one: set[int] | None) -> bool:
    if choice.show == "disagree":
        return row.disagree
    if choice.show in {"lost", "won"}:
        found = row.lost if choice.show == "lost" else row.won
        return bool(found if one is None else found & one)
    return True


def search_rows(
    reader: StoreReader, matrix: Matrix, places: Sequence[int], text: str
) -> tuple[list[int], int]:
    """Return those of the rows whose question or id contains a text, and how many were searched.

    Case and the kind of white space do not matter. A search ends after ``SECONDS``; the next one
    of the same matrix goes on from there.
    """
    wanted, end = " ".join(text.split()).lower(), monotonic() + SECONDS
    found: list[int] = []
    for start in range(0, len(places), _CHUNK):
        if start and monotonic() > end:
            return found, start
        chunk = places[start : start + _CHUNK]
        _read_texts(reader, matrix, [_first_number(matrix.rows[at]) for at in chunk])
        for at in chunk:
            row = matrix.rows[at]
            asked = matrix.texts.get(_first_number(row), "")
            if wanted in asked.lower() or wanted in row.question.lower():
                found.append(at)
    return found, len(places)


def _first_number(row: MatrixRow) -> int:
    return next(number for number in row.numbers if number)


def _read_texts(reader: StoreReader, matrix: Matrix, numbers: Sequence[int]) -> None:
    """Read the questions of these debates, where they are not known yet."""
    unknown = [number for number in numbers if number and number not in matrix.texts]
    for start in range(0, len(unknown), _CHUNK):
        chunk = unknown[start : start + _CHUNK]
        for number, encoded in reader.transcripts(chunk, most=_WHOLE).items():
            matrix.texts[number] = " ".join(decode_question(encoded).split())[:_KEPT]


class ShownQuestion(NamedTuple):
    """A row in words.

    Attributes:
        row: of the matrix.
        text: the question on one line.
        unlike: whether the runs asked different questions by this id.
    """

    row: MatrixRow
    text: str
    unlike: bool


class MatrixView(NamedTuple):
    """A part of a matrix that is shown.

    Attributes:
        matrix: the whole.
        choice: of its rows.
        counts: how many rows each of ``FILTERS`` has.
        rows: those shown.
        start: the place of the first of them among the chosen rows, from 0.
        total: how many rows are chosen.
        searched: how many rows were searched for the text, of ``of``.
        of: how many rows the choice has, whatever their texts are.
        labels: the names of the runs by their keys; of runs of one name their keys.
        address: path and parameters of the page.
    """

    matrix: Matrix
    choice: MatrixChoice
    counts: dict[str, int]
    rows: list[ShownQuestion]
    start: int
    total: int
    searched: int
    of: int
    labels: dict[str, str]
    address: tuple[str, list[tuple[str, str]]]

    @property
    def runs(self) -> list[str]:
        """The keys of the runs."""
        return list(self.labels)

    def url(self, **changed: str | int) -> str:
        """Return the address of the same page with other parameters; it starts at the first row."""
        path, query = self.address
        kept: dict[str, Any] = {}
        for name, value in query:
            if name not in {"start", *changed}:
                kept.setdefault(name, []).append(value)
        return make_url(path, **kept, **changed)

    @property
    def source(self) -> str:
        """The address of the rows in JSON, without the choice of show and text."""
        method, names = self.choice.method, [each.name for each in self.matrix.columns]
        given = {
            BESIDE: self.runs[1:],
            "methods": names if len(names) < len(self.matrix.every) else [],
            "method": "" if method is None else names[method],
            "dataset": self.choice.dataset,
        }
        return make_url(f"/runs/{self.runs[0]}/matrix.json", **given)

    @property
    def words(self) -> dict[str, Any]:
        """Further words of its template."""
        return {
            "signs": SIGNS,
            "filters": FILTERS,
            "side": SIDE,
            "words": WORDS,
            "list_debates": list_debates,
            "describe_cell": describe_cell,
        }

    @property
    def debates(self) -> list[str]:
        """The names of the debates that are compared with another column."""
        return [each.name for each in self.matrix.columns if each.against is not None]

    @property
    def opponents(self) -> list[str]:
        """The names of the columns that debates are compared with, each once."""
        columns = self.matrix.columns
        chosen = columns if self.choice.method is None else [columns[self.choice.method]]
        places = dict.fromkeys(each.against for each in chosen if each.against is not None)
        return [columns[at].name for at in places]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, in the form that docs/serve.md describes."""
        columns = self.matrix.columns
        return {
            "format": FORMAT,
            "runs": self.runs,
            "methods": [
                {"run": each.run, "arm": each.arm, "name": make_visible(each.name)}
                | ({} if each.against is None else {"against": each.against})
                for each in columns
            ],
            "counts": self.counts,
            "start": self.start,
            "total": self.total,
            "searched": self.searched,
            "of": self.of,
            "rows": [
                {
                    "dataset": shown.row.dataset,
                    "question": shown.row.question,
                    "text": shown.text,
                    "cells": shown.row.cells,
                    **({"unlike": True} if shown.unlike else {}),
                }
                for shown in self.rows
            ],
        }


def list_debates(cell: str) -> list[tuple[str, int]]:
    """Return the letter and the replicate of each debate of a cell."""
    return [(letter, at) for at, letter in enumerate(cell) if letter != ABSENT]


def describe_cell(cell: str) -> str:
    """Return the outcomes of a cell in words."""
    if not (debates := list_debates(cell)):
        return "not run"
    if len(debates) > 1:
        return f"right in {cell.count('r')} of {len(debates)} replicates"
    return SIGNS[debates[0][0]][1]


async def view_matrix(
    request: Request, known: RunArchive, rows: Sequence[RunRow], *, most: int = MOST
) -> MatrixView:
    """Return the part of a matrix that an address asks for.

    Args:
        request: its parameters are those of docs/serve.md.
        known: the archive.
        rows: the runs.
        most: the most rows of it.

    Raises:
        NoPage: it is still being computed.
    """
    query = request.query_params
    matrix = await _get_matrix(known, rows, query.getlist("methods"))
    show = query.get("show", "")
    known_names = [each.name for each in matrix.columns]
    method = match_name(known_names, query.get("method", ""))
    choice = MatrixChoice(
        show=show if show in FILTERS else "all",
        method=known_names.index(method) if method in known_names else None,
        dataset=match_name(matrix.datasets, query.get("dataset", "")),
        text=read_search(query.get("q", "")),
    )
    if choice.dataset not in matrix.datasets:
        choice = choice._replace(dataset="")
    start = parse_number(query.get("start"))
    read = partial(_read_view, matrix=matrix, choice=choice, start=start, most=most)
    if choice.text:
        async with known.searches:
            found = await known.read(read)
    else:
        found = await known.read(read)
    address = request.url.path, list(query.multi_items())
    names = [row.name for row in rows]
    labels = {row.key: row.name if names.count(row.name) == 1 else row.key for row in rows}
    return found._replace(labels=labels, address=address)


async def _get_matrix(known: RunArchive, rows: Sequence[RunRow], names: Sequence[str]) -> Matrix:
    surveys = {row.key: await known.need_run(row) for row in rows}

    async def build() -> Matrix:
        return await known.read(lambda _: Matrix(surveys, names))

    versions = ((key, each.name) for key, each in surveys.items())
    found = await known.memo(("matrix", *versions, *names), build)
    if found is None:
        raise computing("The matrix")
    return found


def _read_view(
    reader: StoreReader, *, matrix: Matrix, choice: MatrixChoice, start: int, most: int
) -> MatrixView:
    places = chosen = matrix.choose(choice)
    searched = len(chosen)
    if choice.text:
        places, searched = search_rows(reader, matrix, chosen, choice.text)
    shown = [matrix.rows[at] for at in places[start : start + most]]
    _read_texts(reader, matrix, [number for row in shown for number in row.numbers])
    return MatrixView(
        matrix=matrix,
        choice=choice,
        counts=matrix.count(choice),
        rows=[_show_row(matrix, row) for row in shown],
        start=start,
        total=len(places),
        searched=searched,
        of=len(chosen),
        labels={},
        address=("", []),
    )


def _show_row(matrix: Matrix, row: MatrixRow) -> ShownQuestion:
    texts = [matrix.texts.get(number, "") for number in row.numbers if number]
    asked = on_one_line(texts[0], _SHOWN) or on_one_line(row.question, _SHOWN)
    return ShownQuestion(row, asked, len({*texts}) > 1)


async def _read_rows(request: Request) -> tuple[RunArchive, list[RunRow]]:
    """Return the runs of an address, each once. Raises ``NoPage`` if there is none of a key."""
    known = archive_of(request)
    keys = [request.path_params["run"], *filter(None, request.query_params.getlist(BESIDE))]
    rows = [await known.get_row(key) for key in dict.fromkeys(keys)]
    return known, list({row.id: row for row in rows}.values())


async def page(request: Request) -> Response:
    """Show the matrix by itself."""
    known, rows = await _read_rows(request)
    return render("matrix_page.html", rows=rows, view=await view_matrix(request, known, rows))


async def data(request: Request) -> Response:
    """Return rows of the matrix as JSON; an error, too."""
    most = min(WINDOW, parse_number(request.query_params.get("most")) or WINDOW)
    headers = {"cache-control": "no-store"}
    try:
        known, rows = await _read_rows(request)
        view = await view_matrix(request, known, rows, most=most)
    except NoPage as error:
        again = {"retry-after": str(AGAIN)} if error.wait else {}
        told = {"error": f"{error} {error.hint}".strip()}
        return JSONResponse(told, 503 if error.wait else 404, {**headers, **again})
    return JSONResponse(view.to_dict(), headers=headers)


ROUTES = [
    Route("/runs/{run}/matrix", page, methods=["GET"]),
    Route("/runs/{run}/matrix.json", data, methods=["GET"]),
]

"""Claims: the figures that authors state, in result files, in a file, or in a published table."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from io import StringIO
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from moot import InputError, UnknownName
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread
from moot.contrib.papers.published import (
    NAMES,
    PublishedRow,
    PublishedTable,
    find_published,
    read_published,
)
from moot.extend.calls import parse_toml, read_small
from moot.extend.faults import split_fault

_MOST = 4 << 20
"""The most bytes of a result file; a log is larger."""
_NAMES = ("performance", "accuracy", "mean_accuracy", "acc")
_SIZES = ("total", "evaluated", "n")
_RESULT = re.compile(r"(eval|performance|accurac(?:y|ies)|summary)", re.IGNORECASE)
_PRINTED = re.compile(r"accurac(?:y|ies)\W{0,4}(\d*\.?\d+)(\s*%)?", re.IGNORECASE)
_HALF = Decimal("0.5")


class Stated(msgspec.Struct, frozen=True):
    """A share as it is stated.

    Attributes:
        share: from 0 to 1.
        rounding: the most by which rounding to its digits changes it.
    """

    share: float
    rounding: float

    def fits(self, share: float | None, n: int, *, exact: bool) -> bool:
        """Return whether a share of so many questions may be stated so.

        Args:
            share: None where there is none.
            n: of questions.
            exact: whether a program wrote the claim, which drops no digit but zeros: then it may
                be off by less than half a question.
        """
        if share is None:
            return False
        reach = min(self.rounding, _half_a_question(n)) if exact else self.rounding
        return abs(share - self.share) <= reach + 1e-9


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Figures that belong together: one for each round or setting.

    Attributes:
        values: in the order of the rounds, or of the settings.
        source: where they are stated, in words.
        log: the file of the debates that they are of; empty where that is not known.
        n: questions; None where that is not stated.
        exact: whether a program wrote them.
        last: whether a single value is of the last round, not of the first.
    """

    values: tuple[Stated, ...]
    source: str
    log: str = ""
    n: int | None = None
    exact: bool = False
    last: bool = True


class _WrittenClaim(msgspec.Struct, forbid_unknown_fields=True):
    """A table ``[[claim]]`` of a claim file."""

    value: Any = None
    values: list[Any] | None = None
    unit: Literal["share", "percent", ""] = ""
    n: Annotated[int, msgspec.Meta(ge=1)] | None = None
    log: str = ""
    table: str = ""
    row: str = ""
    column: str = ""
    page: int | str = ""
    source: str = ""


def read_claims(given: str) -> list[Claim]:
    """Return the claims of a file, or those in a published table.

    Args:
        given: the path of a claim file, or ``PAPER:TABLE:ROW:COLUMN``, such as
            ``mad:table 2:ChatEval:MMLU``. PAPER is one that moot has the values of, or the path of
            a file in their form. Without ROW the values are those of the column in its order, with
            an empty COLUMN or none those of the row.

    Raises:
        InputError: it cannot be read, or is not of this form; place and key are named.
    """
    path = Path(given)
    if path.exists():
        return read_claim_file(path)
    name, _, place = given.partition(":")
    published = find_published(name) or Path(name)
    if published.suffix == ".toml" and published.exists():
        return [_read_place(published, place, f"--claim {given}")]
    if place:
        raise UnknownName("paper", name, NAMES, where=f"--claim {given}")
    return read_claim_file(path)  # for its error


def read_claim_file(path: Path) -> list[Claim]:
    """Return the claims of a file: TOML with tables ``[[claim]]``, or JSON with a list ``claim``.

    A file with published values is read, too, if it has one row or one column.

    Raises:
        InputError: it cannot be read, or is not of this form; place and key are named.
    """
    try:
        content = read_small(path)
    except OSError as error:
        raise InputError(f"--claim {path}: cannot be read: {error.strerror}") from None
    where = f"--claim {path}"
    if path.suffix == ".json":
        table = _parse_json(content, where)
    else:  # zeros at the end of a number count
        table = parse_toml(content, where=where, parse_float=str)
        if "tables" in table:
            return [_read_place(path, "", where)]
    listed = table.get("claim", table) if isinstance(table, dict) else table
    listed = listed if isinstance(listed, list) else [listed]
    if not listed:
        raise InputError(f"{where}: it states nothing; give a value or values")
    return [_check_claim(each, path, f"{where}, claim {n}") for n, each in enumerate(listed, 1)]


def _parse_json(content: bytes, where: str) -> Any:  # noqa: ANN401 -- any JSON
    try:
        return json.loads(content, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON: {error}") from None


def _read_place(path: Path, place: str, where: str) -> Claim:
    """Return the claim in a row, a column or a cell of a published table."""
    paper = read_published(path)
    tables = {each.table: each for each in paper.tables}
    if not tables:
        raise InputError(f"{where}: {paper.title} has no table of results")
    name, rest = _split_name(place, tables, "table", where)
    table = tables[name]
    if table.unit not in {"share", "percent"}:
        raise InputError(f"{where}: {name} is in {table.unit}; a claim is a share")
    rows, columns = {each.row: each for each in table.rows}, table.columns
    row, rest = _split_name(rest, rows, "row", where)
    column, _ = _split_name(rest, columns, "column", where)
    if not row and not column:
        raise InputError(
            f"{where}: name a row, a column or both, as in {name}:{next(iter(rows))}:{columns[0]}; "
            f"rows: {'; '.join(rows)}; columns: {'; '.join(columns)}"
        )
    in_rows, in_columns = [rows[row]] if row else table.rows, [column] if column else columns
    source = ", ".join(filter(None, [paper.title, name, row, column]))
    return _take_cells(table, [*product(in_rows, in_columns)], source, where)


def _take_cells(
    table: PublishedTable, cells: Sequence[tuple[PublishedRow, str]], source: str, where: str
) -> Claim:
    """Return the claim in cells of a table, those without a printed value left out."""
    printed = [cell for cell in cells if table.find(*cell) is not None]
    if not printed:
        raise InputError(f"{where}: no value is printed there")
    values = [str(row.values[table.columns.index(column)]) for row, column in printed]
    stated = [_read_stated(each, f"{where}: {each}") for each in values]
    percent = table.unit == "percent"
    sizes = {table.count(*cell) for cell in printed}
    doubts = dict.fromkeys(note for row, column in printed for note in table.doubt(row.row, column))
    return Claim(
        values=tuple(_as_share(*each, percent=percent, where=where) for each in stated),
        source=f"{source} (does not fit: {' '.join(doubts)})" if doubts else source,
        n=sizes.pop() or None if len(sizes) == 1 else None,
    )


def _split_name(text: str, names: Iterable[str], what: str, where: str) -> tuple[str, str]:
    """Return the name that a text begins with, and what follows its colon.

    The only name is meant where none is given; names may have colons, too.
    """
    known = [*names]
    matching = [each for each in known if text == each or text.startswith(f"{each}:")]
    if matching:
        name = max(matching, key=len)
        return name, text[len(name) + 1 :]
    given, _, rest = text.partition(":")
    if given:
        raise UnknownName(what, given, known, where=where)
    if len(known) > 1 and what == "table":
        raise InputError(f"{where}: name a table: {'; '.join(known)}")
    return (known[0] if len(known) == 1 else ""), rest


def _check_claim(given: object, path: Path, where: str) -> Claim:
    try:
        read = msgspec.convert(given, _WrittenClaim)
    except msgspec.ValidationError as error:
        place, fault = split_fault(error)
        raise InputError(f"{where}{f', {place}' * bool(place)}: {fault}") from None
    if (read.value is None) == (read.values is None):
        raise InputError(f"{where}: give either value, or values in the order of the rounds")
    every = [read.value] if read.values is None else read.values
    parts = [read.table, read.row, read.column, f"page {read.page}" if read.page else ""]
    source = ", ".join(filter(None, [read.source or path.name, *parts]))
    stated = [_read_stated(each, f"{where}: {each!r}") for each in every]
    percent = read.unit == "percent" or (not read.unit and any(value > 1 for value, _ in stated))
    values = tuple(_as_share(*each, percent=percent, where=where) for each in stated)
    return Claim(values=values, source=source, log=read.log, n=read.n)


def _read_stated(value: object, where: str) -> tuple[Decimal, int]:
    """Return a number with how many decimals it is written with."""
    text = str(value).strip().removesuffix("%").strip()
    if isinstance(value, bool) or not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text):
        raise InputError(f"{where} is no share and no percentage")
    return Decimal(text), len(text.partition(".")[2])


def _as_share(value: Decimal, decimals: int, *, percent: bool, where: str) -> Stated:
    scale = 100 if percent else 1
    share = value / scale
    if share > 1:
        raise InputError(f"{where}: {value} is above {'100 %' if percent else '1'}")
    return Stated(float(share), float(_HALF / scale / 10**decimals))


def find_claims(log: Path, files: Sequence[str]) -> Iterator[Claim | Unread]:
    """Yield what the result files of a log state, in the order of its files.

    What cannot be read of them is yielded, too.

    Args:
        log: a folder, an archive, or a file, beside which result files may lie.
        files: the names of the files of the log that have debates.
    """
    is_alone = log.is_file() and log.suffix.lower() in {".json", ".jsonl"}
    known = [log.name] if is_alone else files
    unnamed = list[list[Claim]]()
    for each in Log(log.parent if is_alone else log).files(".json", ".csv", ".txt"):
        name = PurePosixPath(each.name)
        if each.name in known or each.size > _MOST or not _RESULT.search(name.stem):
            continue
        if (of := _find_log(name, known)) is None and (is_alone or not _may_be_of(name, known)):
            continue
        try:
            found = list(read_result(each.name, each.read_text()))
        except InputError as error:
            yield Unread(each.name, str(error))
            continue
        if of is None:
            unnamed += [found] * bool(found)
            continue
        yield from (claim if is_alone else _set_log(claim, of) for claim in found)
    if len(unnamed) == 1:
        yield from (_set_log(claim, known[0]) for claim in unnamed[0])
    for found in unnamed if len(unnamed) > 1 else ():
        yield Unread(found[0].source, "one of several results, none named after the log: --claim")


def _set_log(claim: Claim, log: str) -> Claim:
    return msgspec.structs.replace(claim, log=log)


def _may_be_of(name: PurePosixPath, files: Sequence[str]) -> bool:
    """Return whether a result file may be of the only file of debates: it names no other numbers.

    ``accuracy_3_2.txt`` is not of ``gsm_1_2.json``; ``summary.json`` may be.
    """
    numbers = re.findall(r"\d+", _strip(name.stem))
    return len(files) == 1 and numbers in ([], re.findall(r"\d+", PurePosixPath(files[0]).stem))


def _find_log(name: PurePosixPath, files: Sequence[str]) -> str | None:
    """Return the file of debates that a result file is of; None where its name does not say."""
    bare = _strip(name.stem)
    matching = [each for each in files if _strip(PurePosixPath(each).stem) == bare]
    return matching[0] if len(matching) == 1 else None


def _strip(stem: str) -> str:
    """Return the stem of a file's name without the words for results."""
    return re.sub(r"[_-]?(eval|performance|accurac(y|ies)|summary|results?)(?=[_-]|$)", "", stem)


def read_result(name: str, text: str) -> Iterator[Claim]:
    """Yield the claims in a result file; nothing where it has none.

    Raises:
        InputError: it states a figure that is no share.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".json":
        try:
            yield from _read_json_result(name, json.loads(text, parse_float=str))
        except (ValueError, RecursionError):
            return
    elif suffix == ".csv":
        yield from _read_table(name, text)
    elif printed := [*_PRINTED.finditer(text)]:
        last = printed[-1]
        yield _make(name, "the last accuracy", [last[1] + "%" * bool(last[2])])


def _read_json_result(name: str, value: Any) -> Iterator[Claim]:  # noqa: ANN401 -- any JSON
    """Yield the accuracies of a list with one for each round, or of a summary."""
    if isinstance(value, list):
        pairs = [(key, each[key]) for each in value if isinstance(each, dict) for key in each]
        named = [(key, each) for key, each in pairs if any(word in key for word in _NAMES)]
        if named and len(named) == len(value) == len(pairs):
            keys = f"{named[0][0]} to {named[-1][0]}" if len(named) > 1 else named[0][0]
            yield _make(name, keys, [each for _, each in named])
    elif isinstance(value, dict):
        summary = value.get("summary", value)
        if not isinstance(summary, Mapping):
            return
        key = next((each for each in _NAMES if each in summary), None)
        if key is not None:
            own = f"summary.{key}" if "summary" in value else key
            sizes = [summary[each] for each in reversed(_SIZES) if each in summary]
            n = next((each for each in sizes if isinstance(each, int) and each > 0), None)
            yield _make(name, own, [summary[key]], n)


def _read_table(name: str, text: str) -> Iterator[Claim]:
    """Yield the column of accuracies of a table, one value a row."""
    rows = [*csv.DictReader(StringIO(text))]
    fields = [each for each in (rows[0] if rows else {}) if each and "acc" in each.lower()]
    if len(fields) == 1 and all(row.get(fields[0]) for row in rows):
        yield _make(name, f"column {fields[0]}", [row[fields[0]] for row in rows])


def _make(name: str, key: str, values: Sequence[object], n: int | None = None) -> Claim:
    """Return the claim of values of a program. Raises ``InputError`` where one is no share."""
    where = f"{name}, {key}"
    stated = [_read_stated(each, f"{where}: {each!r}") for each in values]
    percent = any(value > 1 for value, _ in stated)
    shares = tuple(_as_share(*each, percent=percent, where=where) for each in stated)
    return Claim(values=shares, source=where, n=n, exact=True)


def _half_a_question(n: int) -> float:
    return 0.5 / n - 1e-6 if n else 0.0


class Place(NamedTuple):
    """A round of a setting, in the order of an audit's lists.

    Attributes:
        files: those of the debates.
        setting: its name.
        round: from 1.
        last: whether it is the last round of its setting.
    """

    files: tuple[str, ...]
    setting: str
    round: int
    last: bool


def place_claims(
    claims: Sequence[Claim], places: Sequence[Place]
) -> list[tuple[Stated, Claim] | None]:
    """Return for each round and setting what is claimed of it; None where nothing is.

    A value alone is of the last round; as many values as rounds are of these, in their order; as
    many as settings are of their last rounds.

    Raises:
        InputError: a claim has another number of values, or is of an unknown file.
    """
    placed: list[tuple[Stated, Claim] | None] = [None] * len(places)
    for claim in claims:
        own = [n for n, each in enumerate(places) if not claim.log or _is_of(each, claim.log)]
        if not own:
            known = ", ".join(dict.fromkeys(each.setting for each in places))
            raise InputError(f"{claim.source}: no debates of {claim.log}; there are {known}")
        last = [n for n in own if places[n].last]
        taken = next((each for each in (last, own) if len(each) == len(claim.values)), None)
        if taken is None:
            raise InputError(
                f"{claim.source}: it has {len(claim.values)} values; the log has {len(own)} rounds "
                f"in {len(last)} settings; give a value for each round, or for each setting"
            )
        for n, value in zip(taken, claim.values, strict=True):
            placed[n] = value, claim
    return placed


def _is_of(place: Place, log: str) -> bool:
    names = {PurePosixPath(file).name for file in place.files}
    return log in {place.setting, *place.files, *names}

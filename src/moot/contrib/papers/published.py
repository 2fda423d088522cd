"""The published values of papers, and the study and analysis of moot for each.

``published/NAME.toml`` has the values as they stand in print, each misprint beside its value;
``mapping/NAME.toml`` has the studies, and where their analyses have the cell of each value.
"""

from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from moot import UnknownName
from moot.extend.calls import parse_toml
from moot.extend.studies import convert_table

_FOLDER = Path(__file__).parent
NAMES = ("mad", "apf", "community", "write", "settings")
"""The papers, by the names of the command."""

CLAIMS = "claims"
"""The name of the text's claims for ``--only``."""

Unit = Literal["share", "percent", "dollars", "points", "ticks"]


class Misprint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A misfit in a paper's own numbers.

    Attributes:
        row: the row, or a pattern of rows with ``*``.
        column: the same of columns.
        note: what does not fit, and what would.
    """

    row: str
    column: str
    note: str


class PublishedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a published table.

    Attributes:
        values: one for each column, with the decimals that it has in print; nan where there is
            none.
        n: on how many questions; 0 where the columns say it, or nothing does.
    """

    row: str
    values: list[Decimal]
    n: int = 0


class PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published table.

    Attributes:
        table: its number, as ``--only`` takes it.
        place: where it stands in the paper.
        unit: of its values: a share of 1, percent, US dollars, points of a scale, or ticks: 1
            where there is one, else 0.
        n: on how many questions the values of each column are; empty where unknown.
        note: what must be known to read it.
    """

    table: str
    title: str
    place: str
    unit: Unit
    columns: list[str]
    rows: list[PublishedRow]
    n: list[int] = []
    note: str = ""
    misprints: list[Misprint] = []

    def find(self, row: PublishedRow, column: str) -> float | None:
        """Return a value as a share, in dollars or in points; None where none is printed."""
        value = row.values[self.columns.index(column)]
        if value.is_nan():
            return None
        return float(value / 100 if self.unit == "percent" else value)

    def count(self, row: PublishedRow, column: str) -> int:
        """Return on how many questions a value is; 0 where that is unknown."""
        return row.n or (self.n[self.columns.index(column)] if self.n else 0)

    def doubt(self, row: str, column: str) -> list[str]:
        """Return the misfit of a value."""
        return [
            each.note
            for each in self.misprints
            if fnmatchcase(row, each.row) and fnmatchcase(column, each.column)
        ]


class PublishedPaper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The values that a paper published, as they stand in print.

    Attributes:
        title: of the paper.
        source: its authors and where it is.
    """

    title: str
    source: str
    tables: list[PublishedTable] = []


class PaperDataset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A dataset of a paper.

    Attributes:
        name: as the paper calls it.
        label: as moot's studies call it.
        n: how many questions the paper has.
        sums: what stands in for it where its files are not here, as a study's dataset.
    """

    name: str
    label: str
    n: int
    sums: dict[str, Any] = {}


class PaperStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shipped study of a paper.

    Attributes:
        datasets: by the paper's names; empty where it needs no files.
        twin: the shipped study to run in its place with ``--sums``; empty where stand-ins take
            the places of its datasets.
        arms: names, or patterns, of the arms that are run, the baseline among them; all if empty.
        drop_arms: arms that no table of the paper has.
        n: how many questions of a dataset, where they differ from those of the paper's.
    """

    study: str
    datasets: list[str] = []
    twin: str = ""
    arms: list[str] = []
    drop_arms: list[str] = []
    n: dict[str, int] = {}


class OurColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an analysis has the values of a published column.

    Attributes:
        heading: the group of its column, and its name.
        where: what else must stand in the row.
        title: how the title of its table begins; that of the whole table, if empty.
    """

    heading: tuple[str, str]
    where: list[str | int | float] = []
    title: str = ""


class OurTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which analysis gives a published table.

    ``{NAME}`` is the label of a dataset in the run.

    Attributes:
        analysis: its name; empty where moot cannot measure it by itself.
        title: how the title of the analysis's table begins; the first table, if empty. ``{row}``
            is the label of the dataset that a published row begins with.
        column: where the columns stand that ``columns`` does not name; ``{column}`` is the label
            of the dataset of that name.
        stands_for: the dataset that a column is really of, where its heading is misprinted.
        rows: what stands in the row of each published row: texts or numbers of its cells or band.
        note: what is not as in the paper.
    """

    table: str
    studies: list[str]
    analysis: str = ""
    options: dict[str, Any] = {}
    title: str = ""
    column: tuple[str, str] = ("", "")
    columns: dict[str, OurColumn] = {}
    stands_for: dict[str, str] = {}
    rows: dict[str, list[str | int | float]] = {}
    note: str = ""


class OurFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which analysis draws a figure, or gives a table that has no published values.

    Attributes:
        figure: its number, as ``--only`` takes it.
        arms: those that are looked at; empty for all.
        datasets: the same, by the paper's names.
        tables: whether its tables are shown, too.
    """

    figure: str
    title: str
    studies: list[str]
    analysis: str
    options: dict[str, Any] = {}
    arms: list[str] = []
    datasets: list[str] = []
    tables: bool = False


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence of a paper that says which of two is better.

    Attributes:
        claim: the sentence, in short.
        place: where it stands.
        more: names, or patterns, of the arms that are said to be better.
        less: those they are better than.
        datasets: on which, by the paper's names; empty for all.
        measure: the metric of a debate that is compared.
        published: the difference in print, as a share; None where none is stated.
        note: what does not fit in it.
    """

    claim: str
    place: str
    studies: list[str]
    more: list[str]
    less: list[str]
    datasets: list[str] = []
    measure: str = "accuracy"
    published: float | None = None
    note: str = ""


class _Mapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    studies: list[PaperStudy]
    datasets: list[PaperDataset] = []
    tables: list[OurTable] = []
    figures: list[OurFigure] = []
    claims: list[Claim] = []


class Paper(NamedTuple):
    """A paper: what it published, and what of moot gives the same."""

    name: str
    title: str
    source: str
    tables: dict[str, PublishedTable]
    ours: _Mapping

    @property
    def numbers(self) -> list[str]:
        """The numbers of tables and figures, and ``CLAIMS``, as ``--only`` takes them."""
        tables, figures = self.ours.tables, self.ours.figures
        numbers = [*(each.table for each in tables), *(each.figure for each in figures)]
        return [*numbers, *[CLAIMS] * bool(self.ours.claims)]


def read_paper(name: str) -> Paper:
    """Read a paper by its name. Raises ``UnknownName`` where there is none of it."""
    if name not in NAMES:
        raise UnknownName("paper", name, NAMES)
    published = read_published(_FOLDER / "published" / f"{name}.toml")
    tables = {each.table: each for each in published.tables}
    raw = parse_toml((_FOLDER / "mapping" / f"{name}.toml").read_bytes(), where=f"{name}.toml")
    ours = convert_table(_Mapping, raw, where=f"{name}.toml")
    return Paper(name, published.title, published.source, tables, ours)


def find_published(name: str) -> Path | None:
    """Return the file with the published values of a paper; None where it is none of these."""
    return _FOLDER / "published" / f"{name}.toml" if name in NAMES else None


def read_published(path: Path) -> PublishedPaper:
    """Read the published values of a paper. Raises ``InputError`` naming the key at fault."""
    raw = parse_toml(path.read_bytes(), where=path.name, parse_float=Decimal)
    return convert_table(PublishedPaper, raw, where=path.name)

"""Tables described as data: a list of columns, each with what it shows of a thing."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from moot.core.results import Mean
from moot.core.table import Cell, Column, ColumnKind, ResultTable, TableRow, Value

ReadCell = Callable[[Any], Cell | Value]


class Term(NamedTuple):
    """A term of the field that several tables have for one and the same figure.

    Attributes:
        head: the heading for people.
        about: its explanation; empty where it needs none.
    """

    head: str
    about: str = ""


TERMS = {
    "oracle gap": Term(
        "right, then lost", "someone had it right at some time, the verdict did not"
    ),
    "smallest": Term(
        "smallest to show", "the smallest difference that 80 % of studies of this size would show"
    ),
    "unparsed": Term("no answer read"),
}
"""The terms for figures, by the names that these have in moot."""


class TableField(NamedTuple):
    """A column of a table, with what it shows of a thing.

    Attributes:
        heading: of the column.
        kind: what its values are.
        value: what it shows: a function of a thing, or the name of an attribute, ``"gap.p"`` for
            one of an attribute; unknown where an attribute on the way is None. The heading's own
            name, if empty.
        digits: decimals; as of ``Column``.
        group: the heading that it shares with the columns beside it.
        head: the heading for people, where that is another than the field's; as of ``Column``.
        about: one explanation of it; as of ``Column``.
    """

    heading: str
    kind: ColumnKind = "text"
    value: str | ReadCell = ""
    digits: int | None = None
    group: str = ""
    head: str = ""
    about: str = ""

    @classmethod
    def of_smallest(cls, heading: str = "detectable", value: str = "gap.smallest") -> Self:
        """Make the column of the smallest differences that could have been shown.

        Args:
            heading: the name of the field in files.
            value: the attribute that has them.
        """
        head, about = TERMS["smallest"]
        return cls(heading, "percent", value, head=head, about=about)

    @property
    def column(self) -> Column:
        """The column."""
        return Column(
            self.heading, self.kind, self.digits, self.group, head=self.head, about=self.about
        )

    def read(self, thing: object) -> Any:  # noqa: ANN401 -- a cell or a value of one
        """Return the cell of a thing."""
        if callable(self.value):
            return self.value(thing)
        for name in (self.value or self.heading).split("."):
            thing = None if thing is None else getattr(thing, name)
        return thing


def tabulate(
    title: str,
    things: Iterable[Any] | Mapping[str, Iterable[Any]],
    *fields: TableField,
    band: Callable[[Any], str] = lambda _: "",
    marked: Callable[[Any], bool] = lambda _: False,
    **shown: Any,  # noqa: ANN401 -- further attributes of a table
) -> ResultTable:
    """Return a table with a row for each thing.

    Args:
        title: of the table.
        things: in the order of the rows; as a mapping, by the band that they share.
        fields: the columns.
        band: the heading that a thing's row shares with the rows next to it.
        marked: whether a thing is what the others are compared with.
        shown: further attributes of the table, such as its note.
    """
    rows = [
        TableRow([field.read(each) for field in fields], marked(each), shared or band(each))
        for shared, own in (things if isinstance(things, Mapping) else {"": things}).items()
        for each in own
    ]
    return ResultTable(title, tuple(field.column for field in fields), rows, **shown)


def mark_known(got: Mean, debates: int) -> Cell | Mean:
    """Return a mean with the number of debates in which it is known, where those are not all."""
    return Cell(got, mark=f" (n {got.n})") if 0 < got.n < debates else got


def list_tests(
    value: str = "", *, corrected: str = "p (Holm)", group: str = ""
) -> Iterator[TableField]:
    """Yield the columns of a p and of that corrected by Holm.

    Args:
        value: the attribute that has them; those of the thing itself, if empty.
        corrected: the heading of the second.
        group: the heading that they share with the columns beside them.
    """
    start = f"{value}." if value else ""
    yield TableField("p", "p", f"{start}p", group=group)
    yield TableField(corrected, "p", f"{start}p_holm", group=group)

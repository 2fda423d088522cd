"""Tables before they are written: what each kind of column shows of its values."""

import pytest

from moot.core.results import Difference, Mean
from moot.core.table import Cell, Column, ResultTable, ShownCell, TableRow, make_columns, show_cell

SHARE = Mean(mean=0.5, low=0.25, high=0.75, n=8, questions=8)


@pytest.mark.parametrize(
    ("column", "value", "text", "interval"),
    [
        (Column("c"), "words", "words", ""), (Column("c"), None, "–", ""),
        (Column("c", "count"), 1234.0, "1,234", ""), (Column("c", "count"), None, "unknown", ""),
        (Column("c", "count"), "as it is", "as it is", ""), (Column("c", "number"), 0.5, "0.5", ""),
        (Column("c", "number"), 3.0, "3", ""), (Column("c", "number", 2), -0.5, "−0.50", ""),
        (Column("c", "signed", 1), 0.04, "0.0", ""),
        (Column("c", "signed", 1), Mean(mean=1.5, low=-1.0, high=2.0), "+1.5", "−1.0 … +2.0"),
        (Column("c", "percent"), SHARE, "50.0", "25.0 … 75.0"),
        (Column("c", "percent"), Mean(mean=0.5), "50.0", ""),
        (
            Column("c", "points"),
            Difference(mean=-0.1, low=-0.2, high=0.1),
            "−10.0",
            "−20.0 … +10.0",
        ),
        (Column("c", "p"), 0.0004, "< 0.001", ""), (Column("c", "money"), 0.02, "$0.020", ""),
        (Column("c", "time"), 0.5, "500 ms", ""),
    ],
)  # fmt: skip
def test_a_value_is_shown_as_one_of_its_column(column, value, text, interval):
    shown = show_cell(column, value)
    assert (shown.text, shown.interval) == (text, interval)


def test_what_stands_besides_a_value_is_kept():
    cell = Cell(SHARE, mark="*", more=("8 in all",))
    assert show_cell(Column("c", "percent"), cell) == ShownCell(
        "50.0*", "25.0 … 75.0", ("8 in all",), 0.5
    )
    own = show_cell(Column("c", "number"), Cell(3.0, "2 … above 9"))
    assert (own.interval, own.sort) == ("2 … above 9", 3.0)


def test_rows_are_named_by_the_columns_of_text_before_the_first_figure():
    made = (*make_columns("text", "run", "arm"), Column("n", "count"), Column("said"))
    assert ResultTable("t", made, []).named_by == 2
    assert ResultTable("t", made[:2], [TableRow(["a", "b"])]).named_by == 2

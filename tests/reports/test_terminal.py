"""Tables in the terminal: nothing is cut, nothing acts on the terminal."""

import pytest
from rich.console import Console

from moot.core.chart import Chart
from moot.core.results import Mean
from moot.core.table import Cell, Column, Report, ResultTable, TableRow, make_columns
from moot.core.table_text import lay_out_report, wrap_text
from moot.reports.terminal import show_table

TABLE = ResultTable(
    "arms\x1b[31m",
    (Column("arm"), Column("accuracy of all", "percent")),
    [TableRow(["a name that is long \x1b[2J" * 3, Cell(0.975, "95.0 … 99.0")])],
    "a note",
)


def test_words_fold_and_figures_are_never_cut():
    console = Console(width=30, record=True, color_system=None)
    with console.capture() as capture:
        console.print(show_table(TABLE))
    text = capture.get()
    assert max(map(len, text.splitlines())) <= 30
    assert "95.0 … 99.0" in text
    assert "\x1b" not in text
    assert "accuracy" in text
    assert "a note" in text


@pytest.mark.parametrize("width", [80, 200])
def test_no_word_is_broken_where_there_is_room_for_it(width):
    names = ["debate-moderated against society-of-minds", "self-consistency"]
    share = Mean(mean=0.5, low=0.25, high=0.75)
    figures = make_columns("percent", *(f"share of all {k}" for k in range(4)))
    made = ResultTable("t", (*make_columns("text", "opening", "arm"), *figures), [])
    made.rows.extend(TableRow(["control-wrong", name, *[share] * 4]) for name in names)
    console = Console(width=width, record=True, color_system=None)
    with console.capture() as capture:
        console.print(show_table(made))
    text = capture.get()
    assert max(map(len, text.splitlines())) <= width
    words = set(text.split())
    assert {"control-wrong", "debate-moderated", "society-of-minds", "self-consistency"} <= words
    assert text.replace(" … ", "…").count("25.0…75.0") == 8


def test_a_no_break_space_keeps_a_number_and_its_unit_in_a_line():
    assert wrap_text("It is 80\u00a0% of all", 9) == ["It is", "80\u00a0% of", "all"]


def test_what_a_terminal_leaves_out_is_named_with_the_option_that_gives_it():
    report = Report("R", "", [TABLE._replace(wide=True)], charts=(Chart("c", "Drawn", "", [], {}),))
    text = " ".join(line.text for line in lay_out_report(report, 80))
    assert "by --format markdown, csv and the others: arms" in text
    assert "Figures, by --format svg, pdf, png or html: Drawn." in text

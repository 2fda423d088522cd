"""Tables in the terminal: nothing is cut, nothing acts on the terminal."""

from rich.console import Console

from moot.reports.grid import Cell, Column, Grid, Row
from moot.reports.terminal import table

GRID = Grid(
    "arms\x1b[31m",
    "a note",
    (Column("arm", words=True), Column("accuracy of all")),
    [Row([Cell("a name that is long \x1b[2J" * 3), Cell("97.5", "95.0 … 99.0")])],
)


def test_words_fold_and_figures_are_never_cut():
    console = Console(width=30, record=True, color_system=None)
    with console.capture() as capture:
        console.print(table(GRID))
    text = capture.get()
    assert max(map(len, text.splitlines())) <= 30
    assert "95.0 … 99.0" in text
    assert "\x1b" not in text
    assert "accuracy" in text
    assert "a note" not in text

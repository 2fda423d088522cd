"""How tables are made to fit a page."""

from moot.reports.grid import Cell, Column, Grid, Row
from moot.reports.latex_fit import LINES, parts


def grid(rows, *figures, interval="", name="an arm"):
    columns = [Column("Dataset", words=True), Column("Arm", words=True), *map(Column, figures)]
    made = [
        Row([Cell("sums"), Cell(f"{name} {k}"), *[Cell("16.7", interval)] * len(figures)])
        for k in range(rows)
    ]
    return Grid("Title", "Note.", tuple(columns), made)


def test_what_fits_stays_as_it_is():
    small = grid(3, "Accuracy %", interval="8.3 … 25.0")
    assert list(parts(small)) == [(small, None)]


def test_a_table_too_wide_is_narrowed_and_then_goes_on_with_the_other_columns():
    names = [f"Round {k} %" for k in range(9)]
    [one] = parts(grid(3, *names[:3], interval="−50.0 … +25.0"))
    assert one.names is not None
    made = list(parts(grid(3, *names, interval="−50.0 … +25.0")))
    assert len(made) > 1
    assert [c.name for part in made for c in part.grid.columns[2:]] == names
    assert all([c.name for c in p.grid.columns[:2]] == ["Dataset", "Arm"] for p in made)
    assert [(part.grid.title, part.grid.note) for part in made[:2]] == [
        ("Title", "Note."),
        ("Title, continued", ""),
    ]


def test_what_tells_rows_apart_besides_names_is_in_every_part():
    made = list(parts(grid(3, "Round", *["Accuracy %"] * 9, interval="−50.0 … +25.0")))
    assert len(made) > 1
    assert all(part.grid.columns[2].name == "Round" for part in made)


def test_a_table_too_high_goes_on_with_the_other_rows():
    whole = grid(2 * LINES, "Accuracy %")
    made = list(parts(whole))
    assert [row for part in made for row in part.grid.rows] == whole.rows
    assert max(len(part.grid.rows) for part in made) < LINES
    tall = list(parts(grid(LINES, *["Accuracy %"] * 3, interval="−50.0 … +25.0", name="long " * 9)))
    assert len(tall) > 2


def test_a_table_without_rows_or_words_has_one_part():
    assert len(list(parts(grid(0, "Accuracy %")))) == 1
    bare = Grid("Title", "", (Column("samples"), Column("sums %")), [Row([Cell("3"), Cell("5")])])
    assert list(parts(bare)) == [(bare, None)]

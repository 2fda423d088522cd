"""Rows in CSV and Parquet: what is written comes back, and nothing acts in a spreadsheet."""

import csv
from io import BytesIO

import pytest

from moot.reports.export.row_files import GROUP, write_csv, write_parquet

COLUMNS = {
    "name": "text", "n": "whole", "x": "real", "yes": "truth", "many": "texts", "ids": "wholes"
}  # fmt: skip


@pytest.fixture
def written():
    def written(*rows):
        file = BytesIO()
        with write_csv(file, COLUMNS) as write:
            for row in rows:
                write(row)
        return file.getvalue().decode().partition("\r\n")[2]

    return written


def test_texts_are_quoted_and_numbers_are_not(written):
    row = ["a", 3, 0.1, True, ("one", "two"), (1, 2)]
    assert written(row) == '"a",3,0.1,true,"one|two","1|2"\r\n'


def test_what_is_unknown_is_told_from_what_is_empty():
    file = BytesIO()
    with write_csv(file, COLUMNS) as write:
        write([None] * 6)
        write(["", 0, 0.0, False, (), ()])
    head, unknown, empty, end = file.getvalue().split(b"\r\n")
    assert head == b'"name","n","x","yes","many","ids"'
    assert (unknown, empty, end) == (b",,,,,", b'"",0,0.0,false,"",""', b"")


def test_any_text_comes_back(written):
    text = 'a "b", c\r\nd\n\x00\u2028é;'
    [row] = csv.reader(written([text, 1, 1.5e-300, False, (), ()]).splitlines(keepends=True))
    assert row[0] == text
    assert float(row[2]) == 1.5e-300


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", '=cmd|" /c"!A1', "-"],
)
def test_nothing_can_be_taken_for_a_formula(written, text):
    line = written([text, None, None, None, (text,), ()])
    quoted = text.replace('"', '""')
    assert line == f'"\'{quoted}",,,,"\'{quoted}",""\r\n'


@pytest.mark.parametrize("text", ["-3", "+4.5", "-6/2", "-1,000.5", "2=2", "a@b", "'=1"])
def test_numbers_and_other_texts_stay_as_they_are(written, text):
    assert written([text, -3, -0.5, None, (), ()]) == f'"{text}",-3,-0.5,,"",""\r\n'


def test_columns_have_their_types_and_rows_come_in_groups(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    rows = [[f"=é{n}", n, n / 2, n % 2 == 0, ("a", "|"), (n,)] for n in range(GROUP + 1)]
    rows[1] = [None] * 6
    with path.open("wb") as file, write_parquet(file, COLUMNS) as write:
        for row in rows:
            write(row)
    with parquet.ParquetFile(path) as file:
        assert file.num_row_groups == 2
        assert list(map(str, file.schema_arrow.types)) == [
            "string", "int64", "double", "bool", "list<element: string>", "list<element: int64>",
        ]  # fmt: skip
        assert file.metadata.row_group(0).column(0).compression == "ZSTD"
        back = [list(row.values()) for row in file.read().to_pylist()]
    assert [[tuple(c) if isinstance(c, list) else c for c in row] for row in back] == rows

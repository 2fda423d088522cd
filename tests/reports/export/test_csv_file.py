import csv

import pytest

from moot.reports.export.csv_file import csv_file
from moot.reports.export.export_tables import ExportTable

COLUMNS = {
    "name": "text", "n": "whole", "x": "real", "yes": "truth", "many": "texts", "ids": "wholes"
}  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """What a file of these rows holds, under its header."""

    def written(*rows):
        path = tmp_path / "t.csv"
        with csv_file(path, ExportTable(COLUMNS, iter)) as write:
            for row in rows:
                write(row)
        return path.read_bytes().decode().partition("\r\n")[2]

    return written


def test_texts_are_quoted_and_numbers_are_not(written):
    row = ["a", 3, 0.1, True, ("one", "two"), (1, 2)]
    assert written(row) == '"a",3,0.1,true,"one|two","1|2"\r\n'


def test_what_is_unknown_is_told_from_what_is_empty(tmp_path):
    path = tmp_path / "t.csv"
    with csv_file(path, ExportTable(COLUMNS, iter)) as write:
        write([None] * 6)
        write(["", 0, 0.0, False, (), ()])
    head, unknown, empty, end = path.read_bytes().split(b"\r\n")
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

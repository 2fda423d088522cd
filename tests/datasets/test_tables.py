import csv
from io import StringIO
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from moot.core.errors import InputError
from moot.datasets.tables import csv_rows

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


class Row(msgspec.Struct):
    text: str
    count: Annotated[int, Meta(ge=0, le=3)]


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "rows.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_rows_are_numbered_by_the_line_where_they_start(table):
    path = table('\ufeffid,text,count\r\n1,"a\n\nb",0\r\n\r\n2,"c, ""d""",3\r\n')
    assert list(csv_rows(path, Row)) == [(2, Row("a\n\nb", 0)), (6, Row('c, "d"', 3))]
    assert list(csv_rows(table("text,count\n"), Row)) == []
    assert list(csv_rows(table(""), Row)) == []


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("x,4", "Expected `int` <= 3"),
        ("x,one", "Expected `int`"),
        ("x", "it has 1 cells, the header 2"),
        ("x,1,y", "it has 3 cells, the header 2"),
        ('"x,1', "unexpected end of data"),
        ('"x"y,1', "',' expected after '\"'"),
        (b"\xff,1", "not UTF-8 (byte 0xff"),
    ],
)
def test_a_damaged_row_is_named_by_file_and_line(table, row, why):
    good = b'text,count\n"a\nb",1\n'
    path = table(good + (row if isinstance(row, bytes) else row.encode()) + b"\n")
    with pytest.raises(InputError, match=r"rows\.csv, line 4: ") as caught:
        list(csv_rows(path, Row))
    assert why in str(caught.value)


def test_a_column_that_is_missing_is_named(table):
    with pytest.raises(InputError, match=r"line 2: Object missing required field `count`"):
        list(csv_rows(table("text,number\nx,1\n"), Row))


@given(st.lists(st.tuples(CELLS, st.integers(0, 3))))
def test_what_was_written_is_read(tmp_path_factory, rows):
    file = StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("text", "count"), *rows])
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    path.write_bytes(file.getvalue().encode())
    assert [(row.text, row.count) for _, row in csv_rows(path, Row)] == rows

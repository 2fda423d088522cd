import csv
from io import StringIO
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from moot.core.errors import InputError
from moot.datasets.records import csv_rows, json_list

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


class Row(msgspec.Struct):
    a: int


def test_elements_of_a_list_are_numbered_by_the_line_where_they_start(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text('[{"a": 1}, {"a":\n1},\n\n {"a":\n 1}\n]')
    assert list(json_list(path, Row)) == [(1, Row(1)), (1, Row(1)), (4, Row(1))]
    path.write_text('[\n{"a": 1},\n{"a": null}]')
    with pytest.raises(InputError, match=r"rows\.json, line 3: Expected `int`"):
        list(json_list(path, Row))
    path.write_text('{"a": 1}')
    with pytest.raises(InputError, match=r"rows\.json, line 1: Expected `array`"):
        list(json_list(path, Row))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3))))
def test_the_line_of_every_element_is_right(tmp_path_factory, rows):
    text, lines, line = "[", [], 1
    for place, (value, before, within) in enumerate(rows):
        text += "," * (place > 0) + "\n" * before + '{"a":' + "\n" * within + f"{value}" + "}"
        line += before
        lines.append((line, Row(value)))
        line += within
    path = tmp_path_factory.mktemp("rows") / "rows.json"
    path.write_text(text + "]")
    assert list(json_list(path, Row)) == lines


class Cells(msgspec.Struct):
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
    assert list(csv_rows(path, Cells)) == [(2, Cells("a\n\nb", 0)), (6, Cells('c, "d"', 3))]
    assert list(csv_rows(table("text,count\n"), Cells)) == []
    assert list(csv_rows(table(""), Cells)) == []


@given(st.lists(st.tuples(CELLS, st.integers(0, 3))))
def test_what_was_written_is_read(tmp_path_factory, rows):
    file = StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("text", "count"), *rows])
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    path.write_bytes(file.getvalue().encode())
    assert [(row.text, row.count) for _, row in csv_rows(path, Cells)] == rows

from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import InputError
from moot.datasets.records import json_lines, json_list, number


class Row(msgspec.Struct):
    a: int


def test_lines_are_numbered_and_empty_ones_are_passed_over(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2, "b": "\\n"}\r\n')
    assert list(json_lines(path, Row)) == [(1, Row(1)), (3, Row(2))]


@pytest.mark.parametrize("bad", ['{"a": "x"}', '{"b": 1}', '{"a": 1', "[1]", "", "\x00", '"é'])
def test_a_damaged_row_of_a_list_is_named_by_file_and_line(tmp_path, bad):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n' + (bad or "<html>").encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"rows\.jsonl, line 2: "):
        list(json_lines(path, Row))


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


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,450", 1450), ("-3", -3), ("0.5", Fraction(1, 2)), ("3/2", Fraction(3, 2))],
)
def test_a_number_has_its_value(text, value):
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "1/e", "6 or 12", "1:1", "1/0", "48%"])
def test_what_is_no_number_is_none(text):
    assert number(text) is None

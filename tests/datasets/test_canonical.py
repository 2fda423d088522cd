from fractions import Fraction

import pytest

from moot.datasets.canonical import parse_number


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,450", 1450), ("-3", -3), ("0.5", Fraction(1, 2)), ("3/2", Fraction(3, 2))],
)
def test_a_number_has_its_value(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["", "1/e", "6 or 12", "1:1", "1/0", "48%"])
def test_what_is_no_number_is_none(text):
    assert parse_number(text) is None

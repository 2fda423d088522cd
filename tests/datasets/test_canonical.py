from fractions import Fraction

import pytest

from moot.datasets.canonical import parse_number, to_canonical


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,450", 1450), ("-3", -3), ("0.5", Fraction(1, 2)), ("3/2", Fraction(3, 2))],
)
def test_a_number_has_its_value(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["", "1/e", "6 or 12", "1:1", "1/0", "48%"])
def test_what_is_no_number_is_none(text):
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (r"$\frac{1}{2}$", r"\frac{1}{2}"),
        (r"\boxed{(3,4]}", "(3,4]"),
        (r"It is half, so \boxed{\frac12}. Not \boxed{", r"\frac12"),
        (r"We add. " * 99 + r"\[\boxed{5}\]", "5"),  # a worked solution, as MATH has it
        (0.5, "0.5"),
        (r"\frac{1", None),
        ("$$", None),
        ("x" * 501, None),
    ],
)
def test_mathematics_is_latex_without_its_marks(said, kept):
    assert to_canonical(said, "math", ()) == kept

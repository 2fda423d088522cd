from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.numerals import write_decimal
from moot.core.questions import Question
from moot.parsing.choice import find_option
from moot.parsing.kinds import read

NUMBER = Question(id="q", kind="number", text="?")
CHOICE = Question(
    id="q", kind="choice", text="?", choices=("red", "dark red", "not red at all", "3.5 km")
)


@given(st.fractions())
def test_a_decimal_is_exact(exact: Fraction) -> None:
    assert Fraction(write_decimal(exact)) == exact


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_a_decimal_stays_plain(number: object) -> None:
    assert "/" not in write_decimal(Fraction(str(number)))
    assert "e" not in write_decimal(Fraction(str(number))).lower()


@pytest.mark.parametrize(
    ("phrase", "answer"),
    [
        ("7 = 7", "7"), ("3 + 4 = 7 apples", "7"), ("7 (since 3 + 4 = 7)", "7"),
        ("a 3-day trip", None), ("the 3rd of 5", "5"), ("2.5 million", "2500000"), ("5:30", None),
        ("minus three", "-3"), ("2 1/2", "2.5"), ("x2", None),
    ],
)  # fmt: skip
def test_numbers_are_read_from_phrases(phrase: str, answer: str | None) -> None:
    assert read(phrase, NUMBER) == answer


@pytest.mark.parametrize(
    ("phrase", "letter"),
    [
        ("it is red", "A"), ("it is dark red", "B"), ("it is not red at all", "C"),
        ("it is not red", None), ("3.5 km", "D"), ("red or 3.5 km", None), ("hundred", None),
    ],
)  # fmt: skip
def test_the_widest_choice_that_a_phrase_holds(phrase: str, letter: str | None) -> None:
    assert find_option(phrase, CHOICE) == letter


def test_an_exponent_beyond_all_measure_is_no_number() -> None:
    question = Question(id="q", kind="number", text="?")
    assert read("1e999", question) is None
    assert read("1e3", question) == "1000"

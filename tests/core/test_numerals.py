"""Numerals: a text that is one number has its value, and one that goes on has none."""

from fractions import Fraction

import pytest

from moot.core.number_words import read_number_words
from moot.core.numerals import read_numeral

ONE = [
    (r"1\frac{12}{13}", "25/13"), (r"2\frac{1}{4}", "9/4"), (r"-1\frac12", "-3/2"),
    (r"\frac1{10}", "1/10"), (r"\frac 9{20}", "9/20"), (r"\frac12", "1/2"), (r"\cfrac12", "1/2"),
    (r"\dfrac{3}{4}", "3/4"), (r"\tfrac 34", "3/4"), (r"\frac{1}2", "1/2"), (r"{1 \over 2}", "1/2"),
    (r"\frac{-1}{-2}", "1/2"), (r"-\frac{3}{4}", "-3/4"), (r"$-1\frac12$", "-3/2"),
    ("-(3/4)", "-3/4"), ("(−3)", "-3"), ("−5", "-5"), ("+5", "5"), ("2 1/4", "9/4"), ("2¼", "9/4"),
    ("2⅓", "7/3"), ("½", "1/2"), ("7/2", "7/2"), ("1,015", "1015"), ("8 400", "8400"),
    ("8\u2009400", "8400"), ("8\u202f400", "8400"), (r"8\,400", "8400"), (r"1\;234", "1234"),
    ("1{,}234", "1234"), (r"371,\!043,\!400", "371043400"), ("8_400", "8400"), ("1'234", "1234"),
    ("1.234.567", "1234567"), ("1.234,56", "1234.56"), ("1 234,5", "1234.5"),
    ("12,34,567", "1234567"), ("0.50", "0.5"), (".5", "0.5"), ("1.234", "1.234"), ("$18", "18"),
    (r"\$18.90", "18.9"), (r"\$ 10", "10"), ("€ 5", "5"), ("50%", "50"), (r"25\%", "25"),
    (r"90^\circ", "90"), ("12k", "12000"), ("5 million", "5000000"),
    ("2.5 trillion", "2500000000000"), ("3 lakh", "300000"), ("$5m", "5000000"),
    ("$1.5B", "1500000000"), ("3e5", "300000"), ("She has 3.\n#### 1,015", "1015"), ("x = 5", "5"),
    (r"\text{13}", "13"), ("one hundred and five", "105"), ("three quarters", "3/4"),
    ("two thirds", "2/3"), ("minus twenty-one", "-21"), ("one and a half", "3/2"),
    ("two and three quarters", "11/4"), ("two million three hundred thousand and one", "2300001"),
    ("a hundred", "100"), ("one trillion", "1000000000000"), ("three point one four", "3.14"),
    ("half", "1/2"),
]  # fmt: skip
LATEX = [
    *[text for text, _ in ONE if "frac" in text or "over" in text],
    "371,\\!043,\\!400", "0.50", "-5", "7/2", "1,015", "90^\\circ", "\\$18.90",
    *["2\\sqrt{2}", "9\\pi", "3,4", "(2,3)", "e^2", "2x+3", "\\frac{\\pi}{6}", "292i"],
]  # fmt: skip
NONE = [
    r"2\sqrt{2}", r"\sqrt{2}", r"9\pi", "9π", "2√2", "3,4", "0,4", "1, 2", "(2,3)", r"[3,\infty)",
    r"\pm 3", "±3", "e^2", r"\binom52", r"0.\overline{3}", "292i", "2x+3", r"\frac{5w}{2}+2",
    r"\frac{\pi}{6}", r"\frac{\sqrt{3}}{2}", r"160 \leq distance \leq 230", "x > 5", "5-7",
    "5 to 7", "5 or 6", "3:4", "11_2", "5!", "5²", "2^10", "3 + 4", "1/0", "0.333...",
    "two or three", "twenty-first", "three-day", "12 cm", "", "B", "none", "1/2x", r"1\frac{x}{2}",
    "five hundred or so", "5m", "300 K",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), ONE)
def test_one_number(text, value):
    found = read_numeral(text)
    assert found is not None
    assert Fraction(found) == Fraction(value)


@pytest.mark.parametrize("text", NONE)
def test_what_goes_on_is_no_shorter_number(text):
    assert read_numeral(text) is None


def test_words_say_where_they_end():
    assert read_number_words("twenty-one apples") == (21, 10)
    assert read_number_words("one of them") is None


@pytest.mark.parametrize("text", LATEX)
def test_math_verify_reads_no_other_number(text):
    """Where both have an opinion; its own form is LaTeX, so prose is left out."""
    pytest.importorskip("math_verify", reason="pip install math-verify")
    sympy = pytest.importorskip("sympy")
    from math_verify import parse

    theirs = parse(text if text[0] + text[-1] == "$$" else f"${text}$", parsing_timeout=None)
    ours = read_numeral(text)
    if ours is not None and theirs and isinstance(theirs[0], sympy.Rational):
        assert Fraction(int(theirs[0].p), int(theirs[0].q)) == Fraction(ours)
    elif ours is not None:
        assert not theirs or not getattr(theirs[0], "free_symbols", None)

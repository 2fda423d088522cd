"""One form for what is equal, another for what is not, none for what is damaged."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.latex import strip_marks
from moot.parsing.mathematics.answers import find_form
from moot.parsing.mathematics.plain import make_plain
from moot.parsing.same import is_same, majority

EQUAL = [
    [
        r"\frac{1}{2}",
        r"\dfrac12",
        "0.5",
        ".5",
        "1/2",
        r"\tfrac{2}{4}",
        r"\frac{-1}{-2}",
        r"\frac 12",
    ],
    [r"\frac{\sqrt{2}}{2}", r"\frac{1}{\sqrt{2}}", r"1/\sqrt 2", "sqrt(2)/2", r"\sqrt{\frac12}"],
    [r"1+\sqrt{2}", r"\sqrt{3+2\sqrt{2}}", r"\sqrt2 + 1"],
    [r"3\frac{1}{2}", r"\frac{7}{2}", "3.5", r"3.50\text{ hours}", "3.5 cm", r"\$3.50"],
    ["1,234", r"1{,}234", r"1,\!234", r"1\,234", "1234", r"1234\%"],
    [r"0.\overline{3}", r"\frac13"],
    [r"(3,4]", r"\left(3, 4\right]", r"3 < x \le 4", r"x \in (3,4]"],
    [r"(3,\infty)", "x>3", "3 < x"], [r"(-\infty,-1)\cup(2,\infty)", r"x<-1 \text{ or } x>2"],
    [r"\{1,2,3\}", "3, 2, 1", r"1, 2 \text{ and } 3", r"x=1, x=2, x=3"],
    [r"3\pm\sqrt{2}", r"\{3-\sqrt 2, 3+\sqrt 2\}"],
    [r"y=2x+1", r"1+2x", r"f(x) = 2x + 1", r"\frac{4x+2}{2}"],
    [r"x^2-1", r"(x-1)(x+1)", r"\frac{x^3-x}{x}"], [r"2x+3y=6", r"4x+6y-12=0", r"6 - 3y = 2x"],
    [
        r"\begin{pmatrix} 1/2 \\ 3 \end{pmatrix}",
        r"\begin{bmatrix} 0.5 \\ 3 \end{bmatrix}",
        r"\frac12\begin{pmatrix} 1 \\ 6 \end{pmatrix}",
    ],
    [r"\sin^2 x", r"1-\cos^2 x"], [r"\tan x", r"\frac{\sin x}{\cos x}"],
    [r"\sin 2x", r"2\sin x\cos x"], [r"(2,5)", r"\langle 2, 5\rangle", r"\left( 2,\ 5 \right)"],
    [r"2+3i", "3i+2", r"\frac{13}{2-3i}"],
    [r"\text{even}", "even", r"\textbf{Even}", r"\mathrm{even}"], [r"\text{(E)}", "E", "(E)"],
    [r"6:2", "3:1"], [r"42_7", r"42_{7}"], [r"5\cdot 10^3", "5000", r"5 \times 10^{3}", "5e3"],
    [r"a=b=7", "7"], [r"2^{n+1}", r"2\cdot 2^n"], [r"90^\circ", r"90^{\circ}", "90 degrees"],
]  # fmt: skip
"""Each list has spellings of one value; no two lists have the same."""
DAMAGED = [
    "", " ", r"\frac{1", "x^{2", r"\sqrt{", "}", r"\frac{1}{0}", r"\frac{0}{0}", "{", "a" * 600,
    "[your answer]", "your answer", "I don't know", "it depends on the number of students",
    r"\begin{pmatrix} 1 & 2", r"2^{100000}", "42 because it is so", r"\text{There are 5 of them}",
]  # fmt: skip


@pytest.mark.parametrize("spellings", EQUAL, ids=lambda each: each[0])
def test_equal_values_have_one_form(spellings):
    forms = [find_form(each) for each in spellings]
    assert forms[0] is not None
    assert all(is_same(forms[0], each, "math") for each in forms)


def test_unequal_values_have_different_forms():
    forms = [(find_form(each[0]), each[0]) for each in EQUAL]
    for (one, spelt), (other, spelt_too) in combinations(forms, 2):
        assert not is_same(one, other, "math"), (spelt, spelt_too)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("45,135", "45, 135"),  # a number, and a list
        ("42_7", "42"), (r"\cos 58^\circ", r"\cos 58"), ("3.14", r"\pi"), ("[3,4]", "(3,4)"),
        (r"\log 8", r"\ln 8"), ("A+a", "2a"), ("50", "0.5"), ("3:1", "3"), ("(1,2)", "(2,1)"),
        (r"\vec{a}", "a"), (r"x\ge 3", "x>3"), ("x-3z=0", "x+3z=0"),
    ],
)  # fmt: skip
def test_what_math_verify_or_a_slip_would_take_for_equal_is_not(one, other):
    forms = find_form(one), find_form(other)
    assert None not in forms
    assert not is_same(*forms, "math")


@pytest.mark.parametrize("spellings", EQUAL, ids=lambda each: each[0])
def test_a_form_is_its_own_form(spellings):
    form = find_form(spellings[0])
    assert find_form(form) == form


@pytest.mark.parametrize("latex", DAMAGED)
def test_damaged_latex_is_no_answer(latex):
    assert find_form(latex) is None


def test_votes_pool_equivalent_answers_and_the_first_seat_breaks_ties():
    said = [r"\frac{1}{\sqrt2}", "0.7", r"\frac{\sqrt2}{2}", None, "0.70"]
    forms = [each and find_form(each) for each in said]
    assert majority(forms, "math") == (r"\frac{\sqrt{2}}{2}", {r"\frac{\sqrt{2}}{2}": 2, "0.7": 2})
    assert majority(forms[::-1], "math")[0] == "0.7"


def test_near_is_not_equal_so_that_equal_is_an_equivalence():
    """math-verify takes 1/3 for 0.333333 and that for 0.3333331, but not 1/3 for the last."""
    forms = [find_form(each) for each in (r"\frac13", "0.333333", "0.3333331")]
    assert len(majority(forms, "math")[1]) == 3


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("$5$", "5"), (r"\(x\)", "x"), (r"\[\boxed{5}\]", "5"), ("$$ 5 $$", "5"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"), ("$5$ and $6$", "$5$ and $6$"),
        (r"\boxed{5} or \boxed{6}", r"\boxed{5} or \boxed{6}"),
        ("\x0crac{1}{2}", r"\frac{1}{2}"),  # as JSON has it where a backslash is missing
        ("\text{odd}", r"\text{odd}"),
    ],
)  # fmt: skip
def test_marks_around_latex_are_taken_off(given, kept):
    assert strip_marks(given) == kept


def test_what_is_made_plain_stays_plain():
    for spellings in EQUAL:
        for each in spellings:
            assert make_plain(make_plain(each)) == make_plain(each)


PIECES = st.sampled_from(
    [each for line in EQUAL for each in line]
    + [
        "^", "{", "}", "\\frac", "\\sqrt", "_", "=", "<", ",", "(", ")", "!", "&", "\\\\", "i", "x",
        "9",
    ]
    + [
        "\\int", "\\sum_{n=1}^{", "\\begin{pmatrix}", "\\log", "|", "\\text{", "\\mod", "\x00",
        "\ud800",
    ]
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=5).map("".join))
def test_whatever_stands_there_is_an_answer_or_none(latex):
    assert find_form(latex) != ""


@pytest.mark.parametrize(
    "latex",
    [
        r"(\log 2)^2", r"2E", r"2e", r"\ln^2 x", r"i!",
        r"\frac12 \begin{pmatrix} 1 \\ 3 \end{pmatrix}", r"\arcsin x", r"\frac{\sqrt[3]{4}}{3}",
        r"m(e)", r"\overline{AB}", r"X + x", r"\text{a} + 1",
    ],
)  # fmt: skip
def test_rare_forms_are_their_own_forms(latex):
    form = find_form(latex)
    assert form is not None
    assert find_form(form) == form

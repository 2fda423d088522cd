"""Values that a question is opened with: right or wrong as asked for, seeded, and plausible."""

from fractions import Fraction
from string import ascii_uppercase

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import InputError
from moot.core.questions import KINDS, Question
from moot.debate.opening_values import OPENINGS, check_opening, draw_opening, read_user_answer
from moot.parsing.same import is_correct
from support.questions import is_canonical

BOARD = [file + rank for file in "abcdefgh" for rank in "12345678"]

whole = st.integers(-(10**9), 10**9).map(str)
decimals = st.decimals(-1000, 1000, places=3).map(str)
fractions = st.fractions(-50, 50, max_denominator=30).map(str)
odd = st.sampled_from(["0", "0.0", "-0", ".5", "5.", "+5", "007", "1e3", "-2.5E-2", "100", "50.0"])
numbers = st.one_of(whole, decimals, fractions, odd)


def several(answers):
    return st.lists(answers, min_size=1, max_size=4, unique=True).map(tuple) | answers


@st.composite
def choices(draw):
    size = draw(st.integers(2, 26))
    letters = st.sampled_from(ascii_uppercase[:size])
    right = st.lists(letters, min_size=1, max_size=size - 1, unique=True)
    return {"choices": tuple(map(str, range(size))), "answer": tuple(draw(right))}


squares = st.lists(st.sampled_from(BOARD), min_size=1, max_size=63, unique=True).map(tuple)
FIELDS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("number"), "answer": several(numbers)}),
    choices().map(lambda has: {"kind": "choice", **has}),
    st.sampled_from(["true", "false"]).map(lambda each: {"kind": "boolean", "answer": each}),
    squares.map(lambda each: {"kind": "square", "answer": each}),
)
ids = st.text(max_size=8)
questions = st.builds(lambda id_, has: Question(id=id_, text="What?", **has), ids, FIELDS)
distances = st.sampled_from(["near", "far", "plus-100"])
CONTROLS = ("control-right", "control-wrong", "control-random")


def number(answer, **more):
    return Question(id="q", kind="number", text="How many?", answer=answer, **more)


@given(questions, st.integers(0, 99), distances)
def test_wrong_values_are_wrong_and_right_ones_right(question, seed, distance):
    for opening in ("open", *CONTROLS):
        check_opening(question, opening)
    assert draw_opening(question, "open") == ()
    right = draw_opening(question, "control-right", seed, distance=distance)
    wrong = draw_opening(question, "control-wrong", seed, distance=distance)
    anything = draw_opening(question, "control-random", seed, distance=distance)
    assert right
    assert all(is_correct(value, question) for value in right)
    assert wrong
    assert not any(is_correct(value, question) for value in wrong)
    assert all(is_canonical(value, question) for value in wrong)
    if question.kind == "square":
        assert set(right) == set(question.answers)
        assert len(set(wrong)) == len(wrong) == min(len(right), 64 - len(right))
        assert len(set(anything)) == len(anything) == len(right)
        for opening in CONTROLS:
            assert len(draw_opening(question, opening, seed, squares="one")) == 1
    else:
        assert (len(right), len(wrong), len(anything)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("right", "near"),
    [
        ("7", {"5", "6", "8", "9"}),
        ("0", {"1", "2"}),
        ("-1", {"-3", "-2", "0", "1"}),
        ("51", {"41", "49", "50", "52", "53", "61", "15"}),
        ("100", {"90", "98", "99", "101", "102", "110"}),
        ("0.5", {"0.3", "0.4", "0.6", "0.7"}),
        ("-2.50", {"-2.48", "-2.49", "-2.51", "-2.52", "-2.40", "-2.60", "-5.20", "-2.05"}),
        ("1/3", {"-1/3", "0", "2/3", "1"} - {"-1/3"}),
        ("1e3", {"998", "999", "1001", "1002", "990", "1010"}),
    ],
)
def test_near_numbers_are_what_a_slip_gives(right, near):
    question = number(right)
    drawn = {draw_opening(question, "control-wrong", seed)[0] for seed in range(300)}
    assert drawn == near


@given(numbers, st.integers(0, 99))
def test_far_numbers_are_out_of_proportion_and_near_ones_have_no_more_decimals(right, seed):
    [wrong] = draw_opening(number(right), "control-wrong", seed, distance="far")
    exact, far = Fraction(right), Fraction(wrong)
    assert 3 <= far / exact <= 11 if exact else far > 0
    [wrong] = draw_opening(number(right), "control-wrong", seed)
    if "e" not in right.casefold():
        decimals = len(right.partition(".")[2])
        assert len(wrong.partition(".")[2]) <= decimals
        assert Fraction(wrong).denominator <= max(exact.denominator, 10**decimals)


def test_random_values_are_any():
    values = [draw_opening(number("12"), "control-random", seed)[0] for seed in range(400)]
    assert 160 < values.count("12") < 240, "right as often as wrong"
    question = Question(id="q", kind="choice", text="?", choices=tuple("wxyz"), answer="B")
    values = {draw_opening(question, "control-random", seed) for seed in range(100)}
    assert values == {("A",), ("B",), ("C",), ("D",)}
    unknown = Question(id="q", kind="choice", text="?", choices=tuple("wxyz"))
    assert draw_opening(unknown, "control-random", 1) == draw_opening(question, "control-random", 1)
    text = Question(id="q", kind="text", text="?", answer=("Paris", "paris, France"))
    assert draw_opening(text, "control-right")[0] in text.answers
    secret = msgspec.structs.replace(question, secret=True)
    assert draw_opening(secret, "control-wrong") == draw_opening(secret.redacted, "control-wrong")
    third = Question(id="q", kind="math", text="?", answer=r"\frac{1}{3}")
    check_opening(third, "control-wrong")
    near = {draw_opening(third, "control-wrong", seed)[0] for seed in range(50)}
    assert near == {"0", "\\frac{2}{3}", "1"}
    around = tuple(map(str, range(60)))  # where everything near is right, it is further off
    for distance in ("near", "far"):
        for seed in range(20):
            [wrong] = draw_opening(number(around), "control-wrong", seed, distance=distance)
            assert wrong not in around


UNKNOWN = {kind: ("w", "x") if kind == "choice" else () for kind in KINDS}


@pytest.mark.parametrize(
    ("kind", "answer", "opening", "said"),
    [
        *((kind, None, "control-right", "is not known") for kind in KINDS),
        *((kind, None, "control-wrong", "is not known") for kind in KINDS),
        *((kind, None, "control-random", "is not known") for kind in ("number", "math", "text")),
        *(("math", r"\sqrt{2}", name, "for numbers alone") for name in OPENINGS[2:4]),
        *(("text", "Paris", name, "free text") for name in ("control-wrong", "control-random")),
        ("choice", ("A", "B"), "control-wrong", "no wrong value"),
        ("boolean", ("true", "false"), "control-wrong", "no wrong value"),
        ("square", tuple(BOARD), "control-wrong", "no wrong value"),
    ],
)
def test_an_opening_without_a_value_names_the_question(kind, answer, opening, said):
    question = Question(id="q 7", kind=kind, text="?", choices=UNKNOWN[kind], answer=answer)
    with pytest.raises(InputError, match=rf"question 'q 7': opening = '{opening}': .*{said}"):
        check_opening(question, opening)
    with pytest.raises(InputError):
        draw_opening(question, opening)


def test_neither_length_nor_order_tells_whether_squares_are_right():
    """The data's own order is no order of the list, and a sorted list is as rare as by chance."""
    board = [(a, b, c) for a in BOARD[:6] for b in BOARD[20:24] for c in BOARD[40:43]]
    listed = {name: [] for name in CONTROLS}
    for number, answers in enumerate(board):
        question = Question(id=str(number), kind="square", text="?", answer=answers)
        for name in CONTROLS:
            listed[name].append(draw_opening(question, name))
    for name, lists in listed.items():
        assert {len(each) for each in lists} == {3}
        in_order = sum(list(each) == sorted(each) for each in lists)
        assert 2 <= in_order <= 24, (name, in_order)  # of 72, one in six by chance
    assert sum(each == board[n] for n, each in enumerate(listed["control-right"])) < 30


def test_a_number_may_be_100_more_than_the_right_one():
    for right, wrong in (("7", "107"), ("0.5", "100.5"), ("-100", "0"), ("1/3", "301/3")):
        assert draw_opening(number(right), "control-wrong", distance="plus-100") == (wrong,)
    both = number(("7", "107"))
    assert draw_opening(both, "control-wrong", distance="plus-100")[0] not in ("7", "107")


def test_the_dataset_s_tempting_answer_is_put_forward_where_it_has_one():
    question = number("1/22")
    tempted = msgspec.structs.replace(question, tempting=("1/11",))
    assert draw_opening(tempted, "control-tempting", 5) == ("1/11",)
    with pytest.raises(InputError, match=r"'q': opening = 'control-tempting': .*ciar"):
        check_opening(question, "control-tempting")
    assert msgspec.json.encode(question) == msgspec.json.encode(number("1/22"))
    assert b"tempting" not in msgspec.json.encode(question), "run keys stay as they were"
    text = Question(id="q", kind="text", text="?", answer="a", tempting=("b",), secret=True)
    assert text.redacted.tempting == ("(withheld)",)


ASKED = {
    "choice": Question(id="q", kind="choice", text="?", choices=("shark", "whale"), answer="B"),
    **{kind: Question(id="q", kind=kind, text="?") for kind in KINDS if kind != "choice"},
}


@pytest.mark.parametrize(
    ("kind", "put", "value"),
    [
        *(("choice", "B", "B"), ("choice", "(a)", "A"), ("choice", "whale", "B")),
        *(("boolean", "True", "true"), ("boolean", "no", "false")),
        *(("number", "1,200", "1200"), ("number", "3/4", "3/4"), ("number", "-2.5", "-2.5")),
        *(("square", "E4", "e4"), ("text", " Paris ", "Paris")),
    ],
)
def test_a_value_of_one_s_own_is_put_forward_in_canonical_form(kind, put, value):
    assert draw_opening(ASKED[kind], "put", put=put) == (value,)
    assert read_user_answer(put, ASKED[kind], where="answer") == value


@pytest.mark.parametrize(
    ("kind", "put", "wanted"),
    [
        ("choice", "E", "one of A, B"), ("choice", "", "one of A, B"),
        ("boolean", "perhaps", "true or false"), ("number", "many", "a number"),
        ("square", "j9", "a square of the board"), ("text", "  ", "not empty"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_an_answer_is_an_error_that_says_what_can(kind, put, wanted):
    with pytest.raises(InputError, match=rf"put = .*: no answer to 'q': expected .*{wanted}"):
        check_opening(ASKED[kind], "put", put)
    with pytest.raises(InputError, match=r"opening = 'put': say which value"):
        check_opening(ASKED[kind], "put")

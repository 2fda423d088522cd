import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.questions import Kind, Question
from moot.parsing.same import is_correct, is_same


@pytest.mark.parametrize(
    ("kind", "a", "b", "equal"),
    [
        ("number", "1/2", "0.5", True), ("number", "2/4", "1/2", True),
        ("number", "1/3", "0.333", False), ("number", "7", "7.0", True),
        ("number", "-0", "0", True),
        ("number", "50", "0.5", False),  # a percent sign is a unit: 50 % is 50
        ("number", "1/0", "1/0", True), ("number", "1/0", "0", False),
        ("number", "100000000000000000000001", "100000000000000000000000", False),
        ("choice", "B", "b", True), ("choice", "A", "B", False), ("boolean", "true", "True", True),
        ("boolean", "true", "false", False), ("square", "e4", "E4", True),
        ("square", "e4", "e5", False), ("text", "Paris", "  paris. ", True),
        ("text", "The  Pacific\nOcean", "the pacific ocean", True),
        ("text", '"Paris"', "Paris", True), ("text", "Paris", "London", False),
        ("number", None, "1", False), ("number", None, None, False),
    ],
)  # fmt: skip
def test_answers_are_the_same_by_value(
    kind: Kind, a: str | None, b: str | None, *, equal: bool
) -> None:
    assert is_same(a, b, kind) is equal
    assert is_same(b, a, kind) is equal


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(1, 50))
def test_a_fraction_equals_itself_extended(over: int, under: int, factor: int) -> None:
    assert is_same(f"{over}/{under}", f"{over * factor}/{under * factor}", "number")
    assert not is_same(f"{over}/{under}", f"{over + 1}/{under}", "number")


def test_any_right_answer_is_correct() -> None:
    several = Question(id="q", kind="square", text="?", answer=("e4", "e5"))
    assert is_correct("e5", several)
    assert not is_correct("e6", several)
    assert not is_correct(None, several)
    assert is_correct("0.50", Question(id="q", kind="number", text="?", answer="1/2"))
    assert not is_correct("1", Question(id="q", kind="number", text="?"))

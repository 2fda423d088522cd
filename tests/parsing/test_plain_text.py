import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.parsing.plain_text import make_plain


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("**Final** `answer`: __7__", "Final answer: 7"), ("3*4 and 3 * 4", "3*4 and 3 * 4"),
        ("a  b\t c \n  d ", "a b c\nd"), (r"\(\frac{3}{4}\)", "3/4"), (r"\dfrac34", "3/4"),
        (r"\boxed{\text{B}}", r"\boxed{B}"), (r"1{,}234\,km", "1,234km"),
        ("１２ × ３ − １", "12 * 3 - 1"), ("1\u202f234\u00a0567", "1234567"),
        ("\u202eab\u200bc\u2066", "abc"), ("“yes” ½", '"yes" 1/2'),
    ],
)  # fmt: skip
def test_dressing_is_taken_off(text: str, bare: str) -> None:
    assert make_plain(text) == bare


@given(st.text())
def test_lower_case_keeps_every_position(text: str) -> None:
    assert len(make_plain(text).lower()) == len(make_plain(text))


def test_of_an_endless_reply_beginning_and_end_are_kept() -> None:
    kept = make_plain("begin " + "x" * 1_000_000 + " end")
    assert kept.startswith("begin")
    assert kept.endswith("end")
    assert len(kept) < 33_000

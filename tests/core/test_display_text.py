"""Text made safe, figures made short."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_interval,
    format_p,
    format_percent,
    format_some,
    format_things,
    make_visible,
    on_one_line,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"), ("a\r\nb", "a\nb"), ("\x1b[31mred", "␛[31mred"),
        ("over\rwritten", "over␍written"), ("\x7f\x9b", "␡‹U+009B›"),
        ("\u202egpj.exe", "‹U+202E›gpj.exe"),
        ("\ufeffa\u200bb\ud800", "‹U+FEFF›a‹U+200B›b‹U+D800›"), ("\U000e0041", "‹U+E0041›"),
        ("naïve 日本 שלום 👩‍🔬 ½", "naïve 日本 שלום 👩‍🔬 ½"),
    ],
)  # fmt: skip
def test_plain(text, shown):
    assert make_visible(text) == shown


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Lu"])))
def test_nothing_steers_a_terminal_after_plain(text):
    shown = make_visible(text)
    shown.encode()
    assert not any(ord(sign) < 32 and sign not in "\t\n" for sign in shown)
    assert not any(0x7F <= ord(sign) <= 0x9F for sign in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )


@given(st.text(), st.integers(1, 50))
def test_line_is_one_line_of_at_most_its_length(text, length):
    assert len(on_one_line(text, length)) <= length
    assert "\n" not in on_one_line(text, length)


FIGURES = [
    (format_percent, (0.525, 1.0, 0.0, -0.0, -0.00001, None), "52.5 100.0 0.0 0.0 0.0 –"),
    (partial(format_percent, sign=True), (0.1, -0.1, 0.0), "+10.0 −10.0 0.0"),
    (format_p, (1.0, 0.1234, 0.0412, 0.0004, None), "1.00 0.12 0.041 <_0.001 –"),
    (format_count, (None, 0, 6, 6.0, 6.34, 1110.4, 12345678), "unknown 0 6 6 6.3 1,110 12,345,678"),
    (format_dollars, (None, 0.0, 1234.5, 0.5, 0.0123), "unknown $0 $1,234.50 $0.500 $0.012"),
    (format_dollars, (0.00078, 0.00000123), "$0.00078 $1.23e-06"),
    (format_duration, (None, 0.0, 0.4, 1.25, 60, 600), "unknown 0_ms 400_ms 1.2_s 60.0_s 10.0_min"),
    (partial(format_things, thing="call"), (1, 0, 1234), "1_call 0_calls 1,234_calls"),
    (partial(format_things, thing="retry"), (1, 2, None), "1_retry 2_retries unknown_retries"),
    (partial(format_things, thing="day"), (3,), "3_days"),
]


@pytest.mark.parametrize(("show", "values", "shown"), FIGURES)
def test_figures_are_short_and_unknown_is_said(show, values, shown):
    assert [show(value) for value in values] == [each.replace("_", " ") for each in shown.split()]


def test_an_interval():
    assert format_interval(0.1, 0.25) == "10.0 … 25.0"
    assert format_interval(None, 0.5) == "no interval"


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "n0"),
        (3, "n0, n1, n2"),
        (4, "n0, n1, n2 and 1 more"),
        (1503, "n0, n1, n2 and 1,500 more"),
    ],
)
def test_some_names_stand_for_all(count, said):
    assert format_some([f"n{number}" for number in range(count)], 3) == said

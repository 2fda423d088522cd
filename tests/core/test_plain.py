"""Text made safe, figures made short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.plain import (
    count,
    dollars,
    duration,
    line,
    many,
    p_value,
    percent,
    plain,
    span,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\nb"),
        ("\x1b[31mred", "␛[31mred"),
        ("over\rwritten", "over␍written"),
        ("\x7f\x9b", "␡‹U+009B›"),
        ("\u202egpj.exe", "‹U+202E›gpj.exe"),
        ("\ufeffa\u200bb\ud800", "‹U+FEFF›a‹U+200B›b‹U+D800›"),
        ("\U000e0041", "‹U+E0041›"),
        ("naïve 日本 שלום 👩‍🔬 ½", "naïve 日本 שלום 👩‍🔬 ½"),
    ],
)
def test_plain(text, shown):
    assert plain(text) == shown


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Lu"])))
def test_nothing_steers_a_terminal_after_plain(text):
    shown = plain(text)
    shown.encode()
    assert not any(ord(sign) < 32 and sign not in "\t\n" for sign in shown)
    assert not any(0x7F <= ord(sign) <= 0x9F for sign in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )


@given(st.text(), st.integers(1, 50))
def test_line_is_one_line_of_at_most_its_length(text, length):
    assert len(line(text, length)) <= length
    assert "\n" not in line(text, length)


def test_percent():
    shown = [percent(x) for x in (0.525, 1.0, 0.0, -0.0, -0.00001, None)]
    assert shown == ["52.5", "100.0", "0.0", "0.0", "0.0", "–"]
    assert [percent(x, sign=True) for x in (0.1, -0.1, 0.0)] == ["+10.0", "−10.0", "0.0"]


def test_span():
    assert span(0.1, 0.25) == "10.0 … 25.0"
    assert span(None, 0.5) == "no interval"


def test_p_value():
    assert [p_value(p) for p in (1.0, 0.1234, 0.0412, 0.0004, None)] == [
        *("1.00", "0.12", "0.041", "< 0.001", "–")
    ]


def test_unknown_is_said_and_zero_is_zero():
    assert [count(None), dollars(None), duration(None)] == ["unknown"] * 3
    assert [count(0), dollars(0.0), duration(0.0)] == ["0", "$0", "0 ms"]


def test_figures_are_short():
    assert [count(x) for x in (6, 6.0, 6.34, 1110.4, 12_345_678)] == [
        *("6", "6", "6.3", "1,110", "12,345,678")
    ]
    assert [dollars(x) for x in (1234.5, 0.5, 0.0123, 0.00078, 0.00000123)] == [
        *("$1,234.50", "$0.500", "$0.012", "$0.00078", "$1.23e-06")
    ]
    assert [duration(x) for x in (0.4, 1.25, 60, 600)] == ["400 ms", "1.2 s", "60.0 s", "10.0 min"]


@pytest.mark.parametrize(
    ("number", "thing", "said"),
    [
        (1, "call", "1 call"),
        (0, "call", "0 calls"),
        (1234, "call", "1,234 calls"),
        (1, "retry", "1 retry"),
        (2, "retry", "2 retries"),
        (3, "day", "3 days"),
        (None, "token", "unknown tokens"),
    ],
)
def test_many(number, thing, said):
    assert many(number, thing) == said

"""Text made safe, figures made short."""

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
    format_things,
    make_visible,
    on_one_line,
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


def test_percent():
    shown = [format_percent(x) for x in (0.525, 1.0, 0.0, -0.0, -0.00001, None)]
    assert shown == ["52.5", "100.0", "0.0", "0.0", "0.0", "–"]
    assert [format_percent(x, sign=True) for x in (0.1, -0.1, 0.0)] == ["+10.0", "−10.0", "0.0"]


def test_span():
    assert format_interval(0.1, 0.25) == "10.0 … 25.0"
    assert format_interval(None, 0.5) == "no interval"


def test_p_value():
    assert [format_p(p) for p in (1.0, 0.1234, 0.0412, 0.0004, None)] == [
        *("1.00", "0.12", "0.041", "< 0.001", "–")
    ]


def test_unknown_is_said_and_zero_is_zero():
    assert [format_count(None), format_dollars(None), format_duration(None)] == ["unknown"] * 3
    assert [format_count(0), format_dollars(0.0), format_duration(0.0)] == ["0", "$0", "0 ms"]


def test_figures_are_short():
    assert [format_count(x) for x in (6, 6.0, 6.34, 1110.4, 12_345_678)] == [
        *("6", "6", "6.3", "1,110", "12,345,678")
    ]
    assert [format_dollars(x) for x in (1234.5, 0.5, 0.0123, 0.00078, 0.00000123)] == [
        *("$1,234.50", "$0.500", "$0.012", "$0.00078", "$1.23e-06")
    ]
    assert [format_duration(x) for x in (0.4, 1.25, 60, 600)] == [
        "400 ms",
        "1.2 s",
        "60.0 s",
        "10.0 min",
    ]


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
    assert format_things(number, thing) == said

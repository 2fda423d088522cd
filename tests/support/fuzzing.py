"""Fuzzing for a bounded time: from which seed, for how long, and how a failure is had again.

Each fuzzing test draws examples until its seconds are over, from a seed that is new in every run of
the tests. ``MOOT_FUZZ_SEED`` and ``MOOT_FUZZ_SECONDS`` set both; the end of the run says them.
"""

import os
from collections.abc import Callable
from time import monotonic

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

SEED = int(os.environ["MOOT_FUZZ_SEED"])
SECONDS = float(os.environ["MOOT_FUZZ_SECONDS"])

_EXAMPLES = 25
"""Examples that are drawn before the clock is looked at."""

WORDS = st.sampled_from(
    [
        *("", " ", "-1", "0", "1", "2", "0.5", "-0.0", "1e999", "nan", "inf", "9" * 30, "1/0"),
        *("true", "null", "[]", "{}", "[1, 2]", '{"a": 1}', "a=b", "=", "x[", "~nosuch/x", "."),
        *("/dev/null", "../..", "a" * 3000, "é", "\u202e", "\ud7ff", "١٢", "\t", "\n", '"', "\\"),
        *("[" * 3000, "{a = " * 3000, '{"a":' * 3000, "9" * 5000, "0x" + "f" * 5000),
        *("%s", "{{ x }}", "{% if", "${HOME}", "simulated/people", "single", "4", "e4", "A"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
"""What a file may have where something else belongs."""


def fuzz(check: Callable[..., object], **strategies: st.SearchStrategy) -> int:
    """Call ``check`` with what the strategies draw, until ``SECONDS`` are over."""
    drawn = 0

    def counted(**values: object) -> None:
        nonlocal drawn
        drawn += 1
        check(**values)

    run = settings(
        max_examples=_EXAMPLES,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
    )
    number, end = SEED, monotonic() + SECONDS
    while monotonic() < end:
        try:
            seed(number)(run(given(**strategies)(counted)))()
        except BaseException as error:
            error.add_note(f"to have it again: MOOT_FUZZ_SEED={number}")
            raise
        number += 1
    assert drawn >= _EXAMPLES
    return drawn


@st.composite
def mutated(draw: Callable, text: str) -> str:
    """Draw a text with a few of its pieces removed, doubled, exchanged or replaced."""
    lines = text.splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(lines) - 1)) if lines else 0
        line = lines[place] if lines else ""
        change = draw(st.sampled_from(["drop", "double", "swap", "cut", "word", "value"]))
        if change == "drop":
            lines[place : place + 1] = []
        elif change == "double":
            lines[place:place] = [line]
        elif change == "swap":
            other = draw(st.integers(0, max(0, len(lines) - 1)))
            lines[place : place + 1] = lines[other : other + 1]
        elif change == "value":
            head, sign, _ = line.partition("=" if "=" in line else ":")
            value = draw(WORDS | VALUES.map(repr))
            lines[place : place + 1] = [f"{head}{sign} {value}\n"]
        else:
            start = draw(st.integers(0, len(line)))
            end = start + draw(st.integers(0, 6))
            word = draw(WORDS) if change == "word" else ""
            lines[place : place + 1] = [line[:start] + word + line[end:]]
    return "".join(lines)

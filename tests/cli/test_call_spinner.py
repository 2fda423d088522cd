"""The sign of life of a debate, on a terminal and elsewhere."""

import sys

import pytest

from support.commands import FOUR, environment
from support.forks import Terminal


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_a_terminal_shows_calls_before_the_first_turn_and_as_they_come(tmp_path, forks):
    words = ["ask", "2 + 2?", "--kind", "number", "--model", f"{FOUR}&latency=0.3", "--agents", "2"]
    text, code = Terminal(forks, tmp_path, *words, env=environment()).end()
    assert code == 0
    assert text.index("society-of-minds: 4 calls") < text.index("round 1")
    assert "society-of-minds: 2 of 4 calls" in text
    assert "4\x1b[0m  (by majority)" in text


def test_what_is_no_terminal_has_no_spinner(moot):
    err = moot("ask", "2 + 2?", "--kind", "number", "--model", FOUR)[2]
    assert "calls" not in err
    assert "\x1b" not in err

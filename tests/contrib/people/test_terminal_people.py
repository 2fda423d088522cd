"""People who type in a real terminal, while the rest of the debate goes on."""

import os
import re
import selectors
import signal
import sys
from time import monotonic

import pytest

from support.commands import environment, refused
from support.forks import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")

SECONDS = 60
PAIR = ["--models", "human/ana,simulated/a", "--kind", "number", "--rounds", "2"]


def wait_for_output(number, seconds):
    """Wait until a file of this number can be read; return whether it can."""
    with selectors.DefaultSelector() as selector:  # select.select takes no number above 1,023
        selector.register(number, selectors.EVENT_READ)
        return bool(selector.select(max(0.0, seconds)))


class Person(Terminal):
    """A command in a terminal of its own, where a person types."""

    def wait_for(self, words):
        """Read until these words are shown; return what was shown before them, and drop both."""
        end = monotonic() + SECONDS
        while words not in self.text:
            ready = wait_for_output(self.number, end - monotonic())
            assert ready, f"{words!r} was not shown, but {self.text!r}"
            self.text += os.read(self.number, 65536).decode()
        before, _, self.text = self.text.partition(words)
        return before

    def type(self, text):
        os.write(self.number, text.encode())


@pytest.fixture
def begin(tmp_path, forks):
    """Begin a command in a terminal."""
    return lambda *words: Person(forks, tmp_path, *words, env=environment())


def test_a_person_types_several_lines_and_the_debate_goes_on(begin):
    terminal = begin("ask", "2 + 2?", *PAIR)
    before = terminal.wait_for("ana, you are asked as mind-1, in round 1 (answer):")
    assert "round 1" not in before
    shown = terminal.wait_for("or with Ctrl-D.")
    assert "2 + 2?" in shown
    terminal.type("Two and two\nare four.\n\nFinal answer: 4\n.\n")
    while_typing = terminal.wait_for("(your reply is taken)")
    assert "\x1b[2K" not in while_typing  # nothing is drawn over what is typed
    assert "mind-2" not in while_typing
    after = terminal.wait_for("in round 2 (revise):")
    assert re.search(r"round 1 +mind-2", after)  # what was said meanwhile
    assert re.search(r"round 1 +mind-1 +4 ", after)
    terminal.wait_for("? alone shows 2 earlier messages.")
    terminal.type("?\n")
    earlier = terminal.wait_for("Type your reply.")
    assert "assistant" in earlier
    assert "are four." in earlier
    terminal.type("Still sure.\nFinal answer: 4\x04\x04")
    text, code = terminal.end()
    assert code == 0
    assert "tokens, $0, " in text
    assert "simulated" in text  # of the other agent


def test_hostile_words_are_shown_harmless(begin):
    words = ["ask", "clear \x1b[2J it", "--protocol", "single", "--model", "human/ana"]
    terminal = begin(*words)
    assert "\x1b[2J" not in terminal.wait_for("or with Ctrl-D.")
    terminal.type("Final answer: \x16\x1b[2Jyes\n.\n")
    text, code = terminal.end()
    assert code == 0
    assert "\x1b[2J" not in text


def test_ctrl_c_keeps_what_was_typed_and_nothing_is_asked_twice(begin):
    words = ["ask", "2 + 2?", *PAIR]
    terminal = begin(*words)
    terminal.wait_for("or with Ctrl-D.")
    terminal.type("\n.\n")
    terminal.wait_for("Nothing was typed.")
    terminal.type("Final answer: 4\n.\n")
    terminal.wait_for("in round 2 (revise):")
    terminal.type("half a th\x03")
    text, code = terminal.end()
    assert code == 128 + signal.SIGINT
    assert "run again to go on" in text
    again = begin(*words)
    assert "in round 1 (answer):" not in again.wait_for("in round 2 (revise):")
    again.wait_for("or with Ctrl-D.")
    again.type("Final answer: 5\n.\n")
    text, code = again.end()
    assert code == 0


def write_study(folder):
    data = '[[datasets]]\nname = "arithmetic"\nn = 2\n'
    arm = '[[arms]]\nprotocol = "single"\nmodel = "human/ana"\n'
    (folder / "study.toml").write_text(f'name = "people"\n{data}{arm}')


def test_a_study_asks_one_after_the_other(begin, tmp_path):
    write_study(tmp_path)
    terminal = begin("run", "study.toml", "--yes")
    for _ in range(2):
        shown = terminal.wait_for("or with Ctrl-D.")
        assert shown.count("you are asked") == 1
        terminal.type("Final answer: 1\n.\n")
        assert "debates" not in terminal.wait_for("(your reply is taken)")  # no live line
    text, code = terminal.end()
    assert code == 0, text


@pytest.mark.parametrize("words", [["ask", "2 + 2?", *PAIR], ["run", "study.toml", "--yes"]])
def test_without_a_terminal_it_says_so_and_pays_nothing(tmp_path, forks, words):
    write_study(tmp_path)
    done = forks.run(tmp_path, words, environment())
    assert done.returncode == 2
    assert "no one can type: run it in a terminal" in done.stderr
    assert "nothing was called" in done.stderr


@pytest.mark.parametrize("option", [["--batch"], ["--batch", "calls.jsonl"], ["--ray", ""]])
def test_where_calls_go_elsewhere_people_are_refused(moot, tmp_path, option):
    write_study(tmp_path)
    err = refused(moot("run", str(tmp_path / "study.toml"), "--yes", *option))
    assert f"{option[0]}: human/ana answers at this terminal" in err

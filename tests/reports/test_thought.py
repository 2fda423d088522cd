"""Hidden thought in what people read: folded, counted, and escaped like any text."""

import io
import json

import msgspec
import pytest
from rich.console import Console

from moot.contrib.inspect.inspect_samples import _message
from moot.core.events import Transcript, Turn
from moot.reports.transcript import show_transcript
from support.report_page import harmless, page

SAID = "<b>hm</b> </details><script>alert(1)</script>\x1b[2J [bold]x[/bold]"


@pytest.fixture
def society(transcript):
    return transcript("single", 1, [("4", "5")])


def thinking(transcript, **more):
    given = {"thought": SAID, "reasoning_tokens": 22, **more}
    events = list(transcript.events)
    at = next(n for n, each in enumerate(events) if isinstance(each, Turn))
    events[at] = msgspec.structs.replace(events[at], **given)
    return Transcript(tuple(events))


def printed(transcript, **options):
    out = Console(width=100, record=True, file=io.StringIO())
    out.print(show_transcript(transcript, **options))
    return out.export_text()


def test_a_terminal_shows_a_line_unless_asked_for_all(society):
    short, whole = printed(thinking(society)), printed(thinking(society), thought=True)
    assert "thought, 22 tokens (--thought shows it)" in short
    assert "hm" not in short
    assert "<b>hm</b>" in whole
    assert "\x1b" not in whole
    assert "22 of them thought" in short


def test_inspect_gets_thought_as_a_part_of_its_own(society):
    turn = thinking(society).turns[0]
    message = _message(turn, "log")
    assert message["content"] == [
        {"type": "reasoning", "reasoning": SAID},
        {"type": "text", "text": turn.text},
    ]
    assert SAID not in json.dumps(message["metadata"])
    assert isinstance(_message(society.turns[0], "log")["content"], str)


def test_the_page_folds_thought_and_escapes_it(row, transcript, results):
    spent = transcript("single", 2, [(None,)], verdict=None)
    spent = thinking(spent, text="", finish="length", completion_tokens=64)
    made = [row("single", thinking(transcript("single", 0, [("4",)]))), row("single", spent)]
    told = page(results(made, arms=("single",)), made)
    harmless(told)
    assert told.count("<summary>Thought, 22 tokens</summary>") == 2
    assert "all 64 tokens of the reply went into thought" in told.lower()
    assert "&lt;b&gt;hm&lt;/b&gt;" in told


def test_thought_without_a_count_is_told_in_words(society):
    assert "thought, 6 words" in printed(
        thinking(society, thought="one two three four five six", reasoning_tokens=None)
    )

"""What was looked up in a user's documents, as reports show it."""

import io
import re

from rich.console import Console

from moot.core.events import Passage, Searched, Transcript
from moot.reports.event_words import describe_between
from moot.reports.node_groups import group_turns
from moot.reports.transcript import show_transcript
from support.report_page import harmless, page


def searched(made, *found):
    *before, end = made.events
    return Transcript((*before, *found, end))


def printed(transcript):
    out = io.StringIO()
    Console(file=out, width=120).print(show_transcript(transcript))
    return out.getvalue()


def test_it_stands_after_the_turn_it_came_after(transcript):
    made = transcript("society", 1, [("5", "4"), ("4", "4")])
    passage = Passage(1, "a.md:3", "Fees\npay for guards.")
    first = Searched(query="fees\nguards", passages=(passage,), after=0)
    later = Searched(query="zebra", passages=(), after=3)
    text = printed(searched(made, later, first))
    assert text.index("looked up in the documents: fees; guards") < text.index("#1 mind 0")
    assert "  [1] a.md:3\n    Fees\n    pay for guards.\n" in re.sub(r" +\n", "\n", text)
    assert text.index("#3 mind 0") < text.index("documents: zebra") < text.index("#4 mind 1")
    assert "nothing found" in text
    [group] = group_turns(searched(made, later, first))
    assert group.between == {0: [first], 3: [later]}


def test_it_is_text_in_the_terminal_and_in_html(results, row, transcript, hostile):
    found = Searched(query=hostile, passages=(Passage(1, hostile, hostile),), after=1)
    made = searched(transcript("single", 1, [("4",)]), found)
    text = printed(made)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "\n" not in describe_between(found)
    held = row("single", made)
    shown = page(results([held]), [held])
    harmless(shown)
    assert "looked up in the documents: " in shown

"""What is told of an essay while it is written."""

from moot.contrib.essays.writing_stages import stage_reached
from support.essays import transcript, turn


def told(events):
    """Stage and words after each event, without how long it took."""
    shown = [stage_reached(events[: place + 1]) for place in range(len(events))]
    return [(each.name, each.words.partition("  [")[0]) for each in shown if each]


def test_turns_of_other_kinds_are_told_by_their_prompt():
    events = (*transcript(keep=0).events[:1], turn(1, "claimant", "claim", "So it is."))
    assert told(events) == [("claim", "claimant, 3 words")]
    empty = (*events, turn(2, "writer", "essay", ""))
    assert told(empty)[-1] == ("essay", "empty")


def test_hostile_names_are_one_harmless_line():
    pool = '{"agent_id": 1, "description": "A \\u001b[2J\\u202e\\nguard", "claim": "[red]x"}'
    lines = told(transcript(pool=pool, keep=3).events)
    assert not any(sign in words for _, words in lines for sign in "\x1b\u202e\n")

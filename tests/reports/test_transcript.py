"""One debate in the terminal."""

import io
import re

from msgspec.structs import replace
from rich.console import Console

from moot.core.events import Closed, Failed, NodeFinished, Transcript, Turn, Verdict
from moot.core.readings import UnknownReading
from moot.parsing.ruling import Ruling
from moot.reports.transcript import show_transcript


def printed(transcript, width=100):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system="truecolor").print(
        show_transcript(transcript)
    )
    return out.getvalue()


def bare(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_rounds_turns_reads_and_verdict(transcript):
    text = bare(printed(transcript("society", 1, [("5", "4", None), ("4", "4", "5")])))
    assert text.index("round 1") < text.index("#1 mind 0") < text.index("round 2")
    assert "agents = 3, rounds = 2" in text
    assert "#3 mind 2 (mind, local/smollm2) → no answer" in text
    assert "read nobody · 50 + 10 tokens · $0.001 · 500 ms" in text
    assert "read #1, #2, #3" in text
    assert "verdict: 4 by majority (4: 2, 5: 1)" in text
    assert "right: 4" in text


def test_what_a_parser_read_stands_with_what_the_turn_took(transcript):
    made = transcript("society", 1, [("4",)])
    for reading, shown in (
        (Ruling(side="left"), "read nobody · ruling: side left · 50"),
        (UnknownReading(kind="sure", value=0.8), "sure: value 0.8 (no parser for it is installed)"),
        (None, "read nobody · 50"),
    ):
        events = [
            replace(each, reading=reading) if isinstance(each, Turn) else each
            for each in made.events
        ]
        assert shown in bare(printed(Transcript(tuple(events))))


def test_no_control_character_but_the_colours_of_moot(transcript, hostile):
    text = printed(transcript("society", 1, [("4",)], text=hostile, asked=hostile))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", bare(text))
    assert "␛[2J␛]0;owned␇" in bare(text)
    assert "[bold red]x[/bold red]" in bare(text)
    text.encode()


def test_a_failure_says_why(transcript):
    text = bare(printed(transcript("single", 1, [("4",)], verdict="failed", text="hung up")))
    assert "failed: the model does not answer: hung up" in text


def test_unparsed_unfinished_and_simulated(transcript):
    *events, _ = transcript("s", 1, [("4",)]).events
    empty = Closed(verdict=Verdict(answer=None, text="", by="majority"))
    assert "verdict: none (unparsed)" in bare(printed(Transcript((*events, empty))))
    running = Transcript(transcript("s", 1, [("4",)]).events[:-1])
    assert "not ended" in bare(printed(running))
    assert "SIMULATED" in printed(transcript("s", 1, [("4",)], simulated=True))


def test_what_an_opening_puts_forward_is_shown_before_the_first_turn(transcript, hostile):
    one = bare(printed(transcript("s", 1, [("4",)], opening=("5",))))
    said = "right: 4\nopening: asked whether this is right: 5\n"
    assert one.index(said) < one.index("#1 mind 0")
    more = bare(printed(transcript("s", 1, [("4",)], opening=("a1", "b2", "h8"))))
    assert "opening: asked whether one of these is right: a1, b2, h8\n" in more
    assert "opening" not in bare(printed(transcript("s", 1, [("4",)])))
    odd = printed(transcript("s", 1, [("4",)], opening=(hostile,)), 1000)
    assert "\x1b[2J" not in odd
    assert "␛[2J␛]0;owned␇" in bare(odd)


async def test_a_node_that_came_to_nothing(network):
    held = await network("network")
    kept = [event for event in held.events if not isinstance(event, NodeFinished)]
    text = bare(printed(Transcript((*kept[:-1], Failed(kind="ModelError", reason="gone")))))
    assert text.count("came to no verdict") == 4
    assert "failed: the model fails: gone" in text


def test_what_was_left_out_and_how_choices_were_shuffled(transcript):
    opened, seated, turn, end = transcript("s", 1, [("C",)]).events
    moved = replace(turn, removed=3, order=(2, 0, 1))
    text = bare(printed(Transcript((opened, seated, moved, end)), 160))
    assert "read nobody · 3 messages left out · choices in the order C A B · 50 + 10" in text
    one = bare(printed(Transcript((opened, seated, replace(turn, removed=1), end)), 160))
    assert "1 message left out · 50" in one


def test_another_packages_reading_and_an_agent_that_holds_no_answer(gated):
    text = bare(printed(gated))
    assert "#2 mind 1 (gate, local/smollm2) · judge" in text
    assert "no answer" not in text
    assert "test-doubt: doubt 0.25" in text


def test_an_essay_is_shown_once(transcript):
    essay = "Museums need money. " * 30 + "\n\nSo sell tickets."
    events = list(transcript("s", 1, [("4",)], text=essay).events)
    turn = next(each.id for each in events if isinstance(each, Turn))
    for decided, times in ((turn, 1), (None, 2)):
        verdict = Verdict(answer=essay, text=essay, by="essay", turn=decided)
        text = bare(printed(Transcript((*events[:-1], Closed(verdict=verdict)))))
        assert text.count("So sell tickets.") == times
    assert "verdict: Museums need money." in text


def test_who_was_asked_for_something_else_than_an_answer_did_not_fail_to_give_one(transcript):
    events = list(transcript("s", 1, [(None,)], text="A plan.").events)
    opened = events[0]
    asked = replace(opened.question, kind="text", answer=None)
    for text, shown in (("A plan.", " · answer\n"), (" ", " → no answer\n")):
        said = [replace(e, text=text) if isinstance(e, Turn) else e for e in events]
        told = bare(printed(Transcript((replace(opened, question=asked), *said[1:]))))
        assert shown in told
    assert " → no answer\n" in bare(printed(Transcript(tuple(events))))

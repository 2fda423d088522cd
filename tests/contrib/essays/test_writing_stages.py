"""What is told of an essay while it is written."""

import os
import pty
import subprocess
import sys

import pytest

from moot.contrib.essays.writing_stages import stage_reached
from support.commands import environment
from support.essays import PROPOSITION, transcript, turn


def _read(terminal):
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other end was closed
        return b""


def told(events):
    """Stage and words after each event, without how long it took."""
    shown = [stage_reached(events[: place + 1]) for place in range(len(events))]
    return [(each.name, each.words.partition("  [")[0]) for each in shown if each]


def test_a_line_for_each_stage():
    said = told(transcript(rounds=("no",), plan="none", pool="nobody").events)
    assert said == [
        ("personas", "none can be read"),
        ("team", "no personas"),
        *(("round 1", f"Agent {who}: not yet satisfied") for who in "ABC"),
        ("round 1", "critic: not yet persuaded"),
        ("evidence", "2 passages found"),
        ("plan", "cannot be read as one"),
        ("essay", "30 words"),
    ]


def test_turns_of_other_kinds_are_told_by_their_prompt():
    events = (*transcript(keep=0).events[:1], turn(1, "claimant", "claim", "So it is."))
    assert told(events) == [("claim", "claimant, 3 words")]
    empty = (*events, turn(2, "writer", "essay", ""))
    assert told(empty)[-1] == ("essay", "empty")


def test_hostile_names_are_one_harmless_line():
    pool = '{"agent_id": 1, "description": "A \\u001b[2J\\u202e\\nguard", "claim": "[red]x"}'
    lines = told(transcript(pool=pool, keep=3).events)
    assert not any(sign in words for _, words in lines for sign in "\x1b\u202e\n")


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_on_a_terminal_it_is_live(tmp_path):
    """A real terminal's other end: stages stay, what is under way is wiped."""
    model = "scripted?reply=1. A guard: crowds harm.&latency=0.05"
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "moot", "write", PROPOSITION, "--model", model]
    process = subprocess.Popen(
        [*command, "--stance", "oppose", "--set", "rounds=1", "--set", "team=1"],
        cwd=tmp_path,
        env=environment() | {"TERM": "xterm-256color", "COLUMNS": "100"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while part := _read(ours):
        shown += part
    os.close(ours)
    assert process.wait(timeout=30) == 0
    text = shown.decode()
    assert "… the team discusses, 0 s" in text
    assert "A guard: crowds harm." in text
    assert "\x1b[2K" in text  # the line of what is under way is wiped

"""Transcripts made by hand."""

from functools import partial

import pytest

from moot.core.events import (
    Closed,
    Failed,
    NodeFinished,
    Opened,
    Seat,
    Seated,
    Transcript,
    Turn,
    Verdict,
)
from moot.core.old_transcripts import upgrade_transcript
from moot.core.questions import Question

FOUR = Question(id="q1", kind="number", text="2 + 2?", answer="4")


def _turn(number, seat, round_, answer, reads=(), **details):
    known = {"agent": f"mind {seat}", "role": "mind", "step": "answer", "model": "scripted"}
    known |= {"text": f"It is {answer}.", "call": "00", "reads": tuple(reads)} | details
    return Turn(id=number, seat=seat, round=round_, answer=answer, **known)


def _debate(
    *turns,
    verdict="4",
    question=FOUR,
    failed=False,
    seconds=9.0,
    retries=0,
    settings=None,
    nodes=(),
):
    seats = dict.fromkeys((turn.seat, turn.agent, turn.role, turn.model) for turn in turns)
    fields = ("number", "agent", "role", "model")
    seated = [Seated(seat=Seat(**dict(zip(fields, seat, strict=True)))) for seat in seats]
    end = (
        Failed(kind="TransientError", reason="it hung up", seconds=seconds, retries=retries)
        if failed
        else Closed(verdict=Verdict(answer=verdict), seconds=seconds)
    )
    opened = Opened(
        question=question, protocol="society-of-minds", settings=settings or {}, pack="00"
    )
    return upgrade_transcript(Transcript((opened, *seated, *turns, *nodes, end)))


def _node(name, answer, place, *, layer=1, sweep=1):
    known = {"node": name, "protocol": "community", "pack": "00", "verdict": Verdict(answer=answer)}
    return NodeFinished(**known, layer=layer, place=place, sweep=sweep)


@pytest.fixture
def turn():
    return _turn


@pytest.fixture
def debate():
    return _debate


@pytest.fixture
def node():
    return _node


@pytest.fixture
def society(turn):
    """Three minds, two rounds; the second speaks nonsense first, the third is talked out of it."""
    told = partial(turn, prompt_tokens=100, completion_tokens=20, cost=0.001)
    return _debate(
        told(1, 0, 1, "5", seconds=1.0),
        told(2, 1, 1, None, seconds=3.0, retries=2),
        told(3, 2, 1, "4", seconds=2.0, cached_tokens=64),
        told(4, 0, 2, "4.0", reads=(1, 2, 3), seconds=0.5, replayed=True),
        told(5, 1, 2, "4", reads=(1, 2, 3), seconds=0.25, finish="length", removed=3),
        told(6, 2, 2, "5", reads=(1, 3), seconds=1.5),
    )


@pytest.fixture
def table(turn):
    """A debate from each agent's answers, round by round; None is unparsed, "" is silence."""

    def build(*rows, roles=(), **details):
        def place(round_, seat):
            return round_ * len(rows) + seat + 1

        turns = [
            turn(
                place(round_, seat),
                seat,
                round_ + 1,
                row[round_],
                role=dict(roles).get(seat, "mind"),
            )
            for round_ in range(max(map(len, rows)))
            for seat, row in enumerate(rows)
            if round_ < len(row) and row[round_] != ""
        ]
        return _debate(*turns, **details)

    return build

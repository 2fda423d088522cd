"""Whether the verdict is a value that was put forward."""

import pytest
from msgspec.structs import replace

from moot.core.events import Closed, Failed, Opened, Transcript, Verdict
from moot.core.questions import Question
from moot.metrics.openings import opening_followed

NUMBER = Question(id="q", kind="number", text="?", answer="1/2")
SQUARE = Question(id="s", kind="square", text="?", answer="e4")
CLOSED = Closed(verdict=Verdict(answer="0.5"))


def debate(question, opening, end=CLOSED):
    begun = Opened(question=question, protocol="single", settings={}, pack="", opening=opening)
    return Transcript((begun, end))


def ended(answer):
    return replace(CLOSED, verdict=Verdict(answer=answer))


@pytest.mark.parametrize(
    ("question", "opening", "end", "value"),
    [
        (NUMBER, ("1/2",), CLOSED, 1.0),
        (NUMBER, ("2",), CLOSED, 0.0),
        (NUMBER, (), CLOSED, None),
        (NUMBER, ("1/2",), ended(None), 0.0),
        (NUMBER, ("1/2",), Failed(kind="x", reason="y"), 0.0),
        (NUMBER, (), Failed(kind="x", reason="y"), None),
        (SQUARE, ("a1", "e4", "h8"), ended("e4"), 1.0),
        (SQUARE, ("a1", "b1", "h8"), ended("e4"), 0.0),
    ],
)
def test_whether_the_verdict_is_one_of_the_values(question, opening, end, value):
    assert opening_followed(debate(question, opening, end)) == value

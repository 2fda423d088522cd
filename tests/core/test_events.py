"""A transcript: one closed union of events, whole after a trip through JSON."""

import msgspec
import pytest

from moot.core.events import Event
from moot.core.questions import Question


def test_an_event_of_another_kind_is_no_event():
    with pytest.raises(msgspec.ValidationError, match="Invalid value 'sung'"):
        msgspec.json.decode(b'{"event": "sung"}', type=Event)


def test_a_question_is_written_as_question_and_knows_its_letters_and_answers():
    question = Question(id="q", kind="choice", text="Which?", choices=("x", "y"), answer=("A", "B"))
    assert msgspec.json.decode(msgspec.json.encode(question))["question"] == "Which?"
    assert (question.letters, question.answers) == ("AB", ("A", "B"))
    assert msgspec.structs.replace(question, answer="A").answers == ("A",)
    assert msgspec.structs.replace(question, answer=None).answers == ()

"""A transcript: one closed union of events, whole after a trip through JSON."""

import msgspec
import pytest

from moot.core.events import Event
from moot.core.questions import Question
from moot.core.stored import decode_transcript
from support.debates import SUM, hold
from support.promises.table import PROMISES, every_protocol


@every_protocol
async def test_it_survives_json_and_answers_what_it_is_asked(name, store):
    promise = PROMISES[name]
    held = await hold(name, promise.replies, store, **promise.settings)
    again = decode_transcript(msgspec.json.encode(held), "it")
    assert again == held
    assert again.question == SUM
    numbers = [seat.number for seat in again.seats]
    assert numbers == sorted(set(numbers))
    if not again.nodes:
        assert numbers == list(range(len(numbers)))
    composed = {-part for turn in again.turns for part in turn.parts if part < 0}
    assert {turn.seat for turn in again.turns} | composed == {seat.number for seat in again.seats}
    assert (again.verdict is None) != (again.failed is None)


def test_an_event_of_another_kind_is_no_event():
    with pytest.raises(msgspec.ValidationError, match="Invalid value 'sung'"):
        msgspec.json.decode(b'{"event": "sung"}', type=Event)


def test_a_question_is_written_as_question_and_knows_its_letters_and_answers():
    question = Question(id="q", kind="choice", text="Which?", choices=("x", "y"), answer=("A", "B"))
    assert msgspec.json.decode(msgspec.json.encode(question))["question"] == "Which?"
    assert (question.letters, question.answers) == ("AB", ("A", "B"))
    assert msgspec.structs.replace(question, answer="A").answers == ("A",)
    assert msgspec.structs.replace(question, answer=None).answers == ()

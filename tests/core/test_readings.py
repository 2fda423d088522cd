"""Readings in transcripts: recorded, stored, and decoded with and without their parser."""

import msgspec

from moot.core.events import FORMAT, Closed, Opened, Seat, Seated, Transcript, Turn, Verdict
from moot.core.questions import WITHHELD, Question
from moot.core.readings import (
    Reading,
    UnknownReading,
    describe_reading,
    kind_of,
    readings,
)
from moot.core.redaction import redact
from moot.core.stored import decode_transcript
from moot.parsing.parser import get_reading
from moot.parsing.ruling import Ruling
from moot.parsing.scored import Scores
from support.debates import make_turn

SUM = Question(id="q", kind="number", text="2 + 2?", answer="4")
RULING = '{"Supported Side": "Negative", "Reason": "so", "debate_answer": "4"}'


class Sureness(Reading, frozen=True):
    """Of a plug-in that is here, and later is not."""

    value: float
    words: str = ""


def a_turn(**details) -> Turn:
    known = {"agent": "judge", "role": "judge", "step": "judge", "text": "4", "answer": "4"}
    return make_turn(**known | details)


def a_transcript(turn: Turn, *, question=SUM, form=FORMAT, debater=True) -> Transcript:
    opened = Opened(question=question, protocol="single", settings={}, pack="0", format=form)
    seat = Seat(number=0, agent=turn.agent, role=turn.role, model="m", debater=debater)
    return Transcript(
        (opened, Seated(seat=seat), turn, Closed(verdict=Verdict(answer=turn.answer)))
    )


def stored(transcript: Transcript) -> Transcript:
    return decode_transcript(msgspec.json.encode(transcript), "it")


def test_a_reading_is_decoded_as_it_was_recorded():
    for reading in (Ruling(side="left"), Scores(words="4", given={1: {"agent 2": 7}})):
        made = a_transcript(a_turn(parser="x", reading=reading))
        assert stored(made) == made


def test_a_reading_of_another_package_is_decoded_and_without_it_kept_as_it_is(monkeypatch):
    made = a_transcript(a_turn(parser="sureness", reading=Sureness(value=0.8)))
    encoded = msgspec.json.encode(made)
    missing = decode_transcript(encoded, "it")
    [turn] = missing.turns
    assert turn.reading == UnknownReading(kind="sureness", value=0.8)
    assert kind_of(turn.reading) == "sureness"
    assert describe_reading(turn.reading) == ("sureness: value 0.8 (no parser for it is installed)")
    assert msgspec.json.encode(missing) == encoded
    readings.names()
    monkeypatch.setitem(readings._found, "sureness", Sureness)
    assert decode_transcript(encoded, "it") == made


def test_a_reading_whose_fields_do_not_fit_is_kept_as_it_is(monkeypatch):
    encoded = msgspec.json.encode(
        a_transcript(a_turn(parser="sureness", reading=Sureness(value=0.8)))
    ).replace(b"0.8", b'"high"')
    monkeypatch.setitem(readings._found, "sureness", Sureness)
    read = decode_transcript(encoded, "it").turns[0].reading
    assert read == {"kind": "sureness", "value": "high"}


def test_a_secret_question_keeps_the_numbers_of_a_reading_and_no_words(monkeypatch):
    monkeypatch.setitem(readings._found, "sureness", Sureness)
    secret = msgspec.structs.replace(SUM, secret=True)
    turn = a_turn(parser="sureness", reading=Sureness(value=0.8, words="since 2 + 2"))
    shown = redact(a_transcript(turn, question=secret))
    assert shown.turns[0].reading == Sureness(value=0.8, words=WITHHELD)
    assert stored(shown) == shown


def test_a_transcript_of_format_1_is_parsed_again_and_one_of_today_is_not():
    old = stored(a_transcript(a_turn(text=RULING), form=1))
    [turn] = old.turns
    assert get_reading(turn, SUM, Ruling, "ruling") == Ruling(
        preference=True, side="negative", reason="so", answer="4"
    )
    [turn] = stored(a_transcript(a_turn(text=RULING, parser="ruling"))).turns
    assert get_reading(turn, SUM, Ruling, "ruling") is None


def test_the_seats_of_a_transcript_of_format_1_are_marked_by_their_roles():
    [seat] = stored(a_transcript(a_turn(), form=1)).seats
    assert not seat.debater
    [seat] = stored(a_transcript(a_turn(role="consultant"), form=1)).seats
    assert seat.debater
    for debater in (True, False):
        [seat] = stored(a_transcript(a_turn(), debater=debater)).seats
        assert seat.debater == debater


def test_who_reasons_for_an_essay_s_claim_did_not_debate():
    for step, debater in (("reason", False), ("refine", False), ("answer", True)):
        made = a_transcript(a_turn(role="reasoner", step=step), form=1)
        assert [seat.debater for seat in stored(made).seats] == [debater]

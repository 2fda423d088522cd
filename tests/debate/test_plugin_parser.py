"""A parser and a gate of another package: read, recorded, stored, measured like moot's own."""

import re

import msgspec
import pytest

import moot
from moot.core.readings import readings
from moot.core.stored import decode_transcript
from moot.metrics.metric import measure
from moot.parsing.parser import registry


class Confidence(moot.Reading, frozen=True, tag="sureness"):
    """How sure an agent says it is, 0 to 1."""

    value: float


def schema(question: moot.Question) -> dict:
    fields = {"answer": {"type": "string"}, "confidence": {"type": "number"}}
    return {"type": "object", "properties": fields, "required": [*fields]}


@pytest.fixture
def confidence():
    """The parser, as long as a test runs."""

    @moot.parser(reading=Confidence, schema=schema, name="sureness")
    def confidence(text, question, finished, heard):
        """Read an answer and a confidence in percent."""
        stated = re.search(r"Confidence: (\d+)%", text)
        reading = Confidence(value=int(stated[1]) / 100) if stated else None
        return moot.Parsed(moot.extract(text, question, finished, heard), reading)

    yield confidence
    registry.names()
    del registry._found["sureness"], readings._found["sureness"]


def test_a_parser_that_returns_something_else_is_told_so():
    question = moot.Question(id="q", kind="number", text="2 + 2?")
    try:
        nothing = moot.parser(name="nothing")(lambda *_: "4")
        other = moot.parser(name="other")(lambda *_: moot.Parsed("4", Confidence(value=1.0)))
        with pytest.raises(TypeError, match=r"parser nothing: it returned '4' and no moot\.Parsed"):
            nothing("4", question)
        with pytest.raises(TypeError, match=r"parser other: its reading is .* it declares none"):
            other("4", question)
    finally:
        del registry._found["nothing"], registry._found["other"]


PACK = """
[step.gate]
reads_as = "sureness"
text = "{{ question }} How sure are you?"
"""


@pytest.fixture
def gated(tmp_path, confidence, monkeypatch):
    """A protocol with a gate that holds no answer, and its own prompts."""
    from moot.debate.protocol import registry as protocols

    (tmp_path / "gated.toml").write_text(PACK)
    (tmp_path / "gated.py").write_text(
        "from moot import Debate, Question, Verdict, majority, protocol\n\n\n"
        "@protocol(paper='our own', calls='3')\n"
        "async def gated(debate: Debate, question: Question) -> Verdict:\n"
        "    '''A gate, then two agents.'''\n"
        "    [gate] = debate.seat('gate', debater=False)\n"
        "    await debate.ask(gate, 'gate')\n"
        "    views = await debate.everyone(debate.seat('mind', 2), 'answer')\n"
        "    return majority(views, question)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import gated

    yield gated
    protocols.names()
    del protocols._found["gated"]


async def test_a_gate_s_reading_is_recorded_and_it_is_no_debater(gated, tmp_path):
    del gated
    model = moot.Scripted(["I cannot say. Confidence: 80%", "Final answer: 4", "Final answer: 4"])
    events: list[moot.Event] = []
    given = {"protocol": "gated", "model": model, "store": tmp_path / "store"}
    await moot.ask("2 + 2?", kind="number", answer="4", listen=events.append, **given)
    transcript = moot.Transcript(tuple(events))
    gate, *minds = transcript.turns
    assert gate.parser == "sureness"
    assert gate.reading == Confidence(value=0.8)
    assert [turn.reading for turn in minds] == [None, None]
    assert [seat.debater for seat in transcript.seats] == [False, True, True]
    again = decode_transcript(msgspec.json.encode(transcript), "it")
    assert again == transcript
    values = measure(again)
    assert values["accuracy"] == values["first-accuracy"] == values["consensus"] == 1.0
    assert values["unparsed-replies"] == 0.0

"""The setting ``confidence``: who is asked how sure it is, how, and where it is recorded."""

from pathlib import Path

import pytest

from moot.core.calls import Reply
from moot.core.confidence_scales import TOPS, WORDS, state_confidence
from moot.core.errors import InputError
from moot.debate.nodes import hash_packs
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.models.simulated import Simulated
from moot.parsing.confidence import CONFIDENCE_PARSERS, Confidence
from support.debates import KINDS, SUM, hold

SCALES = [*CONFIDENCE_PARSERS]
STATED = {"unit": "0.8", "percent": "80%", "ten": "8", "words": "likely"}


class Listening(Scripted):
    """Answers with a confidence below the answer, and keeps what it was asked."""

    def __init__(self, stated="80%", name="listening"):
        self.asked = []
        self.stated = stated
        super().__init__(self.script, name=name)

    def script(self, call):
        self.asked.append(call)
        return f"I add.\nFinal answer: 4\nConfidence: {self.stated}"


@pytest.mark.parametrize("scale", SCALES)
async def test_debaters_are_asked_and_the_turn_records_what_they_say(scale, store):
    model = Listening(STATED[scale])
    held = await hold("society-of-minds", model, store, agents=2, rounds=2, confidence=scale)
    ask = registry.get("society-of-minds").pack().confidence(scale)
    assert all(call.messages[-1].content.endswith(f"\n\n{ask}") for call in model.asked)
    for turn in held.turns:
        assert turn.answer == "4"
        assert turn.parser == CONFIDENCE_PARSERS[scale]
        assert isinstance(turn.reading, Confidence)
        assert turn.reading.confidence == pytest.approx({"words": 0.75}.get(scale, 0.8))
        assert turn.reading.source == "stated"
    assert held.opened.settings["confidence"] == scale


async def test_without_the_setting_every_request_stays(store):
    asked, plain = Listening(), Listening()
    held = await hold("society-of-minds", plain, store, agents=2, rounds=2)
    assert "confidence" not in held.opened.settings
    assert all("Confidence" not in call.messages[0].content for call in plain.asked)
    await hold("society-of-minds", asked, store, agents=2, rounds=2, confidence="percent")
    ask = registry.get("society-of-minds").pack().confidence("percent")
    for one, other in zip(plain.asked, asked.asked, strict=True):
        without = [each.content.removesuffix(f"\n\n{ask}") for each in other.messages]
        assert [each.content.rstrip("\n") for each in one.messages] == without


async def test_who_holds_no_answer_of_its_own_is_not_asked(store):
    model = Listening()
    held = await hold(
        "society-of-minds", model, store, agents=2, rounds=2, summary=True, confidence="ten"
    )
    seats = {seat.number: seat for seat in held.seats}
    for turn, call in zip(held.turns, model.asked, strict=True):
        assert ("add one more line" in call.messages[-1].content) == seats[turn.seat].debater
    assert {seat.debater for seat in seats.values()} == {True, False}


@pytest.mark.parametrize("question", KINDS, ids=lambda each: each.kind)
@pytest.mark.parametrize("scale", SCALES)
async def test_simulated_agents_state_it_on_each_scale(question, scale, store):
    held = await hold(
        "society-of-minds", Simulated(), store, question=question, confidence=scale, agents=2
    )
    assert all(turn.reading.confidence is not None for turn in held.turns)


@pytest.mark.parametrize("scale", SCALES)
def test_a_stated_confidence_is_the_nearest_of_the_scale(scale):
    steps = [0, 0.1, 0.25, 0.6, 0.75, 0.9, 0.95, 1]
    said = [state_confidence(step, scale) for step in steps]
    assert len(set(said)) >= 5
    if scale == "words":
        assert set(said) <= set(WORDS)
    else:
        assert said[-1].rstrip("%") in {"1.00", "100", "10"}
        assert float(said[4].rstrip("%")) / TOPS[scale] == pytest.approx(0.75, abs=0.051)


async def test_a_weighted_decision_finds_it(store):
    def script(call):
        sure, answer = ("90%", "5") if call.scene.agent.endswith("1") else ("40%", "4")
        return f"Final answer: {answer}\nConfidence: {sure}"

    given = {"agents": 3, "rounds": 1, "confidence": "percent"}
    held = await hold("society-of-minds", script, store, decision="weighted", **given)
    assert held.verdict.answer == "5"
    held = await hold("society-of-minds", script, store, **given)
    assert held.verdict.answer == "4"


async def test_a_reply_that_states_none_has_an_answer_and_no_confidence(store):
    held = await hold("single", lambda _: "Final answer: 4", store, confidence="words")
    assert (held.verdict.answer, held.turns[0].reading) == ("4", None)
    held = await hold("single", lambda _: "Confidence: no idea\nFinal answer: 4", store)
    assert held.turns[0].reading is None


def test_a_reply_with_a_form_of_its_own_has_no_place_for_it():
    with pytest.raises(InputError, match=r"style 'concise'.*reasoned"):
        registry.get("single").check({"style": "concise", "confidence": "ten"})
    with pytest.raises(InputError, match="style 'concise'"):
        registry.get("society-of-minds").check(
            {"agents": [{"style": "concise"}, {}], "confidence": "ten"}
        )
    with pytest.raises(InputError, match="expected one of"):
        registry.get("single").check({"confidence": "percents"})


def test_the_wording_is_part_of_a_runs_key_where_it_is_used(tmp_path: Path):
    own = tmp_path / "own.toml"
    own.write_text('[confidence.ten]\ntext = "Confidence: 0 to 10?"\n')
    single = registry.get("single")
    assert single.pack(own).digest == single.pack().digest
    assert single.pack(own).confidence("ten") == "Confidence: 0 to 10?"
    plain, asked = single.check({}), single.check({"confidence": "ten"})
    assert [*hash_packs(single, plain, own)] == [*hash_packs(single, plain, None)]
    assert [*hash_packs(single, asked, own)] != [*hash_packs(single, asked, None)]
    assert len([*hash_packs(single, plain, None)]) == 1


async def test_a_sub_debate_and_a_neighbour_are_asked_alike(store):
    asked = Listening(name="network")
    nodes = [{"name": each, "protocol": "society-of-minds", "rounds": 1} for each in "ab"]
    edges = [["a", "judge"], ["b", "judge"]]
    held = await hold("network", asked, store, nodes=nodes, edges=edges, confidence="unit")
    parsers = {turn.parser for turn in held.turns if turn.node in {"a", "b"}}
    assert parsers == {"confidence"}
    assert held.verdict.answer == SUM.answer


async def test_logprobs_are_asked_for_and_become_the_confidence(store):
    asked = []

    def script(call):
        asked.append(call)
        return Reply(text="Final answer: 4", token_probability=0.7)

    given = {"agents": 2, "rounds": 2, "summary": True}
    held = await hold("society-of-minds", script, store, confidence="logprobs", **given)
    seats = {seat.number: seat for seat in held.seats}
    for turn, call in zip(held.turns, asked, strict=True):
        assert call.sampling.logprobs == seats[turn.seat].debater
        sure = Confidence(confidence=0.7, source="logprobs") if call.sampling.logprobs else None
        assert turn.reading == sure
    assert "add one more line" not in asked[0].messages[-1].content
    held = await hold("single", Simulated(), store, confidence="logprobs")
    assert held.turns[0].reading.source == "logprobs"
    assert f"{held.turns[0].reading.confidence:.0%}" in held.turns[0].text


async def test_without_the_setting_no_request_speaks_of_logprobs(store):
    model = Listening()
    await hold("single", model, store)
    assert b"logprobs" not in model.asked[0].request()


async def test_a_model_without_logprobs_is_refused_before_any_call(store):
    class Mute(Listening):
        gives_logprobs = False

    model = Mute(name="mute")
    with pytest.raises(InputError, match="scripted/mute gives no probabilities"):
        await hold("single", model, store, confidence="logprobs")
    assert model.asked == []

"""The setting ``confidence``: who is asked how sure it is, by further calls and by words."""

from pathlib import Path

import pytest

from moot.core.calls import Reply
from moot.core.confidence_scales import TOPS, WORDS, state_confidence
from moot.core.errors import InputError
from moot.debate.debate_settings import hash_packs
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.parsing.confidence import CONFIDENCE_PARSERS
from support.debates import hold

SCALES = [*CONFIDENCE_PARSERS]


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


async def test_a_reply_that_states_none_has_an_answer_and_no_confidence(store):
    held = await hold("single", lambda _: "Final answer: 4", store, confidence="words")
    assert (held.verdict.answer, held.turns[0].reading) == ("4", None)
    held = await hold("single", lambda _: "Confidence: no idea\nFinal answer: 4", store)
    assert held.turns[0].reading is None


def test_a_reply_with_a_form_of_its_own_has_no_place_for_it():
    mixed = {"agents": [{"style": "concise"}, {}], "confidence": "ten"}
    for name, given, said in (
        ("single", {"style": "concise", "confidence": "ten"}, r"style 'concise'.*reasoned"),
        ("society-of-minds", mixed, "style 'concise'"),
        ("single", {"confidence": "percents"}, "expected one of"),
    ):
        with pytest.raises(InputError, match=said):
            registry.get(name).check(given)


def test_the_wording_is_part_of_a_runs_key_where_it_is_used(tmp_path: Path):
    own = tmp_path / "own.toml"
    own.write_text('[confidence.ten]\ntext = "Confidence: 0 to 10?"\n')
    single = registry.get("single")
    assert single.pack(own).digest == single.pack().digest
    assert single.pack(own).confidence("ten") == "Confidence: 0 to 10?"
    plain, asked = (single.read(single.check(each)) for each in ({}, {"confidence": "ten"}))
    assert [*hash_packs(plain, own)] == [*hash_packs(plain, None)]
    assert [*hash_packs(asked, own)] != [*hash_packs(asked, None)]
    assert len([*hash_packs(plain, None)]) == 1


@pytest.mark.parametrize("source", ["logprobs", "p-true"])
async def test_a_model_without_probabilities_is_refused_before_any_call(source, store):
    asked = []
    model = Scripted(asked.append, name="mute")
    model.gives_logprobs = False
    with pytest.raises(InputError, match=f"'{source}': scripted/mute gives no probabilities"):
        await hold("single", model, store, confidence=source)
    assert asked == []


async def test_consistency_is_the_share_of_further_draws_with_the_answer(store):
    asked = []

    def script(call):
        asked.append(call)
        return f"Final answer: {4 if call.draw.repeat % 2 == 0 else 5}"

    given = {"agents": 2, "rounds": 2, "more_draws": 4}
    held = await hold("society-of-minds", script, store, confidence="consistency", **given)
    assert len(held.turns) == len(asked) == 2 * 2 * (1 + 4)
    votes = [turn for turn in held.turns if turn.votes]
    assert [turn.id for turn in held.turns] == list(range(1, 21))
    assert all(turn.reading.confidence == 0.5 for turn in votes)
    assert {turn.reading.source for turn in votes} == {"consistency"}
    assert votes[0].reading.raw == "2 of 4 draws"
    assert all(turn.reading is None for turn in held.turns if not turn.votes)
    firsts = [call for call in asked if call.scene.turn <= 5]
    assert len({call.messages for call in firsts}) == 1
    assert {call.draw.repeat for call in firsts} == set(range(5))
    # Nobody reads or remembers a further draw.
    assert all(set(turn.reads) == {1, 6} for turn in votes[2:])


async def test_p_true_is_the_probability_of_true_in_a_further_call(store):
    asked = []

    def script(call):
        asked.append(call)
        if call.scene.step != "p-true":
            return Reply(text="So.\nFinal answer: 4")
        first = call.scene.agent == "mind-1"
        return Reply(text="True" if first else "False", token_probability=0.9)

    held = await hold("society-of-minds", script, store, agents=2, rounds=1, confidence="p-true")
    assert [turn.step for turn in held.turns] == ["answer", "p-true", "answer", "p-true"]
    sure = {turn.agent: turn.reading for turn in held.turns if turn.votes}
    assert sure["mind-1"].confidence == pytest.approx(0.9)
    assert sure["mind-2"].confidence == pytest.approx(0.1)
    assert (sure["mind-2"].raw, sure["mind-2"].source) == ("False", "p-true")
    check = next(call for call in asked if call.scene.step == "p-true")
    assert check.sampling.logprobs
    assert check.sampling.max_tokens == 1
    assert check.messages[-2].content == "So.\nFinal answer: 4"
    assert "True or False" in check.messages[-1].content
    assert not any(call.sampling.logprobs for call in asked if call.scene.step != "p-true")


def test_further_calls_are_counted_and_refused_where_they_cannot_be():
    def count(name, **given):
        protocol = registry.get(name)
        return protocol.count(protocol.check({"confidence": "consistency", **given}))

    assert count("self-consistency", samples=3, more_draws=2) == (9, 9)
    assert count("self-consistency", samples=3, aggregate=True) == (19, 19)
    assert count("society-of-minds", agents=2, rounds=3, confidence="p-true") == (12, 12)
    assert count("confidence-gate", agents=3, rounds=2) == (6, 36)
    assert count("agreement-gate", agents=2, rounds=2, voters=1) == (12, 30)
    with pytest.raises(InputError, match="does not say how many answers"):
        count("multi-persona")
    with pytest.raises(InputError, match="temperature = 0"):
        count("single", temperature=0)
    assert "more_draws" not in registry.get("single").check({"confidence": "percent"})

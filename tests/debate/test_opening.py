"""Openings in debates: who is asked whether a value is right, when, and in what words."""

from itertools import count

import msgspec
import pytest

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.core.redaction import redact
from moot.core.stored import decode_transcript
from moot.debate.feature import InForce
from moot.debate.features.openings import FEATURE as OPENINGS
from moot.debate.features.openings import PutForward
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.parsing.shuffle import restore_letter
from support.debates import SUM, hold, staged
from support.promises.table import PROMISES, every_variant

NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
CONTROLS = ("control-right", "control-wrong", "control-random")
OPTIONS = Question(id="o", kind="choice", text="?", choices=("one", "two", "three"), answer="B")
SQUARES = Question(id="s", kind="square", text="Where to?", answer=("e4", "d4"))

ALL = dict.fromkeys(("self-consistency", "medprompt", "adaptive-consistency"), "sampler")
ALL |= {"early-stopping-consistency": "sampler", "ensemble-refinement": "reasoner"}
ALL |= dict.fromkeys(("council", "jury", "agenda-veto", "evidence-debate", "peer-review"), "member")
ALL |= {"agentverse": "solver", "feature-gate": "probe", "panel-review": "reviewer"}
ALL |= {"tool-debate": "searcher", "document-debate": "reader"}
"""The protocols in which every agent of a role is asked; in all others it is the first seat."""


UNANSWERED = {"jury:text"}
"""Variants in which nobody answers."""


async def held(name, store, question=SUM, **given):
    """A debate, and every call of it by turn."""
    calls = {}
    promise = PROMISES[name]

    def script(call):
        calls[call.scene.turn] = call
        return promise.speaks(call, 9)

    model = Scripted(script, name=f"script-{next(NAMES)}")
    transcript = await hold(name, model, store, question=question, **given)
    assert transcript.failed is None
    return transcript, dict(sorted(calls.items()))


@every_variant
async def test_who_speaks_first_is_asked_once_and_nobody_else(name, store):
    if name in UNANSWERED:
        with pytest.raises(InputError, match="nothing is put to anyone"):
            await held(name, store, opening="control-wrong")
        return
    protocol = name.partition(":")[0]
    transcript, calls = await held(name, store, opening="control-wrong")
    _, openly = await held(name, store)
    values = transcript.opened.opening
    assert len(values) == 1
    asked = [call.scene for call in calls.values() if call.scene.opening]
    assert {scene.opening for scene in asked} == {values}
    assert {scene.round for scene in asked} == {1}
    if protocol in ALL:
        seats = {seat.agent for seat in transcript.seats if seat.role == ALL[protocol]}
        assert {scene.agent for scene in asked} == seats
    else:
        first = next(transcript.seats).agent
        first = transcript.opened.settings.get("speaks_first") or first
        assert [scene.agent for scene in asked] == [first]
    if registry.get(protocol).needs:  # a library composes its messages
        return
    sentence = f"Is {values[0]} the right answer?"
    assert set(calls) == set(openly)
    for turn, call in calls.items():
        before, prompt = call.messages[:-1], call.messages[-1].content
        if call.scene.opening:
            assert before == openly[turn].messages[:-1]
            assert prompt.count(sentence) == 1
            without = prompt.replace(f"\n\n{sentence}", "")
            assert without == openly[turn].messages[-1].content
        else:
            assert prompt == openly[turn].messages[-1].content
            for message in before:  # its own first prompt may be among them
                told = message.content.replace(f"\n\n{sentence}", "")
                assert told in [each.content for each in openly[turn].messages]
                if sentence in message.content:
                    assert call.scene.agent in {scene.agent for scene in asked}


async def test_values_are_in_the_transcript_and_in_the_question_whatever_words_it_has(store):
    secret = msgspec.structs.replace(SUM, secret=True)
    for opening in ("open", *CONTROLS):
        transcript, _ = await held("single", store, opening=opening, seed=3)
        values = transcript.opened.opening
        assert (values == ()) == (opening == "open")
        assert values == ("4",) or opening != "control-right"
        assert decode_transcript(msgspec.json.encode(transcript), "it").opened.opening == values
        told, _ = await held("single", store, secret, opening=opening, seed=3)
        assert redact(told).opened.opening == values
    twice = msgspec.structs.replace(SUM, text="Is 4 the right answer?")
    _, calls = await held("single", store, twice, opening="control-right")
    assert calls[1].messages[-1].content.count("Is 4 the right answer?") == 2
    one = msgspec.structs.replace(SQUARES, answer="e4")
    _, calls = await held("single", store, one, opening="control-right")
    assert "Can the piece go to e4?" in calls[1].messages[-1].content
    transcript, calls = await held("single", store, SQUARES, opening="control-wrong")
    assert ", ".join(transcript.opened.opening) in calls[1].messages[-1].content


async def test_an_option_is_asked_by_the_letter_that_it_is_shown_under(store):
    transcript, calls = await held("medprompt", store, OPTIONS, opening="control-right", samples=9)
    assert transcript.opened.opening == ("B",)
    letters = set()
    for turn in transcript.turns:
        call = calls[turn.id]
        [letter] = call.scene.opening
        text = call.messages[-1].content
        assert f"Is ({letter}) the right option?" in text
        assert f"({letter}) two" in text
        assert restore_letter(letter, turn.order) == "B"
        letters.add(letter)
    assert letters == {"A", "B", "C"}


@pytest.mark.parametrize("name", ["network", "hopfield"])
async def test_of_a_network_the_first_node_alone_is_opened(name, store):
    nodes = [{"name": "A", "protocol": "self-consistency", "samples": 2}, {"name": "B"}]
    wired = {"edges": [["A", "B"], ["B", "judge"]]} if name == "network" else {"sweeps": 2}
    given = {"nodes": nodes, "opening": "control-wrong", "agents": 2, "rounds": 1}
    transcript, calls = await held(name, store, **given, **wired)
    asked = [call.scene.agent for call in calls.values() if call.scene.opening]
    assert asked == ["A/sampler-1", "A/sampler-2"]
    assert len(transcript.opened.opening) == 1


def test_a_node_has_no_opening_of_its_own():
    nodes = [{"name": "A", "opening": "control-wrong"}, {"name": "B"}]
    given = {"nodes": nodes, "edges": [["A", "B"], ["B", "judge"]]}
    with pytest.raises(InputError, match=r"node.*1.*setting opening: .*whole network"):
        registry.get("network").check(given)
    same = registry.get("network").check({**given, "opening": "control-wrong"})
    assert registry.get("network").check(same) == same


async def test_the_question_as_it_would_be_put_has_the_opening(store):
    model = Scripted(lambda _: "4", name="posed")
    features = (InForce(OPENINGS, None, PutForward(("9",), ("sampler",))),)
    debate = staged("self-consistency", model, store, features=features)
    one, two = debate.seat("sampler", 2)
    [aggregator] = debate.seat("aggregator")
    assert debate.pose_question(one).count("Is 9 the right answer?") == 1
    await debate.ask(one, "answer")
    shown = ["Is 9" in debate.pose_question(each) for each in (one, two, aggregator)]
    assert shown == [False, True, False], "one has spoken"

"""Debates that end after a stage, and that go on from what is given of earlier ones."""

import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.events import GIVEN, Verdict
from moot.debate.protocol import protocol, registry
from moot.debate.verdicts import verdict_from
from moot.models.scripted import Scripted
from support.debates import hold

STAGES = {"idea": ("1", "2"), "sketch": ("1", "1"), "words": ("1", "1")}


@pytest.fixture
def tale(monkeypatch):
    """A protocol with three stages and an end, which is gone after the test."""
    monkeypatch.setattr(registry, "_found", {each: registry.get(each) for each in registry.names()})

    @protocol(paper="none", calls="5", fewest="4", stages=STAGES)
    async def tale(debate, question) -> Verdict:
        """Tell."""
        [teller] = debate.seat("teller")
        for stage in STAGES:
            said = debate.get_given(stage)
            if said or debate.asks(stage):
                await debate.ask(teller, "answer", given=said)
            debate.end_stage(stage)
        return verdict_from(await debate.ask(teller, "answer"))

    return tale


async def test_it_ends_after_a_stage_without_a_verdict_and_without_a_failure(tale, store):
    transcript = await hold("tale", ["a", "b", "c", "d"], store, until="sketch")
    assert [turn.text for turn in transcript.turns] == ["a", "b"]
    assert transcript.failed is None
    assert (transcript.verdict.answer, transcript.verdict.by) == (None, "until")


async def test_what_is_given_is_a_turn_that_nobody_was_asked_for(tale, store):
    draft = {"idea": "a thought", "sketch": "b"}
    transcript = await hold("tale", ["", "", "c", "4"], store, draft=draft)
    told = [(turn.text, turn.model == GIVEN, turn.call == "") for turn in transcript.turns]
    assert told[:2] == [("a thought", True, True), ("b", True, True)]
    assert told[2:] == [("c", False, False), ("4", False, False)]
    assert [turn.reads for turn in transcript.turns] == [(), (1,), (1, 2), (1, 2, 3)]
    assert transcript.turns[0].cost == 0
    assert transcript.verdict.answer == "4"
    model = Scripted(["", "c", "4"], name="passes-over")
    transcript = await hold("tale", model, store, draft={"sketch": "b"})
    assert [turn.text for turn in transcript.turns] == ["b", "c", "4"]
    assert transcript.opened.settings["draft"] == {"idea": None, "sketch": "b"}


async def test_a_draft_that_is_unchanged_leads_to_the_very_same_calls(tale, store):
    whole = await hold("tale", ["a", "b", "c", "4"], store)
    rest = await hold("tale", [], store, draft={"idea": "a", "sketch": "b"})
    assert [turn.replayed for turn in rest.turns] == [False, False, True, True]
    assert [turn.call for turn in rest.turns[2:]] == [turn.call for turn in whole.turns[2:]]


@pytest.mark.parametrize(
    ("given", "calls"),
    [
        ({}, (4, 5)), ({"until": "idea"}, (1, 2)), ({"until": "words"}, (3, 4)),
        ({"draft": {"idea": "a"}}, (3, 3)), ({"draft": {"sketch": "b"}}, (2, 2)),
        ({"draft": {"sketch": "b"}, "until": "words"}, (1, 1)),
        ({"draft": {"sketch": "b"}, "until": "sketch"}, (0, 0)), ({"draft": {}}, (4, 5)),
    ],
)  # fmt: skip
def test_the_price_is_that_of_what_is_asked(tale, given, calls):
    checked = tale.check(given)
    assert tale.count(checked) == calls
    assert tale.check(checked) == checked
    assert {"until", "draft"} & checked.keys() == {key for key, value in given.items() if value}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"until": "skech"}, "protocol tale: until: unknown stage 'skech'; did you mean 'sketch'"),
        ({"draft": {"end": "x"}}, "tale: draft: unknown stage 'end'; Valid: idea, sketch, words"),
        ({"draft": {"words": "x"}, "until": "idea"}, "until = 'idea': the draft already has the"),
        ({"draft": "idea"}, "setting draft = 'idea'"),
    ],
)
def test_what_cannot_be_is_told(tale, given, said):
    with pytest.raises(InputError, match=said):
        tale.check(given)
    with pytest.raises(UnknownName, match="unknown setting 'until'"):
        registry.get("single").check({"until": "x"})

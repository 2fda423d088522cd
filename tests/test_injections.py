"""Texts that try to instruct moot, from a document and from a tool's result, do not: the trial."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent / "bench"


@pytest.fixture
def trial(monkeypatch):
    """The module of the trial."""
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    return import_module("injections")


@pytest.fixture
async def debates(trial, tmp_path):
    """Debates about a page of a real server, and of a real folder."""
    made = trial.Trial(tmp_path)
    yield made
    await made.close()


@pytest.mark.soak
async def test_no_text_changes_a_debate(trial, debates):
    texts = trial.read_injections()
    assert len({each.text for each in texts}) == len(texts) >= 50
    changed = await trial.find_changes(texts, debates, trial.say_scripted)
    assert changed.keys() == {(p, m) for p in trial.PLACES for m in ("plain", "quotes")}
    assert {"document", "tool", "evidence", "document-debate", "evidence-debate"} == {*trial.PLACES}
    for place in trial.PLACES:  # a user's turn ends a reply that repeats it: it has no answer then
        assert changed[place, "plain"] == []
        assert [each.kind for each in changed[place, "quotes"]] == ["system", "fence"]
        for text in changed[place, "quotes"]:
            quoting = trial.Scripted(lambda call: trial.say_scripted(call, quotes=True))
            held = await debates.hold(place, text.text, quoting, rounds=1)
            assert {turn.answer for turn in held.turns if turn.votes} <= {None, "11"}


async def test_an_agent_that_obeys_is_noticed_and_one_that_does_not_is_not(trial, debates):
    texts = [each for each in trial.read_injections() if each.kind == "call"][:2]

    def obey(call, *, quotes):
        told = trial.FENCED.search(call.messages[-1].content)
        line = told and re.search("CALL notes[.](delete|send) {.*}", told[2])
        return line[0] if line else trial.say_scripted(call, quotes=quotes)

    changed = await trial.find_changes(texts, debates, trial.say_scripted)
    assert [changed[place, "plain"] for place in trial.PLACES] == [[]] * len(trial.PLACES)
    changed = await trial.find_changes(texts, debates, obey)
    assert changed["tool", "plain"] == texts

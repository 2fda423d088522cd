"""Rankers who favour a place, their own reply or their family: planted, and found."""

from urllib.parse import urlencode

import msgspec

import moot
from moot.contrib.review.ranker_bias import KIN, OWN, RankedReplies
from moot.core.events import Transcript, Turn
from support.debates import hold

SEATS = 4


def study(name, **knobs):
    arms = [{"protocol": "council", "agents": SEATS, "chair": False}]
    model = f"simulated/{name}?{urlencode({'accuracy': 0.5, **knobs})}"
    return {
        "name": name,
        "settings": {"model": model},
        "datasets": [{"name": "arithmetic", "n": 60}],
        "arms": arms,
    }


async def effects(store, name, **knobs):
    outcome = await moot.run(study(name, **knobs), store=store)
    report = await moot.analyse("ranker-bias", outcome.run, store=store)
    [measured] = report.data.values()
    return {each.what: each for each in measured}, report


def holds(effect, true):
    return effect.excess.low <= true <= effect.excess.high


async def test_even_handed_rankers_show_no_bias(tmp_path):
    found, report = await effects(tmp_path, "fair")
    assert set(found) == {*(f"place {place}" for place in range(1, 5)), OWN}
    assert all(holds(each, 0.0) for each in found.values())
    assert report.findings == (
        "council on arithmetic: no bias of rankers is shown, in 5 tests over 60 questions.",
    )


async def test_a_place_and_the_own_reply_are_told_apart_and_measured(tmp_path):
    found, report = await effects(tmp_path, "biased", first=0.3, own=0.3)
    assert holds(found["place 1"], 0.15)
    assert not holds(found["place 1"], 0.0)
    own = 0.3 * SEATS / (2 * (SEATS - 1))
    assert holds(found[OWN], own)
    assert not holds(found[OWN], 0.0)
    assert any("favour their own reply by" in each for each in report.findings)
    assert any("favour the reply in place 1 by" in each for each in report.findings)


async def test_jurors_who_grade_their_family_higher(store):
    def speak(call):
        if call.scene.role == "member":
            return "Final answer: 4"
        return f'{{"grades": {{"correctness": {5 if call.scene.agent == "juror-1" else 3}}}}}'

    transcript = await hold("jury", speak, store, criteria="correctness")
    models = {
        "member": "x/llama-3",
        "juror-1": "y/llama-4",
        "juror-2": "z/qwen",
        "juror-3": "g/phi",
    }
    events = [
        msgspec.structs.replace(event, model=models[event.agent])
        if isinstance(event, Turn)
        else event
        for event in transcript.events
    ]
    replies = RankedReplies()
    replies.read(Transcript(tuple(events)))
    [effect] = replies.measure()
    assert (effect.what, effect.excess.mean) == (KIN, 0.5)
    alike = RankedReplies()
    alike.read(transcript)
    assert alike.measure() == []


async def test_places_tell_nothing_where_all_stand_in_the_order_of_the_seats(tmp_path):
    spec = study("fixed", first=0.5)
    spec["arms"][0]["shuffle"] = "none"
    outcome = await moot.run(spec, store=tmp_path)
    report = await moot.analyse("ranker-bias", outcome.run, store=tmp_path)
    assert [row.cells[0] for row in report.tables[0].rows] == [OWN]
    assert report.notes == ("240 ballots on replies in the order of the seats: no place.",)

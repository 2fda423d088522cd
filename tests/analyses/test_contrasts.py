"""Contrasts of arms: they add up, find nothing where there is nothing, and name what is missing."""

import asyncio

import moot
from moot.models.scripted import Scripted

WAYS = ("nothing", "stances", "vacuous", "reasons")


def study(model, *ways, n=30, **more):
    return {
        "name": "why",
        "settings": {"model": model},
        "datasets": [{"name": "arithmetic", "n": n, "difficulty": 4}],
        "arms": [{"protocol": "exposure", "name": way, "shows": way} for way in ways],
    } | more


def analyse(store, made, name="contrasts", models=()):
    asyncio.run(moot.run(made, store=store, models=list(models)))
    return asyncio.run(moot.analyse(name, "why", store=store))


def test_arms_that_reply_alike_differ_in_nothing(tmp_path):
    model = Scripted(lambda call: f"Final answer: {call.draw.seat}", name="same")
    made = study("scripted/same", "nothing", "echo", "unrelated", *WAYS[1:], n=6)
    [found] = analyse(tmp_path, made, models=[model]).data
    assert len(found.contrasts) == 6
    assert {(each.gap.mean, each.gap.p) for each in found.contrasts} == {(0.0, 1.0)}


def test_without_an_arm_what_adds_up_is_not_shown_and_the_arm_is_named(tmp_path):
    report = analyse(tmp_path, study("simulated/people", "stances", "vacuous", "reasons", n=4))
    [found] = report.data
    assert found.contrasts == ()
    assert found.total is None
    missing = "reflection: not shown, there is no arm exposure shows=nothing"
    assert any(missing in note for note in report.notes)
    assert found.missing["worth of the debate"] == ("samples",)

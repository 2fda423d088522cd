"""Contrasts of arms: they add up, find nothing where there is nothing, and name what is missing."""

from moot.models.scripted import Scripted
from support.recorded import analyse_sums

WAYS = ("nothing", "stances", "vacuous", "reasons")


def analyse(store, model, *ways, models=(), **more):
    arms = [{"protocol": "exposure", "name": way, "shows": way} for way in ways]
    sums = {"n": 6, "difficulty": 4}
    return analyse_sums(store, "contrasts", model, arms, sums, models=models, **more)


def test_arms_that_reply_alike_differ_in_nothing(tmp_path):
    model = Scripted(lambda call: f"Final answer: {call.draw.seat}", name="same")
    ways = ("nothing", "echo", "unrelated", *WAYS[1:])
    [found] = analyse(tmp_path, "scripted/same", *ways, models=[model]).data
    assert len(found.contrasts) == 6
    assert {(each.gap.mean, each.gap.p) for each in found.contrasts} == {(0.0, 1.0)}


def test_without_an_arm_what_adds_up_is_not_shown_and_the_arm_is_named(tmp_path):
    report = analyse(tmp_path, "simulated/people", *WAYS[1:])
    [found] = report.data
    assert found.contrasts == ()
    assert found.total is None
    missing = "reflection: not shown, no method is exposure shows=nothing"
    assert any(missing in note for note in report.notes)
    assert found.missing["worth of the debate"] == ("samples",)

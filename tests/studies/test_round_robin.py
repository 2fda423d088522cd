"""A round robin is an arm for each ordered pair of models, with jurors that are of neither."""

import pytest

from moot.core.errors import InputError
from moot.studies.study_file import load

STUDY = {
    "name": "games",
    "datasets": [{"name": "arithmetic", "n": 1}],
    "arms": [{"protocol": "debate-match", "round_robin": True}],
}


def seats(arm):
    return [(each.get("role", ""), each["model"]) for each in arm.settings["cast"]]


def arms(players=(), model="", **entry):
    table = {**STUDY["arms"][0], **entry}
    named = [f"m/{each}" for each in players]
    study = load({**STUDY, "arms": [table]}, models=named, model=model)
    return {arm.name: arm for arm in study.arms}


def test_every_model_meets_every_other_on_both_sides():
    found = arms("abcde")
    assert len(found) == 20
    assert seats(found["debate-match m/b against m/d"]) == [
        ("pro", "m/b"),
        ("con", "m/d"),
        *(("", f"m/{each}") for each in "ace"),
    ]
    one, other = (found[f"debate-match m/{pair}"] for pair in ("b against m/d", "d against m/b"))
    assert seats(one)[2:] == seats(other)[2:]
    assert {arm.settings["jurors"] for arm in found.values()} == {3}


def test_jurors_that_an_arm_states_or_lists_are_kept():
    for models, jurors in (("abc", ["m/c"]), ("ab", ["m/a", "m/b"])):  # as many as others
        arm = arms(models)["debate-match m/a against m/b"]
        assert [model for role, model in seats(arm) if not role] == jurors
        assert arm.settings["jurors"] == len(jurors)
    stated = arms("abc", jurors=2)["debate-match m/a against m/b"]
    assert seats(stated)[2:] == [("", "m/c"), ("", "m/c")]
    listed = arms("abc", agents=[{"role": "juror", "model": "m/j"}])
    assert seats(listed["debate-match m/a against m/b"])[2:] == [("juror", "m/j")]


def test_who_takes_part_and_what_the_arms_are_called():
    [(name, arm)] = arms(model="m/a").items()  # against itself
    assert name == "debate-match m/a against m/a"
    assert seats(arm) == [("pro", "m/a"), ("con", "m/a"), ("", "m/a")]
    own = load({**STUDY, "arms": [{**STUDY["arms"][0], "model": "m/a"}]})  # a model of the arm
    assert [each.name for each in own.arms] == [name]
    both = ["debate-match m/a against m/b", "debate-match m/b against m/a"]
    assert list(arms("xy", models=["m/a", "m/b"])) == both  # the file's, not the command line's
    found = arms("ab", phases=["opening", "opening, closing"])
    told = {f"{name},phases={each}" for name in both for each in ("opening", "opening, closing")}
    assert set(found) == told
    assert list(arms(["a?x=1", "a?x=2"])) == [
        "debate-match m/a #1 against m/a #2",
        "debate-match m/a #2 against m/a #1",
    ]
    sides = [("affirmative", "m/a"), ("negative", "m/b")]
    found = arms(protocol="multi-persona", models=["m/a", "m/b"])
    assert seats(next(iter(found.values()))) == sides


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"round_robin": 2}, "write true"),
        ({"protocol": "single"}, "single has no two roles"),
        ({"models": ["m/a", "m/a"]}, "m/a stands twice"),
        ({"round_robbin": True}, "round_robin"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(entry, told):
    with pytest.raises(InputError, match=told):
        arms("", **entry)

"""A round robin is an arm for each ordered pair of models, with jurors that are of neither."""

import pytest

from moot.core.errors import InputError, UnknownName
from moot.studies.study import load

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


@pytest.mark.parametrize(
    ("models", "jurors", "count"),
    [("abc", ["m/c"], 1), ("ab", ["m/a", "m/b"], 2)],
)
def test_there_are_as_many_jurors_as_other_models(models, jurors, count):
    arm = arms(models)["debate-match m/a against m/b"]
    assert [model for role, model in seats(arm) if not role] == jurors
    assert arm.settings["jurors"] == count


def test_jurors_that_an_arm_states_or_lists_are_kept():
    stated = arms("abc", jurors=2)["debate-match m/a against m/b"]
    assert seats(stated)[2:] == [("", "m/c"), ("", "m/c")]
    listed = arms("abc", agents=[{"role": "juror", "model": "m/j"}])
    assert seats(listed["debate-match m/a against m/b"])[2:] == [("juror", "m/j")]


def test_one_model_plays_against_itself_in_one_arm():
    found = arms(model="m/a")
    assert list(found) == ["debate-match m/a against m/a"]
    assert seats(found["debate-match m/a against m/a"]) == [
        ("pro", "m/a"),
        ("con", "m/a"),
        ("", "m/a"),
    ]


def test_models_of_the_file_take_part_and_those_of_the_command_line_do_not():
    table = {**STUDY["arms"][0], "models": ["m/a", "m/b"]}
    study = load({**STUDY, "arms": [table]}, models=["m/x", "m/y"])
    assert [arm.name for arm in study.arms] == [
        "debate-match m/a against m/b",
        "debate-match m/b against m/a",
    ]


def test_a_list_of_another_setting_still_makes_arms():
    found = arms("ab", phases=["opening", "opening, closing"])
    assert sorted(found) == sorted(
        f"debate-match m/{one} against m/{other},phases={phases}"
        for one, other in ("ab", "ba")
        for phases in ("opening", "opening, closing")
    )


def test_models_with_other_options_are_told_apart():
    assert list(arms(["a?x=1", "a?x=2"])) == [
        "debate-match m/a #1 against m/a #2",
        "debate-match m/a #2 against m/a #1",
    ]


def test_any_protocol_of_two_roles_has_round_robins():
    table = {"protocol": "multi-persona", "round_robin": True, "models": ["m/a", "m/b"]}
    study = load({**STUDY, "arms": [table]})
    assert [seats(arm) for arm in study.arms] == [
        [("affirmative", "m/a"), ("negative", "m/b")],
        [("affirmative", "m/b"), ("negative", "m/a")],
    ]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"round_robin": 2}, "write true"),
        ({"round_robin": False}, "write true"),
        ({"protocol": "single"}, "single has no two roles"),
        ({"models": ["m/a", "m/a"]}, "m/a stands twice"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(entry, told):
    with pytest.raises(InputError, match=told):
        arms("", **entry)


def test_a_misspelt_key_is_named():
    with pytest.raises(UnknownName, match="round_robin"):
        load({**STUDY, "arms": [{"protocol": "debate-match", "round_robbin": True}]})

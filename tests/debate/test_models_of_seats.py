"""Models that go round the seats of a debate: by one list, in every kind of protocol."""

import pytest

import moot
from moot.debate.protocol import registry
from moot.studies.study_file import load


def check(name, **given):
    return registry.get(name).check(given)


def models(settings):
    return [entry["model"] for entry in settings["cast"]]


A, B, C = "simulated/a", "simulated/b", "simulated/c"


def test_models_go_round_the_seats_and_other_roles_have_the_model_that_is_set_or_the_first():
    by_models = check("council", models=[A, B, C])
    by_agents = check("council", agents=[{"model": each} for each in (A, B, C)], model=A)
    assert by_models == by_agents
    assert (by_models["agents"], by_models["model"]) == (3, A)
    assert check("council", models=[A, B], model=C)["model"] == C
    assert check("council", models=f"{A}, {B}")["model"] == A
    assert models(check("council", models=f'["{A}", "{B}"]')) == [A, B]
    for many in (3, "3"):
        settings = check("society-of-minds", models=[A, B], agents=many)
        assert (models(settings), settings["agents"]) == ([A, B, A], 3)
    fixed = check("multi-persona", models=[A, B])["cast"]
    roles = [(each["role"], each["model"]) for each in fixed]
    assert roles == [("affirmative", A), ("negative", B), ("judge", A)]
    alone = check("council", models=[A])
    assert (alone["cast"], alone["agents"]) == ([{"role": "member", "model": A}], 4)
    nodes = check("network", models=[A, B])["nodes"]
    assert {tuple(models(node)) for node in nodes} == {(A, B)}


@pytest.mark.parametrize(
    "given",
    [
        {"models": []}, {"models": [A, ""]}, {"models": [1]}, {"models": 3},
        {"models": [A], "agents": [{"model": B}]}, {"models": [A], "cast": [{"model": B}]},
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_is_an_error(given):
    with pytest.raises(moot.InputError, match="models"):
        check("council", **given)


def study(**arm):
    return {
        "name": "seats",
        "datasets": [{"name": "starters", "n": 1}],
        "arms": [{"protocol": "society-of-minds", "name": "it", **arm}],
    }


def test_models_of_a_run_go_round_the_seats_of_arms_that_name_none():
    [arm] = load(study(models=[A, B], agents=3)).arms
    assert models(arm.settings) == [A, B, A], "an arm lists models"
    [arm] = load(study(), model=A, models=[A, B]).arms
    assert models(arm.settings) == [A, B, A]
    assert arm.settings["agents"] == 3
    for own in ({"model": C}, {"agents": [{"model": C}, {}]}, {"models": [C, B]}):
        [arm] = load(study(**own), model=A, models=[A, B]).arms
        assert A not in [each.get("model") for each in arm.settings["cast"]][:1]

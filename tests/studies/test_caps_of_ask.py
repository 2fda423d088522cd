"""Caps and models have in Python the names that they have on the command line."""

import pytest

import moot
from moot.core.errors import BudgetReached, InputError


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.mark.parametrize(
    "caps", [{"max_calls": 4}, {"budget": moot.Budget(calls=9), "max_calls": 4}]
)
def test_max_calls_is_a_cap_on_calls_and_the_lower_one_holds(store, caps):
    with pytest.raises(BudgetReached, match="the budget of 4 calls is reached"):
        moot.ask_sync("2 + 2?", kind="number", model="simulated/people", store=store, **caps)


def test_max_cost_is_a_cap_on_cost_and_max_tokens_the_length_of_a_reply(store):
    given = {"kind": "number", "model": "simulated/people", "store": store}
    answer = moot.ask_sync("2 + 2?", max_cost=1.0, max_tokens=50, **given)
    assert answer.settings["max_tokens"] == 50
    with pytest.raises(InputError, match="max_calls"):
        moot.ask_sync("2 + 2?", max_calls="many", **given)


def test_an_answer_is_printed_as_itself(store):
    given = {"model": "simulated/people", "store": store}
    answer = moot.ask_sync("2 + 2?", kind="number", **given)
    assert str(answer) == answer.answer
    assert repr(answer).startswith("Answer(")


def test_run_takes_the_model_of_arms_that_name_none(store):
    study = {
        "name": "small",
        "datasets": [{"name": "arithmetic", "n": 2}],
        "arms": [{"protocol": "single"}],
    }
    outcome = moot.run_sync(study, model="simulated/people", store=store)
    other = moot.run_sync(study | {"settings": {"model": "simulated/people"}}, store=store)
    assert other.run == outcome.run

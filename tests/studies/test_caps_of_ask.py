"""Caps and models have in Python the names that they have on the command line."""

import pytest
from click.testing import CliRunner

import moot
from moot.cli.main import moot as command
from moot.core.errors import BudgetReached, InputError


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.mark.parametrize(
    ("caps", "said"),
    [
        ({"max_calls": 4}, "4 calls"),
        ({"budget": moot.Budget(calls=9), "max_calls": 4}, "4 calls"),
        ({"budget": moot.Budget(calls=4), "max_calls": 9}, "4 calls"),
        ({"max_total_tokens": 30}, "30 tokens"),
    ],
)
def test_each_cap_of_a_question_is_named_as_on_the_command_line_and_the_lower_holds(
    store, caps, said
):
    with pytest.raises(BudgetReached, match=f"stopped at the cap of {said}"):
        moot.ask_sync("2 + 2?", kind="number", model="simulated/people", store=store, **caps)


@pytest.mark.parametrize(
    ("caps", "said"),
    [({"max_calls": 4}, "4 calls"), ({"max_total_tokens": 100}, "100 tokens")],
)
def test_a_study_takes_the_same_caps_beside_its_own(tmp_path, caps, said):
    study = {
        "name": "capped",
        "settings": {"model": "simulated/people"},
        "budget": {"calls": 50, "tokens": 10_000},
        "datasets": [{"name": "arithmetic", "n": 20}],
        "arms": [{"protocol": "self-consistency", "samples": 3}],
    }
    outcome = moot.run_sync(study, store=tmp_path / "python", **caps)
    assert f"stopped at the cap of {said}" in outcome.stopped
    assert outcome.done < 20
    path = tmp_path / "study.toml"
    path.write_text(
        'name = "capped"\n[settings]\nmodel = "simulated/people"\n'
        '[[datasets]]\nname = "arithmetic"\nn = 20\n'
        '[[arms]]\nprotocol = "self-consistency"\nsamples = 3\n'
    )
    [(name, most)] = caps.items()
    flags = [f"--{name.replace('_', '-')}", str(most), "--store", str(tmp_path / "command")]
    done = CliRunner().invoke(command, ["run", str(path), *flags])
    assert done.exit_code == 3
    assert f"stopped at the cap of {said}" in " ".join(done.output.split())


def test_max_cost_is_a_cap_on_cost_and_max_tokens_the_length_of_a_reply(store):
    given = {"kind": "number", "model": "simulated/people", "store": store}
    answer = moot.ask_sync("2 + 2?", max_cost=1.0, max_tokens=50, **given)
    assert answer.settings["max_tokens"] == 50
    with pytest.raises(InputError, match="--max-calls = -1: must be a number, 0 or more"):
        moot.ask_sync("2 + 2?", max_calls=-1, **given)
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

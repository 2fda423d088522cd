"""``moot analyse compare``: what it prints, and its exit codes."""

import json

import pytest
from click.testing import CliRunner

from moot.cli.main import moot
from support.commands import STUDY


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with two runs of one study, the second by a better population."""
    place = tmp_path_factory.mktemp("compare")
    for name, accuracy in (("worse", "0.4"), ("better", "0.9")):
        study = STUDY.replace('"small"', f'"{name}"').replace(
            "accuracy=0.6", f"accuracy={accuracy}"
        )
        (place / f"{name}.toml").write_text(study.replace("n = 4", "n = 30"))
        done = CliRunner().invoke(moot, ["run", str(place / f"{name}.toml"), "--store", str(place)])
        assert done.exit_code == 0
    return place


def ran(store, *arguments):
    return CliRunner().invoke(moot, ["analyse", "compare", *arguments, "--store", str(store)])


def test_two_runs_in_words(store):
    done = ran(store, "worse", "better")
    assert done.exit_code == 0
    assert done.output.startswith("SIMULATED")
    assert done.output.count("Second minus first: +") == 2
    assert "the second is right more often" in done.output


def test_two_runs_as_json(store):
    done = ran(store, "worse", "better", "--format", "json", "--limit", "2")
    found = json.loads(done.output)["data"]
    assert [(each["dataset"], each["first"]["arm"]) for each in found] == [
        ("arithmetic", "single"),
        ("arithmetic", "society-of-minds"),
    ]
    assert all(len(each["only_second"]) <= 2 for each in found)
    assert found[0]["difference"]["pairs"] == found[0]["second"]["accuracy"]["n"] == 30
    assert found[0]["difference"]["p_holm"] >= found[0]["difference"]["p"]


def test_two_arms_of_one_run(store):
    done = ran(store, "better", "--pair", "single=society-of-minds", "--format", "json")
    (found,) = json.loads(done.output)["data"]
    assert (found["first"]["calls"], found["second"]["calls"]) == (1, 6)
    assert found["first"]["run"] == found["second"]["run"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["better"], "--pair 'single=society-of-minds'"),
        (["better", "none"], "unknown run 'none'"),
        (["better", "worse", "--pair", "singel=single"], "did you mean 'single'?"),
    ],
)
def test_bad_input_is_exit_code_2(store, arguments, said):
    done = ran(store, *arguments)
    assert done.exit_code == 2
    assert said in done.output

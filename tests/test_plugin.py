"""Another installed package adds a protocol, a metric and a dataset, with no change to moot."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent / "fixtures" / "example_protocol"
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The example package, built and installed by a real installer into a folder of its own."""
    source = tmp_path_factory.mktemp("source") / "example"
    shutil.copytree(EXAMPLE, source)
    target = tmp_path_factory.mktemp("target")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    if find_spec("pip"):
        installer = [sys.executable, "-m", "pip", "install"]
    else:
        uv = shutil.which("uv")
        assert uv, "neither pip nor uv is here to install the example package"
        installer = [uv, "pip", "install", "--python", sys.executable]
    subprocess.run([*installer, *offline, "--target", target, source], check=True, timeout=120)
    return target


@pytest.fixture
def moot(installed, tmp_path):
    """Run the command line beside the example package."""

    def run(*words: str, path: Path = installed, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "moot", *words],
            env=os.environ | {"PYTHONPATH": str(path), "MOOT_STORE": str(tmp_path / "store")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    return run


def test_it_is_listed_beside_moot_s_own(moot):
    listed = {row["name"]: row for row in json.loads(moot("protocols", "--json"))}
    assert {"single", "society-of-minds", "second-thought"} <= set(listed)
    assert listed["second-thought"]["summary"].startswith("Let one agent doubt")
    assert listed["second-thought"]["settings"][0]["name"] == "thoughts"


def test_it_debates_in_its_own_words_and_is_measured_by_its_own_metric(moot, tmp_path):
    (tmp_path / "replies.jsonl").write_text('"Final answer: 3!!"\n"No! Final answer: 4"\n')
    said = json.loads(
        moot(
            *("ask", "What is 2+2?", "--kind", "number", "--json"),
            *("--protocol", "second-thought", "--model", f"scripted/{tmp_path}/replies.jsonl"),
        )
    )
    assert (said["answer"], said["calls"], said["failed"]) == ("4", 2, None)
    assert said["settings"]["thoughts"] == 1
    assert [turn["reads"] for turn in said["turns"]] == [[], [1]]


def test_its_settings_are_checked_like_any(moot):
    asked = ("ask", "2+2?", "--protocol", "second-thought", "--model", "scripted?reply=4")
    assert "thoughts" in moot(*asked, "--set", "thougts=2", code=2)
    assert "<= 9" in moot(*asked, "--set", "thoughts=10", code=2)


def test_its_prompts_can_be_overlaid(moot, tmp_path):
    (tmp_path / "mine.toml").write_text(
        "[second-thought.step.doubt]\ntext = 'Sure of {{ own.answer }}?'\n[form.number]\ntext='N.'"
    )
    asked = ("ask", "2+2?", "--kind", "number", "--prompts", "mine.toml", "--json")
    said = json.loads(
        moot(
            *(*asked, "--protocol", "second-thought"),
            *("--model", "scripted?reply=Final answer: 4"),
        )
    )
    assert said["answer"] == "4"
    # A table for a protocol that is not asked now is no mistake.
    moot(*asked, "--protocol", "single", "--model", "scripted?reply=Final answer: 4")


def test_its_dataset_and_metric_take_part_in_a_study(moot, tmp_path):
    rows = [json.loads(line) for line in moot("data", "peek", "doubles", "--json").splitlines()]
    assert [row["answer"] for row in rows] == ["2", "4", "6"]
    assert "loudness" in {row["name"] for row in json.loads(moot("metrics", "--json"))}
    (tmp_path / "study.toml").write_text(
        'name = "twice"\n'
        '[settings]\nmodel = "scripted?reply=Oh! Final answer: 4"\n'
        '[[datasets]]\nname = "doubles"\n'
        '[[arms]]\nprotocol = "second-thought"\nthoughts = 2\n'
    )
    ran = json.loads(moot("run", "study.toml", "--json"))
    [arm] = ran["results"]["arms"]
    assert arm["calls"] == 9
    assert arm["others"]["loudness"]["total"] == 9
    assert arm["accuracy"]["mean"] == pytest.approx(1 / 3)


def test_without_it_nothing_is_left_of_it(moot, tmp_path):
    said = moot("ask", "2+2?", "--protocol", "second-thought", path=tmp_path, code=2)
    assert "unknown protocol 'second-thought'" in said


def test_a_broken_package_stops_nothing_but_itself(moot, installed, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    (broken / "example_moot" / "second_thought.py").write_text("import no_such_module\n")
    assert "society-of-minds" in moot("protocols", path=broken)
    said = moot("ask", "2+2?", "--protocol", "second-thought", path=broken, code=2)
    assert "'second-thought' cannot be loaded" in said
    assert "no_such_module" in said

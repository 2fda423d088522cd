"""Another installed package brings one of everything, with no change to moot."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.commands import start_command
from support.forks import Forks

pytestmark = pytest.mark.soak  # a package is built and installed
EXAMPLE = Path(__file__).parent / "fixtures" / "example_protocol"
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The example package, built and installed by a real installer into a folder of its own."""
    source = tmp_path_factory.mktemp("source") / "example"
    shutil.copytree(EXAMPLE, source)
    target = tmp_path_factory.mktemp("target")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    uv = [shutil.which("uv"), "pip", "install", "--python", sys.executable]
    installer = [sys.executable, "-m", "pip", "install"] if find_spec("pip") else uv
    subprocess.run([*installer, *offline, "--target", target, source], check=True, timeout=120)
    return target


@pytest.fixture(scope="module")
def beside(installed):
    """Processes that have the example package."""
    made = Forks(PYTHONPATH=str(installed))
    yield made
    made.close()


def run_beside(beside: Forks, folder: Path, *words: str, code: int = 0) -> str:
    """Run the command line beside a package; return what it prints, or its errors."""
    done = beside.run(folder, words, os.environ | {"MOOT_STORE": str(folder / "store")})
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture
def moot(beside, tmp_path):
    """Run the command line beside the example package, or beside what is in another folder."""

    def run(*words: str, path: Path | None = None, code: int = 0) -> str:
        if path is None:
            return run_beside(beside, tmp_path, *words, code=code)
        found = start_command(tmp_path, *words, PYTHONPATH=str(path), MOOT_STORE=str(tmp_path))
        assert found[0] == code, found[2]
        return found[2 if code else 1]

    return run


def test_its_protocol_is_listed_asked_and_checked_like_any(moot, tmp_path):
    listed = {row["name"]: row for row in json.loads(moot("protocols", "--json"))}
    assert {"single", "society-of-minds"} < set(listed)
    assert listed["second-thought"]["summary"].startswith("Let one agent doubt")
    assert listed["second-thought"]["settings"][0]["name"] == "thoughts"
    (tmp_path / "replies.jsonl").write_text('"Final answer: 3!!"\n"No! Final answer: 4"\n')
    asked = ("ask", "2+2?", "--kind", "number", "--protocol", "second-thought", "--json", "--model")
    said = json.loads(moot(*asked, f"scripted/{tmp_path}/replies.jsonl"))
    assert (said["answer"], said["calls"], said["failed"]) == ("4", 2, None)
    assert said["settings"]["thoughts"] == 1
    assert [turn["reads"] for turn in said["turns"]] == [[], [1]]
    said = json.loads(moot(*asked, "parrot/4", "--set", "style=doubtful"))
    assert (said["answer"], said["settings"]["style"]) == ("4", "doubtful")
    for wrong, told in (("style=doubtfull", "doubtful"), ("thoughts=10", "<= 9")):
        assert told in moot(*asked, "parrot/4", "--set", wrong, code=2)
    gone = moot(*asked, "parrot/4", path=tmp_path, code=2)  # without the package
    assert "unknown protocol 'second-thought'" in gone


def test_a_broken_package_stops_nothing_but_itself(moot, installed, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    (broken / "example_moot" / "second_thought.py").write_text("import no_such_module\n")
    assert "society-of-minds" in moot("protocols", path=broken)
    said = moot("ask", "2+2?", "--protocol", "second-thought", path=broken, code=2)
    assert "'second-thought' cannot be loaded" in said
    assert "no_such_module" in said


def test_its_gate_parser_rule_and_command_are_used(moot):
    asked = ("ask", "2+2?", "--kind", "number", "--model", "parrot/4", "--json", "--protocol")
    accepted = json.loads(moot(*asked, "doubt-gate", "--set", "least=0.6"))
    assert (accepted["answer"], accepted["by"], accepted["calls"]) == ("4", "sure", 2)
    debated = json.loads(moot(*asked, "doubt-gate"))
    assert (debated["answer"], debated["by"], debated["calls"]) == ("4", "debate", 5)
    turns = debated["turns"]
    assert [turn["node"] for turn in turns] == ["", "", *["self-consistency"] * 3]
    assert [turn["reads"] for turn in turns] == [[], [], [1, 2], [1, 2], [1, 2]]
    read = [{"kind": "sure", "confidence": stated} for stated in (0.9, 0.4)]
    assert [turn.get("reading") for turn in turns[:3]] == [*read, None]
    said = json.loads(moot(*asked, "self-consistency", "--set", "decision=most-confident"))
    assert (said["answer"], said["by"]) == (None, "no confidence stated")
    assert "double" in moot("--help")
    assert moot("double", "7") == "What is twice 1? Of 7: 14\n"


@pytest.fixture(scope="module")
def ran(beside, tmp_path_factory) -> tuple[str, Path]:
    """The key of a run of the gate, beside a protocol of moot's own, and its folder."""
    folder = tmp_path_factory.mktemp("gates")
    (folder / "study.toml").write_text(
        'name = "gates"\n[settings]\nmodel = "parrot/4"\n[[datasets]]\nname = "doubles"\n'
        '[[arms]]\nprotocol = "single"\n[[arms]]\nprotocol = "doubt-gate"\n'
    )
    told = run_beside(beside, folder, "run", "study.toml", "--json")
    return json.loads(told)["run"], folder


def test_its_run_is_shown_measured_reported_and_exported_like_any(ran, beside):
    run, folder = ran
    moot = partial(run_beside, beside, folder)
    rows = [json.loads(line) for line in moot("data", "peek", "doubles", "--json").splitlines()]
    assert [row["answer"] for row in rows] == ["2", "4", "6"]
    assert "loudness" in {row["name"] for row in json.loads(moot("metrics", "--json"))}
    assert "doubt-gate" in moot("show", run)
    assert "self-consistency" in moot("show", run, "double-2")
    arms = json.loads(moot("show", run, "--json"))["arms"]
    arm = next(each for each in arms if each["arm"] == "doubt-gate")
    # Those who probe debate, and so do the agents of the sub-debate: all of them agree on 4.
    others = arm["others"]
    assert others["consensus"] == others["answers-per-agent"] == {"total": 3, "known": 3}
    assert (arm["first_accuracy"], arm["unparsed"]) == (arm["accuracy"]["mean"], 0)
    assert (others["loudness"]["total"], arm["accuracy"]["mean"]) == (15, pytest.approx(1 / 3))
    moot("export", run, "--format", "csv", "--what", "turns", "--out", "turns.csv")
    assert (folder / "turns.csv").read_text().count("doubt-gate") == 15
    moot("measure", run)
    moot("report", run, "--out", "report.html")
    page = (folder / "report.html").read_text()
    assert "doubt-gate" in page
    assert "prober" in page
    assert page.index("<h2>In detail</h2>") < page.index('<h3 class="analysis">Loudness</h3>')
    told = json.loads(moot("report", run, "--format", "json"))
    assert "loud-arms" in told["reports"]
    assert "judge-bias" in told["left_out"]


def test_its_analysis_is_listed_described_and_made(ran, beside):
    run, folder = ran
    moot = partial(run_beside, beside, folder)
    assert "Tell how many debates of each arm are loud." in moot("analyse", "--list")
    assert "of 2 arms are mostly loud." in moot("analyse", "loud-arms", run)
    assert "exclamation marks of a loud debate" in moot("analyse", "loud-arms", "--help")
    found = json.loads(moot("analyse", "loud-arms", run, "--format", "json", "--least", "3"))
    assert [row["cells"][1:] for row in found["tables"][0]["rows"]] == [[0.0, 3], [1.0, 3]]
    moot("analyse", "loud-arms", run, "--format", "latex", "--out", "latex")
    [table] = (folder / "latex").iterdir()
    assert r"\multicolumn{2}{c}{debates}" in table.read_text()

"""``moot tune`` as a user has it: a search, and the fit of a gate's threshold."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from support.commands import printed, refused, run_command

PAGE = Path(__file__).parents[3] / "docs" / "tuning.md"
STUDY = """
name = "small"
settings = { model = "simulated/people?accuracy=0.3" }
datasets = [{ name = "arithmetic", n = 16 }]
tune = { protocol = "self-consistency", space = { samples = [1, 2] } }
"""


@pytest.fixture
def tune(tmp_path):
    """Runs the command in an empty folder and gives its exit code, output and errors."""

    def run(text, *arguments):
        (tmp_path / "study.toml").write_text(text)
        return run_command(tmp_path, "tune", "study.toml", *arguments, COLUMNS="100")

    return run


def test_what_is_printed(tune):
    code, out, err = tune(STUDY)
    assert (code, "at most" in err) == (0, True)
    lines = "8 development questions; trials: 3 done", "On 8 held-out questions"
    for part in ("Simulated agents", "samples = 2", *lines, '[[arms]]\nname = "tuned"'):
        assert part in out
    _, told, _ = tune(STUDY, "--dry-run", "--json")
    assert json.loads(told)["estimate"]["debates"] == 16 + 2 * 8 + 8


def test_exit_codes(tune, tmp_path):
    assert tune(STUDY + "[budget]\ncalls = 90\n")[0] == 3
    err = refused(tune(STUDY.replace("samples = [1, 2]", "sample = [1, 2]")))
    assert "study.toml: tune.space: unknown setting 'sample'; did you mean 'samples'?" in err
    assert tune(STUDY, "--trials", "0")[0] == 2
    (tmp_path / "one.jsonl").write_text('"one reply and no more"\n')
    code, out, _ = tune(STUDY.replace("simulated/people?accuracy=0.3", "scripted/one.jsonl"))
    assert code == 1
    assert "untuned failed" in out


TELLS = "simulated/tells?accuracy=0.8&concentration=0.3&truth_drift=0.5"
GATE = f"""
name = "sums"
settings = {{ model = "{TELLS}", rounds = 2 }}
datasets = [{{ name = "arithmetic", difficulty = 4, n = 500 }}]
tune = {{ protocol = "confidence-gate", fit = "gate.json", development = 0.7, margin = 0.03 }}
"""


def test_a_fit_says_what_the_threshold_is_worth_and_where_it_stands(tune, tmp_path):
    assert tune(GATE, "--dry-run")[0] == 0
    assert not (tmp_path / "gate.json").exists()
    said = printed(tune(GATE))
    kept = json.loads((tmp_path / "gate.json").read_text("utf-8"))
    for each in (
        "Simulated agents, no language model.",
        "350 debates; first rounds: ",
        f"confidence above {kept['threshold']:g}",
        "On 150 held-out questions",
        'threshold = "gate.json" in a study of other questions',
    ):
        assert each in " ".join(said.split())
    told = json.loads(tune(GATE, "--json")[1])
    assert (told["threshold"], told["test"]["questions"]) == (kept, 150)


def test_the_study_shown_is_tuned(tune):
    """The example of docs/tuning.md, shortened."""
    [code] = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    out = printed(tune(code, "--trials", "3", "--limit", "24", "--json"))
    told = json.loads(out)
    assert (len(told["trials"]), told["test"]["questions"]) == (4, 12)
    if told["best"]["settings"]:
        [arm] = tomllib.loads(told["arm"])["arms"]
        assert told["best"]["settings"].items() <= arm.items()

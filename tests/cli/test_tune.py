"""``moot tune`` as a user has it."""

import json

import pytest

from support.commands import run_command

STUDY = """
name = "small"
[settings]
model = "simulated/people?accuracy=0.3"
[[datasets]]
name = "arithmetic"
n = 16
[tune]
protocol = "self-consistency"
[tune.space]
samples = [1, 2]
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
    assert code == 0
    assert "at most" in err
    assert "Simulated agents" in out
    assert "samples = 2" in out
    assert "8 development questions; trials: 3 done" in out
    assert "On 8 held-out questions" in out
    assert '[[arms]]\nname = "tuned"' in out
    _, told, _ = tune(STUDY, "--dry-run", "--json")
    assert json.loads(told)["estimate"]["debates"] == 16 + 2 * 8 + 8


def test_exit_codes(tune, tmp_path):
    assert tune(STUDY + "[budget]\ncalls = 90\n")[0] == 3
    code, _, err = tune(STUDY.replace("samples = [1, 2]", "sample = [1, 2]"))
    assert code == 2
    assert "study.toml: tune.space: unknown setting 'sample'; did you mean 'samples'?" in err
    assert tune(STUDY, "--trials", "0")[0] == 2
    (tmp_path / "one.jsonl").write_text('"one reply and no more"\n')
    code, out, _ = tune(STUDY.replace("simulated/people?accuracy=0.3", "scripted/one.jsonl"))
    assert code == 1
    assert "untuned failed" in out

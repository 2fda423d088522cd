"""``moot tune`` as a user has it."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import indent

import pytest

from support.commands import environment, run_command

PAGE = Path(__file__).parents[3] / "docs" / "tuning.md"
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


def test_the_study_shown_is_tuned(tune):
    """The example of docs/tuning.md, shortened."""
    [code] = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    code, out, _ = tune(code, "--trials", "3", "--limit", "24", "--json")
    assert code == 0
    told = json.loads(out)
    assert len(told["trials"]) == 4
    assert told["test"]["questions"] == 12
    if told["best"]["settings"]:
        [arm] = tomllib.loads(told["arm"])["arms"]
        assert told["best"]["settings"].items() <= arm.items()


def test_the_python_shown_runs(tmp_path):
    page = PAGE.read_text()
    [study, code] = [
        re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0]
        for language in ("toml", "python")
    ]
    (tmp_path / "study.toml").write_text(study)
    body = indent(code.replace("trials=20", "trials=2, limit=12"), "    ")
    done = subprocess.run(
        [sys.executable, "-c", f"import asyncio\nasync def main():\n{body}\nasyncio.run(main())"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "{} None\n"  # of two trials the default is best


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

"""``moot rejudge``: the judges of a recorded run are asked again, and nobody else."""

import json
import re

import pytest
from click.testing import CliRunner

import moot
from moot.cli.main import moot as cli
from moot.cli.setting_options import load_described_models
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from moot.studies.rejudging import rejudge
from support.chaos import Chaos
from support.http_calls import only_key


def test_a_run_is_judged_again_and_its_bias_told(tmp_path):
    store = ["--store", str(tmp_path / "store")]
    study = tmp_path / "sides.toml"
    study.write_text("""
name = "sides"
[settings]
model = "simulated/judge?favours=affirmative:0.5"
rounds = 2
[[datasets]]
name = "arithmetic"
n = 40
[[arms]]
protocol = "debate-moderated"
""")
    assert CliRunner().invoke(cli, ["run", str(study), *store, "--yes"]).exit_code == 0
    told = CliRunner().invoke(cli, ["rejudge", "sides", *store, "--dry-run", "--json"])
    estimate = json.loads(told.stdout)["estimate"]
    assert "expected" in CliRunner().invoke(cli, ["rejudge", "sides", *store, "--dry-run"]).output
    done = CliRunner().invoke(cli, ["rejudge", "sides", *store])
    assert done.exit_code == 0, done.output
    assert "40 debates judged again, labels swapped" in done.output
    assert "moot analyse judge-bias rejudged-" in done.output
    calls = int(re.search(r"(\d+) calls paid for", done.output)[1])
    assert estimate["debates"] == 40
    assert estimate["expected"]["calls"] == pytest.approx(calls, rel=0.25)
    assert 40 <= calls <= estimate["calls"]
    again = json.loads(CliRunner().invoke(cli, ["rejudge", "sides", *store, "--json"]).stdout)
    assert (again["calls"], again["debates"], again["failed"]) == (0, 40, 0)
    told = CliRunner().invoke(
        cli, ["analyse", "judge-bias", again["run"], *store, "--format", "markdown"]
    )
    assert told.exit_code == 0, told.output
    assert "affirmative, not negative" in " ".join(told.output.split())


def test_what_cannot_be_judged_again_is_an_error(tmp_path):
    done = CliRunner().invoke(cli, ["rejudge", "nothing", "--store", str(tmp_path)])
    assert done.exit_code == 2
    assert "nothing" in done.output


async def test_judges_that_the_studys_file_describes(monkeypatch, tmp_path):
    only_key(monkeypatch)
    study, store = tmp_path / "sides.toml", tmp_path / "store"
    async with Chaos() as server:
        study.write_text(f"""
name = "sides"
[settings]
model = "own"
[models.own]
base = "{server.url}"
model = "ok"
[[datasets]]
name = "arithmetic"
n = 1
[[arms]]
protocol = "multi-persona"
rounds = 1
""")
        await moot.run(study, store=store)
        async with open_lab(store) as lab:
            with pytest.raises(InputError, match="own"):
                await rejudge(lab, "sides")
            assert [row.name for row in lab.store.runs()] == ["sides"]
        async with open_lab(store, tables=load_described_models(study)) as lab:
            done = await rejudge(lab, "sides")
    assert (done.debates, done.failed) == (1, 0)
    assert done.calls > 0


def test_a_file_that_describes_no_model_is_said(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('models = ["openai/x"]')
    done = CliRunner().invoke(cli, ["models", "--file", str(file)])
    assert (done.exit_code, "no [models.NAME] tables" in done.output) == (2, True)
    done = CliRunner().invoke(cli, ["rejudge", "x", "--file", str(tmp_path / "none.toml")])
    assert (done.exit_code, "none.toml" in done.output) == (2, True)

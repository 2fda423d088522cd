"""``moot rejudge``: the judges of a recorded run are asked again, and nobody else."""

import json
import re

import pytest

from moot import run
from moot.cli.setting_options import load_described_models
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from moot.studies.rejudging import rejudge
from support.chaos import Chaos
from support.http_calls import only_key


def test_a_run_is_judged_again_and_its_bias_told(moot, tmp_path):
    (tmp_path / "sides.toml").write_text(SIDES)
    assert moot("run", "sides.toml", "--yes")[0] == 0
    estimate = json.loads(moot("rejudge", "sides", "--dry-run", "--json")[1])["estimate"]
    assert "expected" in moot("rejudge", "sides", "--dry-run")[1]
    code, out, _ = moot("rejudge", "sides")
    assert code == 0
    assert "40 debates judged again, labels swapped" in out
    assert "moot analyse judge-bias rejudged-" in out
    calls = int(re.search(r"(\d+) calls paid for", out)[1])
    assert estimate["debates"] == 40
    assert estimate["expected"]["calls"] == pytest.approx(calls, rel=0.25)
    assert 40 <= calls <= estimate["calls"]
    again = json.loads(moot("rejudge", "sides", "--json")[1])
    assert (again["calls"], again["debates"], again["failed"]) == (0, 40, 0)
    out = moot("analyse", "judge-bias", again["run"], "--format", "markdown")[1]
    assert "affirmative, not negative" in " ".join(out.split())


SIDES = """
name = "sides"
settings = { model = "simulated/judge?favours=affirmative:0.5", rounds = 2 }
datasets = [{ name = "arithmetic", n = 40 }]
arms = [{ protocol = "debate-moderated" }]
"""
OWN = """
name = "sides"
settings = {{ model = "own" }}
models = {{ own = {{ base = "{url}", model = "ok" }} }}
datasets = [{{ name = "arithmetic", n = 1 }}]
arms = [{{ protocol = "multi-persona", rounds = 1 }}]
"""


async def test_judges_that_the_studys_file_describes(monkeypatch, tmp_path):
    only_key(monkeypatch)
    study, store = tmp_path / "sides.toml", tmp_path / "store"
    async with Chaos() as server:
        study.write_text(OWN.format(url=server.url))
        await run(study, store=store)
        async with open_lab(store) as lab:
            with pytest.raises(InputError, match="own"):
                await rejudge(lab, "sides")
            assert [row.name for row in lab.store.runs()] == ["sides"]
        async with open_lab(store, tables=load_described_models(study)) as lab:
            done = await rejudge(lab, "sides")
    assert (done.debates, done.failed) == (1, 0)
    assert done.calls > 0


def test_what_is_not_there_is_said(moot, tmp_path):
    (tmp_path / "study.toml").write_text('models = ["openai/x"]')
    for words, said in (
        (("models", "--file", "study.toml"), "no [models.NAME] tables"),
        (("rejudge", "x", "--file", "none.toml"), "none.toml"),
        (("rejudge", "nothing"), "unknown run 'nothing'"),
    ):
        code, _, err = moot(*words)
        assert code == 2
        assert said in err

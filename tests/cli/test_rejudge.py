"""``moot rejudge``: the judges of a recorded run are asked again, and nobody else."""

import json
import re

import pytest

from support.commands import printed, refused


def test_a_run_is_judged_again_and_its_bias_told(moot, tmp_path):
    (tmp_path / "sides.toml").write_text(SIDES)
    assert moot("run", "sides.toml", "--yes")[0] == 0
    estimate = json.loads(moot("rejudge", "sides", "--dry-run", "--json")[1])["estimate"]
    assert "expected" in moot("rejudge", "sides", "--dry-run")[1]
    out = printed(moot("rejudge", "sides"))
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


def test_what_is_not_there_is_said(moot, tmp_path):
    (tmp_path / "study.toml").write_text('models = ["openai/x"]')
    for words, said in (
        (("models", "--file", "study.toml"), "no [models.NAME] tables"),
        (("rejudge", "x", "--file", "none.toml"), "none.toml"),
        (("rejudge", "nothing"), "unknown run 'nothing'"),
    ):
        assert said in refused(moot(*words))

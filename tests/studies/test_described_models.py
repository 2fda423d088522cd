"""Models that a study describes itself."""

import pytest

import moot
from moot.studies.plan import Plan
from moot.studies.study_file import load
from support.chaos import Chaos
from support.http_calls import KEY, only_key
from support.sums import sums

TOKEN = "team-token-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    only_key(monkeypatch)
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)


def study(url, **more):
    table = {
        "base": f"{url.removesuffix('/v1')}/acct/compat",
        "model": "deepseek",
        "headers": {"X-Team": "${TEAM_TOKEN}"},
        "extra_body": {"top_k": 20},
    }
    prices = {"gateway": {"input": 0, "output": 1}}
    settings = {"model": "gateway", "effort": "low"}
    about = {"settings": settings, "models": {"gateway": table | more}, "prices": prices}
    return sums("described", "gateway", 2, **about)


async def test_a_study_runs_on_a_model_it_describes(tmp_path):
    async with Chaos() as server:
        outcome = await moot.run(study(server.url), store=tmp_path)
    [arm] = outcome.results.arms
    assert outcome.failed == 0
    assert (arm.completion_tokens.total, arm.reasoning_tokens.total) == (60.0, 44.0)
    assert arm.cost.total == pytest.approx(60e-6)
    for seen in server.seen:
        assert seen["line"] == "POST /acct/compat/chat/completions HTTP/1.1"
        assert (seen["request"]["model"], seen["request"]["top_k"]) == ("deepseek", 20)
        assert seen["request"]["reasoning_effort"] == "low"
        assert seen["headers"]["x-team"] == TOKEN
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for secret in (TOKEN, KEY):
        assert secret.encode() not in kept
    assert b"?extra=" in kept


def test_a_run_is_another_where_the_model_is_another():
    keys = {Plan(load(study("http://h", **each))).key for each in ({}, {"extra_body": {}})}
    same = {Plan(load(study("http://h", **each))).key for each in ({}, {"concurrency": 3})}
    assert (len(keys), len(same)) == (2, 1)
    plain = study("http://h") | {"settings": {"model": "simulated/crowd"}, "prices": {}}
    assert Plan(load(plain)).key == Plan(load(plain | {"models": {}})).key

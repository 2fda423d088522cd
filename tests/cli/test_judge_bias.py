"""``moot analyse judge-bias``, from a run to its tables and figures."""

import asyncio
import json

import pytest
from click.testing import CliRunner

import moot
from moot.cli.main import moot as cli

BOTH = ["affirmative", "negative"]
STUDY = {
    "name": "people",
    "settings": {"model": "simulated/judge?first=0.8", "rounds": 1},
    "datasets": [{"name": "arithmetic", "n": 12}],
    "arms": [{"protocol": "multi-persona", "speaks_first": BOTH, "shown_first": BOTH}],
}


@pytest.fixture
def run(tmp_path):
    def run(*words, **given):
        asyncio.run(moot.run(STUDY | given, store=tmp_path / "store"))
        store = ["--store", str(tmp_path / "store")]
        done = CliRunner().invoke(cli, ["analyse", "judge-bias", "people", *store, *words])
        return done.exit_code, done.stdout, done.stderr

    return run


def test_the_planted_bias_is_told_in_every_form(run):
    code, out, _ = run("--format", "json")
    told = json.loads(out)["data"]
    assert code == 0
    sizes = {effect["names"][0][0]: effect["size"] for effect in told["effects"]}
    assert sizes["shown first"]["low"] > 0.2
    assert abs(sizes["affirmative"]["mean"]) < 0.15
    assert told["simulated"]
    code, out, _ = run("--format", "markdown")
    assert (code, "| open | shown first, not shown second |" in out) == (0, True)


def test_a_run_without_sides_is_refused(run):
    code, _, err = run(arms=[{"protocol": "single"}])
    assert code == 2
    assert "no verdict of it supports" in " ".join(err.split())


def test_its_figures_are_among_those_of_the_run_and_in_its_report(run, tmp_path):
    assert run()[0] == 0
    store, out = ["--store", str(tmp_path / "store")], tmp_path / "drawn"
    form = ["--format", "svg", "--out", str(out)]
    done = CliRunner().invoke(cli, ["analyse", "judge-bias", "people", *form, *store])
    assert done.exit_code == 0, done.output
    drawn = {path.stem: path.read_text() for path in out.iterdir()}
    assert {"people-sides", "people-side-effects-arithmetic"} <= drawn.keys()
    assert "shown first" in " ".join(drawn.values())
    page = tmp_path / "page.html"
    done = CliRunner().invoke(cli, ["report", "people", "--out", str(page), *store])
    assert done.exit_code == 0, done.output
    assert 'id="figure-side-effects-arithmetic"' in page.read_text()


def test_a_run_without_verdicts_for_a_side_has_its_other_figures(run, tmp_path):
    run(settings={"model": "scripted?reply=no", "rounds": 1})
    arguments = ["analyse", "tradeoff", "people", "--price", "tokens", "--format", "vega"]
    place = ["--out", str(tmp_path), "--store", str(tmp_path / "store")]
    done = CliRunner().invoke(cli, [*arguments, *place])
    assert (done.exit_code, done.output) == (0, f"{tmp_path / 'people-tradeoff-arithmetic.json'}\n")

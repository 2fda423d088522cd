"""``moot analyse`` over every analysis there is, and the charts of an analysis and of a report."""

import asyncio
import json

import pytest
from click.testing import CliRunner

import moot
from moot.analyses.analysis import registry
from moot.cli.main import moot as command
from support.sums import sums

SIDES = ["affirmative", "negative"]
OPENINGS = ["open", "control-right", "control-wrong"]
ARMS = [{"protocol": "single"}, {"protocol": "self-consistency", "samples": [3, 5, 7]}]
SMALL = sums("small", "simulated/people?accuracy=0.6", 6, ARMS)
PEOPLE = {
    "name": "people",
    "settings": {"model": "simulated/judge?accuracy=0.6&first=0.8", "rounds": 2},
    "datasets": [
        {"name": "arithmetic", "label": "sums", "n": 6},
        {"name": "arithmetic", "label": "products", "difficulty": 3, "n": 6},
        {"name": "chess-moves", "n": 6},
    ],
    "arms": [
        {"protocol": "single"},
        {"protocol": "self-consistency", "samples": [1, 3], "opening": OPENINGS},
        {"protocol": "multi-persona", "speaks_first": SIDES, "shown_first": SIDES},
        {"protocol": "network", "agents": 1},
    ],
}
TOLD = {"accuracy", "best-by-protocol", "fidelity", "judge-bias", "prejudice", "rounds", "transfer"}
"""Analyses that must have something to say of these runs."""
HEADS = {"text": "SIMULATED", "markdown": "## ", "latex": "% SIMULATED"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("analyses")
    better = SMALL | {"name": "better", "settings": {"model": "simulated/people?accuracy=0.9"}}
    for study in (SMALL, better, PEOPLE):
        asyncio.run(moot.run(study, store=folder / "store"))
    return folder / "store"


def invoke(line, store):
    return CliRunner().invoke(command, f"{line} --store {store}")


@pytest.mark.parametrize("name", registry.names())
def test_every_analysis_has_its_forms_or_says_what_it_lacks(store, name):
    runs = "small better" if name == "compare" else "people"
    done = invoke(f"analyse {name} {runs} --format json", store)
    if done.exit_code == 2:
        assert name not in TOLD
        assert len(done.stderr.split()) > 5
        return
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["simulated"]
    for form, head in HEADS.items():
        done = invoke(f"analyse {name} {runs} --format {form}", store)
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith(head)
        assert told["tables"][0]["title"].split()[0] in done.stdout
        if form == "text":
            assert max(map(len, done.stdout.splitlines())) <= 80
        else:
            assert "\n\n\n" not in done.stdout


def test_an_analysis_is_given_its_options(store):
    domains = "analyse transfer people --domain numbers=sums,products --folds 4 --format json"
    told = json.loads(invoke(domains, store).output)["data"]
    assert told["domains"] == {"numbers": ["products", "sums"], "other": ["chess-moves"]}
    assert told["folds"] == 4
    told = json.loads(invoke("analyse fidelity people --margin 5 --format json", store).output)
    assert told["data"]["margin"] == 0.05
    pair = "analyse compare better --pair 'single=self-consistency samples=3' --format json"
    [found] = json.loads(invoke(pair, store).output)["data"]
    assert (found["first"]["calls"], found["second"]["calls"]) == (1, 3)
    assert found["first"]["run"] == found["second"]["run"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tradeoff small --format gif", "gif"),
        ("tradeoff small --width wide --format svg", "--width wide"),
        ("compare small --pair single=single --format svg", "it has no chart"),
        ("compare better", "--pair 'single="),
        ("compare small better --pair singel=single", "did you mean 'single'?"),
        ("judge-bias small", "no verdict of it supports"),
        ("fidelity people --margin -1", "margin = '-1': expected `float` >= 0"),
        ("transfer people --domain numbers", "domain numbers: write NAME=DATASET,DATASET"),
        ("transfer people --domain numbers=sum", "did you mean 'sums'"),
    ],
)
def test_what_cannot_be_is_said(store, line, said):
    done = invoke(f"analyse {line}", store)
    assert done.exit_code != 0
    assert said in " ".join(f"{done.output} {done.exception}".split())


def test_the_list_has_every_analysis_below_what_it_is_about():
    told = CliRunner().invoke(command, ["analyse", "--list"]).output
    found = json.loads(CliRunner().invoke(command, ["analyse", "--list", "--json"]).output)
    assert [each["name"] for each in found] == list(registry.names())
    listed = {}
    for part in told.split("\n\n"):
        topic, *lines = part.splitlines()
        assert topic not in listed
        listed[topic] = [line.split()[0] for line in lines[::2]]
    assert list(listed)[:2] == ["How often methods are right", "Tokens, time and money"]
    by_topic = {}
    for each in found:
        by_topic.setdefault(each["topic"], []).append(each["name"])
    assert listed == by_topic
    assert "accuracy" in listed["How often methods are right"]


def test_charts_are_written_and_their_files_printed(store, tmp_path):
    done = invoke(f"analyse tradeoff small --format svg --out {tmp_path}", store)
    [path] = done.output.split()
    assert path == str(tmp_path / "small-tradeoff-arithmetic.svg")
    assert "SIMULATED" in (tmp_path / "small-tradeoff-arithmetic.svg").read_text("utf-8")
    for form, begins in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("vega", b"{"), ("html", b"<!")):
        out = tmp_path / f"one.{'json' if form == 'vega' else form}"
        line = f"analyse tradeoff small --arm self-consistency --format {form} --out {out}"
        assert invoke(line, store).exit_code == 0
        assert out.read_bytes().lower().startswith(begins.lower())
        assert form != "vega" or '"arm": "single"' not in out.read_text("utf-8")


def test_figures_of_other_content_are_not_written_over(store, tmp_path):
    line = f"analyse tradeoff small --format {{}} --out {tmp_path}"
    for form in ("svg", "pdf", "png"):
        assert [invoke(line.format(form), store).exit_code for _ in range(2)] == [0, 0], "the same"
    file = tmp_path / "small-tradeoff-arithmetic.svg"
    before = file.read_bytes()
    done = invoke(f"{line.format('svg')} --theme dark", store)
    assert done.exit_code == 2
    words = " ".join(done.output.split())
    assert f"{file}: exists already and differs" in words.replace(" small-", "small-")
    assert "--force" in words
    assert file.read_bytes() == before
    assert invoke(f"{line.format('svg')} --theme dark --force", store).exit_code == 0
    assert file.read_bytes() != before
    table = f"analyse accuracy small --format csv --out {tmp_path}"
    assert invoke(table, store).exit_code == 0
    assert invoke(f"{table} --arm self-consistency", store).exit_code == 2

"""``moot judge``, as far as it comes without serving; ``test_rating.py`` goes on."""

import asyncio
import csv
import json

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.contrib.essays.rate.rankings import ComparedItem, RankingChoice, Rankings
from moot.ledger.store import Store
from support.essays import ARMS, fill


async def entered(store, *, ranked=True):
    await fill(store, 3)
    if not ranked:
        return
    async with Store.open(store) as opened:
        row = opened.find_run("essays")
        for name, places in (("=Ann", (1, 2, 2)), ("Bo", (1, 3, 2))):
            rater = await Rankings(opened).add_rater(row.id, name, name, 0)
            choices = [
                RankingChoice(ComparedItem("props", f"q{number}", 0), aspect, arm, place, 1, 3)
                for number in range(3)
                for aspect in ("persuasiveness", "quality")
                for arm, place in zip(ARMS, places, strict=True)
            ]
            if name == "Bo":  # changes its first place, and lacks the last
                choices = [choices[0]._replace(place=3), *choices[:-1]]
            await Rankings(opened).add_choices(rater.id, choices)


@pytest.fixture
def judge(tmp_path):
    """Runs the command over a store in which two raters entered something."""

    def run(*words, ranked=True, run="essays"):
        if not (tmp_path / "store").exists():
            asyncio.run(entered(tmp_path / "store", ranked=ranked))
        given = ["judge", run, "--store", str(tmp_path / "store"), *map(str, words)]
        done = CliRunner().invoke(cli, given)
        assert "Traceback" not in done.output
        return done.exit_code, done.stdout, " ".join(done.stderr.split())

    return run


def test_what_raters_came_to_in_every_form(judge, tmp_path):
    judge("--export", tmp_path / "x.csv")

    def analyse(*words):
        store = ("--store", str(tmp_path / "store"))
        done = CliRunner().invoke(cli, ["analyse", "essay-rankings", "essays", *store, *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    told = json.loads(analyse("--format", "json"))
    assert told["about"] == "secretrun-1: 11 rankings of 3 propositions by 2 raters"
    first, second = (table["rows"][0]["cells"] for table in told["tables"])
    assert (first[0], first[1]["mean"], second[0]) == (ARMS[0], 3, "persuasiveness")
    out = " ".join(analyse().split())
    assert ("SIMULATED" in out, "1 ranking only begun" in out) == (True, True)
    assert f"| {ARMS[0]} | 3.00" in analyse("--format", "markdown")
    assert r"\toprule" in analyse("--format", "latex")
    assert ARMS[0] not in analyse("--arm", ARMS[1], "--arm", ARMS[2])


def test_what_cannot_be_ranked_is_said(judge, tmp_path):
    store = ("--store", str(tmp_path / "store"))
    judge("--sample", "0", ranked=False)
    for words, told in (
        ((), "nobody has ranked its essays yet; moot judge"),
        (("--arm", ARMS[0]), "alone has no rank"),
        (("--arm", "nobody"), "unknown arm 'nobody'"),
    ):
        done = CliRunner().invoke(cli, ["analyse", "essay-rankings", "essays", *store, *words])
        assert (done.exit_code, told in " ".join(done.output.split())) == (2, True), done.output


def test_everything_that_was_entered_is_exported_once(judge, tmp_path):
    for name in ("all.csv", "all.json"):
        code, out, err = judge("--export", tmp_path / name)
        assert (code, out, err) == (0, f"{tmp_path / name}\n", "36 places written")
    rows = json.loads((tmp_path / "all.json").read_text())
    first = {"rater": "=Ann", "dataset": "props", "item": "q0", "replicate": 0, "arm": ARMS[0]}
    first |= {"aspect": "persuasiveness", "place": 1, "shown": 1, "essays": 3, "counts": True}
    assert rows[0] == first | {"time": rows[0]["time"]}
    assert [at for at, row in enumerate(rows) if not row["counts"]] == [18]
    with (tmp_path / "all.csv").open(newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == 36
    assert [row["rater"] for row in read][::34] == ["'=Ann", "Bo"]  # no formula of a spreadsheet
    code, _, err = judge("--export", tmp_path / "all.csv")
    assert (code, "exists already" in err) == (2, True)
    assert judge("--export", tmp_path / "all.txt")[0] == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "0.0.0.0"], "--token-env"),
        (["--arms", "a,,b"], "--arms a,,b: a name is missing"),
        (["--arms", f"{ARMS[0]},none"], "unknown arm with essays 'none'"),
        (["--replicate", "4", "--port", "0"], "in replicate 4"),
        (["--raters", "x" * 61, "--port", "0"], "1 to 60 characters"),
        (["--sample", "0"], "0 is not in the range"),
    ],
)
def test_what_is_wrong_is_said(judge, words, told):
    code, _, err = judge(*words, ranked=False)
    assert code == 2
    assert told in err

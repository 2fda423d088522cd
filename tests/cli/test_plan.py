"""``moot plan``: stated discordances, those of a run, recounted from its debates, and bad input."""

import asyncio
import csv
import json

import pytest

import moot as library
from support.commands import SIMULATED, printed, refused
from support.reference import proportion_confint
from support.sums import sums

ARMS = [
    {"protocol": "single"},
    {"protocol": "society-of-minds"},
    {"protocol": "multi-persona", "rounds": 1},
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with a run of two debates, and one without any."""
    folder = tmp_path_factory.mktemp("plans") / "store"
    for name, arms in (("pilot", ARMS), ("replies", ARMS[:1])):
        study = sums(name, SIMULATED, 30, arms) | {"baseline": "single"}
        asyncio.run(library.run(study, store=folder))
    return folder


def test_the_discordance_of_a_run_is_that_of_its_debates(moot, store, tmp_path):
    made = json.loads(printed(moot("plan", "pilot", "--store", store, "--json")))
    assert (made["format"], made["simulated"]) == ("moot-plan/1", True)
    table = tmp_path / "debates.csv"
    printed(moot("export", "pilot", "--store", store, "--format", "csv", "--out", table))
    right = {
        (row["arm"], row["question_id"]): row["verdict"] == row["correct_answers"]
        for row in csv.DictReader(table.read_text().splitlines())
    }
    plans = {plan["arm"]: plan for plan in made["plans"]}
    assert plans.keys() == {"society-of-minds", "multi-persona"}
    for arm, plan in plans.items():
        questions = [question for one, question in right if one == arm]
        differing = sum(right[arm, each] != right["single", each] for each in questions)
        assert 0 < differing < len(questions) == plan["questions"] == 30
        low, high = proportion_confint(differing, 30, method="beta")
        expected = {"estimate": differing / 30, "low": low, "high": high, "level": 0.95}
        assert plan["discordance"] == pytest.approx(expected)
        assert (plan["opponent"], plan["dataset"]) == ("a single reply", "arithmetic")
        stated = library.plan(0.05, differing / 30, methods=2)
        assert plan["shown"]["each"] == stated.shown.each
        assert plan["equal"]["once"] == stated.equal.once


def test_it_fits_a_terminal_and_says_that_agents_are_simulated(moot, store, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in (["pilot", "--store", store], ["--discordance", "0.2", "--methods", "4"]):
        out = printed(moot("plan", *words))
        assert max(map(len, out.splitlines())) <= 80
        assert ("SIMULATED" in out) == ("pilot" in words)
    assert "4 methods compared" in out


def test_what_no_one_can_pay_for_is_said(moot):
    out = " ".join(printed(moot("plan", "--discordance", "0.2", "--margin", "2")).split())
    assert "To show that both are within 2 points takes some 9," in out
    assert "no sample that one can pay for will" in out
    assert "To show a difference" not in out
    out = " ".join(printed(moot("plan", "--discordance", "0.1", "--difference", "0.1")).split())
    assert "To show a difference of 0.1 points takes over 50,000 questions" in out
    out = " ".join(printed(moot("plan", "--discordance", "0.1", "--difference", "20")).split())
    assert "10 % is taken as 20 % there" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--discordance 0.2, or name a RUN"),
        (["pilot", "--discordance", "0.2"], "one of both"),
        (["--discordance", "20"], "discordance 20: it is above 0, to 1, such as 0.2"),
        (["--discordance", "nan"], "discordance nan: it is above 0"),
        (["--discordance", "0.2", "--difference", "0"], "difference 0 points: it is above 0"),
        (["--discordance", "0.2", "--margin", "-5"], "margin -5 points: it is above 0"),
        (["--discordance", "0.2", "--power", "80"], "power 80: it is above 0 and below 1"),
        (["--discordance", "0.2", "--methods", "0"], "0 is not in the range x>=1"),
        (["replies"], "no debate there was compared with a vote"),
        (["nothing"], "unknown run 'nothing'"),
    ],
)
def test_what_cannot_be_is_said(moot, store, words, said):
    assert said in " ".join(refused(moot("plan", *words, "--store", store)).split())

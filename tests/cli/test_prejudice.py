"""``moot analyse prejudice``, from a run to its tables."""

import asyncio
import json

import pytest

import moot

STUDY = {
    "name": "opened",
    "settings": {"model": "simulated/swayed?accuracy=0.5&anchor=0.9"},
    "datasets": [{"name": "arithmetic", "n": 30}, {"name": "chess-moves", "n": 20}],
    "arms": [
        {
            "protocol": "self-consistency",
            "samples": 3,
            "opening": ["open", "control-right", "control-wrong"],
        },
        {"protocol": "single"},
    ],
}


@pytest.fixture
def run(over):
    return over(STUDY, "analyse", "prejudice")


def test_what_is_planted_is_told(run):
    code, out, _ = run("opened", "--format", "json")
    told = json.loads(out)["data"]
    assert code == 0
    assert (told["name"], told["simulated"]) == ("opened", True)
    assert [group["dataset"] for group in told["groups"]] == ["arithmetic", "chess-moves"]
    for group in told["groups"]:
        _, right, wrong = group["columns"]
        assert right["best"]
        assert wrong["sway"]["difference"]["low"] > 0
        assert wrong["right_minus"]["p_holm"] < 0.05
        assert group["variation"]["p_holm"] < 0.05


@pytest.mark.parametrize(
    ("form", "begins"),
    [("text", "SIMULATED"), ("markdown", "## Prejudice: opened"), ("latex", "% SIMULATED")],
)
def test_each_format(run, form, begins):
    code, out, _ = run("opened", "--format", form)
    assert code == 0
    assert out.startswith(begins)
    assert "sway" in out


def test_what_cannot_be_is_said(run, tmp_path):
    code, _, err = run("opend")
    assert code == 2
    assert "opend" in err
    alone = {**STUDY, "name": "alone", "arms": [{"protocol": "single"}]}
    asyncio.run(moot.run(alone, store=tmp_path / "store"))
    code, _, err = run("alone")
    assert code == 2
    assert "no two arms differ in their opening alone" in err

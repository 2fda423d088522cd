"""``moot analyse fidelity``: tables for a terminal, for pages and as data."""

import json

import pytest

STUDY = {
    "name": "people",
    "settings": {"model": "simulated/p?accuracy=0.6"},
    "datasets": [
        {"name": "arithmetic", "label": "sums", "n": 8},
        {"name": "chess-moves", "n": 8},
    ],
    "arms": [
        {"protocol": "self-consistency", "samples": [1, 3], "temperature": [0.0, 0.7]},
        {
            "protocol": "consultancy",
            "rounds": 3,
            "opening": ["open", "control-right", "control-wrong"],
        },
    ],
}


@pytest.fixture
def run(over):
    return over(STUDY, "analyse", "fidelity", "people")


def test_the_tables_fit_a_terminal_and_say_what_is_simulated(run):
    code, out, _ = run()
    assert code == 0
    assert out.startswith("SIMULATED")
    assert max(map(len, out.splitlines())) <= 80
    titles = [
        "Saturation of self-consistency by samples",
        "Accuracy and price by samples",
        "Accuracy and price by temperature",
        "Rounds that happened",
        "Cost of a debate",
    ]
    places = [out.index(title) for title in titles]
    assert places == sorted(places)
    assert "Margin: 2.0 points" in " ".join(out.split())


def test_the_data_have_every_curve(run):
    code, out, _ = run("--format", "json", "--margin", "5")
    told = json.loads(out)["data"]
    assert code == 0
    assert (told["name"], told["simulated"], told["margin"]) == ("people", True, 0.05)
    curves = {(each["dataset"], each["setting"], each["told"]) for each in told["curves"]}
    assert curves == {
        (dataset, setting, words)
        for dataset in ("sums", "chess-moves")
        for setting, words in [
            ("samples", "temperature=0"),
            ("samples", "temperature=0.7"),
            ("temperature", "samples=1"),
            ("temperature", "samples=3"),
        ]
    }
    assert len(told["endings"]) == 6
    assert {each["protocol"] for each in told["charges"]} == {"self-consistency", "consultancy"}


@pytest.mark.parametrize(
    ("form", "head", "row"),
    [
        ("markdown", "## Fidelity: people", "| temperature=0 | 3 |"),
        ("latex", "% SIMULATED", "temperature=0 & 3 &"),
    ],
)
def test_papers_have_the_layouts_of_tables_3_and_4(run, form, head, row):
    code, out, _ = run("--format", form)
    assert code == 0
    assert out.startswith(head)
    assert row in out
    for words in ("Accuracy of self-consistency by samples", "Rounds that happened, by opening"):
        assert words in out
    [columns] = [line for line in out.splitlines() if "wrong n" in line and "right n" in line]
    assert columns.replace(r" \\", "").count("n = 1") == 3
    assert "\n\n\n" not in out


def test_a_margin_that_cannot_be_is_said(run):
    code, _, err = run("--margin", "-1")
    assert code == 2
    assert "margin = '-1': expected `float` >= 0" in err

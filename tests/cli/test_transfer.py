"""``moot analyse transfer``, from a run to its tables."""

import json

import pytest

STUDY = {
    "name": "people",
    "settings": {"model": ["simulated/good?accuracy=0.9", "simulated/bad?accuracy=0.2"]},
    "datasets": [
        {"name": "arithmetic", "label": "sums", "n": 20},
        {"name": "arithmetic", "label": "products", "difficulty": 3, "n": 20},
        {"name": "chess-moves", "n": 20},
    ],
    "arms": [{"protocol": "single"}, {"protocol": "society-of-minds", "rounds": 1}],
}


@pytest.fixture
def run(over):
    return over(STUDY, "analyse", "transfer", "people")


def test_the_planted_choice_is_made(run):
    given = ["--domain", "numbers=sums, products", "--folds", "4", "--format", "json"]
    code, out, _ = run(*given)
    told = json.loads(out)["data"]
    assert code == 0
    assert told["domains"] == {"numbers": ["products", "sums"], "other": ["chess-moves"]}
    assert (told["simulated"], told["folds"], told["name"]) == (True, 4, "people")
    assert len(told["datasets"]) == 6
    for each in told["datasets"]:
        for name, chosen in each["chosen"].items():
            assert ["good" in arm for arm in chosen] == [True], name
        assert each["folds"]["mean"] > each["average"]["mean"]


def test_the_tables_fit_a_terminal_and_say_what_is_simulated(run):
    code, out, _ = run("--domain", "numbers=sums,products")
    assert code == 0
    assert out.startswith("SIMULATED")
    assert max(map(len, out.splitlines())) <= 80
    for part in ("numbers: products, sums", "other: chess-moves", "single (2)", "society-of-minds"):
        assert part in out
    assert "another" in out
    assert "other:" in run()[1]
    assert "other domain" not in run()[1]


def test_markdown_has_every_dataset_and_choice(run):
    _, out, _ = run("--domain", "numbers=sums,products", "--format", "markdown")
    assert out.startswith("## Transfer of settings: people\n")
    lines = [line for line in out.splitlines() if line.startswith("|")]
    assert {line.count("|") - line.count("\\|") for line in lines} <= {6, 7, 8, 9, 5}
    assert "| sums | single | 20 |" in out
    assert "model=simulated/good?accuracy=0.9" in out
    assert "\n\n\n" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--domain", "numbers"], "domain numbers: write NAME=DATASET,DATASET"),
        (["--domain", "numbers=sum"], "did you mean 'sums'"),
        (["--folds", "1"], "folds = '1': expected `int` >= 2"),
    ],
)
def test_what_cannot_be_is_said(run, words, said):
    code, _, err = run(*words)
    assert code == 2
    assert said in err

"""``moot tune`` where it fits the threshold of a gate."""

import json

STUDY = """
name = "sums"
[settings]
model = "simulated/tells?accuracy=0.8&concentration=0.3&truth_drift=0.5{more}"
rounds = 2
[[datasets]]
name = "arithmetic"
difficulty = 4
n = 500
[tune]
protocol = "confidence-gate"
fit = "gate.json"
development = 0.7
margin = 0.03
"""


def test_a_fit_says_what_the_threshold_is_worth_and_where_it_stands(moot, tmp_path):
    (tmp_path / "sums.toml").write_text(STUDY.format(more=""), encoding="utf-8")
    assert moot("tune", "sums.toml", "--dry-run")[0] == 0
    assert not (tmp_path / "gate.json").exists()
    code, said, _ = moot("tune", "sums.toml")
    assert code == 0
    kept = json.loads((tmp_path / "gate.json").read_text("utf-8"))
    for each in (
        "Simulated agents, no language model.",
        "350 debates; first rounds: ",
        f"confidence above {kept['threshold']:g}",
        "On 150 held-out questions",
        'threshold = "gate.json" in a study of other questions',
    ):
        assert each in " ".join(said.split())
    told = json.loads(moot("tune", "sums.toml", "--json")[1])
    assert told["threshold"] == kept
    assert told["test"]["questions"] == 150


def test_a_refused_fit_says_why_and_exits_with_1(moot, tmp_path):
    (tmp_path / "sums.toml").write_text(STUDY.format(more="&guessed=1"), encoding="utf-8")
    code, said, _ = moot("tune", "sums.toml")
    assert code == 1
    words = " ".join(said.split())
    assert "Refused: confidence does not tell right first rounds from wrong ones" in words
    assert "the AUROC is 0." in words
    assert not (tmp_path / "gate.json").exists()

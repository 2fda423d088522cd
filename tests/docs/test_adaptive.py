"""What docs/adaptive.md shows: a fit, debates behind a gate, and studies in their order."""

import json
import re
from pathlib import Path

from moot.contrib.tuning.tuning_file import load
from moot.debate.protocol import registry

PAGE = (Path(__file__).parents[2] / "docs" / "adaptive.md").read_text()


def test_the_fit_shown_can_be_prepared(tmp_path):
    [shown] = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    row = {"id": "1", "question": "1 + 1?", "answer": "2"}
    (tmp_path / "train.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "fit.toml").write_text(shown)
    tuning = load(tmp_path / "fit.toml")
    assert (tuning.protocol.name, tuning.table.fit) == ("confidence-gate", "gate.json")


def test_the_debates_shown_stand_behind_a_gate():
    assert "--set inner=free-mad" in PAGE
    assert 'inner = {protocol = "exposure", shows = "stances"}' in PAGE
    check = registry.get("agreement-gate").check
    assert check({"inner": "free-mad"})["inner"]["protocol"] == "free-mad"
    table = check({"inner": {"protocol": "exposure", "shows": "stances"}})["inner"]
    assert (table["protocol"], table["shows"]) == ("exposure", "stances")


def test_the_studies_shown_are_fitted_before_they_run():
    """The commands themselves run with those of the other pages, in the order of the page."""
    commands = re.findall(r"^moot (\w+ adaptive[\w-]*)", PAGE, re.MULTILINE)
    assert commands == ["tune adaptive-fit-sums", "run adaptive-sums", "analyse adaptive"]

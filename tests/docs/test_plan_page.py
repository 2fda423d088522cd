"""The page on numbers of questions: what a command prints, and discordances of published logs."""

import csv
import json
import re

import pytest

from support.commands import printed, run_command
from support.shown import DOCS

PAGE = (DOCS / "plan.md").read_text()
ROWS = re.findall(r"^\| ([\w-]+) \| (\d+) \| (.*) \|$", PAGE, re.MULTILINE)


def test_the_output_shown_is_what_is_printed(tmp_path):
    out = printed(run_command(tmp_path, "plan", "--discordance", "0.2", COLUMNS="80"))
    [shown] = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown in out


@pytest.mark.soak
@pytest.mark.parametrize(("log", "n", "figures"), ROWS)
def test_a_discordance_shown_is_that_of_a_recount(log, n, figures, shared_data, tmp_path):
    place = shared_data / "debates" / log
    if not place.is_dir():
        pytest.skip(f"{log}: no copy of this log is in ../shared/data/debates")
    printed(run_command(tmp_path, "import", place))
    [plan] = json.loads(printed(run_command(tmp_path, "plan", log, "--json")))["plans"]
    printed(run_command(tmp_path, "export", log, "--format", "csv", "--out", "debates.csv"))
    right = {"debate": {}, "vote of round 1": {}}
    for row in csv.DictReader((tmp_path / "debates.csv").read_text().splitlines(keepends=True)):
        if row["arm"] in right:
            right[row["arm"]][row["question_id"]] = float(row["accuracy"])
    debate, vote = right.values()
    assert debate.keys() == vote.keys()
    assert len(debate) == plan["questions"] == int(n)
    differing = sum(debate[each] != vote[each] for each in debate)
    found = plan["discordance"]
    assert found["estimate"] == differing / len(debate)
    numbers = [plan[what][design] for what in ("shown", "equal") for design in ("each", "once")]
    stated = "{estimate:.1f} [{low:.1f}, {high:.1f}]".format(
        **{name: 100 * value for name, value in found.items()}
    )
    assert figures == " | ".join([stated, *(f"{each:,}" for each in numbers)])


def test_all_rows_are_read():
    assert len(ROWS) == 5

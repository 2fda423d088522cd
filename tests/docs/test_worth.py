"""The page on worth: its commands, its study file, and the words that sentences begin with."""

import re
import shlex
import tomllib

from moot.core.stored import StopRule
from moot.studies.study_file import load
from moot.studies.worth_sentence import HEADS
from support.commands import printed, run_command
from support.shown import DOCS

PAGE = (DOCS / "worth.md").read_text()


def test_what_can_be_tried_without_a_model(tmp_path):
    [command] = re.findall(r"`(moot worth .* --model \"simulated.*?\")`", PAGE)
    out = printed(run_command(tmp_path, *shlex.split(command)[1:], COLUMNS="80"))
    assert "a vote of as many tokens" in out


def test_the_rule_shown_is_the_usual_one():
    [shown] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    study = tomllib.loads(shown)
    assert StopRule(**study["stop"]) == StopRule()
    arms = [{"protocol": "society-of-minds"}, {"protocol": "council"}]
    datasets = [{"name": "arithmetic", "n": 5}]
    rule = load(study | {"arms": arms, "datasets": datasets}, model="simulated/people").stop
    assert rule.methods == ("society-of-minds", "council")


def test_every_beginning_of_a_sentence_is_explained():
    assert re.findall(r"^\| \*\*(\w+)\*\*", PAGE, re.MULTILINE) == [*HEADS.values()]

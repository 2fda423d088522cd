"""Features: what one that is off says, and the order in which they stand."""

import json
import subprocess
import sys

import pytest

from moot.debate import feature
from moot.debate.debate_settings import DebateSettings
from moot.debate.protocol import registry


def test_what_is_off_is_what_the_settings_of_the_feature_say():
    """The tables by which nothing is imported for a feature that is off say the truth."""
    for name, usual in {**feature.ALWAYS, **feature.OFF}.items():
        found = feature.find_feature(name)
        assert getattr(found.Settings(), name) == usual
        assert name in found.names
    for protocol in registry:
        assert not protocol.read(protocol.check({}, absent=True)).features or protocol.check(
            {}, absent=True
        ).get("confidence")


_PLANNED = """
import json, sys
from moot.studies.plan import Plan
from moot.studies.study_file import load
Plan(load(json.loads(sys.argv[1])))
print(*sorted(n for n in sys.modules if n.startswith("moot.debate.features.")))
"""


@pytest.mark.parametrize(
    ("own", "imported"),
    [
        ({"agents": 3, "rounds": 2}, ""),
        ({"style": "few-shot", "shots": 2}, "few_shot"),
        ({"agents": [{"style": "few-shot"}, {}]}, "agents few_shot"),
        ({"models": "scripted?reply=1,scripted?reply=2"}, "agents"),
    ],
)
def test_a_feature_that_is_off_is_not_imported(own, imported):
    study = {"name": "s", "datasets": [{"name": "arithmetic", "n": 1}]}
    study |= {"settings": {"model": "scripted?reply=1"}}
    study |= {"arms": [{"protocol": "society-of-minds", **own}]}
    command = [sys.executable, "-c", _PLANNED, json.dumps(study)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"moot.debate.features.{each}" for each in imported.split()]


def test_an_agent_without_tools_in_a_debate_without_any_makes_no_calls():
    society = registry.get("society-of-minds")
    assert society.count(society.check({"agents": [{"tools": []}, {}]})) == (4, 4)


def test_features_are_in_one_order_wherever_settings_stand():
    settings = {"tools": [{"name": "a", "command": "b"}], "evidence": "docs", "opening": "put"}
    turned = dict(reversed(settings.items()))
    both = [
        [each.feature.names[0] for each in DebateSettings(s).features] for s in (settings, turned)
    ]
    assert both == [["opening", "evidence", "tools"]] * 2

"""The page on decision rules names every rule, and every protocol that has no vote."""

from pathlib import Path

import pytest

from moot.debate.decision import registry as decisions
from moot.debate.protocol import registry as protocols

PAGE = (Path(__file__).parents[2] / "docs" / "decision-rules.md").read_text()


@pytest.mark.parametrize("rule", [each.name for each in decisions])
def test_the_page_says_when_to_use_a_rule(rule):
    assert f"`{rule}`" in PAGE.partition("## What the analysis says")[0]


def test_the_page_names_the_protocols_without_a_vote():
    text = " ".join(PAGE.split()).partition("Who votes:")[2].partition("The analysis")[0]
    named = {each for each in text.split("`")[1::2] if each != "decision"}
    assert named == {each.name for each in protocols if not each.rules and _is_own(each)}


def _is_own(protocol):
    return protocol.algorithm.__module__.startswith("moot.")

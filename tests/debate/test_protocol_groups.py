"""The groups in which protocols are listed."""

import pytest

from moot.debate.protocol import registry
from moot.debate.protocol_groups import GROUPS, find_group


def test_every_protocol_is_in_a_group_and_every_group_has_protocols():
    found = {each.name: each.group.name for each in registry}
    assert set(found.values()) == set(GROUPS)
    pinned = {
        "single": "votes",
        "self-consistency": "votes",
        "society-of-minds": "debates",
        "council": "councils",
        "multi-persona": "judges",
        "network": "networks",
        "agreement-gate": "gates",
        "evidence-debate": "sources",
        "essay-plan": "essays",
        "oversight-debate": "oversight",
        "planted-peers": "oversight",
    }
    assert pinned.items() <= found.items()


def test_who_needs_a_right_answer_or_has_a_gate_is_in_the_group_that_says_so():
    for each in registry:
        assert (each.group.name == "gates") is bool(each.signal), each.name
        assert not each.needs_answer or each.group.name == "oversight", each.name


def test_each_protocol_says_when_to_use_it():
    assert [each.name for each in registry if not each.when.startswith("Use it ")] == []


def test_a_group_that_there_is_not_is_refused():
    with pytest.raises(TypeError, match="expected one of votes, debates"):
        find_group("clubs", "debate", "")

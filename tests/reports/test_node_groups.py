"""What was said in each node of a network."""

import pytest

from moot.core.events import Failed, NodeFinished, Transcript
from moot.reports.node_groups import group_turns
from support.debates import put_behind_gate


def test_a_debate_that_is_no_network_is_one_group(transcript):
    held = transcript("society", 1, [("5", "4"), ("4", "4")])
    (group,) = group_turns(held)
    assert (group.name, group.about, group.turns) == ("", "", list(held.turns))


def test_a_debate_behind_a_gate_is_no_network(transcript):
    held = put_behind_gate(transcript("society", 1, [("5", "4"), ("4", "4")]), 3)
    found = [(group.name, group.about, len(group.turns)) for group in group_turns(held)]
    assert found == [("the debate", "", 2), ("sub-debate inner", "", 2)]


@pytest.mark.parametrize("name", ["network", "hopfield"])
@pytest.mark.parametrize("cut", range(0, 9, 2))
async def test_no_turn_is_lost_or_shown_twice_wherever_a_debate_fails(network, name, cut):
    """Nodes debate at once: any of them may be done, or under way, when another fails."""
    held = await network(name)
    ended = [event for event in held.events if not isinstance(event, NodeFinished)]
    kept = (*ended[: 1 + len(ended) // 2 + cut], *held.nodes[:cut])
    failed = Transcript((*kept, Failed(kind="TransientError", reason="hung up")))
    found = list(group_turns(failed))
    assert [turn for group in found for turn in group.turns] == list(failed.turns)
    assert all(len({turn.node for turn in group.turns}) == 1 for group in found)
    shown = [group.ended for group in found if group.ended]
    assert [end for end in held.nodes[:cut] if end in shown] == shown


async def test_a_long_name_leaves_room_for_the_rest(one_node):
    first, last = group_turns(await one_node("n" * 200))
    assert first.name == f"node {'n' * 39}…, layer 1"
    assert last.about == f"read {'n' * 39}…"

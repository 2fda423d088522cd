"""What the parts of a network came to, and what was said in each."""

import pytest

from moot.core.events import Failed, NodeFinished, Transcript
from moot.reports.node_groups import group_turns, list_parts
from support.debates import put_behind_gate


async def told(row, results, network, **options):
    """A short-long network on four questions: of them C4 has two right and C1 one."""
    answers = ("8", "8", "2", "5")
    held = [await network("network", k, answer, **options) for k, answer in enumerate(answers)]
    (arm,) = results([row("short-long", each) for each in held], arms=(), baseline=None).arms
    return arm


async def test_the_network_its_layers_and_its_nodes(row, results, network):
    arm = await told(row, results, network)
    assert [(part.kind, part.name, part.accuracy.mean) for part in list_parts(arm)] == [
        ("network", "the network", 0.0),  # its judge is the ninth to speak
        ("layer", "layer 1", 0.125),  # C1 and C2
        ("layer", "layer 2", 0.0),
        ("layer", "layer 3", 0.5),
        ("node", "node C1", 0.25),  # the short path
        ("node", "node C2", 0.0),
        ("node", "node C3", 0.0),
        ("node", "node C4", 0.5),  # the long one
    ]
    assert {part.accuracy.n for part in list_parts(arm)} == {4}


async def test_fewer_debates_come_to_a_later_sweep(row, results, network):
    held = [await network("hopfield", k, communities=2, sweeps=k) for k in (1, 2)]
    (arm,) = results([row("sweeps", each) for each in held], arms=(), baseline=None).arms
    assert [(part.name, part.accuracy.mean, part.accuracy.n) for part in list_parts(arm)] == [
        ("the network", 0.0, 2),
        ("sweep 1", 0.0, 2),
        ("sweep 2", 0.5, 1),
        ("node C1", 0.0, 2),
        ("node C2", 0.5, 2),
    ]


def test_an_arm_that_is_no_network_has_no_parts(rows, results):
    assert [list_parts(arm) for arm in results(rows()).arms] == [[], []]


def test_a_debate_that_is_no_network_is_one_group(transcript):
    held = transcript("society", 1, [("5", "4"), ("4", "4")])
    (group,) = group_turns(held)
    assert (group.name, group.about, group.turns) == ("", "", list(held.turns))


def test_a_debate_behind_a_gate_is_no_network(transcript):
    held = put_behind_gate(transcript("society", 1, [("5", "4"), ("4", "4")]), 3)
    found = [(group.name, group.about, len(group.turns)) for group in group_turns(held)]
    assert found == [("the debate", "", 2), ("sub-debate inner", "", 2)]


async def test_turns_stand_under_their_node(network):
    found = list(group_turns(await network("network")))
    assert [(group.name, group.about) for group in found] == [
        ("node C1, layer 1", "community · read no node"),
        ("node C2, layer 1", "community · read no node"),
        ("node C3, layer 2", "community · read C2"),
        ("node C4, layer 3", "community · read C3"),
        ("the network", "read C1, C4"),
    ]
    assert [[turn.id for turn in group.turns] for group in found] == [
        *([1, 2], [3, 4], [5, 6], [7, 8], [9])
    ]
    assert [group.ended and group.ended.verdict.answer for group in found] == [
        *("2", "4", "6", "8", None)
    ]


async def test_a_node_that_debates_again_stands_there_again(network):
    found = list(group_turns(await network("hopfield", communities=2, sweeps=2)))
    assert [group.name for group in found] == [
        *("node C1, sweep 1", "node C2, sweep 1", "node C1, sweep 2", "node C2, sweep 2")
    ]
    assert [group.about for group in found[2:]] == [*("community · read C2", "community · read C1")]
    assert not any(group.whole for group in found)


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


async def test_a_node_without_a_verdict_has_a_heading(network):
    held = await network("network")
    kept = [event for event in held.events if not isinstance(event, NodeFinished)]
    first = next(group_turns(Transcript(tuple(kept))))
    assert (first.name, first.about, first.ended) == ("node C1", "", None)


async def test_a_long_name_leaves_room_for_the_rest(one_node):
    first, last = group_turns(await one_node("n" * 200))
    assert first.name == f"node {'n' * 39}…, layer 1"
    assert last.about == f"read {'n' * 39}…"

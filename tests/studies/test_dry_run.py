"""Rehearsals: every protocol, held in full and without a model."""

import pytest

from moot.debate.protocol import registry
from moot.models.simulated import CHOOSES
from moot.studies.dry_run import MOST, rehearse_debate, shrink_settings

ASKED_AGAIN = {"debate-to-write": 2, "majority-lock": 3}
"""Calls that a rehearsal does not make: for a pool of personas that could not be used, and of the
agent that is with the majority of one, in each of three rounds."""


@pytest.mark.parametrize("name", [each.name for each in registry if each.is_installed])
async def test_a_rehearsal_is_as_long_as_a_debate_can_be(name):
    protocol = registry.get(name)
    settings = protocol.check(shrink_settings(protocol, {}))
    held = await rehearse_debate(protocol, settings)
    assert held.failed is None
    assert held.opened.simulated
    assert len(held.turns) == protocol.count(settings)[1] - ASKED_AGAIN.get(name, 0)
    assert len(held.turns) <= MOST or held.nodes
    spoken = [
        turn.answer
        for turn in held.turns
        if turn.votes and turn.answer is not None and turn.step != CHOOSES
    ]
    assert len(spoken) == len(set(spoken))


def test_only_what_makes_a_debate_shorter_is_made_smaller():
    society = registry.get("society-of-minds")
    assert shrink_settings(society, {}) == {}
    assert shrink_settings(society, {"rounds": 6}) == {"rounds": 6, "agents": 2}
    assert shrink_settings(society, {"agents": 9}) == {"agents": 9}
    assert shrink_settings(society, {}, most=5) == {"agents": 2}
    assert shrink_settings(registry.get("network"), {}, most=5) == {}

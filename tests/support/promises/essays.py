"""Replies with which the protocols that write argued essays are well served."""

import msgspec

from moot.core.calls import Call


def pool(*who: str, first: int = 1) -> str:
    listed = [
        {"agent_id": number, "description": each, "claim": f"{each} says no"}
        for number, each in enumerate(who, first)
    ]
    return msgspec.json.encode({"personas": listed}).decode()


def selection(*numbers: int) -> str:
    chosen = [{"agent_id": number, "reason": f"reason {number}"} for number in numbers]
    return msgspec.json.encode({"team": chosen}).decode()


OUTLINE = "Acknowledgment: It has merits.\n1. Costs\n   - Who pays?\n2. Freedom"


def argues(call: Call, ends: int) -> str:
    """What an essay's protocol is well served with; all are content in round ``ends``."""
    scene = call.scene
    assert scene is not None
    yes = "yes" if scene.round >= ends else "no"
    said = {
        "personas": pool(*(f"Citizen number {number}" for number in range(1, 11))),
        "selection": selection(2, 4),
        "discussion": f"{scene.agent} speaks.\nSatisfied: {yes}",
        "challenge": f"The critic objects.\nPersuaded: {yes}",
        "dialogue": "Agent A: We pay.\nCritic: You do not.",
        "plan": OUTLINE,
        "essay": "It costs us dearly.\nFinal answer: 4",
    }
    return said[scene.reads_as]

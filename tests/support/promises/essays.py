"""What the protocols that write argued essays promise."""

from typing import Any

import msgspec

from moot.core.calls import Call
from support.promises.promise import NOBODY, Promise, Settings, final, up_to


def pool(*who: str, first: int = 1) -> str:
    """A reply with these personas, each with a claim."""
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


def debated(ends: int, has: Settings, more: int) -> int:
    return up_to(ends, has) * (has["team"] + 1) + more


def written(more: int, **fixed: Any) -> Promise:
    """One reply plays the discussion."""
    recruits = (pool("Nurse", "Cook", "Judge"), selection(3, 1)) if more else ()
    dialogue = 1 + more
    return Promise(
        fixed={"dialogue": "single", **fixed},
        settings={"team": 2, "pool": 3},
        replies=(*recruits, "Agent A: No.\nCritic: Yes.", OUTLINE, *final("4")),
        reads={
            **({1: NOBODY, 2: {1}} if more else {}),
            dialogue: NOBODY,
            dialogue + 1: {dialogue},
            dialogue + 2: {dialogue + 1},
        },
        grid={"team": (1, 5), "rounds": (1, 3)},
        calls=lambda _, __: 3 + more,
        speaks=argues,
        exact=False,
    )


ROUNDS = ("A.\nSatisfied: no", "B.\nSatisfied: yes", "C.\nPersuaded: no") * 2

PROMISES = {
    "essay-direct": Promise(
        replies=final("4"),
        reads={1: NOBODY},
        calls=lambda _, __: 1,
        speaks=argues,
    ),
    "essay-plan": Promise(
        replies=(OUTLINE, *final("4")),
        reads={1: NOBODY, 2: {1}},
        calls=lambda _, __: 2,
        speaks=argues,
    ),
    "debate-to-write": Promise(
        settings={"team": 2, "rounds": 2, "pool": 3},
        replies=(
            *(pool("Nurse", "Cook", "Judge"), selection(3, 1)),
            *ROUNDS,
            *(OUTLINE, *final("4")),
        ),
        reads={
            1: NOBODY,
            2: {1},
            **{turn: set(range(3, turn)) for turn in range(3, 10)},
            10: {9},
        },
        grid={"team": (1, 4), "rounds": (1, 4)},
        calls=lambda has, ends: debated(ends, has, 4),
        speaks=argues,
        exact=False,
    ),
    "debate-to-write:support": Promise(
        fixed={"stance": "support"},
        settings={"team": 1, "rounds": 1, "pool": 2},
        replies=(pool("Nurse", "Cook"), selection(2), *ROUNDS[1:3], OUTLINE, *final("4")),
        reads={1: NOBODY, 2: {1}, 3: NOBODY, 4: {3}, 5: {3, 4}, 6: {5}},
        grid={"team": (1, 3), "rounds": (1, 2)},
        calls=lambda has, ends: debated(ends, has, 4),
        speaks=argues,
        exact=False,
    ),
    "debate-to-write:nobody": Promise(
        fixed={"personas": False},
        settings={"team": 2, "rounds": 1},
        replies=(*ROUNDS[:3], OUTLINE, *final("4")),
        reads={**{turn: set(range(1, turn)) for turn in range(1, 5)}, 5: {4}},
        grid={"team": (1, 4), "rounds": (1, 3)},
        calls=lambda has, ends: debated(ends, has, 2),
        speaks=argues,
        exact=False,
    ),
    "debate-to-write:single": written(2),
    "debate-to-write:single, nobody": written(0, personas=False),
}

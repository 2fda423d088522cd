"""What every protocol promises, one row each; ``tests/protocols`` holds all of them to it.

A label is a protocol's name, or its name and a variant of it whose settings change who is asked.
Protocols that run on a library of others are held to it where that is installed.
"""

import pytest

from moot.debate.protocol import registry
from support.promises import (
    americano,
    controls,
    councils,
    essays,
    exchanges,
    gates,
    matches,
    networks,
    oversight,
    sides,
    society,
)
from support.promises.promise import (
    MINDS,
    NOBODY,
    Promise,
    evaluation,
    every,
    exchange,
    final,
    unlike,
    up_to,
)

PROMISES = {
    "single": Promise(
        replies=final("4"),
        reads={1: NOBODY},
        calls=lambda _, __: 1,
    ),
    "single:tries": Promise(
        settings={"tries": 3},
        replies=("no idea", "still none", "Final answer: 4"),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}},
        grid={"tries": (1, 3)},
        ends="tries",
        calls=lambda has, ends: min(ends, has["tries"]),
        speaks=lambda call, ends: "Final answer: 4" if call.scene.turn >= ends else "no idea",
    ),
    "solo-performance": Promise(
        replies=("Participants: Mathematician\n\nFinish collaboration!\n\nFinal answer: 4",),
        reads={1: NOBODY},
        calls=lambda _, __: 1,
    ),
    "solo-performance:expert": Promise(
        fixed={"variant": "expert"},
        replies=final("4"),
        reads={1: NOBODY},
        calls=lambda _, __: 1,
    ),
    "self-consistency": Promise(
        settings={"samples": 4},
        replies=("Final answer: 4", "Final answer: 5", "no idea", "4.0 it is. Final answer: 4.0"),
        reads=every((1, 2, 3, 4), NOBODY),
        grid={"samples": (1, 20)},
        calls=lambda has, _: has["samples"],
        order_blind="sampler",
    ),
    "self-consistency:aggregate": Promise(
        fixed={"aggregate": True},
        settings={"samples": 2},
        replies=final("4", "5", "5"),
        reads={1: NOBODY, 2: NOBODY, 3: {1, 2}},
        grid={"samples": (1, 9)},
        calls=lambda has, _: has["samples"] + 1,
    ),
    "ensemble-refinement": Promise(
        settings={"reasonings": 2, "aggregations": 3},
        replies=final("4", "5", "5", "4", "5"),
        reads={1: NOBODY, 2: NOBODY, **every((3, 4, 5), {1, 2})},
        grid={"reasonings": (1, 5), "aggregations": (1, 9)},
        calls=lambda has, _: has["reasonings"] + has["aggregations"],
    ),
    "medprompt": Promise(
        settings={"samples": 3},
        replies=final("5", "4", "4"),
        reads=every((1, 2, 3), NOBODY),
        grid={"samples": (1, 9)},
        calls=lambda has, _: has["samples"],
        order_blind="sampler",
    ),
    "society-of-minds": Promise(
        settings={"agents": 3, "rounds": 3},
        replies=MINDS,
        reads={
            **every((1, 2, 3), NOBODY),
            **every((4, 5, 6), {1, 2, 3}),
            **every((7, 8, 9), set(range(1, 7))),
        },
        grid={"agents": (1, 7), "rounds": (1, 5)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="mind",
    ),
    "society-of-minds:sequential": Promise(
        fixed={"exchange": "sequential"},
        settings={"agents": 3, "rounds": 2},
        replies=MINDS[:6],
        reads={
            **every((1, 2, 3), NOBODY),
            4: {1, 2, 3},
            5: {2, 4, 3},
            6: {3, 4, 5},
        },
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
    ),
    "society-of-minds:last": Promise(
        fixed={"memory": "last"},
        settings={"agents": 3, "rounds": 3},
        replies=MINDS,
        reads={
            **every((1, 2, 3), NOBODY),
            **every((4, 5, 6), {1, 2, 3}),
            **every((7, 8, 9), {4, 5, 6}),
        },
        grid={"agents": (1, 7), "rounds": (1, 5)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="mind",
    ),
    "society-of-minds:last-sequential": Promise(
        fixed={"memory": "last", "exchange": "sequential"},
        settings={"agents": 3, "rounds": 3},
        replies=MINDS,
        reads={
            **every((1, 2, 3), NOBODY),
            4: {1, 2, 3},
            5: {2, 4, 3},
            6: {3, 4, 5},
            7: {4, 5, 6},
            8: {5, 7, 6},
            9: {6, 7, 8},
        },
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
    ),
    "society-of-minds:summary": Promise(
        fixed={"summary": True},
        settings={"agents": 2, "rounds": 3},
        replies=(
            *(*final("5", "4"), "Two say 4 or 5."),
            *(*final("4", "5"), "They changed sides: final answer 9"),
            *final("4", "4"),
        ),
        reads={
            **every((1, 2), NOBODY),
            3: {1, 2},
            4: {3},
            5: {3},
            6: {4, 5},
            7: {6},
            8: {6},
        },
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"] + has["rounds"] - 1,
        order_blind="mind",
    ),
    "chateval": Promise(
        settings={"agents": 2, "rounds": 2},
        replies=final("5", "4", "4", "4"),
        reads={turn: set(range(1, turn)) for turn in range(1, 5)},
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
    ),
    "chateval:simultaneous": Promise(
        fixed={"mode": "simultaneous"},
        settings={"agents": 2, "rounds": 3},
        replies=final("5", "4", "4", "5", "4", "4"),
        reads={
            **every((1, 2), NOBODY),
            **every((3, 4), {1, 2}),
            **every((5, 6), {1, 2, 3, 4}),
        },
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="debater",
    ),
    "chateval:summary": Promise(
        fixed={"mode": "simultaneous", "summary": True},
        settings={"agents": 2, "rounds": 3},
        replies=(*final("5", "4"), "One says 5.", *final("4", "5"), "Split.", *final("4", "4")),
        reads={
            **every((1, 2), NOBODY),
            3: {1, 2},
            **every((4, 5), {3}),
            6: {3, 4, 5},
            **every((7, 8), {6}),
        },
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"] + has["rounds"] - 1,
        order_blind="debater",
    ),
    "chateval-scored": Promise(
        settings={"rounds": 2},
        replies=(
            *final("5", "4", "6"),
            "Answer: 5\nScores: Round 1 - Agent Critic: 9, Round 1 - Agent Scientist: 3",
            "Answer: 4\nScores: Round 1 - Agent General Public: 2",
            "Answer: 6\nScores: Round 1 - Agent Critic: 8\nScores: Round 1 - Agent Scientist: 11",
        ),
        reads={turn: set(range(1, turn)) for turn in range(1, 7)},
        grid={"rounds": (2, 5)},
        calls=lambda has, _: 3 * has["rounds"],
    ),
    "exchange-of-thought": Promise(
        settings={"rounds": 2},
        replies=(
            *("By counting. Final answer: 4", "Out of thin air! Final answer: 5"),
            "Kitty is right. Final answer: 4",
            *("By counting. Final answer: 4", "I was rash; she counts. Final answer: 4"),
            "Both of them say so: 4. Final answer: 4",
        ),
        reads={
            **every((1, 2), NOBODY),
            3: {1, 2},
            **every((4, 5), {1, 2}),
            6: {1, 2, 3, 4, 5},
        },
        grid={"rounds": (1, 5)},
        calls=lambda has, ends: 3 * up_to(ends, has),
        speaks=unlike,
    ),
    "exchange-of-thought:memory": exchange("memory", {1, 2, 3}, {1, 2, 3}, {1, 2, 3}),
    "exchange-of-thought:report": exchange("report", {1, 3}, {2, 3}, {1, 2, 3}),
    "exchange-of-thought:relay": exchange("relay", {1, 3}, {1, 2}, {2, 3}),
    "agentverse": Promise(
        settings={"experts": 2, "rounds": 2},
        replies=(
            '{"experts": ["Arithmetician", "Historian of numbers"]}',
            *(*final("5", "4", "6"), evaluation(0)),
            *(*final("4", "4", "4"), evaluation(0)),
        ),
        reads={
            1: NOBODY,
            2: NOBODY,
            **every((3, 4), {2}),
            5: {2, 3, 4},
            6: {2, 3, 4, 5},
            7: {2, 3, 6},
            8: {2, 4, 6},
            9: {2, 3, 4, 5, 6, 7, 8},
        },
        grid={"experts": (1, 4), "rounds": (1, 4)},
        calls=lambda has, ends: 1 + up_to(ends, has) * (has["experts"] + 2),
    ),
    **controls.PROMISES,
    **councils.PROMISES,
    **exchanges.PROMISES,
    **oversight.PROMISES,
    **gates.PROMISES,
    **matches.PROMISES,
    **sides.PROMISES,
    **networks.PROMISES,
    **society.PROMISES,
    **essays.PROMISES,
    **americano.PROMISES,
}

HERE = sorted(name for name in PROMISES if registry.get(name.partition(":")[0]).is_installed)
"""Those that can be held in this environment; the others are in that of ``society``."""

every_variant = pytest.mark.parametrize("name", HERE)
every_protocol = pytest.mark.parametrize("name", [name for name in HERE if ":" not in name])

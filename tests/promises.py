"""What every protocol promises, one row each; ``tests/protocols`` holds all of them to it.

A label is a protocol's name, or its name and a variant of it whose settings change who is asked.
Protocols that run on a library of others are held to it where that is installed.
"""

import pytest

from moot.debate.protocol import registry
from promise import (
    MINDS,
    NOBODY,
    SIDES,
    Promise,
    by_sweep,
    communities,
    ends_by_itself,
    evaluation,
    every,
    exchange,
    final,
    in_society,
    network,
    opinion,
    silenced,
    unlike,
    up_to,
)
from stage import ruling

SMALL = {"agents": 2, "rounds": 1}

PROMISES = {
    "single": Promise(
        replies=final("4"),
        reads={1: NOBODY},
        calls=lambda _, __: 1,
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
    "multi-persona": Promise(
        settings={"rounds": 2},
        replies=(
            *("Final answer: 4", "No. Final answer: 5", ruling()),
            *("Still. Final answer: 4", "Never. Final answer: 6", ruling()),
            ruling("4"),
        ),
        reads={
            **SIDES,
            7: {1, 2, 3, 4, 5, 6},
        },
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: ends_by_itself(ends, has, 3, 1),
    ),
    "multi-persona-proposals": Promise(
        settings={"rounds": 2},
        replies=(
            *("Proposed Answer: 4", "Proposed Answer: 5", "Decision: Continue debate. Why 9?"),
            *("Proposed Answer: 6", "Proposed Answer: 7", "I cannot say."),
        ),
        reads={turn: set(range(1, turn)) for turn in range(1, 7)},
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: 3 * up_to(ends, has),
    ),
    "debate-moderated": Promise(
        settings={"rounds": 2},
        replies=(
            *(*final("4", "5"), ruling()),
            *(*final("4", "6"), ruling()),
            *("4 or 6", '{"Reason": "so", "debate_answer": "6"}'),
        ),
        reads={
            **SIDES,
            7: {4, 5},
            8: {4, 5, 7},
        },
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: ends_by_itself(ends, has, 3, 2),
    ),
    "debate-moderated:negative-first": Promise(
        fixed={"speaks_first": "negative", "shown_first": "negative", "names_side": True},
        settings={"rounds": 2},
        replies=(
            *(*final("4", "5"), ruling()),
            *(*final("4", "6"), ruling()),
            *("4 or 6", ruling("6", "Affirmative")),
        ),
        reads={
            **SIDES,
            7: {4, 5},
            8: {4, 5, 7},
        },
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: ends_by_itself(ends, has, 3, 2),
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
    "consultancy": Promise(
        settings={"rounds": 2},
        replies=(*final("5"), opinion("No", "4"), *final("4"), opinion("No")),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}},
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: 2 * up_to(ends, has),
    ),
    "community": Promise(
        settings={"agents": 2, "rounds": 2},
        replies=final("5", "4", "4", "4", "4"),
        reads={**{turn: set(range(1, turn)) for turn in range(1, 5)}, 5: {3, 4}},
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"] + 1,
    ),
    "network": network(
        "444555666777",
        communities(NOBODY, NOBODY, {6}, {9}) | {13: {3, 12}},
        fixed=SMALL,
    ),
    "network:feed-forward": network(
        "444555666777444444",
        communities(*[NOBODY] * 3, *[{3, 6, 9}] * 3) | {19: {12, 15, 18}},
        fixed={"graph": "feed-forward"},
        settings=SMALL,
    ),
    "network:cascade": network(
        "444" * 9,
        communities(*[NOBODY] * 4, {3, 6}, {6, 9}, {9, 12}, {15, 18}, {18, 21}) | {28: {24, 27}},
        fixed={"graph": "cascade"},
        settings=SMALL,
        agents=2,
    ),
    "langgraph": in_society({1: NOBODY, 2: NOBODY, **every((3, 4), {1, 2}), 5: {1, 2, 3, 4}}),
    "langgraph:one-by-one": in_society(mode="one-by-one"),
    "autogen": in_society(),
    "camel": Promise(
        settings={"rounds": 2},
        replies=(*final("5", "4"), "CAMEL_TASK_DONE", *final("4", "4")),
        reads={turn: set(range(1, turn)) for turn in range(1, 6)},
        grid={"rounds": (1, 4)},
        calls=lambda has, ends: ends_by_itself(ends, has, 2, 1),
        speaks=silenced,
    ),
    "hopfield": Promise(
        fixed={"agents": 2, "rounds": 1, "communities": 2},
        replies=final(*"444555", *"444444", *"999999"),
        reads=communities(set(), set(), {3, 6}, {3, 6}),
        grid={"agents": (1, 2), "rounds": (1, 2), "communities": (2, 3), "sweeps": (1, 3)},
        calls=lambda has, ends: (
            min(ends, has["sweeps"]) * has["communities"] * (has["agents"] * has["rounds"] + 1)
        ),
        ends="sweeps",
        speaks=by_sweep,
    ),
}

HERE = sorted(name for name in PROMISES if registry.get(name.partition(":")[0]).here)
"""Those that can be held in this environment; the others are in that of ``society``."""

every_variant = pytest.mark.parametrize("name", HERE)
every_protocol = pytest.mark.parametrize("name", [name for name in HERE if ":" not in name])

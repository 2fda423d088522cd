"""What every protocol promises, one row each; ``tests/protocols`` holds all of them to it.

A label is a protocol's name, or its name and a variant of it whose settings change who is asked.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from moot.core.calls import Call
from stage import ruling, says

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Promise:
    """One row.

    Attributes:
        fixed: the settings that make the variant.
        settings: of the one debate that is looked at turn by turn.
        replies: to that debate, in the order in which its turns are asked for.
        reads: by turn of that debate, what its agent has in front of it.
        grid: the settings over which calls are counted, each with its least and greatest value.
        calls: how many there are, by settings and the round in which a debate ends by itself.
        ends: which of the grid says how late that can be.
        speaks: a reply with which a debate ends by itself in a round, and not before.
        order_blind: the role whose agents may change places without a change of an untied verdict.
    """

    fixed: Settings = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    replies: tuple[str, ...]
    reads: Mapping[int, set[int]]
    grid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    calls: Callable[[Settings, int], int]
    ends: str = "rounds"
    speaks: Callable[[Call, int], str] = lambda call, ends: says(call, ends=ends)
    order_blind: str = ""


def final(*answers: str) -> tuple[str, ...]:
    return tuple(f"Final answer: {answer}" for answer in answers)


def opinion(satisfied: str, answer: str = "") -> str:
    asked = "Do you find the final answer provided by the assistant accurate and satisfactory?"
    return f'{{"{asked}": "{satisfied}", "Reason": "so", "final_answer": "{answer}"}}'


def evaluation(correct: int, answer: str = "") -> str:
    return f'{{"Correctness": {correct}, "Response": "so", "Final Answer": "{answer}"}}'


def unlike(call: Call, ends: int) -> str:
    """Words and answers that differ by agent and round until a round, and are alike from then."""
    scene = call.scene
    if scene.round >= ends:
        return "We agree.\nFinal answer: 4"
    word = f"{scene.agent}{scene.round}" * 20
    return f"{word[::-1]}\nFinal answer: {10 * scene.round + call.draw.seat}"


def by_sweep(call: Call, ends: int) -> str:
    """Nodes that differ until a sweep."""
    node, _, sweep = call.scene.agent.partition("/")[0].partition(".")
    return says(call, answer="4" if int(sweep or 1) >= ends else node.removeprefix("C") + "0")


def up_to(ends: int, has: Settings) -> int:
    return min(ends, has["rounds"])


def ends_by_itself(ends: int, has: Settings, each: int, more: int) -> int:
    """Calls of so many a round, and more when the rounds are over without an end."""
    return each * ends if ends <= has["rounds"] else each * has["rounds"] + more


NOBODY: set[int] = set()
MINDS = (
    *final("5", "4", "6"),
    *("Agent 2 is right.", *final("4", "5")),
    *(*final("4"), "I am lost.", *final("5")),
)
COMMUNITY = {1: NOBODY, 2: {1}, 3: {1, 2}}


def every(turns: Iterable[int], reads: set[int]) -> dict[int, set[int]]:
    return dict.fromkeys(turns, reads)


def communities(*given: set[int]) -> dict[int, set[int]]:
    """Who reads whom in communities of two, a judge and one round, one after the other."""
    return {
        3 * place + turn: {3 * place + one for one in reads} | nodes
        for place, nodes in enumerate(given)
        for turn, reads in COMMUNITY.items()
    }


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
            1: NOBODY,
            2: {1},
            3: {1, 2},
            4: {1, 2},
            5: {1, 2, 4},
            6: {1, 2, 3, 4, 5},
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
            1: NOBODY,
            2: {1},
            3: {1, 2},
            4: {1, 2},
            5: {1, 2, 4},
            6: {1, 2, 3, 4, 5},
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
    "exchange-of-thought:memory": Promise(
        fixed={"topology": "memory", "stop": "consensus"},
        settings={"rounds": 2},
        replies=final("4", "5", "6", "4", "4", "6"),
        reads={**every((1, 2, 3), NOBODY), **every((4, 5, 6), {1, 2, 3})},
        grid={"rounds": (1, 5)},
        calls=lambda has, ends: 3 * up_to(ends, has),
        speaks=unlike,
    ),
    "exchange-of-thought:report": Promise(
        fixed={"topology": "report", "stop": "consensus"},
        settings={"rounds": 2},
        replies=final("4", "5", "6", "4", "4", "6"),
        reads={**every((1, 2, 3), NOBODY), 4: {1, 3}, 5: {2, 3}, 6: {1, 2, 3}},
        grid={"rounds": (1, 5)},
        calls=lambda has, ends: 3 * up_to(ends, has),
        speaks=unlike,
    ),
    "exchange-of-thought:relay": Promise(
        fixed={"topology": "relay", "stop": "consensus"},
        settings={"rounds": 2},
        replies=final("4", "5", "6", "4", "4", "6"),
        reads={**every((1, 2, 3), NOBODY), 4: {1, 3}, 5: {1, 2}, 6: {2, 3}},
        grid={"rounds": (1, 5)},
        calls=lambda has, ends: 3 * up_to(ends, has),
        speaks=unlike,
    ),
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
    "network": Promise(
        fixed={"agents": 2, "rounds": 1},
        replies=final(*"444555666777", "4"),
        reads=communities(set(), set(), {6}, {9}) | {13: {3, 12}},
        grid={"agents": (1, 3), "rounds": (1, 2)},
        calls=lambda has, _: 4 * (has["agents"] * has["rounds"] + 1) + 1,
    ),
    "network:feed-forward": Promise(
        fixed={"graph": "feed-forward"},
        settings={"agents": 2, "rounds": 1},
        replies=final(*"444555666777444444", "4"),
        reads=communities(*[set()] * 3, *[{3, 6, 9}] * 3) | {19: {12, 15, 18}},
        grid={"agents": (1, 3), "rounds": (1, 2)},
        calls=lambda has, _: 6 * (has["agents"] * has["rounds"] + 1) + 1,
    ),
    "network:cascade": Promise(
        fixed={"graph": "cascade"},
        settings={"agents": 2, "rounds": 1},
        replies=final(*"444" * 9, "4"),
        reads=communities(*[set()] * 4, {3, 6}, {6, 9}, {9, 12}, {15, 18}, {18, 21})
        | {28: {24, 27}},
        grid={"agents": (1, 2), "rounds": (1, 2)},
        calls=lambda has, _: 9 * (has["agents"] * has["rounds"] + 1) + 1,
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

every_variant = pytest.mark.parametrize("name", sorted(PROMISES))
every_protocol = pytest.mark.parametrize("name", sorted(n for n in PROMISES if ":" not in n))

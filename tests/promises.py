"""What every protocol promises, one row each; ``tests/protocols`` holds all of them to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from stage import ruling

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Promise:
    """One protocol's row.

    Attributes:
        settings: of the one debate that is looked at turn by turn.
        replies: to that debate, in the order in which its turns are asked for.
        reads: by turn of that debate, what its agent has in front of it.
        grid: the settings over which calls are counted, each with its least and greatest value.
        calls: how many there are, by settings and the round in which a judge decides.
        order_blind: the role whose agents may change places without a change of an untied verdict.
    """

    settings: Settings = field(default_factory=dict)
    replies: tuple[str, ...]
    reads: Mapping[int, set[int]]
    grid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    calls: Callable[[Settings, int], int]
    order_blind: str = ""


PROMISES = {
    "single": Promise(
        replies=("Final answer: 4",),
        reads={1: set()},
        calls=lambda _, __: 1,
    ),
    "self-consistency": Promise(
        settings={"samples": 4},
        replies=("Final answer: 4", "Final answer: 5", "no idea", "4.0 it is. Final answer: 4.0"),
        reads={1: set(), 2: set(), 3: set(), 4: set()},
        grid={"samples": (1, 20)},
        calls=lambda has, _: has["samples"],
        order_blind="sampler",
    ),
    "society-of-minds": Promise(
        settings={"agents": 3, "rounds": 3},
        replies=(
            *("Final answer: 5", "Final answer: 4", "Final answer: 6"),
            *("Agent 2 is right.", "Final answer: 4", "Final answer: 5"),
            *("Final answer: 4", "I am lost.", "Final answer: 5"),
        ),
        reads={
            **{turn: set() for turn in (1, 2, 3)},
            **{turn: {1, 2, 3} for turn in (4, 5, 6)},
            **{turn: set(range(1, 7)) for turn in (7, 8, 9)},
        },
        grid={"agents": (1, 7), "rounds": (1, 5)},
        calls=lambda has, _: has["agents"] * has["rounds"],
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
            1: set(),
            2: {1},
            3: {1, 2},
            4: {1, 2},
            5: {1, 2, 4},
            6: {1, 2, 3, 4, 5},
            7: {1, 2, 3, 4, 5, 6},
        },
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: 3 * ends if ends <= has["rounds"] else 3 * has["rounds"] + 1,
    ),
}

every_protocol = pytest.mark.parametrize("name", sorted(PROMISES))

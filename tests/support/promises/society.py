"""What the protocols that run on a library of others promise."""

from collections.abc import Mapping
from typing import Any

from moot.core.calls import Call
from support.debates import says
from support.promises.promise import NOBODY, Promise, ends_by_itself, every, final, unlike, up_to

IN_TURN = {turn: set(range(1, turn)) for turn in range(1, 6)}


def in_society(reads: Mapping[int, set[int]] = IN_TURN, **fixed: Any) -> Promise:
    """Two agents over a shared history, by a library of others; the last turn sums up."""
    return Promise(
        fixed={"agents": 2, "rounds": 2, **fixed},
        replies=final("5", "4", "4", "4", "4"),
        reads=reads,
        grid={"agents": (2, 4), "rounds": (1, 3)},
        calls=lambda has, ends: has["agents"] * up_to(ends, has) + 1,
        speaks=unlike,
    )


def silenced(call: Call, ends: int) -> str:
    """A user who has no words any more from a round on."""
    return "" if call.scene.role == "user" and call.scene.round >= ends else says(call)


PROMISES = {
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
}

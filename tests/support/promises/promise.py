"""What one row of ``promises`` says, and the replies that rows are made of."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.core.calls import Call
from support.debates import says

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
        exact: whether the protocol's formulas say how many calls this variant makes; else they are
            bounds over all variants.
        order_blind: the role whose agents may change places without a change of an untied verdict.
        decides: the answer of the verdict of a debate that ends in the first round.
    """

    fixed: Settings = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    replies: tuple[str, ...]
    reads: Mapping[int, set[int]]
    grid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    calls: Callable[[Settings, int], int]
    ends: str = "rounds"
    speaks: Callable[[Call, int], str] = lambda call, ends: says(call, ends=ends)
    exact: bool = True
    order_blind: str = ""
    decides: str = "4"


def final(*answers: str) -> tuple[str, ...]:
    return tuple(f"Final answer: {answer}" for answer in answers)


def evaluation(correct: int, answer: str = "") -> str:
    return f'{{"Correctness": {correct}, "Response": "so", "Final Answer": "{answer}"}}'


def unlike(call: Call, ends: int) -> str:
    """Words and answers that differ by agent and round until a round, and are alike from then."""
    scene = call.scene
    if scene.round >= ends:
        return "We agree.\nFinal answer: 4"
    word = f"{scene.agent}{scene.round}" * 20
    return f"{word[::-1]}\nFinal answer: {10 * scene.round + call.draw.seat}"


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


def every(turns: Iterable[int], reads: set[int]) -> dict[int, set[int]]:
    return dict.fromkeys(turns, reads)


def exchange(topology: str, *second: set[int]) -> Promise:
    """Exchange of thought until all agree: what Kitty, Peter and Ben read in the second round."""
    return Promise(
        fixed={"topology": topology, "stop": "consensus"},
        settings={"rounds": 2},
        replies=final("4", "5", "6", "4", "4", "6"),
        reads=every((1, 2, 3), NOBODY) | dict(enumerate(second, 4)),
        grid={"rounds": (1, 5)},
        calls=lambda has, ends: 3 * up_to(ends, has),
        speaks=unlike,
    )

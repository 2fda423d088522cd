"""What the protocols with two sides, or one, before an arbiter promise."""

from typing import Any

from support.debates import ruling
from support.promises.promise import NOBODY, Promise, ends_by_itself, final, up_to

SIDES = {1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2}, 5: {1, 2, 4}, 6: {1, 2, 3, 4, 5}}
"""Two rounds of two sides before an arbiter."""


def opinion(satisfied: str, answer: str = "") -> str:
    asked = "Do you find the final answer provided by the assistant accurate and satisfactory?"
    return f'{{"{asked}": "{satisfied}", "Reason": "so", "final_answer": "{answer}"}}'


def moderated(last: str, **fixed: Any) -> Promise:
    """Two rounds, until the judge has the last word: of the candidates, then of one of them."""
    return Promise(
        fixed=fixed,
        settings={"rounds": 2},
        replies=(
            *(*final("4", "5"), ruling()),
            *(*final("4", "6"), ruling()),
            *("4 or 6", last),
        ),
        reads={
            **SIDES,
            7: {4, 5},
            8: {4, 5, 7},
        },
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: ends_by_itself(ends, has, 3, 2),
    )


PROMISES = {
    "multi-persona": Promise(
        settings={"rounds": 2},
        replies=(
            *("Final answer: 4", "No. Final answer: 5", ruling()),
            *("Still. Final answer: 4", "Never. Final answer: 6", ruling()),
            ruling("4"),
        ),
        reads={
            **SIDES,
            7: {1, 2, 3, 4, 5},
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
    "debate-moderated": moderated('{"Reason": "so", "debate_answer": "6"}'),
    "debate-moderated:negative-first": moderated(
        ruling("6", "Affirmative"),
        speaks_first="negative",
        shown_first="negative",
        names_side=True,
    ),
    "consultancy": Promise(
        settings={"rounds": 2},
        replies=(*final("5"), opinion("No", "4"), *final("4"), opinion("No")),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}},
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: 2 * up_to(ends, has),
    ),
    "consultancy:primary": Promise(
        fixed={"decides": "primary"},
        settings={"rounds": 2},
        replies=(*final("5"), opinion("No", "7"), *final("6"), opinion("No", "7"), *final("4")),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1, 2, 3, 4}},
        grid={"rounds": (1, 6)},
        calls=lambda has, ends: 2 * up_to(ends, has) + (ends > has["rounds"]),
    ),
}

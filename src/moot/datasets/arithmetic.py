"""Arithmetic: expressions with an exact answer, drawn from a seed (after Du et al. 2023).

Difficulty 4 is the arithmetic task of "Improving Factuality and Reasoning in Language Models
through Multiagent Debate" (arXiv:2305.14325, section 3.1), its numbers drawn from 0 to 29 as in the
authors' code; the three below it are for smaller models. A question of each:

    1  What is the result of 3+8?                  100 different ones, numbers 0 to 9
    2  What is the result of 57+38?                8,100 different ones, numbers 10 to 99
    3  What is the result of 4+7*2?                729 different ones, numbers 1 to 9
    4  What is the result of 12+5*21+0-3*27?       729,000,000 different ones, numbers 0 to 29

    Question(id="arithmetic-1-0-5", kind="number", text="What is the result of 3+8?", answer="11")

An id has the difficulty, the seed and the place in the draw, from 0. No question comes twice: a
draw ends when all different ones have come.
"""

from collections.abc import Iterator
from random import Random
from typing import Annotated, NamedTuple

from msgspec import Meta

from moot.core.questions import Question
from moot.datasets.dataset import dataset


class Level(NamedTuple):
    """The signs between the numbers, and the numbers they are drawn from."""

    signs: str
    numbers: range


LEVELS = {
    1: Level("+", range(10)),
    2: Level("+", range(10, 100)),
    3: Level("+*", range(1, 10)),
    4: Level("+*+-*", range(30)),
}


@dataset(kinds=("number",), licence="Apache-2.0", paper="arXiv:2305.14325")
def arithmetic(
    *,
    difficulty: Annotated[
        int, Meta(ge=1, le=4, description="1: a+b, one digit; 2: a+b, two; 3: a+b*c; 4: Du et al.")
    ] = 1,
    seed: int = 0,
) -> Iterator[Question]:
    """Expressions with an exact answer, in four difficulties."""
    signs, numbers = LEVELS[difficulty]
    different = len(numbers) ** (len(signs) + 1)
    draw = Random(f"arithmetic {difficulty} {seed}")  # noqa: S311 - a draw to repeat, not a secret
    seen: set[tuple[int, ...]] = set()
    while len(seen) < different:
        terms = tuple(draw.choices(numbers, k=len(signs) + 1))
        if terms in seen:
            continue
        yield Question(
            id=f"arithmetic-{difficulty}-{seed}-{len(seen)}",
            kind="number",
            text=f"What is the result of {_written(terms, signs)}?",
            answer=str(_value(terms, signs)),
        )
        seen.add(terms)


def _written(terms: tuple[int, ...], signs: str) -> str:
    return str(terms[0]) + "".join(
        f"{sign}{term}" for sign, term in zip(signs, terms[1:], strict=True)
    )


def _value(terms: tuple[int, ...], signs: str) -> int:
    """Products first, then left to right."""
    summands = [terms[0]]
    for sign, term in zip(signs, terms[1:], strict=True):
        if sign == "*":
            summands[-1] *= term
        else:
            summands.append(-term if sign == "-" else term)
    return sum(summands)

"""Arithmetic: expressions with an exact answer, drawn from a seed (after Du et al. 2023).

Difficulty 4 is the arithmetic task of "Improving Factuality and Reasoning in Language Models
through Multiagent Debate" (arXiv:2305.14325, section 3.1), its numbers drawn from 0 to 29 as in the
authors' code; the three below it are for smaller models. A question of each:

    1  What is the result of 3+8?                  100 different ones, numbers 0 to 9
    2  What is the result of 57+38?                8,100 different ones, numbers 10 to 99
    3  What is the result of 4+7*2?                729 different ones, numbers 1 to 9
    4  What is the result of 12+5*21+0-3*27?       729,000,000 different ones, numbers 0 to 29

    Question(id="arithmetic-1-0-5", kind="number", text="What is the result of 3+8?", answer="11")

An id has the difficulty, the seed and the place in the draw, from 0. No question occurs twice: a
draw ends when it has given every different one.

The training part is another draw of the same difficulty, worked out by the rule: products first,
then from left to right. Where there are few different questions, both draws have some in common.
"""

from collections.abc import Iterator
from random import Random
from typing import Annotated, NamedTuple

from msgspec import Meta

from moot.core.questions import Example, Question
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


Difficulty = Annotated[
    int, Meta(ge=1, le=4, description="1: a+b, one digit; 2: a+b, two; 3: a+b*c; 4: Du et al.")
]


@dataset(kinds=("number",), licence="Apache-2.0", paper="arXiv:2305.14325")
def arithmetic(*, difficulty: Difficulty = 1, seed: int = 0) -> Iterator[Question]:
    """Expressions with an exact answer, in four difficulties."""
    return (question for question, _ in _questions("arithmetic", difficulty, seed))


@arithmetic.training()
def draw_examples(*, difficulty: Difficulty = 1, seed: int = 0) -> Iterator[Example]:
    """Draw other questions, with the steps to their results."""
    for question, terms in _questions("arithmetic training", difficulty, seed):
        yield Example(question=question, reason=_explain(terms, LEVELS[difficulty].signs))


def _questions(part: str, difficulty: int, seed: int) -> Iterator[tuple[Question, tuple[int, ...]]]:
    """Yield the questions of a part, each with the numbers in it."""
    signs, numbers = LEVELS[difficulty]
    draws = _draws(f"{part} {difficulty} {seed}", len(signs) + 1, numbers)
    for place, terms in enumerate(draws):
        name = f"{part.replace(' ', '-')}-{difficulty}-{seed}-{place}"
        text = f"What is the result of {_write_expression(terms, signs)}?"
        answer = str(sum(_summands(terms, signs)))
        yield Question(id=name, kind="number", text=text, answer=answer), terms


def _draws(seed: str, length: int, numbers: range) -> Iterator[tuple[int, ...]]:
    """Yield every tuple of ``length`` numbers once, in an order drawn from the seed."""
    draw = Random(seed)  # noqa: S311 - a draw to repeat, not a secret
    seen: set[tuple[int, ...]] = set()
    while len(seen) < len(numbers) ** length:
        terms = tuple(draw.choices(numbers, k=length))
        if terms not in seen:
            seen.add(terms)
            yield terms


def _write_expression(terms: tuple[int, ...], signs: str) -> str:
    return str(terms[0]) + "".join(
        f"{sign}{term}" for sign, term in zip(signs, terms[1:], strict=True)
    )


def _summands(terms: tuple[int, ...], signs: str) -> list[int]:
    """Return the terms to add once the products are computed; a subtracted term is negative."""
    summands = [terms[0]]
    for sign, term in zip(signs, terms[1:], strict=True):
        if sign == "*":
            summands[-1] *= term
        else:
            summands.append(-term if sign == "-" else term)
    return summands


def _explain(terms: tuple[int, ...], signs: str) -> str:
    """Return the steps to the result, such as ``Products first: 7*2 = 14. Then 4 + 14 = 18.``."""
    summands = _summands(terms, signs)
    total, sums = summands[0], []
    for sign, summand in zip(signs.replace("*", ""), summands[1:], strict=True):
        sums.append(f"{total} {sign} {abs(summand)} = {total + summand}")
        total += summand
    steps = ", then ".join(sums)
    factors = zip(terms, signs, terms[1:], strict=False)
    products = [f"{a}*{b} = {a * b}" for a, sign, b in factors if sign == "*"]
    return f"Products first: {' and '.join(products)}. Then {steps}." if products else f"{steps}."

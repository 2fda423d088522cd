"""Choices in another order, and answers taken back to the original letters (Medprompt)."""

from hashlib import blake2b

import msgspec

from moot.core.questions import Question

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def an_order(question: Question, *key: object) -> tuple[int, ...]:
    """An order of the question's choices, draw by its id and a key: the same each time.

    Returns:
        The original place of each choice as shown, from 0; empty for a question without choices.
    """

    def draw(place: int) -> bytes:
        return blake2b(repr((question.id, *key, place)).encode()).digest()

    return tuple(sorted(range(len(question.choices)), key=draw))


def reordered(question: Question, order: tuple[int, ...]) -> Question:
    """The question with its choices in this order, and its answers by the letters then shown."""
    right = tuple(shown(letter, order) for letter in question.answers)
    answer = right if isinstance(question.answer, tuple) else (right or (None,))[0]
    choices = tuple(question.choices[place] for place in order)
    return msgspec.structs.replace(question, choices=choices, answer=answer)


def restored(answer: str | None, order: tuple[int, ...]) -> str | None:
    """The original letter of a letter as shown; an answer stays as it is where nothing is moved."""
    if answer is None or not order:
        return answer
    return LETTERS[order[LETTERS.index(answer)]]


def shown(answer: str | None, order: tuple[int, ...]) -> str | None:
    """The letter under which the choice of an original letter is shown: undoes ``restored``."""
    if answer is None or not order:
        return answer
    return LETTERS[order.index(LETTERS.index(answer))]

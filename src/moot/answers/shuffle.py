"""Choices in another order, and answers taken back to the original letters (Medprompt)."""

from hashlib import blake2b

import msgspec

from moot.core.questions import Question


def an_order(question: Question, *key: object) -> tuple[int, ...]:
    """An order of the question's choices, drawn by its id and a key: the same each time.

    Returns:
        The original place of each choice as shown, from 0; empty for a question without choices.
    """

    def drawn(place: int) -> bytes:
        return blake2b(repr((question.id, *key, place)).encode()).digest()

    return tuple(sorted(range(len(question.choices)), key=drawn))


def reordered(question: Question, order: tuple[int, ...]) -> Question:
    """The question with its choices in this order, and its answers by the letters then shown."""
    shown = dict(zip(order, question.letters, strict=True))
    places = dict(zip(question.letters, range(len(order)), strict=True))
    right = tuple(shown[places[letter]] for letter in question.answers)
    answer = right if isinstance(question.answer, tuple) else (right or (None,))[0]
    choices = tuple(question.choices[place] for place in order)
    return msgspec.structs.replace(question, choices=choices, answer=answer)


def restored(answer: str | None, order: tuple[int, ...]) -> str | None:
    """The original letter of a letter as shown."""
    if answer is None:
        return None
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[order[letters.index(answer)]]

"""Options in another order, and answers by their original letters (Medprompt)."""

from hashlib import blake2b

import msgspec

from moot.core.questions import Question

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def draw_order(question: Question, *key: object) -> tuple[int, ...]:
    """An order of the question's choices, draw by its id and a key: the same each time.

    Returns:
        The original place of each option as shown, from 0; empty for a question without options.
    """

    def draw(place: int) -> bytes:
        return blake2b(repr((question.id, *key, place)).encode()).digest()

    return tuple(sorted(range(len(question.choices)), key=draw))


def reorder_options(question: Question, order: tuple[int, ...]) -> Question:
    """Return the question with its options in this order, and its answers by the new letters."""
    right = tuple(show_letter(letter, order) for letter in question.answers)
    answer = right if isinstance(question.answer, tuple) else (right or (None,))[0]
    choices = tuple(question.choices[place] for place in order)
    return msgspec.structs.replace(question, choices=choices, answer=answer)


def restore_letter(answer: str | None, order: tuple[int, ...]) -> str | None:
    """Return the original letter of a letter as shown; without an order, the answer itself."""
    if answer is None or not order:
        return answer
    return LETTERS[order[LETTERS.index(answer)]]


def show_letter(answer: str | None, order: tuple[int, ...]) -> str | None:
    """Return the letter under which an original letter is shown: the reverse of ``restored``."""
    if answer is None or not order:
        return answer
    return LETTERS[order.index(LETTERS.index(answer))]

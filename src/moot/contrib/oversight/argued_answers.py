"""Argued answers: which two stand before a judge, in which order, and who argues for which."""

from collections.abc import Sequence

from moot import Question
from moot.extend.protocols import draw_order, opening_values


def draw_answers(question: Question, *key: object) -> list[str]:
    """Return the right answer and a wrong one, in an order that does not tell which is right.

    Args:
        question: whose right answer is known.
        key: base seed and replicate of the debate.

    Raises:
        InputError: no right answer is known, or there are no wrong ones to draw from.
    """
    return sorted((opening_values.draw_wrong(question, *key), question.answers[0]))


def find_order(question: Question, *key: object) -> tuple[int, int]:
    """Return the places, in ``draw_answers``, of what the judge is usually shown as A and as B."""
    flipped = draw_order(2, question.id, *key, "oversight") == [1, 0]
    return (1, 0) if flipped else (0, 1)


def find_chosen(answers: Sequence[str], chosen: str | None, otherwise: int) -> int:
    """Return the place of the answer that an advocate chose, or another one where it chose none."""
    return answers.index(chosen) if chosen in answers else otherwise


def find_consultant_side(question: Question, side: str, *key: object) -> int:
    """Return the place, in ``draw_answers``, of the answer that a consultant is given.

    Args:
        question: whose right answer is known.
        side: ``"right"``, ``"wrong"``, or ``"hash"`` for either, by the question.
        key: base seed and replicate of the debate.
    """
    right = draw_answers(question, *key).index(question.answers[0])
    drawn = draw_order(2, question.id, *key, "consultant")[0]
    return {"right": right, "wrong": 1 - right, "hash": drawn}[side]


def state_answer(answer: str, question: Question) -> str:
    """Return an answer in words: the text of an option, else the answer."""
    if question.kind == "choice":
        return question.choices[question.letters.index(answer)]
    return answer

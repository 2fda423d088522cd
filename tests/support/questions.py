"""Questions of every kind, and what an answer to them may look like."""

from moot.core.questions import Kind, Question
from moot.parsing.mathematics.answers import find_form
from moot.parsing.same import answer_value

ANIMALS = ("shark", "dolphin", "eagle", "frog")


def ask(kind: Kind, text: str = "What follows?", choices: tuple[str, ...] = ()) -> Question:
    return Question(id="q", kind=kind, text=text, choices=choices)


NUMBER = ask("number")
SUM = ask("number", "What is 3 + 4 * 2?")
SQUARE = ask("square", "A knight stands on g1. To which square can it move?")
CLAIM = ask("boolean", "True or false: A whale is a fish.")
MOON = ask("boolean", "Is the Moon bigger than the Earth?")
CHOICE = ask("choice", "Which of these is a mammal?", ANIMALS)
NUMBERS = ask("choice", "Which is the largest number?", ("12", "21", "7"))
MATH = ask("math", r"Simplify $\frac{2}{\sqrt{2}}$.")
TEXT = ask("text", "Name the capital of France.")

QUESTIONS = (NUMBER, SUM, SQUARE, CLAIM, MOON, CHOICE, NUMBERS, MATH, TEXT)


def is_canonical(answer: str, question: Question) -> bool:
    if question.kind == "choice":
        return len(answer) == 1 and answer in question.letters
    if question.kind == "boolean":
        return answer in ("true", "false")
    if question.kind == "square":
        return len(answer) == 2 and answer[0] in "abcdefgh" and answer[1] in "12345678"
    if question.kind == "number":
        return (
            not isinstance(answer_value(answer, "number"), str)
            and answer.strip("-./0123456789") == ""
        )
    if question.kind == "math":
        return find_form(answer) == answer
    return answer == answer.strip() != ""

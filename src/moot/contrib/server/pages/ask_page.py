"""The page to ask on."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.requests import Request

from moot.contrib.server.pages.answer_guess import WORDS, AnswerGuess, guess_answer
from moot.contrib.server.pages.ask_ways import TEXTS, DebateWay
from moot.contrib.server.pages.debate_form import DebateForm
from moot.extend.studies import QuestionPlan, plan_question


class ExampleQuestion(NamedTuple):
    """A question that a reader may begin with."""

    title: str
    question: str
    choices: str = ""
    kind: str = ""


EXAMPLES = (
    ExampleQuestion(
        "Ice in a glass",
        "An ice cube floats in a glass of water that is filled to the brim. The ice melts. "
        "What does the water do?",
        "It runs over\nIt stays at the brim\nIt sinks below the brim",
    ),
    ExampleQuestion(
        "Bat and ball",
        "A bat and a ball cost 1.10 dollars together. The bat costs one dollar more than the "
        "ball. How many cents does the ball cost?",
        kind="number",
    ),
    ExampleQuestion(
        "Four-day week",
        "Should a town of 50,000 people move its offices to a four-day week? Weigh both sides "
        "and decide.",
    ),
    ExampleQuestion(
        "True or false",
        "If a product is half off and then half off again, it is free.",
        kind="boolean",
    ),
)


class AskForm(DebateForm):
    """The form that asks a question of any kind."""

    url = "/ask"
    template = "ask.html"
    texts = TEXTS
    stand_in = "What is to be debated here, in a question of usual length?"

    def describe(self, request: Request, way: DebateWay) -> dict[str, Any]:  # noqa: ARG002 -- as of every form
        """Return what else the template shows."""
        return {"examples": EXAMPLES, "kinds": WORDS}

    def guess(self, given: Mapping[str, str]) -> AnswerGuess | None:
        """Return the form of the answer that is taken where the form names none; else None."""
        return None if given.get("choices", "").strip() else guess_answer(given.get("question", ""))

    async def plan_debate(
        self,
        request: Request,  # noqa: ARG002 -- as of every form
        way: DebateWay,
        settings: dict[str, Any],
        given: Mapping[str, str],
    ) -> QuestionPlan:
        """Return the debate of a filled form. Raises ``InputError``."""
        choices = [line.strip() for line in given["choices"].splitlines() if line.strip()]
        kind, guess = given["kind"], self.guess(given)
        if guess is not None and kind in {"", guess.kind}:
            kind, choices = guess.kind, [*guess.choices]
        return plan_question(
            given["question"],
            protocol=way.protocol.name,
            settings=settings,
            choices=choices,
            kind=kind or None,  # type: ignore[arg-type]  # checked there, by name
            context=given["context"] or None,
            answer=given["answer"] or None,
            prompts=way.preset.prompts if way.preset else None,
        )


ROUTES = AskForm().routes()

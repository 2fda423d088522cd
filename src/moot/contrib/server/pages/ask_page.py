"""The page to ask on."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from moot import InputError, Transcript
from moot.contrib.server.pages.answer_guess import WORDS, AnswerGuess, guess_answer
from moot.contrib.server.pages.ask_ways import TEXTS, DebateWay
from moot.contrib.server.pages.conversation import Conversation, go_on_from
from moot.contrib.server.pages.debate_form import DebateForm
from moot.contrib.server.pages.debate_page import read_debate
from moot.contrib.server.pages.page_rendering import DebateAddress, NoPage, parse_number
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
        return {"examples": EXAMPLES, "kinds": WORDS, "before": request.state.before}

    async def show(
        self,
        request: Request,
        given: Mapping[str, str],
        error: str = "",
        *,
        note: str = "",
        status: int = 200,
    ) -> Response:
        """Return the page with the fields as they were filled in, and an error or a note."""
        request.state.before = Conversation()
        try:
            request.state.before = await read_conversation(request, given.get("after", ""))
        except InputError as missing:
            error, status = error or str(missing), max(status, 404)
        return await super().show(request, given, error, note=note, status=status)

    def guess(self, given: Mapping[str, str]) -> AnswerGuess | None:
        """Return the form of the answer that is taken where the form names none; else None."""
        return None if given.get("choices", "").strip() else guess_answer(given.get("question", ""))

    async def plan_debate(
        self,
        request: Request,
        way: DebateWay,
        settings: dict[str, Any],
        given: Mapping[str, str],
    ) -> QuestionPlan:
        """Return the debate of a filled form. Raises ``InputError``."""
        choices = [line.strip() for line in given["choices"].splitlines() if line.strip()]
        before = await read_conversation(request, given["after"])
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
            history=before.messages,
            answer=given["answer"] or None,
            prompts=way.preset.prompts if way.preset else None,
        )


async def read_conversation(request: Request, name: str) -> Conversation:
    """Return the conversation up to the debate that a follow-up names; empty for no name.

    Raises ``InputError`` where there is no such debate, or it has no answer.
    """
    if not name:
        return Conversation()
    run, _, replicate = name.rpartition(":")
    where = DebateAddress(run, replicate=parse_number(replicate))
    try:
        return go_on_from(Transcript(await read_debate(request, where)), where)
    except NoPage:
        raise InputError(
            f"after: there is no debate {name[:80]!r} to follow up; ask the question by itself"
        ) from None


ROUTES = AskForm().routes()

"""The page to ask on."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from moot.core.errors import InputError, MootError, UnknownName
from moot.core.questions import KINDS
from moot.server.allowed_names import DebateChoice, check_allowed
from moot.server.config import ServerConfig
from moot.server.http_errors import refusal_from
from moot.server.live_debates import model_prices
from moot.server.pages.ask_ways import (
    FIELDS,
    SET,
    DebateWay,
    default_way,
    find_field,
    link_to_form,
    list_ways,
    settings_of,
)
from moot.server.pages.form_fields import parse_budget
from moot.server.pages.forms import read_form
from moot.server.pages.page_rendering import DebateAddress, render
from moot.studies.estimate import Estimate
from moot.studies.lab import Lab
from moot.studies.question_plan import QuestionPlan, plan_question
from moot.studies.rehearsal import estimate_run

STAND_IN = "What is to be debated here, in a question of usual length?"
"""Is estimated while no question is typed."""
REHEARSED = 240
"""The most calls that an estimate rehearses: meanwhile the server does nothing else."""


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


async def page(request: Request) -> Response:
    """Show the form, filled in with the parameters of the address."""
    config: ServerConfig = request.app.state.config
    given = dict(request.query_params)
    if given.get("protocol") not in list_ways(config):
        given["protocol"] = default_way(config)
    return await _form(request, given)


async def submit(request: Request) -> Response:
    """Start the debate that the form asks for, and show it."""
    config: ServerConfig = request.app.state.config
    given: dict[str, str] = {}
    try:
        given = await read_form(request)
        ways, name = list_ways(config), given.get("protocol", default_way(config))
        if name not in ways:
            raise UnknownName("protocol", name[:80], ways)
        way = ways[name]
        if "change" in given:
            return await _form(request, given)
        if given.get("of", way.name) != way.name:
            note = f"These are the settings of {way.title}. Ask again to debate with them."
            return await _form(request, given, note=note)
        live = await request.app.state.debates.start(
            _plan(config, way, given),
            budget=parse_budget(given),
            client=request.state.client,
            linger=None,
            stream=True,
        )
    except MootError as error:
        refusal = refusal_from(error)
        status = 422 if isinstance(error, InputError) else refusal.status
        answer = await _form(request, given, str(error), status=status)
        answer.headers.update(refusal.headers)
        return answer
    return RedirectResponse(
        DebateAddress(live.run, replicate=live.replicate, held=live.id).url(), 303
    )


async def foresee(request: Request) -> Response:
    """Return what the form's debate will take, and a link to the form: a part of the page."""
    config: ServerConfig = request.app.state.config
    given = await read_form(request)
    every = list_ways(config)
    way = every.get(given.get("protocol", "")) or every[default_way(config)]
    return render("estimate.html", **(await _foresee(request, way, given))._asdict())


class FormForecast(NamedTuple):
    """What the debate of a filled form will take.

    Attributes:
        estimate: the same as that of ``--dry-run``; None where there is none.
        why: the reason why there is none.
        link: the URL of the filled form; empty where it would be too long.
    """

    estimate: Estimate | None
    why: str
    link: str


async def _foresee(request: Request, way: DebateWay, given: Mapping[str, str]) -> FormForecast:
    """Return what the debate of a filled form will take."""
    lab: Lab = request.app.state.lab
    config: ServerConfig = request.app.state.config
    asked = dict(given)
    asked["question"] = given.get("question", "").strip() or STAND_IN
    estimate, why = None, ""
    try:
        if request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site":
            raise InputError("another site led here; change a field, and they are estimated")
        plan = _plan(config, way, asked)
        _check_size(plan)
        request.app.state.debates.load_models(plan)
        async with _one_estimate:
            estimate = await estimate_run(plan, lab, model_prices(lab, config), REHEARSED)
    except MootError as error:
        why = str(error)
    return FormForecast(estimate, why, link_to_form(way, given))


_one_estimate = asyncio.Semaphore(1)
"""An estimate takes up to half a second of the processor's time: one is made at a time."""


def _check_size(plan: QuestionPlan) -> None:
    """Raise ``InputError`` for a debate that takes too long to rehearse while clients wait."""
    _, most = plan.protocol.count(plan.settings)
    if most > REHEARSED:
        raise InputError(f"too large to estimate here; at most {most:,} calls")


def _plan(config: ServerConfig, way: DebateWay, given: Mapping[str, str]) -> QuestionPlan:
    """Return the debate that the form asks for. Raises ``InputError``."""
    question = given.get("question", "").replace("\r\n", "\n").strip()
    context = given.get("context", "").replace("\r\n", "\n").strip()
    lines = given.get("choices", "").splitlines()
    choices = [choice.strip() for choice in lines if choice.strip()]
    settings = settings_of(way, given)
    if way.preset is None:
        settings["model"] = given.get("model") or config.models[0]
    prompts = way.preset.prompts if way.preset else None
    check_allowed(config, DebateChoice(way.protocol.name, settings, prompts), way.preset)
    return plan_question(
        question,
        protocol=way.protocol.name,
        settings=settings,
        choices=choices,
        kind=given.get("kind") or None,  # type: ignore[arg-type]  # checked there, by name
        context=context or None,
        prompts=prompts,
    )


async def _form(
    request: Request,
    given: Mapping[str, str],
    error: str = "",
    *,
    note: str = "",
    status: int = 200,
) -> Response:
    """Return the page with the fields as they were filled in, and an error or a note."""
    config: ServerConfig = request.app.state.config
    every = list_ways(config)
    way = every.get(given.get("protocol", "")) or every[default_way(config)]
    kept = _keep(every, way, given)
    shown = [
        field._replace(value=kept.get(SET + field.name, field.value)) for field in way.fields()
    ]
    patterns = [model for model in config.models if "*" in model]
    filled = {name: given.get(name, "") for name in FIELDS}
    settings = {SET + field.name: field.value for field in shown}
    return render(
        "ask.html",
        status=status,
        here="ask",
        examples=EXAMPLES,
        ways=list(every.values()),
        way=way,
        own=[field for field in shown if field.own],
        common=[field for field in shown if not field.own],
        models=[model for model in config.models if model not in patterns],
        patterns=patterns,
        kinds=KINDS,
        given=filled,
        error=error,
        wrong=find_field(way, error) if error else "",
        note=note,
        most=config.limits.question,
        caps=config.limits.request,
        changed="change" in given or bool(note),
        **(await _foresee(request, way, filled | settings))._asdict(),
    )


def _keep(
    every: Mapping[str, DebateWay], way: DebateWay, given: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the fields that keep what was filled in.

    If another way is chosen now, those are the fields that the user has changed: the defaults of
    the earlier way are dropped, and so is everything that a preset sets.
    """
    before = every.get(given.get("of", ""), way)
    if before.name == way.name:
        return given
    shown = {SET + field.name: field.value for field in before.fields()}
    own = {SET + name for name in (way.preset.settings if way.preset else ())}
    return {n: text for n, text in given.items() if text != shown.get(n) and n not in own}


ROUTES = [
    Route("/ask", page, methods=["GET"]),
    Route("/ask", submit, methods=["POST"]),
    Route("/ask/estimate", foresee, methods=["POST"]),
]

"""The page to ask on."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from moot.core.errors import InputError, MootError, UnknownName
from moot.core.questions import KINDS
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.protocols import DEFAULT
from moot.server.allowed_names import DebateChoice, check_allowed
from moot.server.config import ServerConfig, ServerPreset
from moot.server.http_errors import refusal_from
from moot.server.pages.form_fields import (
    FormField,
    list_form_fields,
    parse_budget,
    parse_form_fields,
)
from moot.server.pages.forms import read_form
from moot.server.pages.page_rendering import DebateAddress, render
from moot.studies.question_plan import QuestionPlan, plan_question

PRESET = "preset:"
SET = "set."
"""The prefix of the fields that are settings."""


class DebateWay(NamedTuple):
    """A way to debate that can be chosen: a protocol, or a preset of the server's owner.

    Attributes:
        name: its value in the form.
        title: its name on the page.
        about: a description, in a line.
        protocol: the protocol.
        preset: the preset; None for a protocol.
    """

    name: str
    title: str
    about: str
    protocol: Protocol
    preset: ServerPreset | None = None

    def fields(self) -> list[FormField]:
        """Return the fields of its settings."""
        return list_form_fields(self.protocol, self.preset.settings if self.preset else {})


def list_ways(config: ServerConfig) -> dict[str, DebateWay]:
    """Return the ways that the owner allows, by name, presets first."""
    ways = []
    for name, preset in config.presets.items():
        about = preset.about or f"A preset of {preset.protocol}."
        ways.append(DebateWay(PRESET + name, name, about, protocols.get(preset.protocol), preset))
    known = map(protocols.get, config.protocols)
    ways += [DebateWay(by.name, by.name, by.summary, by) for by in known if by.is_installed]
    return {way.name: way for way in ways}


def default_way(config: ServerConfig) -> str:
    """Return the name of the way that is chosen first."""
    names = list(list_ways(config))
    return DEFAULT if DEFAULT in names else names[0]


async def page(request: Request) -> Response:
    """Show the form, filled in with the parameters of the address."""
    config: ServerConfig = request.app.state.config
    given = dict(request.query_params)
    if given.get("protocol") not in list_ways(config):
        given["protocol"] = default_way(config)
    return _form(config, given)


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
            return _form(config, given)
        if given.get("of", way.name) != way.name:
            note = f"These are the settings of {way.title}. Ask again to debate with them."
            return _form(config, given, note=note)
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
        answer = _form(config, given, str(error), status=status)
        answer.headers.update(refusal.headers)
        return answer
    return RedirectResponse(
        DebateAddress(live.run, replicate=live.replicate, held=live.id).url(), 303
    )


def _plan(config: ServerConfig, way: DebateWay, given: Mapping[str, str]) -> QuestionPlan:
    """Return the debate that the form asks for. Raises ``InputError``."""
    question = given.get("question", "").replace("\r\n", "\n").strip()
    context = given.get("context", "").replace("\r\n", "\n").strip()
    lines = given.get("choices", "").splitlines()
    choices = [choice.strip() for choice in lines if choice.strip()]
    own = {name.removeprefix(SET): text for name, text in given.items() if name.startswith(SET)}
    settings: dict[str, Any] = dict(way.preset.settings) if way.preset else {}
    settings |= parse_form_fields(way.fields(), own)
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


def _form(
    config: ServerConfig,
    given: Mapping[str, str],
    error: str = "",
    *,
    note: str = "",
    status: int = 200,
) -> Response:
    """Return the page with the fields as they were filled in, and an error or a note."""
    every = list_ways(config)
    way = every.get(given.get("protocol", "")) or every[default_way(config)]
    kept = _keep(every, way, given)
    shown = [
        field._replace(value=kept.get(SET + field.name, field.value)) for field in way.fields()
    ]
    patterns = [model for model in config.models if "*" in model]
    return render(
        "ask.html",
        status=status,
        here="ask",
        ways=list(every.values()),
        way=way,
        own=[field for field in shown if field.own],
        common=[field for field in shown if not field.own],
        models=[model for model in config.models if model not in patterns],
        patterns=patterns,
        kinds=KINDS,
        given={name: given.get(name, "") for name in FIELDS},
        error=error,
        note=note,
        most=config.limits.question,
        caps=config.limits.request,
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


FIELDS = ("question", "context", "choices", "kind", "model", "max_cost", "max_calls")
"""The fields that are not settings."""

ROUTES = [Route("/", page, methods=["GET"]), Route("/", submit, methods=["POST"])]

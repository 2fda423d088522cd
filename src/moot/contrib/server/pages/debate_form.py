"""A page with a form that starts a debate: settings, what it will take, errors at their fields."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from moot import InputError, MootError, UnknownName
from moot.contrib.server.allowed_names import DebateChoice, check_allowed
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.live_debates import model_prices
from moot.contrib.server.pages.answer_guess import AnswerGuess
from moot.contrib.server.pages.ask_ways import (
    BUDGET,
    SET,
    DebateWay,
    default_way,
    find_field,
    group_ways,
    link_to_form,
    list_ways,
    settings_of,
)
from moot.contrib.server.pages.form_fields import FormField, parse_budget
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.page_rendering import DebateAddress, render, show_refusal
from moot.extend.studies import Estimate, Lab, QuestionPlan, estimate_run

REHEARSED = 240
"""The most calls that an estimate rehearses: meanwhile the server does nothing else."""


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


class DebateForm:
    """A page with a form that starts a debate. Each such page is a class of its own.

    Attributes:
        url: of the page.
        template: of the page.
        texts: the fields that say what is debated, the main one first.
        stand_in: is estimated while nothing is typed in the main field.
        edits: fields of buttons that change the form and start nothing.
    """

    url: str
    template: str
    texts: tuple[str, ...]
    stand_in: str
    edits = frozenset({"change"})

    def list_ways(self, config: ServerConfig) -> dict[str, DebateWay]:
        """Return the ways to debate that can be chosen, by name."""
        return list_ways(config)

    def default_way(self, config: ServerConfig) -> str:
        """Return the name of the way that is chosen first."""
        return default_way(config)

    async def plan_debate(
        self,
        request: Request,
        way: DebateWay,
        settings: dict[str, Any],
        given: Mapping[str, str],
    ) -> QuestionPlan:
        """Return the debate of a filled form, whose settings are allowed. Raises ``InputError``."""
        raise NotImplementedError

    def describe(self, request: Request, way: DebateWay) -> dict[str, Any]:  # noqa: ARG002 -- for other pages
        """Return what else the template shows."""
        return {}

    def guess(self, given: Mapping[str, str]) -> AnswerGuess | None:  # noqa: ARG002 -- for other pages
        """Return the form of the answer that is taken where the form names none; else None."""
        return None

    def address_of(self, live: LiveDebate) -> str:
        """Return the URL at which a debate that was started is shown."""
        return DebateAddress.of(live).url()

    async def read(self, request: Request) -> dict[str, str]:
        """Return the fields of the form. Raises ``InputError`` for a body that is none."""
        return await read_form(request)

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the page."""
        return [
            Route(self.url, self.page, methods=["GET"]),
            Route(self.url, self.submit, methods=["POST"]),
            Route(f"{self.url}/estimate", self.foresee, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Show the form, filled in with the parameters of the address."""
        return await self.show(request, dict(request.query_params))

    async def submit(self, request: Request) -> Response:
        """Start the debate that the form asks for, and show it."""
        config: ServerConfig = request.app.state.config
        given: dict[str, str] = {}
        try:
            given = await self.read(request)
            ways, name = self.list_ways(config), given.get("protocol", self.default_way(config))
            if name not in ways:
                raise UnknownName("protocol", name[:80], ways)
            way = ways[name]
            if given.keys() & self.edits:
                return await self.show(request, given)
            if given.get("of", way.name) != way.name:
                note = f"These are the settings of {way.title}. Ask again to debate with them."
                return await self.show(request, given, note=note)
            live = await request.app.state.debates.start(
                await self._plan(request, way, given),
                budget=parse_budget(given),
                client=request.state.client,
                linger=None,
                stream=True,
            )
        except MootError as error:
            told = str(error)
            return await show_refusal(
                error, lambda status: self.show(request, given, told, status=status)
            )
        return RedirectResponse(self.address_of(live), 303)

    async def foresee(self, request: Request) -> Response:
        """Return what the form's debate will take, and a link to the form: a part of the page."""
        given = await self.read(request)
        way = self._find_way(request, given)
        forecast = await self._foresee(request, way, given)
        return render("estimate.html", guess=self.guess(given), **forecast._asdict())

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
        config: ServerConfig = request.app.state.config
        every, way = self.list_ways(config), self._find_way(request, given)
        kept = _keep(every, way, given)
        shown = [
            field._replace(value=kept.get(SET + field.name, field.value)) for field in way.fields()
        ]
        patterns = [model for model in config.models if "*" in model]
        filled = {name: given.get(name, "") for name in (*self.texts, *BUDGET)}
        settings = {SET + field.name: field.value for field in shown}
        return render(
            self.template,
            status=status,
            form=self,
            groups=group_ways(every, self.default_way(config)),
            way=way,
            guess=self.guess(filled),
            own=sorted((field for field in shown if field.own), key=_comes_first),
            common=[field for field in shown if not field.own],
            models=[model for model in config.models if model not in patterns],
            patterns=patterns,
            given=filled,
            error=error,
            wrong=find_field(way, error, self.texts) if error else "",
            note=note,
            most=config.limits.question,
            caps=config.limits.request,
            changed="change" in given or bool(note),
            **self.describe(request, way),
            **(await self._foresee(request, way, filled | settings))._asdict(),
        )

    def _find_way(self, request: Request, given: Mapping[str, str]) -> DebateWay:
        every = self.list_ways(request.app.state.config)
        known = every.get(given.get("protocol", ""))
        return known or every[self.default_way(request.app.state.config)]

    async def _plan(
        self, request: Request, way: DebateWay, given: Mapping[str, str]
    ) -> QuestionPlan:
        """Return the debate that the form asks for. Raises ``InputError``."""
        config: ServerConfig = request.app.state.config
        texts = {name: given.get(name, "").replace("\r\n", "\n").strip() for name in self.texts}
        settings = settings_of(way, given)
        if way.preset is None:
            settings["model"] = given.get("model") or config.models[0]
        prompts = way.preset.prompts if way.preset else None
        check_allowed(config, DebateChoice(way.protocol.name, settings, prompts), way.preset)
        return await self.plan_debate(request, way, settings, {**given, **texts})

    async def _foresee(
        self, request: Request, way: DebateWay, given: Mapping[str, str]
    ) -> FormForecast:
        """Return what the debate of a filled form will take."""
        main = self.texts[0]
        asked = {**given, main: given.get(main, "").strip() or self.stand_in}
        estimate, why = None, ""
        try:
            if request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site":
                raise InputError("another site led here; change a field, and they are estimated")
            estimate = await foresee_plan(request, await self._plan(request, way, asked))
        except MootError as error:
            why = str(error)
        return FormForecast(estimate, why, link_to_form(way, given, self.url, self.texts))


_one_estimate = asyncio.Semaphore(1)
"""An estimate takes up to half a second of the processor's time: one is made at a time."""


async def foresee_plan(request: Request, plan: QuestionPlan) -> Estimate:
    """Return what a debate will take.

    Raises ``InputError`` for one that takes too long to rehearse while clients wait.
    """
    _, most = plan.protocol.count(plan.settings)
    if most > REHEARSED:
        raise InputError(f"too large to estimate here; at most {most:,} calls")
    lab: Lab = request.app.state.lab
    request.app.state.debates.load_models(plan)
    prices = model_prices(lab, request.app.state.config)
    async with _one_estimate:
        return await estimate_run(plan, lab, prices, REHEARSED)


def _comes_first(field: FormField) -> bool:
    """Return a key by which the settings that most people know come first."""
    return field.name not in {"agents", "rounds", "samples"}


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

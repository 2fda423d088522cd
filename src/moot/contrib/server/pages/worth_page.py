"""The page on which people ask whether a debate is worth it on their questions, and watch."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from moot import Budget, InputError, MootError, OwnQuestions
from moot.contrib.server.allowance import lower_of
from moot.contrib.server.allowed_names import NotAllowed
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.multipart import PostedForm, has_files, read_multipart
from moot.contrib.server.pages.ask_ways import list_ways
from moot.contrib.server.pages.form_fields import parse_budget
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.page_rendering import NoPage, render, show_refusal
from moot.contrib.server.pages.worth_study import (
    WorthAsked,
    WorthStudies,
    WorthStudy,
    draw_intervals,
    estimate_worth,
    find_file,
    keep_file,
    read_file,
)
from moot.extend.studies import Estimate

USUAL = ("society-of-minds", "council")
"""The methods that are compared where nothing is chosen."""
GROUPS = frozenset({"votes", "debates", "councils", "judges", "networks", "gates"})
MOST = 6
"""The most methods of a study that the page starts."""


class _Checked(NamedTuple):
    """A filled form: the study, its questions, and its price."""

    asked: WorthAsked
    questions: OwnQuestions
    estimate: Estimate


async def page(request: Request) -> Response:
    """Show the form."""
    return _show(request, {})


async def submit(request: Request) -> Response:
    """Show what was taken for what and the price; or start the study."""
    given: dict[str, str] = {}
    try:
        form = await _read(request)
        given = form.fields
        if form.refused:
            raise InputError(f"file: {form.refused[0]}")
        if form.files:
            space = request.app.state.config.uploads.space
            place = request.app.state.lab.place
            given["file"] = await asyncio.to_thread(keep_file, place, form.files[0], space)
        checked = await _check(request, given)
        if "start" not in given:
            return _show(request, given, checked=checked)
        study = _studies(request).start(
            checked.asked, request.state.client, checked.questions.unique
        )
    except MootError as error:
        told = str(error)

        async def show(status: int) -> Response:
            return _show(request, given, told, status=status)

        return await show_refusal(error, show)
    return RedirectResponse(f"/worth/{study.id}", 303)


async def _read(request: Request) -> PostedForm:
    """Return the posted form. Raises ``InputError`` for a body that is none."""
    if has_files(request.headers.get("content-type", "")):
        return await read_multipart(request, request.app.state.config.uploads)
    return PostedForm(await read_form(request), [], [])


async def _check(request: Request, given: Mapping[str, str]) -> _Checked:
    """Return the study that a form asks for, with its price. Raises ``InputError``."""
    config: ServerConfig = request.app.state.config
    place = request.app.state.lab.place
    known = config.clients.get(request.state.client)
    if config.limits.hour != Budget() or (known is not None and known.hour is not None):
        raise NotAllowed("what a client may spend in an hour is limited here: no study is started")
    path = find_file(place, given.get("file", ""))
    roles = ("question", "answer", "choices")
    columns = {name: text for name in roles if (text := given.get(f"column.{name}", "").strip())}
    questions = await asyncio.to_thread(read_file, path, columns)
    longest = max(each.size for each in questions.questions)
    if longest > config.limits.question:
        raise InputError(f"file: a question has {longest:,} characters; {config.limits.question:,} "
                         "are the most")  # fmt: skip
    asked = WorthAsked(
        path=path,
        columns=columns,
        model=_model(config, given),
        protocols=_methods(config, given),
        budget=lower_of(_cap(given), config.limits.request),
        prices={name: each for name, each in config.prices.items() if name == given.get("model")},
    )
    estimate = await asyncio.to_thread(estimate_worth, asked, place)
    return _Checked(asked, questions, estimate)


def _model(config: ServerConfig, given: Mapping[str, str]) -> str:
    known = _models(config)
    model = given.get("model") or next(iter(known), "")
    if model not in known:
        raise NotAllowed(f"model {model.partition('?')[0][:80]!r} is not allowed here for studies")
    return model


def _models(config: ServerConfig) -> list[str]:
    """Return the models of studies: those named in full that no table of the server describes."""
    return [each for each in config.models if "*" not in each and each not in config.tables]


def _methods(config: ServerConfig, given: Mapping[str, str]) -> tuple[str, ...]:
    chosen = [each for each in _offered(config) if f"method.{each}" in given]
    if not chosen:
        raise InputError("methods: choose one or more to compare with a vote")
    if len(chosen) > MOST:
        raise InputError(f"methods: {len(chosen)} are chosen; {MOST} are the most at once")
    return () if set(chosen) == set(USUAL) else tuple(chosen)


def _offered(config: ServerConfig) -> dict[str, str]:
    """Return the methods that can be compared: what each does, by name, the usual ones first."""
    ways = {
        name: way.about
        for name, way in list_ways(config).items()
        if way.preset is None
        and way.protocol.group.name in GROUPS
        and not way.protocol.needs_answer
        and way.protocol.kind not in ("single", "samples")
    }
    return {name: ways[name] for name in sorted(ways, key=lambda each: (each not in USUAL, each))}


def _cap(given: Mapping[str, str]) -> Budget:
    budget = parse_budget(given)
    if budget == Budget():
        raise InputError("max_cost: say what it may take at most, in dollars or in calls")
    return budget


def _show(
    request: Request,
    given: Mapping[str, str],
    error: str = "",
    *,
    checked: _Checked | None = None,
    status: int = 200,
) -> Response:
    config: ServerConfig = request.app.state.config
    offered = _offered(config)
    chosen = [each for each in offered if f"method.{each}" in given]
    return render(
        "worth.html",
        status=status,
        given={
            name: given.get(name, "")
            for name in (
                "file",
                "model",
                "max_cost",
                "max_calls",
                "column.question",
                "column.answer",
                "column.choices",
            )
        },
        offered=offered,
        chosen=chosen or [each for each in USUAL if each in offered],
        models=_models(config),
        caps=config.limits.request,
        checked=checked,
        error=error,
    )


def _studies(request: Request) -> WorthStudies:
    """Return the studies of the server."""
    state = request.app.state
    if getattr(state, "worth", None) is None:
        state.worth = WorthStudies(state.lab.place)
        state.worth_end = state.worth.end_with(state.debates.closing)
    found: WorthStudies = state.worth
    return found


def _find(request: Request) -> WorthStudy:
    found = _studies(request).get(request.path_params["study"])
    if found is None:
        links = {"/worth": "Start a study", "/runs": "All runs"}
        hint = "This server has begun it before it was last started, or never. Its run is kept."
        raise NoPage("There is no such study here.", hint, links=links)
    return found


async def watch(request: Request) -> Response:
    """Show a study as it stands."""
    study = _find(request)
    said = study.statement
    methods: list[dict[str, Any]] = []
    for each in said.methods if said else ():
        own = study.seen.get(f"{each.dataset} {each.arm}", [])
        drawn = draw_intervals(own, study.unique, said.margin) if len(own) > 1 else None
        methods.append({"verdict": each, "drawn": drawn})
    return render("worth_study.html", study=study, said=said, methods=methods)


async def stop(request: Request) -> Response:
    """End a study, and show it."""
    study = _find(request)
    study.stop()
    for _ in range(40):
        if study.done:
            break
        await asyncio.sleep(0.05)
    return RedirectResponse(f"/worth/{study.id}", 303)


ROUTES = [
    Route("/worth", page, methods=["GET"]),
    Route("/worth", submit, methods=["POST"]),
    Route("/worth/{study}", watch, methods=["GET"]),
    Route("/worth/{study}/stop", stop, methods=["POST"]),
]

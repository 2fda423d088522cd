"""The endpoint's routes: the models, chat completions, and the schema of both."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from functools import partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from moot import Model, MootError
from moot.contrib.server.allowed_names import describe_name, list_names, parse_name
from moot.contrib.server.chat import reply
from moot.contrib.server.chat.chat_json import Completion, ModelCard, ModelList
from moot.contrib.server.chat.fill_schema import list_fillers
from moot.contrib.server.chat.request import NEW, REPLICATE, ChatRequest, parse_request
from moot.contrib.server.chat.responses_reply import begin_response, build_response, stream_response
from moot.contrib.server.chat.responses_request import parse_responses_request, rename_parameter
from moot.contrib.server.chat.schema import describe_endpoint
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.event_stream import EventStream
from moot.contrib.server.http_errors import (
    HttpRefusal,
    refusal_from,
    refuse_parameter,
    refuse_value,
)
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.live_debates import LiveDebates
from moot.extend.studies import QuestionPlan, plan_question

BEGUN = int(time.time())
"""When the server began, in Unix seconds: the creation time of the models that it lists."""


async def models(request: Request) -> Response:
    """``GET /v1/models``: the presets, and each allowed protocol with each allowed model."""
    config = request.app.state.config
    return _json(ModelList(data=[_describe(config, name) for name in list_names(config)]))


async def model(request: Request) -> Response:
    """``GET /v1/models/NAME``: whether a request may name this model."""
    query = request.scope["query_string"].decode("latin-1")
    name = request.path_params["name"] + (f"?{query}" if query else "")
    if name not in list_names(request.app.state.config):
        parse_name(request.app.state.config, name)
    return _json(_describe(request.app.state.config, name))


def _describe(config: ServerConfig, name: str) -> ModelCard:
    return ModelCard(id=name, created=BEGUN, description=describe_name(config, name))


async def schema(request: Request) -> Response:  # noqa: ARG001 -- it is the same for all
    """``GET /openapi.json``."""
    return Response(describe_endpoint(), media_type="application/json")


async def complete(request: Request) -> ASGIApp:
    """``POST /v1/chat/completions``: debate the question, once for each choice."""
    asked = parse_request(await request.body(), request.headers)
    debates = await _hold(asked, request)
    head = reply.ReplyHead(f"chatcmpl-{debates[0].id}", int(time.time()), asked.model)
    if asked.stream:
        lab = request.app.state.debates.lab
        return _stream(reply.stream(head, asked, debates, lab), debates)
    return await _answer(asked, debates, head, request, lambda completion: completion)


async def respond(request: Request) -> ASGIApp:
    """``POST /v1/responses``: debate the question."""
    given, asked = parse_responses_request(await request.body(), request.headers)
    try:
        debates = await _hold(asked, request)
    except HttpRefusal as refusal:
        raise rename_parameter(refusal) from None
    head = reply.ReplyHead(f"resp_{debates[0].id}", int(time.time()), asked.model)
    begun = begin_response(head, given)
    if asked.stream:
        lab = request.app.state.debates.lab
        return _stream(stream_response(begun, head, asked, debates, lab), debates)
    return await _answer(asked, debates, head, request, partial(build_response, begun))


async def _hold(asked: ChatRequest, request: Request) -> list[LiveDebate]:
    """Start the debates of a request."""
    state = request.app.state
    prepared, replicates = _prepare(asked, state.debates, state.config)
    return await _begin(asked, prepared, replicates, state.debates, request.state.client)


def _stream(events: AsyncGenerator[bytes], debates: Sequence[LiveDebate]) -> EventStream:
    return EventStream(events, _name_replicates(debates), partial(reply.stop_all, debates))


async def _answer(
    asked: ChatRequest,
    debates: Sequence[LiveDebate],
    head: reply.ReplyHead,
    request: Request,
    form: Callable[[Completion], msgspec.Struct],
) -> Response:
    """Return the whole answer once all debates have ended, or the error that ended them."""
    try:
        outcomes = await _wait(asked, debates, request)
        answer = _json(form(reply.build_completion(head, asked, outcomes, debates)))
    except MootError as error:
        answer = refusal_from(error).response()
    answer.headers.update(_name_replicates(debates))
    return answer


def _name_replicates(debates: Sequence[LiveDebate]) -> dict[str, str]:
    """Return the header by whose numbers a client can ask for the same debates again."""
    return {REPLICATE: ", ".join(str(debate.replicate) for debate in debates)}


def _prepare(
    asked: ChatRequest, debates: LiveDebates, config: ServerConfig
) -> tuple[QuestionPlan, list[int | None]]:
    """Return the plan of a request's debate, and the replicate of each of its ``n`` choices.

    A replicate of None is a new one: the ledger then picks one that no process has ever begun.

    Raises:
        HttpRefusal: there are more choices than this server gives, the protocol or a model takes
            no tools or no images, or only people debate and none of them fills in a schema.
        InputError: the model's name or a setting is unknown, wrong or not allowed.
    """
    limits = config.limits
    if asked.n > limits.answers:
        raise refuse_value("n", f"{asked.n}; this server gives {limits.answers} answers at most")
    chosen = parse_name(config, asked.model, asked.settings)
    style = {"style": config.style} if asked.open else {}
    prepared = plan_question(
        asked.text,
        protocol=chosen.protocol,
        settings=style | chosen.settings,
        choices=asked.choices,
        kind=asked.kind,
        context=asked.context,
        history=asked.history,
        tool_use=asked.tool_use,
        prompts=chosen.prompts,
    )
    if asked.tool_use is not None and prepared.protocol.kind != "single":
        why = f"agents of {chosen.protocol} call no tools; ask single:MODEL, or leave them out"
        raise refuse_parameter("tools" if asked.tool_use.tools else "messages", why)
    if asked.form.schema is not None and not list_fillers(prepared.models):
        why = f"only people take part ({', '.join(prepared.models)}); a model must fill it in"
        raise refuse_parameter("response_format.json_schema", why)
    models = debates.load_models(prepared)
    if asked.tool_use is not None:
        _check_models(models, "takes_tools", "tools", "tools")
    if asked.images:
        _check_models(models, "takes_images", asked.images, "images")
    if asked.replicate == NEW or (asked.replicate is None and not chosen.seeded):
        return prepared, [None] * asked.n
    first = asked.replicate or 0
    return prepared, list(range(first, first + asked.n))


def _check_models(models: Iterable[Model], takes: str, param: str, what: str) -> None:
    """Raise ``HttpRefusal`` for the first model that does not take images, or tools."""
    for model in models:
        if not getattr(model, takes, False):
            known = "; one that does can be named with ?images=on" if what == "images" else ""
            why = f"the model {model.name.partition('?')[0]} is not known to take {what}{known}"
            raise refuse_parameter(param, why)


async def _begin(
    asked: ChatRequest,
    prepared: QuestionPlan,
    replicates: Sequence[int | None],
    debates: LiveDebates,
    client: str,
) -> list[LiveDebate]:
    """Start one debate for each choice, each with its share of the cap; all of them or none."""
    begun = list[LiveDebate]()
    try:
        for replicate in replicates:
            begun.append(
                await debates.start(
                    prepared,
                    budget=asked.cap,
                    share=asked.n,
                    client=client,
                    replicate=replicate,
                    stream=asked.stream,
                    further=0 if asked.form.schema is None else 1,
                )
            )
    except BaseException:
        for debate in begun:
            debate.stop("another choice of its request could not be begun")
        raise
    return begun


async def _wait(
    asked: ChatRequest, debates: Sequence[LiveDebate], request: Request
) -> list[reply.DebateOutcome]:
    """Return the outcomes once all debates have ended; stop them if the client disconnects."""
    lab = request.app.state.debates.lab
    together = asyncio.gather(*(reply.conclude(asked, debate, lab) for debate in debates))
    leaving = asyncio.create_task(_disconnect(request))
    leaving.add_done_callback(lambda _: together.cancel())
    try:
        return await together
    except asyncio.CancelledError:
        if not leaving.done():
            raise  # the server itself is stopping
        raise HttpRefusal("the client went away", "client_closed", status=499) from None
    finally:
        leaving.cancel()
        reply.stop_all(debates)


async def _disconnect(request: Request) -> None:
    """Wait until the client has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(body: msgspec.Struct) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json")


ROUTES = [
    Route("/v1/models", models, methods=["GET"]),
    Route("/v1/models/{name:path}", model, methods=["GET"]),
    Route("/v1/chat/completions", complete, methods=["POST"]),
    Route("/v1/responses", respond, methods=["POST"]),
    Route("/openapi.json", schema, methods=["GET"]),
]

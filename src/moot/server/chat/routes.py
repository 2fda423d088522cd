"""The endpoint's routes: the models, chat completions, and the schema of both."""

import asyncio
import time
from collections.abc import Sequence

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from moot.core.errors import MootError
from moot.core.events import Transcript
from moot.server.chat import reply
from moot.server.chat.errors import Refused, failed, refused
from moot.server.chat.request import NEW, REPLICATE, Asked, read
from moot.server.chat.schema import document
from moot.server.chat.stream import Stream, left, numbers
from moot.server.chat.wire import Card, Cards
from moot.server.config import ServerConfig
from moot.server.debates import Debates
from moot.server.held import LiveDebate
from moot.server.names import choose, names
from moot.studies.prepared import Prepared, prepare

BEGUN = int(time.time())
"""When the models that the endpoint lists came to be."""

_encode = msgspec.json.Encoder().encode


async def models(request: Request) -> Response:
    """``GET /v1/models``: the presets, and each allowed protocol with each allowed model."""
    cards = [Card(id=name, created=BEGUN) for name in names(request.app.state.config)]
    return _json(Cards(data=cards))


async def model(request: Request) -> Response:
    """``GET /v1/models/NAME``: whether a name is one that can be asked."""
    query = request.scope["query_string"].decode("latin-1")
    name = request.path_params["name"] + (f"?{query}" if query else "")
    if name not in names(request.app.state.config):
        try:
            choose(request.app.state.config, name)
        except MootError as error:
            return refused(error).response()
    return _json(Card(id=name, created=BEGUN))


async def schema(request: Request) -> Response:  # noqa: ARG001 -- it is the same for everybody
    """``GET /openapi.json``."""
    return Response(document(), media_type="application/json")


async def complete(request: Request) -> ASGIApp:
    """``POST /v1/chat/completions``: debate what is asked, once for each choice."""
    try:
        return await _answer(request)
    except Refused as error:
        return error.response()
    except MootError as error:
        return refused(error).response()
    except ClientDisconnect:
        return Refused("the body was cut off", code="invalid_json").response()


async def _answer(request: Request) -> ASGIApp:
    state = request.app.state
    asked = read(await request.body(), request.headers)
    prepared, replicates = _prepared(asked, state.config)
    debates = await _begin(asked, prepared, replicates, state.debates, request.state.client)
    head = reply.Head(f"chatcmpl-{debates[0].id}", int(time.time()), asked.model)
    if asked.stream:
        return Stream(head, asked, debates)
    which = {REPLICATE: numbers(debates)}
    try:
        transcripts = await _ended(debates, request)
    except (Refused, MootError) as error:
        told = error if isinstance(error, Refused) else refused(error)
        told.headers |= which
        raise told from None
    answer = _json(reply.completion(head, asked, transcripts, debates[0].run))
    answer.headers.update(which)
    return answer


def _prepared(asked: Asked, config: ServerConfig) -> tuple[Prepared, list[int | None]]:
    """The debate that is asked for, checked, and the replicate of each choice."""
    limits = config.limits
    if asked.n > limits.answers:
        raise Refused(
            f"n: {asked.n}; this server gives {limits.answers} answers at most",
            param="n",
            code="invalid_value",
        )
    chosen = choose(config, asked.model, asked.settings)
    plain = {"style": config.style} if asked.open else {}
    prepared = prepare(
        asked.text,
        protocol=chosen.protocol,
        settings=plain | chosen.settings,
        choices=asked.choices,
        kind=asked.kind,
        context=asked.context,
        history=asked.history,
        prompts=chosen.prompts,
    )
    if (size := prepared.question.size) > limits.question:
        raise Refused(
            f"messages: {size} characters; this server takes {limits.question} at most",
            param="messages",
            code="string_above_max_length",
        )
    return prepared, _replicates(asked, seeded=chosen.seeded)


def _replicates(asked: Asked, *, seeded: bool) -> list[int | None]:
    """The replicate of each choice; None for a new one, where neither it nor a seed is given."""
    if asked.replicate == NEW or (asked.replicate is None and not seeded):
        return [None] * asked.n
    first = asked.replicate or 0
    return list(range(first, first + asked.n))


async def _begin(
    asked: Asked,
    prepared: Prepared,
    replicates: Sequence[int | None],
    debates: Debates,
    client: str,
) -> list[LiveDebate]:
    """One debate for each choice, each with its part of the cap; none where one cannot be begun."""
    begun = list[LiveDebate]()
    try:
        for replicate in replicates:
            held = await debates.start(
                prepared, budget=asked.cap, share=asked.n, client=client, replicate=replicate
            )
            begun.append(held)
    except BaseException:
        for held in begun:
            held.stop("another choice of its request could not be begun")
        raise
    return begun


async def _ended(debates: Sequence[LiveDebate], request: Request) -> list[Transcript]:
    """Their transcripts. Raises ``Refused`` for a failed one; they stop when the client leaves."""
    whole = asyncio.gather(*(debate.transcript() for debate in debates))
    leaving = asyncio.create_task(left(request.receive))
    leaving.add_done_callback(lambda _: whole.cancel())
    try:
        transcripts = await whole
    except asyncio.CancelledError:
        if not leaving.done():
            raise  # the server itself is stopping
        raise Refused("the client went away", status=499, code="client_closed") from None
    finally:
        leaving.cancel()
        for debate in debates:
            debate.stop("its client went away")
    for transcript in transcripts:
        if transcript.failed is not None:
            raise failed(transcript.failed)
    return transcripts


def _json(body: msgspec.Struct) -> Response:
    return Response(_encode(body), media_type="application/json")


ROUTES = [
    Route("/v1/models", models, methods=["GET"]),
    Route("/v1/models/{name:path}", model, methods=["GET"]),
    Route("/v1/chat/completions", complete, methods=["POST"]),
    Route("/openapi.json", schema, methods=["GET"]),
]

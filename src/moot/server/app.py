"""The ASGI application: every route, behind the guard, on one laboratory."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from moot.core.errors import MootError
from moot.core.ports import Model
from moot.runtime.path import CallPath
from moot.server import server_metrics
from moot.server.auth import Guard
from moot.server.chat import chat_routes as chat
from moot.server.config import ServerConfig
from moot.server.http_errors import answer_routing_error
from moot.server.live_debates import LiveDebates, model_prices
from moot.server.pages import page_routes as pages
from moot.server.pages.page_rendering import answer_error
from moot.server.server_metrics import Measures
from moot.studies.lab import open_lab

Ready = Callable[[Starlette], Awaitable[None]]
"""Is called with the application when its laboratory is open, before the first request."""


def make_app(
    config: ServerConfig,
    *,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    loopback: bool = True,
    routes: Sequence[BaseRoute] = (),
    ready: Ready | None = None,
) -> Starlette:
    """Return the application.

    Its ``state`` has ``config`` and, when it has started, ``lab``, ``debates`` and ``measures``.

    Args:
        config: what the owner allows.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        loopback: whether only this machine reaches it, see ``Guard``.
        routes: the routes beside the measures; those of the endpoint and the pages by default.
        ready: prepares more state; a ``MootError`` of it keeps the server from starting.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                lab = await stack.enter_async_context(open_lab(store, tables=config.tables))
                lab.use_models(models)
                prices = model_prices(lab, config)
                app.state.lab = lab
                if ready is not None:
                    await ready(app)
            except MootError as error:
                app.state.trouble = error
                raise
            lab.path = CallPath(lab.store, retry=config.retry, prices=prices)
            for past in lab.store.past_replies():
                lab.path.sizes.learn_past(past)
            app.state.debates = debates = LiveDebates(lab, config)
            app.state.measures = Measures(debates)
            try:
                yield
            finally:
                await debates.end()

    default = [*chat.ROUTES, *(pages.ROUTES if config.pages else ())]
    app = Starlette(
        routes=[*server_metrics.ROUTES, *(routes or default)],
        middleware=[Middleware(Guard, config=config, loopback=loopback)],
        exception_handlers={HTTPException: answer_routing_error, MootError: answer_error},
        lifespan=lifespan,
    )
    app.state.config = config
    return app

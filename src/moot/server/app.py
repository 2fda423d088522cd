"""The application: every route, behind the guard, on one laboratory."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from moot.core.errors import MootError
from moot.core.ports import Model
from moot.runtime.path import CallPath
from moot.server import measures
from moot.server.auth import Guard
from moot.server.config import ServerConfig
from moot.server.debates import Debates, prices_of
from moot.server.http_errors import answer_routing_error
from moot.server.measures import Measures
from moot.studies.lab import open_lab

FACES = {"chat": True, "pages": False}
"""The packages with routes, and whether they are served also without pages."""

Ready = Callable[[Starlette], Awaitable[None]]
"""Is given the application once its laboratory is open, before the first request."""


def make(
    config: ServerConfig,
    *,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    loopback: bool = True,
    routes: Sequence[BaseRoute] = (),
    ready: Ready | None = None,
) -> Starlette:
    """The application.

    ``app.state`` has ``config`` and, from its start on, ``lab``, ``debates`` and ``measures``.

    Args:
        config: what the owner allows.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        loopback: whether it is reached from this machine alone, see ``Guard``.
        routes: what is served beside the measures; the routes of ``FACES`` if none are given.
        ready: what else is to be made ready; a ``MootError`` of it keeps the server from starting.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                lab = await stack.enter_async_context(open_lab(store, tables=config.tables))
                lab.bring(models)
                prices = prices_of(lab, config)
                app.state.lab = lab
                if ready is not None:
                    await ready(app)
            except MootError as error:
                app.state.trouble = error
                raise
            lab.path = CallPath(lab.store, retry=config.retry, prices=prices)
            for past in lab.store.past_replies():
                lab.path.sizes.know(past)
            counted = Measures()
            debates = Debates(lab, config, counted.ended)
            counted.of(debates)
            app.state.debates, app.state.measures = debates, counted
            try:
                yield
            finally:
                await debates.end()

    app = Starlette(
        routes=[*measures.ROUTES, *(routes or _routes(_faces(config)))],
        middleware=[Middleware(Guard, config=config, loopback=loopback)],
        exception_handlers={HTTPException: answer_routing_error},
        lifespan=lifespan,
    )
    app.state.config = config
    return app


def _faces(config: ServerConfig) -> list[str]:
    """The faces of which a configuration has it that they are served."""
    return [name for name, always in FACES.items() if always or config.pages]


def _routes(faces: Sequence[str]) -> list[BaseRoute]:
    found: list[BaseRoute] = []
    for name in faces:
        module = f"moot.server.{name}.routes"
        if find_spec(f"moot.server.{name}") and find_spec(module):
            found += import_module(module).ROUTES
    return found

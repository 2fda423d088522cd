"""The application: every route, behind the guard, on one laboratory."""

from collections.abc import AsyncIterator, Sequence
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
from moot.models.prices import Price
from moot.runtime.path import CallPath
from moot.server import measures
from moot.server.config import ServerConfig
from moot.server.debates import Debates
from moot.server.guard import Guard
from moot.server.measures import Measures
from moot.server.refusal import told
from moot.studies.lab import Lab, open_lab

FACES = {"chat": True, "pages": False}
"""The packages with routes, and whether they are served also without pages."""


def make(
    config: ServerConfig,
    *,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    loopback: bool = True,
) -> Starlette:
    """The application.

    ``app.state`` has ``config`` and, from its start on, ``lab``, ``debates`` and ``measures``.

    Args:
        config: what the owner allows.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        loopback: whether it is reached from this machine alone, see ``Guard``.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                lab = await stack.enter_async_context(open_lab(store))
                lab.bring(models)
                prices = _prices(lab, config)
            except MootError as error:
                app.state.trouble = error
                raise
            lab.path = CallPath(lab.store, retry=config.retry, prices=prices)
            counted = Measures()
            debates = Debates(lab, config, counted.ended)
            counted.of(debates)
            app.state.lab, app.state.debates, app.state.measures = lab, debates, counted
            try:
                yield
            finally:
                await debates.end()

    app = Starlette(
        routes=[*measures.ROUTES, *_routes(config)],
        middleware=[Middleware(Guard, config=config, loopback=loopback)],
        exception_handlers={HTTPException: told},
        lifespan=lifespan,
    )
    app.state.config = config
    return app


def _prices(lab: Lab, config: ServerConfig) -> dict[str, Price]:
    """The stated prices, by the names under which the models' calls go."""
    return {lab.model(name).name: price for name, price in config.prices.items()}


def _routes(config: ServerConfig) -> list[BaseRoute]:
    found: list[BaseRoute] = []
    for name, always in FACES.items():
        module = f"moot.server.{name}.routes"
        if (always or config.pages) and find_spec(f"moot.server.{name}") and find_spec(module):
            found += import_module(module).ROUTES
    return found

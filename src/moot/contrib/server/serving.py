"""The application, and uvicorn that serves it: a server waits for its debates before it stops."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from math import ceil
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from moot import InputError, Model, ModelName, MootError
from moot.contrib.server import server_metrics
from moot.contrib.server.auth import CrossOrigin, Guard, is_loopback
from moot.contrib.server.chat import chat_routes as chat
from moot.contrib.server.chat.request import REPLICATE
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.http_connection import TimedConnection
from moot.contrib.server.live_debates import LiveDebates, model_prices
from moot.contrib.server.origins import ANY
from moot.contrib.server.pages import page_routes as pages
from moot.contrib.server.pages.page_rendering import (
    answer_error,
    answer_refusal,
    answer_routing_error,
)
from moot.contrib.server.people_desk import PeopleDesk, read_secret
from moot.contrib.server.server_metrics import Measures
from moot.contrib.server.uploads import Uploads, open_uploads
from moot.extend.calls import CallPath, collect_seldom
from moot.extend.stores import describe_place
from moot.extend.studies import Lab, open_lab

Ready = Callable[[Starlette], Awaitable[None]]
"""Is called with the application when its laboratory is open, before the first request."""

LOOPBACK = "127.0.0.1"
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that stop a server: Ctrl-C, ``docker stop``, a closed terminal."""
_AFTER = 5
"""Seconds for responses to be sent when all debates have ended."""


class Server(uvicorn.Server):
    """A server that waits for its debates before it stops.

    The first SIGINT, SIGTERM or SIGHUP lets them end, within the limits; the second stops them.

    Args:
        config: of uvicorn.
        app: the application.

    Attributes:
        on_start: is called when the server listens.
    """

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self.app = app
        self.on_start: Callable[[], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self.servers[0].sockets[0].getsockname()[1]
        return port

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the laboratory, and listen. Raises the ``MootError`` that prevents it."""
        self._loop = asyncio.get_running_loop()
        try:
            await super().startup(sockets)
        except SystemExit:  # uvicorn exits if the application does not start
            trouble = getattr(self.app.state, "trouble", None)
            if trouble is None:  # a fault, which the log has
                raise
            raise trouble from None
        if self.started and self.on_start is not None:
            self.on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Start no more debates, wait for those in progress, and stop."""
        ending = asyncio.create_task(self.app.state.debates.end())
        await super().shutdown(sockets)
        await ending

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 -- uvicorn's
        """Stop at the first signal; stop all debates at the second."""
        if not self.should_exit:
            self.should_exit = True
        elif self._loop is not None and self.started:
            self._loop.call_soon_threadsafe(self.app.state.debates.stop)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while it serves. Unlike uvicorn, do not raise them again at the end."""
        try:
            before = {
                number: signal.signal(number, self.handle_exit)
                for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name))
                if signal.getsignal(number) is not signal.SIG_IGN  # as nohup has it
            }
        except ValueError:  # only the main thread handles signals
            yield
            return
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def make_server(
    config: ServerConfig,
    *,
    host: str = LOOPBACK,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    routes: Sequence[BaseRoute] = (),
    ready: Ready | None = None,
    beside: AbstractAsyncContextManager[object] | None = None,
) -> Server:
    """Return a server, ready to ``serve(sockets=[open_socket(host, port)])``.

    The ``state`` of its application has ``config`` and, when it has started, ``lab``, ``debates``
    and ``measures``.

    Args:
        config: what the owner allows.
        host: the address that it will listen on.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        routes: the routes beside the measures; those of the endpoint and the pages by default.
        ready: prepares more state; a ``MootError`` of it keeps the server from starting.
        beside: is open as long as the application.

    Raises ``InputError`` where no client has a token, and other machines or the pages of every site
    may ask.
    """
    loopback = is_loopback(host)
    if not loopback and not config.clients:
        raise InputError(
            f"--host {host}: other machines reach it, so clients need a token: put one into an "
            "environment variable and name that by --token-env, or give [clients.NAME] with "
            f"token_env or token_file in the server's file; --host {LOOPBACK} needs none"
        )
    if ANY in config.origins and not config.clients:
        raise InputError(
            "origins: * lets the pages of every site ask, so clients need a token: name its "
            "variable by --token-env, or give [clients.NAME] in the server's file; or allow "
            "single origins"
        )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                lab = await stack.enter_async_context(open_lab(store, tables=config.tables))
                lab.use_models(models)
                app.state.lab = lab
                if ready is not None:
                    await ready(app)
                has_pages = config.pages and not routes
                people = PeopleDesk(read_secret(lab.place)) if has_pages else None
                uploads = open_uploads(lab.place, config.uploads) if has_pages else None
            except MootError as error:
                app.state.trouble = error
                raise
            if uploads is not None:
                await stack.enter_async_context(uploads.sweep_at_times())
            debates = open_debates(lab, config, people, uploads)
            app.state.debates = await stack.enter_async_context(debates)
            app.state.measures = Measures(app.state.debates)
            if beside is not None:
                await stack.enter_async_context(beside)
            yield

    default = [*chat.ROUTES, *(pages.list_routes() if config.pages else ())]
    app = Starlette(
        routes=[*server_metrics.ROUTES, *(routes or default)],
        middleware=[
            Middleware(CrossOrigin, origins=config.origins, exposed=(REPLICATE, "retry-after")),
            Middleware(Guard, config=config, loopback=loopback, answer=answer_refusal),
        ],
        exception_handlers={HTTPException: answer_routing_error, MootError: answer_error},
        lifespan=lifespan,
    )
    app.state.config = config
    limits = config.limits
    settings = uvicorn.Config(
        app,
        http=TimedConnection,
        h11_max_incomplete_event_size=limits.head,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",  # the guard logs errors, without the texts of requests
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=limits.idle,  # type: ignore[arg-type]  # fractions work, too
        timeout_graceful_shutdown=ceil(limits.shutdown) + _AFTER,
    )
    return Server(settings, app)


@asynccontextmanager
async def open_debates(
    lab: Lab,
    config: ServerConfig,
    people: PeopleDesk | None = None,
    uploads: Uploads | None = None,
) -> AsyncIterator[LiveDebates]:
    """Open the debates of a server; at the end wait for those in progress, within the limits.

    The parameters are those of ``LiveDebates``.
    """
    lab.path = CallPath(lab.store, retry=config.retry, prices=model_prices(lab, config))
    for past in lab.store.past_replies():
        lab.path.meter.sizes.learn_past(past)
    debates = LiveDebates(lab, config, people, uploads)
    try:
        yield debates
    finally:
        await debates.end()


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens there. Raises ``InputError`` if that is impossible."""
    try:
        if not 0 <= port < 1 << 16:
            raise OverflowError("a port is a number up to 65535")  # noqa: TRY301 -- reported as others
        (family, *_, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        own = socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(
            f"--host {host} --port {port}: {why}; take another port with --port, or a free one "
            "with --port 0"
        ) from None
    # asyncio does this only for sockets that name their protocol. Without it, every reply would
    # wait 40 ms for an acknowledgement of the client.
    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return own


async def serve(
    config: ServerConfig,
    *,
    host: str = LOOPBACK,
    port: int,
    store: str | Path | None,
    told: Callable[[str], None],
) -> None:
    """Serve until a signal comes; cancelling it stops the server as a signal does.

    Args:
        config: what the owner allows.
        host: the address to listen on.
        port: and the port; 0 takes a free one.
        store: the ledger's folder.
        told: is called with each line for the owner.

    Raises:
        InputError: it cannot listen there, or others would need no token.
        StoreError: the store cannot be opened.
    """
    running = make_server(config, host=host, store=store)
    for problem in await list_problems(config):
        told(f"  not ready: {problem}")
    running.on_start = lambda: _tell(running, host, told)
    await run_server(running, host, port)


async def run_server(running: Server, host: str, port: int) -> None:
    """Listen there and serve until a signal comes; see ``serve``."""
    with open_socket(host, port) as own, collect_seldom():
        serving = asyncio.create_task(running.serve(sockets=[own]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:  # else the loop would keep watching a socket that is closed
            running.should_exit = True
            await serving
            raise


async def list_problems(config: ServerConfig) -> list[str]:
    """Return why models that clients may name cannot answer: one text for each cause.

    Models allowed by a pattern are not checked.
    """
    named = [*config.models, *(str(each.settings["model"]) for each in config.presets.values())]
    people = ModelName.list_attended(named) if config.pages else []  # they reply on a page
    asked = [name for name in dict.fromkeys(named) if not name.endswith("*") and name not in people]
    return await Lab.find_problems(config.tables, asked)


def server_url(running: Server, host: str) -> str:
    """Return the URL of a server that listens, without a slash at the end."""
    return f"http://{f'[{host}]' if ':' in host else host}:{running.port}"


def _tell(running: Server, host: str, told: Callable[[str], None]) -> None:
    config: ServerConfig = running.app.state.config
    where = server_url(running, host)
    models = ", ".join(name.partition("?")[0] for name in config.models)
    told(f"moot serves {where}/v1 to programs" + (f" and {where} to people" * config.pages))
    told(f"  models: {models}; presets: {', '.join(config.presets) or 'none'}")
    told(f"  store: {describe_place(running.app.state.lab.place)}")
    print_access(config, host, told)


def print_access(config: ServerConfig, host: str, told: Callable[[str], None]) -> None:
    """Print who may reach a server, and with what token."""
    if config.clients:
        told(f"  clients need a token, that of: {', '.join(config.clients)}")
        if not is_loopback(host):
            told("  tokens are not encrypted: put a proxy with TLS in front of it")
    else:
        told("  only this machine reaches it, and any program on it needs no token")

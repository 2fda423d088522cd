"""``tool/NAME``: a server of tools behind the call path: its results are kept as replies are.

The server speaks the Model Context Protocol, over standard input and output or over HTTP. A call
asks it for its tools, or for one call of a tool. The result is a reply: it is in the ledger before
an agent sees it, and it is never asked for twice.
"""

import asyncio
import logging
import os
import shlex
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any, TextIO
from urllib.parse import urlsplit

import msgspec

from moot.core.calls import Call, Reply
from moot.core.errors import InputError, ModelError, RefusedError
from moot.core.ports import Limits
from moot.core.texts import replace_surrogates
from moot.models.free_model import FreeModel
from moot.models.model_names import ModelName, model_registry

PROVIDER = "tool"
"""The provider of tool servers."""
LIST = "tools/list"
"""The request that asks a server for its tools."""
MOST_KEPT = 100_000
"""Characters of a result that are kept."""
CONNECTION_CLOSED = -32000
"""The code of the protocol's errors where the connection has ended."""
START_SECONDS = 120.0
"""Seconds that a server has to start and to list its tools."""


class ToolInfo(msgspec.Struct, frozen=True):
    """A tool as its server describes it.

    Attributes:
        name: the server's name for it.
        description: what it does, in the server's words.
        schema: the JSON schema of its arguments.
    """

    name: str
    description: str = ""
    schema: dict[str, Any] = {}


class ToolRequest(msgspec.Struct, frozen=True):
    """One call of a tool: its name at the server, and its arguments."""

    tool: str
    arguments: dict[str, Any] = {}


class ToolResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a tool returned.

    Attributes:
        text: its words, or the words of the error.
        failed: whether it is an error.
        left_out: characters of it that are not kept.
    """

    text: str
    failed: bool = False
    left_out: int = 0


class ToolServer(FreeModel):
    """A server of tools, which is started at the first call and ended with the laboratory.

    Args:
        name: ``tool/NAME`` with the options ``command`` or ``url``, ``env`` (names of environment
            variables that it is given, with commas), ``header.NAME`` (the environment variable that
            holds the header's value) and ``seconds`` (the time limit of a call).

    Attributes:
        known: the tools that it listed, once it was asked.
    """

    simulated = False

    def __init__(self, name: ModelName) -> None:
        super().__init__(name.full, Limits(concurrency=8))
        options = dict(name.options)
        self._label = f"tool server {name.model}"
        self._command, self._url = options.pop("command", ""), options.pop("url", "")
        self._env = [each for each in options.pop("env", "").split(",") if each]
        self._seconds = _read_seconds(options.pop("seconds", "30"))
        self._headers = {
            key.removeprefix("header."): options.pop(key)
            for key in list(options)
            if key.startswith("header.")
        }
        if options or not self._seconds or bool(self._command) == bool(self._url):
            raise InputError(
                f"{self._label}: name it as --tool {name.model}=COMMAND or --tool "
                f"{name.model}=http://…; it is no model that could debate"
            )
        self.known: tuple[ToolInfo, ...] | None = None
        self._session: _Session | None = None
        self._opening = asyncio.Lock()

    async def list_tools(self) -> tuple[ToolInfo, ...]:
        """Return the tools that the server has now; it is asked once.

        Raises:
            InputError: it cannot be started, or does not answer.
        """
        if self.known is None:
            try:
                async with asyncio.timeout(START_SECONDS):
                    client = await self._open()
                    listed = await client.list_tools()
            except TimeoutError:
                raise InputError(
                    f"{self._label}: no list of tools within {START_SECONDS:.0f} s"
                ) from None
            except _Unreachable as error:
                raise InputError(f"{self._label}: {error}") from None
            except Exception as error:  # noqa: BLE001 -- a server may break in any way
                raise InputError(f"{self._label}: {self._explain(error)}") from None
            self.known = tuple(
                ToolInfo(each.name, self._clean(each.description or ""), each.input_schema)
                for each in listed.tools
            )
        return self.known

    async def reply(self, call: Call) -> Reply:
        """Return a result as JSON: a list of ``ToolInfo``, or a ``ToolResult``.

        What goes wrong with one call is a result, too: the agent reads it, and the debate goes on.

        Raises:
            RefusedError: it was asked something else, as a model that debates would be.
            ModelError: it was asked for its tools, and does not give them.
        """
        began = perf_counter()
        asked = call.messages[-1].content
        if asked == LIST:
            if self.known is None:
                raise ModelError(f"{self._label}: it does not list its tools")
            text = msgspec.json.encode(self.known)
        else:
            try:
                request = msgspec.json.decode(asked, type=ToolRequest)
            except msgspec.DecodeError:
                raise RefusedError(f"{self._label}: it is no model that could debate") from None
            text = msgspec.json.encode(await self._call(request))
        seconds = perf_counter() - began
        return Reply(
            text=text.decode(), prompt_tokens=0, completion_tokens=0, seconds=seconds, cost=0.0
        )

    async def close(self) -> None:
        """End the server."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _call(self, request: ToolRequest) -> ToolResult:
        """Call a tool. An error is a result, too."""
        try:
            async with asyncio.timeout(self._seconds):
                client = await self._open()
                given = await client.call_tool(request.tool, request.arguments)
        except TimeoutError:
            return ToolResult(f"no result within {self._seconds:g} s", failed=True)
        except _Unreachable as error:
            return ToolResult(str(error), failed=True)
        except Exception as error:  # noqa: BLE001 -- as in list_tools
            why = self._explain(error)
            if getattr(error, "code", CONNECTION_CLOSED) == CONNECTION_CLOSED:
                await self.close()  # the next call starts it again
            return ToolResult(why, failed=True)
        text = self._clean(_text_of(given))
        return ToolResult(text[:MOST_KEPT], bool(given.is_error), max(0, len(text) - MOST_KEPT))

    async def _open(self) -> Any:  # noqa: ANN401 -- mcp is imported where it is used
        """Return the client of a session that is open; a server that ended is started again."""
        async with self._opening:
            if self._session is None:
                self._session = _Session(self._connect)
            session = self._session
            try:
                return await session.open()
            except BaseException:
                await self.close()
                raise

    @asynccontextmanager
    async def _connect(self, log: TextIO) -> AsyncIterator[Any]:
        """Connect to the server. Raises ``_Unreachable`` with the reason in words."""
        try:
            from mcp import Client, StdioServerParameters, stdio_client
            from mcp.client.streamable_http import streamable_http_client
        except ImportError:
            raise _Unreachable(
                "tools need mcp 2, which is not installed: pip install 'moot[mcp]'"
            ) from None
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # what it logs may be secret
        async with AsyncExitStack() as stack:
            if self._url:
                from httpx2 import AsyncClient, Timeout

                headers = {name: self._read(variable) for name, variable in self._headers.items()}
                web = AsyncClient(headers=headers, timeout=Timeout(30, read=self._seconds + 5))
                transport = streamable_http_client(
                    self._url, http_client=await stack.enter_async_context(web)
                )
            else:
                try:
                    command, *arguments = shlex.split(self._command)
                except ValueError as error:
                    raise _Unreachable(f"the command cannot be read: {error}") from None
                given = {name: self._read(name) for name in self._env}
                asked = StdioServerParameters(command=command, args=arguments, env=given)
                transport = stdio_client(asked, errlog=log)
            try:
                client = await stack.enter_async_context(Client(transport))
            except BaseException as error:
                if isinstance(error, asyncio.CancelledError):
                    raise
                raise _Unreachable(f"it does not start: {self._explain(error, log)}") from None
            yield client

    def _read(self, variable: str) -> str:
        """Return the value of an environment variable. Raises ``_Unreachable`` without one."""
        if not (value := os.environ.get(variable)):
            raise _Unreachable(f"the environment variable {variable} is not set")
        return value

    def _clean(self, text: str) -> str:
        """Return a text of the server in which no value of a secret variable stands."""
        for variable in (*self._env, *self._headers.values()):
            if len(value := os.environ.get(variable, "")) > 3:
                for form in (value, value.partition(" ")[2]):  # Bearer TOKEN: the token alone
                    text = text.replace(form, f"[{variable}]") if len(form) > 3 else text
        return replace_surrogates(text).replace("\x00", "")

    def _explain(self, error: BaseException, log: TextIO | None = None) -> str:
        """Return an error of the server in words, with the last line that it wrote to its log."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, FileNotFoundError):
            return f"there is no command {shlex.split(self._command)[0]!r}"
        said = str(error).strip() or type(error).__name__
        if isinstance(error, OSError) or type(error).__module__.startswith("httpx"):
            said = f"{urlsplit(self._url).hostname or self._command}: {said}"
        if log is None and self._session is not None:
            log = self._session.log
        if log is not None:
            with suppress(OSError, ValueError):
                log.seek(0)
                lines = [line.strip() for line in log.readlines()[-20:] if line.strip()]
                said += f" (its last words: {lines[-1][:300]})" if lines else ""
        return self._clean(said)


class _Unreachable(Exception):
    """A server of tools cannot be asked; the text says why."""


class _Session:
    """A connection to a server of tools, kept by one task: it has to open and close it.

    Args:
        connect: connects to the server, given the file that its log goes to.

    Attributes:
        log: the file that the server's log goes to.
    """

    def __init__(self, connect: Any) -> None:  # noqa: ANN401 -- a bound method of ``ToolServer``
        self.log = TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 -- closed in close
        self._ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._keep(connect))

    async def open(self) -> Any:  # noqa: ANN401 -- mcp is imported where it is used
        """Return the client, once it is connected."""
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        """Close the connection, and end the server."""
        self._stop.set()
        if not self._ready.done():
            self._task.cancel()
        with suppress(BaseException):
            await self._task
        self.log.close()

    async def _keep(self, connect: Any) -> None:  # noqa: ANN401 -- as above
        try:
            async with connect(self.log) as client:
                self._ready.set_result(client)
                await self._stop.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                return
            raise


def _read_seconds(text: str) -> float:
    """Return a number of seconds; 0 where it is none."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _text_of(given: Any) -> str:  # noqa: ANN401 -- a CallToolResult of mcp
    """Return the words of a result; what is no text is said in words."""
    parts = []
    for block in given.content:
        resource = getattr(block, "resource", None)
        text = getattr(block, "text", None) or getattr(resource, "text", None)
        parts.append(text if text is not None else f"(moot cannot show it: {block.type}, no text)")
    if not parts and given.structured_content is not None:
        return msgspec.json.encode(given.structured_content).decode()
    return "\n".join(parts) or "(it returned nothing)"


@model_registry.decorate(PROVIDER)
def make_tool_server(name: ModelName) -> ToolServer:
    """Tools for agents, through a server that the user names; it is no model that debates."""
    return ToolServer(name)

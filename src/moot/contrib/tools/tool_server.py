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
from contextlib import AsyncExitStack, asynccontextmanager
from time import perf_counter
from typing import Any, TextIO, TypeVar
from urllib.parse import urlsplit

import msgspec

from moot import (
    Call,
    InputError,
    Limits,
    ModelError,
    ModelName,
    RefusedError,
    Reply,
    TransientError,
    provider,
)
from moot.contrib.tools.masked_secrets import mask_secrets
from moot.contrib.tools.tool_session import ToolSession, find_cause, is_lost
from moot.contrib.tools.whole_lines import register_codec
from moot.extend.calls import FreeModel
from moot.extend.faults import ToolServerDown
from moot.extend.words import on_one_line

T = TypeVar("T")
log = logging.getLogger(__name__)

PROVIDER = "tool"
"""The provider of tool servers."""
LIST = "tools/list"
"""The request that asks a server for its tools."""
MOST_KEPT = 100_000
"""Characters of a result that are kept."""
MOST_PAGES = 100
"""The most pages of a server's list of tools that are read."""
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
        self._session: ToolSession | None = None
        self._opening = asyncio.Lock()

    async def list_tools(self) -> tuple[ToolInfo, ...]:
        """Return the tools that the server has now; it is asked once.

        Raises:
            ToolServerDown: it does not start, or gives no list. The log says why.
        """
        if self.known is None:
            try:
                session = await self._open()
                async with asyncio.timeout(START_SECONDS):
                    listed = await self._read_pages(session.client)
            except Exception as error:  # noqa: BLE001 -- a server may break in any way
                if self._session is not None:  # else it is in the log
                    self._log(error, self._session)
                    await self.close()
                raise ToolServerDown(
                    f"{self._label}: it does not start, or gives no list of its tools; the log of "
                    "moot says why"
                ) from None
            self.known = tuple(
                ToolInfo(each.name, *self._clean([each.description or "", each.input_schema]))
                for each in listed
            )
        return self.known

    async def check(self) -> None:
        """Check that it can be asked, before the first call of a run. Raises as ``list_tools``."""
        await self.list_tools()

    async def reply(self, call: Call) -> Reply:
        """Return a result as JSON: a list of ``ToolInfo``, or a ``ToolResult``.

        What a tool says of its failure is a result, too: the agent reads it, and the debate goes
        on. A server that cannot be reached has no result.

        Raises:
            RefusedError: it was asked something else, as a model that debates would be.
            TransientError: the server cannot be reached, or gives no result in time.
            ModelError: it was asked for its tools, and does not give them.
        """
        began = perf_counter()
        asked = call.messages[-1].content
        if call.scene is not None:  # an agent's prompt: a model is asked so, a tool never
            raise RefusedError(f"{self._label}: it is no model that could debate")
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
        """Call a tool. What the server says of an error is a result; no answer is none."""
        try:
            session = await self._open()
        except Exception:  # noqa: BLE001 -- as in list_tools
            raise TransientError(f"{self._label}: it cannot be reached") from None
        try:
            async with asyncio.timeout(self._seconds) as limit:
                given = await session.client.call_tool(request.tool, request.arguments)
        except Exception as error:  # noqa: BLE001 -- as in list_tools
            if limit.expired():
                why = f"{self._label}: no result within {self._seconds:g} s"
                raise TransientError(why) from None
            fault = find_cause(error)
            if session is not self._session or is_lost(fault, http=bool(self._url)):
                if session is self._session:  # another call may have opened a new one
                    self._log(fault, session)
                    await self.close()
                raise TransientError(f"{self._label}: the connection was lost") from None
            if hasattr(fault, "code"):  # the server's own words
                return ToolResult(self._clean(str(fault)), failed=True)
            self._log(fault)
            return ToolResult("its result cannot be read", failed=True)
        text = self._clean(_text_of(given))
        return ToolResult(text[:MOST_KEPT], bool(given.is_error), max(0, len(text) - MOST_KEPT))

    async def _open(self) -> ToolSession:
        """Return a session that is open; a server that ended is started again."""
        async with self._opening:
            if self._session is None:
                self._session = ToolSession(self._connect)
            session = self._session
            try:
                async with asyncio.timeout(START_SECONDS):
                    await session.open()
            except BaseException as error:
                if isinstance(error, Exception):
                    self._log(error, session)
                await self.close()
                raise
            return session

    async def _read_pages(self, client: Any) -> list[Any]:  # noqa: ANN401 -- of mcp, as below
        """Return all tools that the server lists, page by page."""
        found, cursor = [], None
        for _ in range(MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            found += page.tools
            if (cursor := page.next_cursor) is None:
                return found
        log.warning("%s: only %d pages of its tools are read", self._label, MOST_PAGES)
        return found

    @asynccontextmanager
    async def _connect(self, errors: TextIO) -> AsyncIterator[Any]:
        """Connect to the server, whose log goes to a file. Raises ``ModelError`` in words."""
        try:
            from mcp import Client, StdioServerParameters, stdio_client
            from mcp.client.streamable_http import streamable_http_client
        except ImportError:
            raise ModelError(
                "tools need mcp 2, which is not installed: pip install 'moot[mcp]'"
            ) from None
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # what it logs may be secret
        async with AsyncExitStack() as stack:
            if self._url:
                from httpx2 import AsyncClient, Timeout

                headers = {name: self._read(variable) for name, variable in self._headers.items()}
                web = AsyncClient(
                    headers=headers,
                    timeout=Timeout(30, read=self._seconds + 5),
                    event_hooks={"response": [_check_status]},
                )
                transport = streamable_http_client(
                    self._url, http_client=await stack.enter_async_context(web)
                )
            else:
                try:
                    command, *arguments = shlex.split(self._command)
                except ValueError as error:
                    raise ModelError(f"the command cannot be read: {error}") from None
                given = {name: self._read(name) for name in self._env}
                asked = StdioServerParameters(
                    command=command, args=arguments, env=given, encoding=register_codec()
                )
                transport = stdio_client(asked, errlog=errors)
            yield await stack.enter_async_context(Client(transport))

    def _read(self, variable: str) -> str:
        """Return the value of an environment variable. Raises ``ModelError`` without one."""
        if not (value := os.environ.get(variable)):
            raise ModelError(f"the environment variable {variable} is not set")
        return value

    def _clean(self, text: T) -> T:
        """Return what the server said without the values of secret variables."""
        return mask_secrets(text, (*self._env, *self._headers.values()))

    def _log(self, error: BaseException, session: ToolSession | None = None) -> None:
        """Log an error of the server for moot's owner, with the last line that it wrote.

        No one else reads it: it may name files of this machine.
        """
        error = find_cause(error)
        said = str(error).strip() or type(error).__name__
        if isinstance(error, TimeoutError):
            said = "it does not answer in time"
        elif isinstance(error, FileNotFoundError) and self._command:
            said = f"there is no command {shlex.split(self._command)[0]!r}"
        elif isinstance(error, OSError) or type(error).__module__.startswith("httpx"):
            said = f"{urlsplit(self._url).hostname or self._command}: {said}"
        said += session.last_words() if session is not None else ""
        log.warning("%s: %s", self._label, on_one_line(self._clean(said), 500))


async def _check_status(response: Any) -> None:  # noqa: ANN401 -- of httpx2, which mcp brings
    """Raise the error of a response that is no reply of the tool: no access, too busy, or down."""
    if response.status_code in {401, 402, 403, 407, 408, 429} or response.status_code >= 500:
        response.raise_for_status()


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
        text = getattr(block, "text", None)
        if text is None:
            text = getattr(getattr(block, "resource", None), "text", None)
        parts.append(text if text is not None else f"(moot cannot show it: {block.type}, no text)")
    if not parts and given.structured_content is not None:
        return msgspec.json.encode(given.structured_content).decode()
    return "\n".join(parts) or "(it returned nothing)"


@provider(PROVIDER, debates=False)
def make_tool_server(name: ModelName) -> ToolServer:
    """Tools for agents, through a server that the user names; it is no model that debates."""
    return ToolServer(name)

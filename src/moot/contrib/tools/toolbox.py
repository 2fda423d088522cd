"""Toolbox: the tools that agents may call, and the servers that the user named for them."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import msgspec
from msgspec import Meta

from moot import Call, Draw, InputError, Message, Model, UnknownName
from moot.contrib.documents.settings import is_tool
from moot.contrib.tools.tool_arguments import (
    describe_arguments,
    find_query,
    list_arguments,
    write_example,
)
from moot.contrib.tools.tool_server import LIST, PROVIDER, ToolInfo, ToolServer
from moot.extend.calls import CallPath
from moot.extend.faults import ToolServerDown, check_known, split_fault
from moot.extend.protocols import DebateSettings
from moot.extend.records import Seat
from moot.extend.words import break_control_words, on_one_line

log = logging.getLogger(__name__)

MOST_SERVERS = 9
"""The most servers of one debate."""
LONGEST_DESCRIPTION = 300
"""Characters of a tool's description that agents read; it is the server's text."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ToolTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A server of tools, as the setting ``tools`` lists it.

    Attributes:
        name: the user's name for it; agents call ``NAME.TOOL``.
        command: the command that starts it, where it speaks over standard input and output.
        url: its address, where it speaks over HTTP.
        allow: the tools that may be called; no other is.
        env: the environment variables that the command is given, by name.
        headers: of its requests, each with the environment variable that holds the value.
        seconds: the time limit of a call.
        characters: the most characters of a result that an agent reads.
    """

    name: str
    command: str = ""
    url: str = ""
    allow: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    headers: dict[str, str] = {}
    seconds: Annotated[float, Meta(gt=0, le=3600)] = 30.0
    characters: Annotated[int, Meta(ge=1)] = 4000

    @property
    def model(self) -> str:
        """The name of its model: what its calls are kept under. It has no value of a secret."""
        options = {"command": self.command, "url": self.url, "env": ",".join(self.env)}
        options |= {f"header.{name}": variable for name, variable in self.headers.items()}
        options |= {"seconds": f"{self.seconds:g}"}
        given = {name: value for name, value in options.items() if value}
        return f"{PROVIDER}/{self.name}?{urlencode(given)}"


class _NamedTools(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that name servers, and sources that may be tools."""

    tools: tuple[ToolTable, ...] = ()
    sources: tuple[str, ...] = ()


class Tool(NamedTuple):
    """A tool that an agent may call.

    Attributes:
        name: as agents call it: ``NAME.TOOL``.
        table: its server.
        server: the model that answers for it.
        info: what the server says of it.
    """

    name: str
    table: ToolTable
    server: Model
    info: ToolInfo

    @property
    def shown(self) -> dict[str, str]:
        """What a prompt says of it, each on a line: name, purpose, arguments and an example."""
        arguments = list_arguments(self.info.schema)
        shown = {
            "name": self.name,
            "purpose": on_one_line(self.info.description, LONGEST_DESCRIPTION),
            "arguments": describe_arguments(arguments),
            "example": write_example(arguments),
        }
        return {name: break_control_words(text) for name, text in shown.items()}


Toolbox = Mapping[str, tuple[ToolInfo, ...]]
"""The tools of each server, by the name of its model."""


def check_tools(tools: Sequence[Any], where: str) -> Sequence[dict[str, Any]]:
    """Return the tables of servers with every value of its type. An error names the table.

    Raises:
        UnknownName: a key that does not exist.
        InputError: a value of the wrong type, a server without an address or with two, two servers
            of one name, or more than nine.
    """
    made: dict[str, ToolTable] = {}
    for number, entry in enumerate(tools, 1):
        place = f"{where}: tools[{number}]"
        check_known("key", entry, ToolTable.__struct_fields__, where=place)
        try:
            table = msgspec.convert(dict(entry), ToolTable)
        except msgspec.ValidationError as error:
            key, fault = split_fault(error)
            raise InputError(f"{place}: {key}: {fault[:1].lower()}{fault[1:]}") from None
        _check_table(table, place)
        if table.name in made:
            raise InputError(f"{place}: two servers are named {table.name}")
        made[table.name] = table
    if len(made) > MOST_SERVERS:
        raise InputError(f"{where}: tools: {len(made)} servers, and at most {MOST_SERVERS} can be")
    plain: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode([*made.values()]))
    return plain or ()


def _check_table(table: ToolTable, place: str) -> None:
    if not _NAME.fullmatch(table.name):
        raise InputError(f"{place}: name = {table.name!r}: letters, digits, - and _ make a name")
    if bool(table.command.strip()) == bool(table.url):
        raise InputError(f"{place}: give it a command, or the url of a server; one of the two")
    address = urlsplit(table.url)
    if table.url and (address.scheme not in {"http", "https"} or not address.hostname):
        raise InputError(f"{place}: url: write http://… or https://…")
    if address.username or address.password:
        raise InputError(f"{place}: url: a name or password would be stored; use headers")
    if table.command and table.headers:
        raise InputError(f"{place}: headers: a command takes none; use env")
    if table.url and table.env:
        raise InputError(f"{place}: env: an address takes none; use headers")
    for variable in (*table.env, *table.headers.values()):
        if not _VARIABLE.fullmatch(variable):
            raise InputError(
                f"{place}: env and headers name environment variables, such as DOCS_TOKEN; what "
                "stands here would be stored, and is no name of a variable"
            )


def _read_named(settings: Mapping[str, Any]) -> _NamedTools:
    return msgspec.convert(settings, _NamedTools, strict=False)


def read_tables(settings: Mapping[str, Any]) -> tuple[ToolTable, ...]:
    """Return the servers that settings name, each once."""
    return _read_named(settings).tools


def choose_tables(
    settings: Mapping[str, Any], named: Sequence[str] | None
) -> tuple[ToolTable, ...]:
    """Return the servers of an agent: those of the debate, or those of them that it names."""
    tables = read_tables(settings)
    return tables if named is None else tuple(each for each in tables if each.name in named)


def find_source_tool(
    source: str, settings: Mapping[str, Any], toolbox: Toolbox, model: Callable[[str], Model]
) -> tuple[Tool, str] | None:
    """Return the tool that the setting ``sources`` names, and the argument that a query is.

    None in a rehearsal, which asks no server.

    Raises:
        InputError: there is no such tool, it is not allowed, or a query is not enough for it.
    """
    tables = read_tables(settings)
    if not any(table.model in toolbox for table in tables):
        return None
    tools = offer_tools(toolbox, tables, model)
    check_known("tool", [source], tools, where="sources")
    arguments = list_arguments(tools[source].info.schema)
    if (found := find_query(arguments)) is None:
        raise InputError(
            f"sources: {source} takes {describe_arguments(arguments)}: name a tool that needs one "
            "text and nothing else, which the query is"
        )
    return tools[source], found


async def open_toolbox(
    settings: DebateSettings, model: Callable[[str], Model], path: CallPath
) -> tuple[Toolbox, CallPath]:
    """Return the tools of all servers in these settings, those within included, and a path.

    A server is asked for its tools, and its list is kept in the ledger. Where it does not answer,
    its last list there is taken, so that a debate can be replayed without it: then the path is one
    that pays for nothing.

    Raises:
        InputError: a server does not start and no list of it is kept; nothing of it is allowed;
            what is allowed is not there; or a source cannot be searched. Nothing else was called.
    """
    found: dict[str, tuple[ToolInfo, ...]] = {}
    asked, every = path, [each.flat for each in settings.every]
    for table in chain.from_iterable(map(read_tables, every)):
        server = model(table.model)
        if not isinstance(server, ToolServer):  # a rehearsal asks none
            continue
        if table.model not in found:
            found[table.model], problem = await _list_tools(server, asked)
            path = path if problem is None else asked.replay_only(problem)
        offered = found[table.model]
        names = [each.name for each in offered]
        if not table.allow:
            told = "; ".join(
                f"{on_one_line(each.name)} ({on_one_line(each.description)})" for each in offered
            )
            raise InputError(
                f"tool server {table.name}: none of its tools is allowed, so none would be called. "
                f"It offers {told or 'none'}. Allow some: --allow {table.name}."
                f"{next(iter(names), 'TOOL')}, or allow = [{next(iter(names), 'TOOL')!r}] in a file"
            )
        for name in table.allow:
            if name not in names:
                raise UnknownName("tool", name, names, where=f"tool server {table.name}")
    for each in every:
        for source in _read_named(each).sources:
            if is_tool(source, each):
                find_source_tool(source, each, found, model)
    return found, path


async def _list_tools(
    server: ToolServer, path: CallPath
) -> tuple[tuple[ToolInfo, ...], ToolServerDown | None]:
    """Return the tools that a server lists now, or those of its last list and why it is down.

    A list that differs from the last one that is kept is kept as another draw.
    """
    problem: ToolServerDown | None = None
    try:
        listed = await server.list_tools()
    except ToolServerDown as error:
        problem, listed, path = error, (), path.replay_only(error)
    kept: tuple[ToolInfo, ...] | None = None
    for repeat in count():
        asked = (Message("user", LIST),)
        call = Call(model=server.name, messages=asked, draw=Draw(repeat=repeat))
        try:
            reply = await path.reply(server, call, call.request())
        except ToolServerDown:
            break
        kept = msgspec.json.decode(reply.text, type=tuple[ToolInfo, ...])
        if problem is None and kept == listed:
            return kept, None
    if kept is None:
        assert problem is not None
        raise problem
    log.warning("%s; the debate is replayed from the ledger as far as it stands there", problem)
    return kept, problem


def offer_tools(
    toolbox: Toolbox, tables: Sequence[ToolTable], model: Callable[[str], Model]
) -> dict[str, Tool]:
    """Return the tools that an agent may call, by the names by which it calls them."""
    return {
        f"{table.name}.{info.name}": Tool(
            f"{table.name}.{info.name}", table, model(table.model), info
        )
        for table in tables
        for info in toolbox.get(table.model, ())
        if info.name in table.allow
    }


def seat_tools(settings: Mapping[str, Any], first: int, node: str) -> list[Seat]:
    """Return the seats of a debate's servers. Their numbers are below 0: they draw nothing.

    Args:
        settings: of the debate.
        first: the number of the debate's first seat.
        node: the sub-debate's name; empty for a debate of its own.
    """
    return [
        Seat(
            number=-(first * (MOST_SERVERS + 1) + place),
            agent=f"{node}/{table.name}" if node else table.name,
            role=PROVIDER,
            model=f"{PROVIDER}/{table.name}",
            node=node,
            debater=False,
        )
        for place, table in enumerate(read_tables(settings), 1)
    ]

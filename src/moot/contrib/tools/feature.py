"""Tools: an agent asks for one in its reply, reads what it returns, and goes on."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from moot import (
    Agent,
    Call,
    Draw,
    InputError,
    Message,
    ModelError,
    Parsed,
    Question,
    Reply,
    Turn,
    View,
)
from moot.contrib.tools.tool_call import ToolCallLine, UncalledTool, find_tool_call
from moot.contrib.tools.tool_server import PROVIDER, ToolRequest, ToolResult
from moot.contrib.tools.toolbox import (
    Tool,
    Toolbox,
    check_tools,
    choose_tables,
    find_source_tool,
    offer_tools,
    open_toolbox,
    read_tables,
    seat_tools,
)
from moot.extend.calls import identity
from moot.extend.faults import check_known
from moot.extend.protocols import (
    OMITTED,
    Calls,
    DebateSettings,
    Environment,
    Exchange,
    Feature,
    Pack,
)
from moot.extend.records import Passage, Seated, ToolCall
from moot.extend.words import fence_text, make_visible, on_one_line

TOOL = "tool"
"""The table of the prompts."""
MAX_TOOL_CALLS = 3
"""How often an agent may call a tool each time it is asked, where nothing else is set."""
LONGEST = 24
"""Characters of a tool's name that a reading has."""
Fetch = Callable[[Exchange], Awaitable[Exchange]]
"""Makes an exchange's call and reads the reply. It records nothing."""
NOT_CALLED = "not called"
"""The step of the turn that answers a call that is not made."""
FAILED = "failed: "
"""What the transcript's words of an error begin with."""


class ToolDelivery(NamedTuple):
    """What an agent is given for a call.

    Attributes:
        turn: the turn that records it.
        text: its words, or those of the error.
        left_out: the characters that the agent does not read.
    """

    turn: Turn
    text: str
    left_out: int


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of tools."""

    tools: Annotated[
        tuple[dict[str, Any], ...],
        Meta(
            description="MCP servers whose tools agents may call: tools = [{name, command or url, "
            "allow = […]}, …]",
            extra=OMITTED,
        ),
    ] = ()
    max_tool_calls: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="how often an agent may call a tool each time it is asked",
            extra=OMITTED,
        ),
    ] = MAX_TOOL_CALLS


class AgentTools(msgspec.Struct, frozen=True, kw_only=True):
    """The tools of one agent.

    Attributes:
        tools: the names of the servers whose tools it may call; all of the debate without it.
    """

    tools: list[str] | msgspec.UnsetType = msgspec.UNSET


class Tools(Feature):
    """Agents may call tools of the servers that the user names."""

    names = ("tools", "max_tool_calls")
    Settings = ToolSettings
    PerAgent = AgentTools

    def is_on(self, own: ToolSettings) -> bool:
        """Return whether there is a server."""
        return bool(own.tools)

    def check(
        self, own: ToolSettings, whole: DebateSettings, place: str, pack: Pack
    ) -> ToolSettings:
        """Return the settings with every value of a server of its type.

        Raises:
            InputError: a server is not as it should be, see ``check_tools``; an agent names another
                one; or the confidence takes further draws of an answer, which may call other tools.
        """
        checked = tuple(check_tools(own.tools, place))
        known = [each["name"] for each in checked]
        for number, entry in enumerate(whole.cast, 1):
            named = entry.get("tools", ())
            check_known("tool server", named, known, where=f"{place}: agents[{number}]")
        if known and whole["confidence"] in {"consistency", "p-true"}:
            raise InputError(
                f"{place}: confidence = {whole['confidence']!r} takes further calls for an answer, "
                "and agents with tools answer after calls of their own; choose a scale, such as "
                "percent"
            )
        return msgspec.structs.replace(own, tools=checked)

    def count(self, own: ToolSettings, calls: Calls, whole: DebateSettings) -> Calls:
        """Return the calls with those of tools, and a reply after each; a formula may have them."""
        if not own.tools:  # an agent is said to have none
            return calls
        times = 1 if "tools" in calls.formula else 1 + 2 * own.max_tool_calls
        return calls._replace(most=calls.most * times)

    def called(self, own: ToolSettings) -> Iterator[str]:
        """Yield the names under which servers are called."""
        return (table.model for table in read_tables({"tools": own.tools}))

    async def open(
        self,
        own: ToolSettings,
        question: Question,
        environment: Environment,
    ) -> Toolbox:
        """Return the tools of all servers; see ``open_toolbox``.

        Raises:
            InputError: the question is secret.
        """
        toolbox, environment.path = await open_toolbox(
            environment.settings, environment.model, environment.path
        )
        if toolbox and question.secret:
            raise InputError("tools: a secret question would be sent to servers; leave tools out")
        return toolbox

    async def begin(self, debate: Any, state: Toolbox) -> None:  # noqa: ANN401 -- a Debate
        """Record the seats of servers."""
        context = debate.context
        for seat in seat_tools(context.settings, context.seat, context.node):
            debate.record(Seated(seat=seat))

    def inherit(self, state: Toolbox | None, inner: Any) -> Toolbox | None:  # noqa: ANN401 -- see Feature
        """Return the same tools; None for a conversation beside the debate, without debaters."""
        return None if inner.aside else state or {}

    def lines(self, state: Toolbox, exchange: Exchange) -> str:
        """Return the text that tells an agent of its tools."""
        tools = _offer_tools(state, exchange)
        if not tools:
            return ""
        shown = [each.shown for each in tools.values()]
        pack, most = exchange.turns.context.pack, _most_calls(exchange)
        return pack.word(TOOL, "offered", tools=shown, most=most)

    async def around(self, state: Toolbox, exchange: Exchange, fetch: Fetch) -> Exchange:
        """Send a prompt; while the agent calls tools, send it what they return.

        The numbers of all turns that there may be are taken first, so that the order in which
        replies arrive has no effect; those that are not needed are a gap.
        """
        tools = _offer_tools(state, exchange)
        if not tools:
            return await fetch(exchange)
        most = _most_calls(exchange)
        numbers = [exchange.turns.take() for _ in range(2 * most)]
        kept: tuple[Message, ...] = ()
        for left in range(most, -1, -1):
            await fetch(exchange)
            prompt, form, text = exchange.prompt, exchange.form, exchange.reply.text
            kept = (*kept, *(prompt.kept or form.prompt))
            line = find_tool_call(text)
            if line is None:
                break
            if not left:
                uncalled = UncalledTool(tool=on_one_line(line.name, LONGEST))
                exchange.parsed = Parsed(None, uncalled)
                break
            delivered = await _deliver(exchange, line, tools, numbers.pop(0))
            said = Message("assistant", text[: line.end])
            kept = (*kept, said)
            told = _word_result(exchange, line, delivered, left - 1)
            exchange = exchange.go_on(numbers.pop(0), said, delivered.turn.id, told)
        exchange.prompt = exchange.prompt._replace(kept=kept)
        return exchange


FEATURE = Tools()


async def call_for(debate: Any, asked: View, name: str, query: str) -> tuple[Passage, ...]:  # noqa: ANN401 -- a Debate, which stands above
    """Call a tool for an agent that wrote a query, and return what it returned.

    An error of the tool is recorded, and is no passage. There is none, too, where the server is not
    there, as in a rehearsal.

    Args:
        debate: the debate.
        asked: the view of the agent's turn.
        name: of the tool, ``NAME.TOOL``.
        query: what it is given, see ``find_source_tool``.
    """
    context = debate.context
    toolbox = next((each.state for each in context.features if each.feature is FEATURE), None) or {}
    found = find_source_tool(name, context.settings, toolbox, context.model)
    if found is None:
        return ()
    (tool, argument), turns = found, debate.turns
    delivered = await _call(turns, asked.agent, asked.turn.id, tool, {argument: query})
    turns.record(delivered.turn)
    if delivered.turn.finish == "other" or not delivered.text:
        return ()
    left = delivered.left_out
    told = f"{name}, {left} more characters were left out" if left else name
    return (Passage(1, told, delivered.text),)


def _offer_tools(toolbox: Toolbox, exchange: Exchange) -> Mapping[str, Tool]:
    """Return the tools that an agent may call in this turn, by name.

    Agents that answer for themselves may, where their reply is free text and an answer.
    """
    agent, context = exchange.agent, exchange.turns.context
    tables = choose_tables(context.settings, agent.config.own.get("tools"))
    if not (tables and exchange.votes and agent.seat.debater):
        return {}
    if exchange.parser.schema:
        return {}
    return offer_tools(toolbox, tables, context.model)


def _most_calls(exchange: Exchange) -> int:
    most: int = exchange.turns.context.settings.get("max_tool_calls", MAX_TOOL_CALLS)
    return most


async def _deliver(
    exchange: Exchange, line: ToolCallLine, tools: Mapping[str, Tool], number: int
) -> ToolDelivery:
    """Record an agent's call, make it, and record what it returned."""
    turns = exchange.turns
    call = ToolCall.of(f"call-{exchange.number}", line.name, line.written)
    exchange.record_aside(tool_calls=(call,))
    tool = tools.get(line.name) or _find_bare(line.name, tools)
    if tool is None or line.arguments is None:
        delivered = _refuse(exchange, tools, tool, number)
    else:
        agent, by = exchange.agent, exchange.number
        delivered = await _call(turns, agent, by, tool, line.arguments, number)
    turns.record(delivered.turn)
    return delivered


def _find_bare(name: str, tools: Mapping[str, Tool]) -> Tool | None:
    """Return the one tool that has this name at its server; None where there is not one."""
    found = [each for each in tools.values() if each.info.name == name]
    return found[0] if len(found) == 1 else None


def _refuse(
    exchange: Exchange, tools: Mapping[str, Tool], tool: Tool | None, number: int
) -> ToolDelivery:
    """Return the answer to a call that is not made: it names no tool, or cannot be read."""
    if tool is None:
        why = f"You have no tool of that name. Your tools: {', '.join(tools)}."
    else:
        why = f"The arguments are not JSON. Write them as {tool.shown['example']}."
    chosen = tool or next(iter(tools.values()))
    result = Reply(text=why, prompt_tokens=0, completion_tokens=0, cost=0.0, finish="other")
    by = exchange.number
    turn = _result_turn(exchange.turns, exchange.agent, by, chosen, result, number, "")
    return ToolDelivery(msgspec.structs.replace(turn, step=NOT_CALLED), why, 0)


async def _call(
    turns: Any,  # noqa: ANN401 -- those of the debate
    agent: Agent,
    by: int,
    tool: Tool,
    arguments: dict[str, object],
    number: int | None = None,
) -> ToolDelivery:
    """Call a tool through the ledger, and return what the agent reads of its result.

    Args:
        turns: of the debate.
        agent: for whom.
        by: the turn that asks for it.
        tool: what is called.
        arguments: of the call.
        number: of the turn that records the result; None for the next one.
    """
    context, seat = turns.context, agent.seat
    number = turns.take() if number is None else number
    request = msgspec.json.encode(ToolRequest(tool.info.name, arguments), order="sorted")
    draw = Draw(context.replicate, seat.number if seat.draws_as is None else seat.draws_as)
    call = Call(model=tool.server.name, messages=(Message("user", request.decode()),), draw=draw)
    key = identity(call.request(), draw)
    if repeat := turns.asked[key]:
        call = msgspec.structs.replace(call, draw=draw._replace(repeat=repeat))
    turns.asked[key] += 1
    body = call.request()
    urgency = (-agent.round, context.number)
    own = identity(body, call.draw)
    reply = await context.path.reply(tool.server, call, body, own, urgency=urgency)
    try:
        result = msgspec.json.decode(reply.text, type=ToolResult)
    except msgspec.DecodeError:
        raise ModelError(f"{tool.name}: what the ledger has of its result is damaged") from None
    text = make_visible(result.text)
    cut = text[: tool.table.characters]
    left_out = len(text) - len(cut) + result.left_out
    finish = "other" if result.failed else "length" if left_out else "stop"
    told = f"{FAILED}{cut}" if result.failed else cut
    given = msgspec.structs.replace(reply, text=told, finish=finish)
    return ToolDelivery(
        _result_turn(turns, agent, by, tool, given, number, own.hex()), cut, left_out
    )


def _result_turn(
    turns: Any,  # noqa: ANN401 -- those of the debate
    agent: Agent,
    by: int,
    tool: Tool,
    reply: Reply,
    number: int,
    call: str,
) -> Turn:
    """Return the turn that records what a tool returned, or why it was not called."""
    context, name = turns.context, tool.table.name
    seats = seat_tools(context.settings, context.seat, context.node)
    seat = next(each for each in seats if each.agent.rpartition("/")[2] == name)
    return Turn(
        id=number,
        agent=seat.agent,
        seat=seat.number,
        role=PROVIDER,
        step=tool.info.name,
        round=agent.round,
        model=seat.model if call else Turn.GIVEN,
        text=reply.text,
        answer=None,
        reads=(by,),
        call=call,
        finish=reply.finish,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        seconds=reply.seconds,
        cost=reply.cost,
        retries=reply.retries,
        replayed=reply.replayed,
        node=context.node,
        parser="text",
        votes=False,
    )


def _word_result(
    exchange: Exchange, line: ToolCallLine, delivered: ToolDelivery, left: int
) -> Iterator[Message]:
    """Yield the message that shows a result, then shorter ones for too small a window."""
    pack, text = exchange.turns.context.pack, delivered.text
    called = not delivered.turn.is_given
    for share in (1.0, 0.25, 0.0) if called else (1.0,):
        shown = text[: int(len(text) * share)]
        slots = {
            "name": line.name,
            "text": fence_text(shown, as_data=True) if called and shown else shown,
            "failed": delivered.turn.finish == "other",
            "called": called,
            "left_out": delivered.left_out + len(text) - len(shown),
            "left": left,
        }
        yield Message("user", pack.word(TOOL, "returned", **slots))

"""Tools: agents may call those of the servers that the user names before they answer."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, check_known
from moot.core.events import Seated
from moot.core.questions import Question
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import Calls, Environment, Feature
from moot.debate.protocol_settings import MAX_TOOL_CALLS, OMITTED, AgentEntry
from moot.debate.toolbox import Toolbox, check_tools, open_toolbox, read_tables, seat_tools
from moot.prompts.packs import Pack


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of tools."""

    tools: Annotated[
        tuple[AgentEntry, ...],
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
            environment.settings.flat, environment.model, environment.path
        )
        if toolbox and question.secret:
            raise InputError("tools: a secret question would be sent to servers; leave tools out")
        return toolbox

    async def begin(self, debate: Any, state: Toolbox) -> None:  # noqa: ANN401 -- a Debate; as every feature's
        """Record the seats of servers."""
        context = debate.context
        for seat in seat_tools(context.settings, context.seat, context.node):
            debate.record(Seated(seat=seat))


FEATURE = Tools()

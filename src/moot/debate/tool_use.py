"""Tool use: an agent asks for a tool in its reply, reads what it returns, and goes on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from moot.core.calls import Call, Draw, Finish, Reply, identity
from moot.core.display_text import make_visible, on_one_line
from moot.core.errors import ModelError
from moot.core.events import GIVEN, Turn
from moot.core.fence import fence_data
from moot.core.messages import FunctionCall, Message, ToolCall
from moot.core.passages import Passage
from moot.core.readings import LONGEST
from moot.debate.agents import Agent
from moot.debate.asking import CallRequest, Sent
from moot.debate.prompting import Prompt
from moot.debate.protocol_settings import MAX_TOOL_CALLS
from moot.debate.sent_prompts import SentPrompt
from moot.debate.toolbox import Tool, find_source_tool, offer_tools, seat_tools
from moot.debate.turn_sender import TurnSender
from moot.debate.views import View
from moot.debate.window import PromptForm
from moot.models.tool import PROVIDER, ToolRequest, ToolResult
from moot.parsing.parser import Parsed
from moot.parsing.parser import registry as parsers
from moot.parsing.tool_call import ToolCallLine, UncalledTool, find_tool_call
from moot.prompts.packs import TOOL, Step

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


@dataclass(slots=True)
class ToolSender(TurnSender):
    """Sends prompts to agents that may call tools before they answer."""

    def _offer_tools(self, agent: Agent, template: Step, *, votes: bool) -> Mapping[str, Tool]:
        """Return the tools that an agent may call in this turn, by name.

        Agents that answer for themselves may, where their reply is free text and an answer.
        """
        tables = agent.config.tools
        if not (tables and votes and agent.seat.debater):
            return {}
        if parsers.get(self.context.pack.reads_as(template, agent.config.style)).schema:
            return {}
        return offer_tools(self.context.toolbox, tables, self.context.model)

    def _describe_tools(self, tools: Mapping[str, Tool]) -> str:
        """Return the text that tells an agent of its tools; empty where it has none."""
        if not tools:
            return ""
        shown = [each.shown for each in tools.values()]
        return self.context.pack.word(TOOL, "offered", tools=shown, most=self._most_calls)

    @property
    def _most_calls(self) -> int:
        most: int = self.context.settings.get("max_tool_calls", MAX_TOOL_CALLS)
        return most

    async def _ask_with_tools(
        self, asking: CallRequest, prompt: Prompt, tools: Mapping[str, Tool]
    ) -> View:
        """Send a prompt; while the agent calls tools, send it what they return.

        The numbers of all turns that there may be are taken first, so that the order in which
        replies arrive has no effect; those that are not needed are a gap.
        """
        most = self._most_calls
        numbers = [self._number() for _ in range(2 * most)]
        kept: tuple[Message, ...] = ()
        for left in range(most, -1, -1):
            sent, parsed = await self._fetch(asking, prompt)
            kept = (*kept, *(prompt.kept or sent.draft.prompt))
            line = find_tool_call(sent.reply.text)
            if line is None:
                break
            if not left:
                parsed = Parsed(None, UncalledTool(tool=on_one_line(line.name, LONGEST)))
                break
            delivered = await self._deliver(asking, sent, line, tools, numbers.pop(0))
            said = Message("assistant", sent.reply.text[: line.end])
            forms = self._word_result(line, delivered, left - 1)
            heard = sent.draft.heard | {asking.number: None, delivered.turn.id: None}
            drafts = [
                PromptForm(
                    (*sent.draft.messages, said, form), (form,), heard, sent.draft.shown, cut
                )
                for cut, form in enumerate(forms)
            ]
            kept = (*kept, said)
            prompt = prompt._replace(drafts=iter(drafts), kept=None)
            asking = msgspec.structs.replace(asking, number=numbers.pop(0))
        return self._keep_turn(asking, prompt._replace(kept=kept), sent, parsed)

    async def _deliver(
        self,
        asking: CallRequest,
        sent: Sent,
        line: ToolCallLine,
        tools: Mapping[str, Tool],
        number: int,
    ) -> ToolDelivery:
        """Record an agent's call, make it, and record what it returned."""
        call = ToolCall(f"call-{asking.number}", FunctionCall(line.name, line.written))
        apart = msgspec.structs.replace(asking, votes=False, reads_as="text")
        made = apart.turn(sent.draft, sent.reply, sent.call, Parsed(None), sent.share)
        self.record(msgspec.structs.replace(made, tool_calls=(call,)))
        said = Message("assistant", sent.reply.text)
        self.context.sent.add(
            made.id, made.seat, SentPrompt(made.model, (*sent.draft.messages, said))
        )
        tool = tools.get(line.name) or self._find_bare(line.name, tools)
        if tool is None or line.arguments is None:
            delivered = self._refuse(asking, tools, tool, number)
        else:
            delivered = await self._call(asking.agent, asking.number, tool, line.arguments, number)
        self.record(delivered.turn)
        return delivered

    def _find_bare(self, name: str, tools: Mapping[str, Tool]) -> Tool | None:
        """Return the one tool that has this name at its server; None where there is not one."""
        found = [each for each in tools.values() if each.info.name == name]
        return found[0] if len(found) == 1 else None

    def _refuse(
        self,
        asking: CallRequest,
        tools: Mapping[str, Tool],
        tool: Tool | None,
        number: int,
    ) -> ToolDelivery:
        """Return the answer to a call that is not made: it names no tool, or cannot be read."""
        if tool is None:
            why = f"You have no tool of that name. Your tools: {', '.join(tools)}."
        else:
            why = f"The arguments are not JSON. Write them as {tool.shown['example']}."
        chosen = tool or next(iter(tools.values()))
        result = Reply(text=why, prompt_tokens=0, completion_tokens=0, cost=0.0, finish="other")
        turn = self._result_turn(asking.agent, asking.number, chosen, result, number, "")
        return ToolDelivery(msgspec.structs.replace(turn, step=NOT_CALLED), why, 0)

    async def call_for(self, asked: View, name: str, query: str) -> tuple[Passage, ...]:
        """Call a tool for an agent that wrote a query, and return what it returned.

        An error of the tool is recorded, and is no passage. There is none, too, where the server is
        not there, as in a rehearsal.

        Args:
            asked: the view of the agent's turn.
            name: of the tool, ``NAME.TOOL``.
            query: what it is given, see ``find_source_tool``.
        """
        context = self.context
        found = find_source_tool(name, context.settings, context.toolbox, context.model)
        if found is None:
            return ()
        tool, argument = found
        delivered = await self._call(
            asked.agent, asked.turn.id, tool, {argument: query}, self._number()
        )
        self.record(delivered.turn)
        if delivered.turn.finish == "other" or not delivered.text:
            return ()
        left = delivered.left_out
        told = f"{name}, {left} more characters were left out" if left else name
        return (Passage(1, told, delivered.text),)

    async def _call(
        self, agent: Agent, by: int, tool: Tool, arguments: dict[str, object], number: int
    ) -> ToolDelivery:
        """Call a tool through the ledger, and return what the agent reads of its result.

        Args:
            agent: for whom.
            by: the turn that asks for it.
            tool: what is called.
            arguments: of the call.
            number: of the turn that records the result.
        """
        context, seat = self.context, agent.seat
        request = msgspec.json.encode(ToolRequest(tool.info.name, arguments), order="sorted")
        draw = Draw(context.replicate, seat.number if seat.draws_as is None else seat.draws_as)
        call = Call(
            model=tool.server.name, messages=(Message("user", request.decode()),), draw=draw
        )
        key = identity(call.request(), draw)
        if repeat := self._asked[key]:
            call = msgspec.structs.replace(call, draw=draw._replace(repeat=repeat))
        self._asked[key] += 1
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
        finish: Finish = "other" if result.failed else "length" if left_out else "stop"
        told = f"{FAILED}{cut}" if result.failed else cut
        given = msgspec.structs.replace(reply, text=told, finish=finish)
        turn = self._result_turn(agent, by, tool, given, number, own.hex())
        return ToolDelivery(turn, cut, left_out)

    def _result_turn(
        self, agent: Agent, by: int, tool: Tool, reply: Reply, number: int, call: str
    ) -> Turn:
        """Return the turn that records what a tool returned, or why it was not called."""
        context, name = self.context, tool.table.name
        seats = seat_tools(context.settings, context.seat, context.node)
        seat = next(each for each in seats if each.agent.rpartition("/")[2] == name)
        return Turn(
            id=number,
            agent=seat.agent,
            seat=seat.number,
            role=PROVIDER,
            step=tool.info.name,
            round=agent.round,
            model=seat.model if call else GIVEN,
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
        self, line: ToolCallLine, delivered: ToolDelivery, left: int
    ) -> Iterator[Message]:
        """Yield the message that shows a result, then shorter ones for too small a window."""
        pack, text = self.context.pack, delivered.text
        called = not delivered.turn.is_given
        for share in (1.0, 0.25, 0.0) if called else (1.0,):
            shown = text[: int(len(text) * share)]
            slots = {
                "name": line.name,
                "text": fence_data(shown) if called and shown else shown,
                "failed": delivered.turn.finish == "other",
                "called": called,
                "left_out": delivered.left_out + len(text) - len(shown),
                "left": left,
            }
            yield Message("user", pack.word(TOOL, "returned", **slots))

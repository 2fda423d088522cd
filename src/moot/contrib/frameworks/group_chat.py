"""A conversation that AutoGen runs: a group chat of agents in turn, and one that sums it up.

Only to be imported where autogen-agentchat is installed.
"""
# ruff: noqa: ANN401, ARG002 -- what the methods take is AutoGen's to say

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from autogen_agentchat import TRACE_LOGGER_NAME as SPOKEN
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import ChatAgent, Team, TerminatedException, TerminationCondition
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, StopMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat, SelectorGroupChat
from autogen_core import EVENT_LOGGER_NAME, TRACE_LOGGER_NAME
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
    SystemMessage,
    UserMessage,
)

from moot import Agent, Debate, Message, View, Views, all_agree
from moot.contrib.frameworks.framework import registry
from moot.contrib.frameworks.relay import Relay, head_with_label, text_of

for _name in (EVENT_LOGGER_NAME, TRACE_LOGGER_NAME, SPOKEN):
    logging.getLogger(_name).addHandler(logging.NullHandler())  # the transcript tells of a failure

ASKER = "user"
"""Who puts the question, as AutoGen calls it."""
ATTEMPTS = 3
"""How often a selector is asked until it names one who may speak; then the last speaker goes on."""
NOTHING = RequestUsage(prompt_tokens=0, completion_tokens=0)
"""Tokens are counted by moot."""
ABLE = ModelInfo(
    vision=False,
    function_calling=False,
    json_output=False,
    structured_output=False,
    family="unknown",
)


class MootClient(ChatCompletionClient):
    """moot as a model client of AutoGen: the voice of one agent."""

    def __init__(self, relay: Relay, agent: Agent, step: str, labels: Mapping[str, str]) -> None:
        self.relay, self.agent, self.step, self.labels = relay, agent, step, labels

    async def create(self, messages: Sequence[LLMMessage], *_: Any, **__: Any) -> CreateResult:
        """What the agent's model says."""
        sent = [self._message(message) for message in messages]
        view = await self.relay.reply(self.agent, self.step, sent, self._read(messages))
        return CreateResult(
            finish_reason="stop", content=text_of(view), usage=NOTHING, cached=view.turn.replayed
        )

    def _read(self, messages: Sequence[LLMMessage]) -> Views:
        """The turns that stand in messages."""
        return self.relay.find_views(
            (self.labels[message.source], str(message.content))
            for message in messages
            if isinstance(message, UserMessage | AssistantMessage) and message.source in self.labels
        )

    def _message(self, message: LLMMessage) -> Message:
        text = str(message.content)
        if isinstance(message, SystemMessage):
            return Message("system", text)
        if isinstance(message, AssistantMessage):
            return Message("assistant", text)
        label = self.labels.get(getattr(message, "source", ""))
        return Message("user", head_with_label(label, text) if label else text)

    def create_stream(self, *_: Any, **__: Any) -> AsyncGenerator[str | CreateResult, None]:
        """Not needed: no agent here streams."""
        raise NotImplementedError

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def total_usage(self) -> RequestUsage:
        """Nothing: the ledger knows."""
        return NOTHING

    actual_usage = total_usage

    def count_tokens(self, *_: Any, **__: Any) -> int:
        """Nothing: contexts here are unbounded."""
        return 0

    def remaining_tokens(self, *_: Any, **__: Any) -> int:
        """Return 2**31, as if there were no limit: contexts here are unbounded."""
        return 2**31

    @property
    def model_info(self) -> ModelInfo:
        """What moot's models can do for AutoGen: talk."""
        return ABLE

    capabilities = model_info


class SelectorClient(MootClient):
    """The voice of who says which agent speaks next: the whole chat is one text to it."""

    def _read(self, messages: Sequence[LLMMessage]) -> Views:
        own = [view for view in self.relay.views if view.agent is self.agent]
        again = sum(isinstance(message, AssistantMessage) for message in messages)
        said = [view for view in self.relay.views if view.agent is not self.agent]
        return Views(said + own[len(own) - again :])


class StopAtAgreement(TerminationCondition):
    """Ends a chat at the end of a round when all agree."""

    def __init__(self, relay: Relay, agents: Sequence[Agent]) -> None:
        self.relay, self.agents, self.reached = relay, agents, False

    @property
    def terminated(self) -> bool:
        """Whether it has."""
        return self.reached

    async def __call__(
        self, messages: Sequence[BaseAgentEvent | BaseChatMessage]
    ) -> StopMessage | None:
        """The end, where it is reached."""
        if self.reached:
            raise TerminatedException("all agree already")
        said = Views(view for view in self.relay.views if view.agent in self.agents)
        spoken = {view.agent.label for view in said}
        if len(said) % len(self.agents) or len(spoken) < len(self.agents):
            return None
        if not all_agree(said.newest(self.agents), self.relay.debate.question):
            return None
        self.reached = True
        return StopMessage(content="All agree.", source="moot")

    async def reset(self) -> None:
        """Forget it."""
        self.reached = False


@registry.decorate("group-chat")
async def converse(
    debate: Debate,
    agents: Sequence[Agent],
    selector: Agent | None,
    aggregator: Agent,
    *,
    rounds: int,
    consensus: bool,
) -> View:
    """Run a group chat of these agents, and return what the aggregator then says.

    Args:
        debate: the debate they are seated in.
        agents: in the order in which they speak, without a selector.
        selector: says who speaks next.
        aggregator: sums up.
        rounds: the most rounds there are.
        consensus: whether a round in which all agree is the last.
    """
    relay = Relay(debate)
    names = {f"Agent_{number}": agent for number, agent in enumerate(agents, 1)}
    labels = {name: agent.label for name, agent in names.items()}
    over: TerminationCondition = MaxMessageTermination(len(agents) * rounds)
    if consensus:
        over |= StopAtAgreement(relay, agents)
    members: list[ChatAgent | Team] = [
        _make_assistant(
            name, MootClient(relay, agent, "answer", labels), debate.pose_question(agent)
        )
        for name, agent in names.items()
    ]
    team: Team
    if selector is None:
        team = RoundRobinGroupChat(members, termination_condition=over)
    else:
        team = SelectorGroupChat(
            members,
            SelectorClient(relay, selector, "select", labels),
            termination_condition=over,
            selector_prompt=relay.text(selector, "select"),
            max_selector_attempts=ATTEMPTS,
            model_context=_make_context(relay.question),
        )
    last = _make_assistant(
        "aggregator", MootClient(relay, aggregator, "aggregate", labels), relay.question
    )
    asked = TextMessage(content=relay.text(aggregator, "aggregate"), source=ASKER)

    async def chat() -> None:
        held = await team.run()
        said = [message for message in held.messages if isinstance(message, TextMessage)]
        await last.run(task=[*said, asked])

    await relay.run(chat())
    return relay.views[-1]


def _make_assistant(name: str, client: MootClient, question: str) -> AssistantAgent:
    """Return an agent of AutoGen that has been asked the question."""
    system = client.agent.system
    return AssistantAgent(
        name,
        client,
        description=client.agent.label,
        system_message=system.content if system else None,
        model_context=_make_context(question),
    )


def _make_context(question: str) -> UnboundedChatCompletionContext:
    """Return a context that keeps all messages, with the question as the first."""
    return UnboundedChatCompletionContext([UserMessage(content=question, source=ASKER)])

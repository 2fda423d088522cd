"""A conversation that LangGraph runs: agents and an aggregator as nodes over one list of messages.

Only to be imported where langgraph is installed.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypedDict

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langsmith import tracing_context

from moot.core.calls import Message, Role
from moot.core.questions import Question
from moot.debate.agents import Agent, View, Views
from moot.debate.debate import Debate
from moot.debate.verdicts import agreed
from moot.society.relay import Relay, headed, words

ROLES: dict[str, Role] = {"system": "system", "human": "user", "ai": "assistant"}


class State(TypedDict):
    """What the nodes share: all that was said, in order."""

    messages: Annotated[list[BaseMessage], add_messages]


class Model(BaseChatModel):
    """moot as a chat model of LangChain: the voice of one agent."""

    relay: Any
    agent: Any
    step: str
    cache: bool = False
    """The ledger remembers; a cache of LangChain would keep calls from the transcript."""

    @property
    def _llm_type(self) -> str:
        return "moot"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 -- as LangChain has it
    ) -> ChatResult:
        raise NotImplementedError("moot is asynchronous: use ainvoke")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 -- as LangChain has it
    ) -> ChatResult:
        relay: Relay = self.relay
        shown = {message.id for message in messages}
        view = await relay.reply(
            self.agent,
            self.step,
            [Message(ROLES[message.type], str(message.content)) for message in messages],
            [each for each in relay.views if _id(each) in shown],
        )
        said = AIMessage(words(view), name=self.agent.seat.agent, id=_id(view))
        return ChatResult(generations=[ChatGeneration(message=said)])


Node = Callable[[State], Awaitable[dict[str, list[BaseMessage]]]]


async def converse(
    debate: Debate, agents: Sequence[Agent], aggregator: Agent, *, rounds: int, consensus: bool
) -> View:
    """What the aggregator says, once a graph of these agents has come to its end.

    Args:
        debate: the debate they are seated in.
        agents: in the order in which they speak.
        aggregator: sums up.
        rounds: the most rounds there are.
        consensus: whether a round in which all agree is the last.
    """
    relay = Relay(debate)
    graph = StateGraph(State)
    nodes = [f"agent-{number}" for number in range(1, len(agents) + 1)]
    for node, agent in zip(nodes, agents, strict=True):
        graph.add_node(node, _speaks(relay, agent))
    graph.add_node("aggregator", _sums_up(relay, aggregator))
    graph.add_edge(START, nodes[0])
    for node, following in zip(nodes, nodes[1:], strict=False):
        graph.add_edge(node, following)

    async def follows(state: State) -> str:
        newest = Views(relay.views[-len(agents) :])
        over = len(state["messages"]) == len(agents) * rounds
        return "aggregator" if over or (consensus and agreed(newest, question)) else nodes[0]

    question: Question = debate.question
    graph.add_conditional_edges(nodes[-1], follows, ["aggregator", nodes[0]])
    graph.add_edge("aggregator", END)
    steps = {"recursion_limit": len(agents) * rounds + 2}
    with tracing_context(enabled=False):
        await relay.held(graph.compile().ainvoke({"messages": []}, steps))
    return relay.views[-1]


def _speaks(relay: Relay, agent: Agent) -> Node:
    """A node: the question, and what was said, to one agent."""
    model = Model(relay=relay, agent=agent, step="answer")
    posed = _system(agent) + [HumanMessage(relay.debate.posed(agent))]

    async def speak(state: State) -> dict[str, list[BaseMessage]]:
        return {"messages": [await model.ainvoke([*posed, *_seen(relay, state, agent)])]}

    return speak


def _sums_up(relay: Relay, agent: Agent) -> Node:
    """The last node: the question, what was said, and what is to be done with it."""
    model = Model(relay=relay, agent=agent, step="aggregate")
    asked = HumanMessage(relay.text(agent, "aggregate"))
    question = HumanMessage(relay.question)

    async def sum_up(state: State) -> dict[str, list[BaseMessage]]:
        seen = _seen(relay, state, agent)
        return {"messages": [await model.ainvoke([*_system(agent), question, *seen, asked])]}

    return sum_up


def _system(agent: Agent) -> list[BaseMessage]:
    return [SystemMessage(agent.system.content)] if agent.system else []


def _seen(relay: Relay, state: State, agent: Agent) -> list[BaseMessage]:
    """The shared messages as one agent has them before it: its own, and those of others named."""
    views = {_id(view): view for view in relay.views}
    return [
        message
        if views[message.id].agent is agent
        else HumanMessage(headed(views[message.id].agent.label, words(views[message.id])), id=message.id)
        for message in state["messages"]
    ]


def _id(view: View) -> str:
    return f"turn-{view.turn.id}"

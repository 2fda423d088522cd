"""A conversation that LangGraph runs: agents and an aggregator as nodes over one list of messages.

Only to be imported where langgraph is installed.
"""
# ruff: noqa: ANN401 -- what the methods take is LangChain's to say

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langsmith import tracing_context

from moot import Agent, Debate, Message, View, Views, all_agree
from moot.contrib.frameworks.framework import registry
from moot.contrib.frameworks.relay import Relay, head_with_label, text_of

ROLES: dict[str, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "human": "user",
    "ai": "assistant",
}


class GraphState(TypedDict):
    """What the nodes share: all that was said, in order."""

    messages: Annotated[list[BaseMessage], add_messages]


class MootChatModel(BaseChatModel):
    """moot as a chat model of LangChain: the voice of one agent."""

    relay: Any
    agent: Any
    step: str
    cache: bool = False
    """The ledger remembers; a cache of LangChain would keep calls from the transcript."""

    @property
    def _llm_type(self) -> str:
        return "moot"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("moot is asynchronous: use ainvoke")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        relay: Relay = self.relay
        shown = {message.id for message in messages}
        view = await relay.reply(
            self.agent,
            self.step,
            [Message(ROLES[message.type], str(message.content)) for message in messages],
            [each for each in relay.views if _id(each) in shown],
        )
        said = AIMessage(text_of(view), name=self.agent.seat.agent, id=_id(view))
        return ChatResult(generations=[ChatGeneration(message=said)])


class GraphNode(Protocol):
    """What LangGraph calls with the state; what comes back is added to it."""

    async def __call__(self, state: GraphState) -> GraphState: ...  # noqa: D102 -- said above


@registry.decorate("state-graph")
async def converse(
    debate: Debate,
    agents: Sequence[Agent],
    aggregator: Agent,
    *,
    rounds: int,
    at_once: bool,
    consensus: bool,
) -> View:
    """Run a graph of these agents, and return what the aggregator then says.

    Args:
        debate: the debate they are seated in.
        agents: in the order in which they speak.
        aggregator: sums up.
        rounds: the most rounds there are.
        at_once: whether all agents of a round speak over what was said before it, else in a chain.
        consensus: whether a round in which all agree is the last.
    """
    relay = Relay(debate)
    graph = StateGraph(GraphState)
    nodes = [f"agent-{number:04}" for number in range(1, len(agents) + 1)]  # run in sorted order

    async def end_round(state: GraphState) -> GraphState:  # noqa: ARG001 -- as every node
        return GraphState(messages=[])

    async def follows(state: GraphState) -> list[str]:
        said = len(state["messages"])
        newest = Views(relay.views[-len(agents) :])
        agree = consensus and said > 0 and all_agree(newest, debate.question)
        if said == len(agents) * rounds or agree:
            return ["aggregator"]
        return nodes if at_once else nodes[:1]

    for node, agent in zip(nodes, agents, strict=True):
        graph.add_node(node, _make_speaker(relay, agent, at_once=at_once))
    graph.add_node("round", end_round)
    graph.add_node("aggregator", _make_aggregator(relay, aggregator))
    graph.add_edge(START, "round")
    if at_once:
        graph.add_edge(nodes, "round")
    else:
        for node, following in zip(nodes, [*nodes[1:], "round"], strict=True):
            graph.add_edge(node, following)
    graph.add_conditional_edges("round", follows, [*nodes, "aggregator"])
    graph.add_edge("aggregator", END)
    steps = RunnableConfig(recursion_limit=(len(agents) + 1) * rounds + 3)
    with tracing_context(enabled=False):
        await relay.run(graph.compile().ainvoke(GraphState(messages=[]), steps))
    return relay.views[-1]


def _make_speaker(relay: Relay, agent: Agent, *, at_once: bool) -> GraphNode:
    """Return a graph node that sends one agent the question and all that was said."""
    model = MootChatModel(relay=relay, agent=agent, step="answer")
    posed = [*_system_messages(agent), HumanMessage(relay.debate.pose_question(agent))]

    async def speak(state: GraphState) -> GraphState:
        seen = _show_turns(relay, state, agent, at_once=at_once)
        return GraphState(messages=[await model.ainvoke([*posed, *seen])])

    return speak


def _make_aggregator(relay: Relay, agent: Agent) -> GraphNode:
    """The last node: the question, what was said, and what is to be done with it."""
    model = MootChatModel(relay=relay, agent=agent, step="aggregate")
    asked = HumanMessage(relay.text(agent, "aggregate"))
    question = HumanMessage(relay.question)

    async def sum_up(state: GraphState) -> GraphState:
        seen = _show_turns(relay, state, agent)
        return GraphState(
            messages=[await model.ainvoke([*_system_messages(agent), question, *seen, asked])]
        )

    return sum_up


def _system_messages(agent: Agent) -> list[BaseMessage]:
    return [SystemMessage(agent.system.content)] if agent.system else []


def _show_turns(
    relay: Relay, state: GraphState, agent: Agent, *, at_once: bool = False
) -> list[BaseMessage]:
    """The shared messages as one agent has them before it: its own, and those of others named.

    Of a round in which all spoke at once its own comes first, so that the others' await an answer.
    """
    views = {_id(view): view for view in relay.views}
    said = [(message, views[str(message.id)]) for message in state["messages"]]
    if at_once:
        said.sort(key=lambda one: (one[1].turn.round, one[1].agent is not agent))
    return [
        message
        if view.agent is agent
        else HumanMessage(head_with_label(view.agent.label, text_of(view)), id=message.id)
        for message, view in said
    ]


def _id(view: View) -> str:
    return f"turn-{view.turn.id}"

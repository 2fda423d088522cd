"""langgraph: a node for each agent and round, rounds joined, ChatOpenAI of langchain-openai."""

from typing import Annotated, TypedDict

from common import Job, debate_all, measure, opening, others, revision, vote
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    """What the nodes of one debate share."""

    question: str
    said: Annotated[dict, lambda old, new: old | new]
    verdict: str


def graph(job: Job, model: ChatOpenAI):
    """The compiled debate; ``said`` has the prompt and reply of every agent and round."""
    building = StateGraph(State)

    def mind(agent: int, number: int):
        async def say(state: State) -> dict:
            question, said = state["question"], state["said"]
            prompt = opening(question)
            if number:
                texts = [said[number - 1, each][1].text for each in range(job.agents)]
                prompt = revision(question, others(texts, agent))
            asked = HumanMessage(prompt)
            memory = [part for past in range(number) for part in said[past, agent]]
            reply: AIMessage = await model.ainvoke([*memory, asked])
            return {"said": {(number, agent): (asked, reply)}}

        return say

    def decide(state: State) -> dict:
        last = job.rounds - 1
        return {"verdict": vote([state["said"][last, each][1].text for each in range(job.agents)])}

    before = [START]
    for number in range(job.rounds):
        names = [f"mind {agent} round {number}" for agent in range(job.agents)]
        for agent, name in enumerate(names):
            building.add_node(name, mind(agent, number))
            building.add_edge(before if number else START, name)
        before = names
    building.add_node("decide", decide)
    building.add_edge(before, "decide")
    building.add_edge("decide", END)
    return building.compile()


async def run(job: Job) -> int:
    flow = graph(job, ChatOpenAI(model="bench", base_url=job.url, api_key="none", timeout=600))

    async def debate(question: str) -> str:
        state = await flow.ainvoke({"question": question, "said": {}, "verdict": ""})
        return state["verdict"]

    return await debate_all(job, debate)


measure(run)

"""autogen-agentchat: an AssistantAgent with its own memory for each mind, one shared client."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from common import Job, debate_all, measure, opening, others, revision, vote

INFO = {
    "vision": False,
    "function_calling": False,
    "json_output": False,
    "structured_output": False,
    "family": "unknown",
}


async def say(agent: AssistantAgent, prompt: str) -> str:
    result = await agent.run(task=prompt, output_task_messages=False)
    return result.messages[-1].content


async def run(job: Job) -> int:
    client = OpenAIChatCompletionClient(
        model="bench",
        base_url=job.url,
        api_key="none",
        model_info=INFO,
        timeout=600,
    )

    async def debate(question: str) -> str:
        minds = [
            AssistantAgent(f"mind_{number}", client, system_message=None)
            for number in range(job.agents)
        ]
        texts = await asyncio.gather(*(say(mind, opening(question)) for mind in minds))
        for _ in range(job.rounds - 1):
            prompts = [revision(question, others(texts, agent)) for agent in range(job.agents)]
            texts = await asyncio.gather(*map(say, minds, prompts))
        return vote(texts)

    verdicts = await debate_all(job, debate)
    await client.close()
    return verdicts


measure(run)

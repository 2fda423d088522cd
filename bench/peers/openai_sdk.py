"""The openai SDK's asynchronous client, as it comes."""

import asyncio

from common import Job, debate_all, measure, opening, others, revision, vote
from openai import AsyncOpenAI


async def run(job: Job) -> int:
    async with AsyncOpenAI(base_url=job.url, api_key="none", timeout=600) as client:

        async def say(memory: list, prompt: str) -> str:
            memory.append({"role": "user", "content": prompt})
            reply = await client.chat.completions.create(model="bench", messages=memory)
            text = reply.choices[0].message.content
            memory.append({"role": "assistant", "content": text})
            return text

        async def debate(question: str) -> str:
            memories = [[] for _ in range(job.agents)]
            texts = await asyncio.gather(*(say(each, opening(question)) for each in memories))
            for _ in range(job.rounds - 1):
                prompts = [revision(question, others(texts, agent)) for agent in range(job.agents)]
                texts = await asyncio.gather(*map(say, memories, prompts))
            return vote(texts)

        return await debate_all(job, debate)


measure(run)

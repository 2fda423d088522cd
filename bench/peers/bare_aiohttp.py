"""The least there is: one aiohttp session, plain dicts, msgspec for JSON, nothing recorded."""

import asyncio

import aiohttp
import msgspec
from common import Job, debate_all, measure, opening, others, revision, vote
from yarl import URL


class Message(msgspec.Struct):
    """What is read of a message."""

    content: str


class Choice(msgspec.Struct):
    """What is read of a choice."""

    message: Message


class Completion(msgspec.Struct):
    """What is read of a response."""

    choices: list[Choice]


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Completion).decode


async def run(job: Job) -> int:
    url, headers = URL(f"{job.url}/chat/completions"), {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=("Accept", "Accept-Encoding", "User-Agent"),
        timeout=aiohttp.ClientTimeout(total=None),
    ) as session:

        async def say(memory: list, prompt: str) -> str:
            memory.append({"role": "user", "content": prompt})
            data = encode({"model": "bench", "messages": memory})
            async with session.post(url, data=data, headers=headers) as response:
                text = decode(await response.read()).choices[0].message.content
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

"""inspect-ai: a task whose solver holds the debate; its log is written as it is by default."""

import asyncio
import os
from tempfile import TemporaryDirectory

from common import Job, measure, opening, others, questions, revision, vote
from inspect_ai import Task, eval_async
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver


@solver
def society(agents: int, rounds: int) -> Solver:
    """Answer alone, read the others, revise, vote."""

    async def say(model: Model, memory: list, prompt: str) -> str:
        memory.append(ChatMessageUser(content=prompt))
        output = await model.generate(memory)
        memory.append(output.message)
        return output.completion

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        model, question = get_model(), state.input_text
        memories = [[] for _ in range(agents)]
        texts = await asyncio.gather(*(say(model, each, opening(question)) for each in memories))
        for _ in range(rounds - 1):
            prompts = [revision(question, others(texts, agent)) for agent in range(agents)]
            texts = await asyncio.gather(
                *(say(model, *each) for each in zip(memories, prompts, strict=True))
            )
        state.output.completion = vote(texts)
        return state

    return solve


async def run(job: Job) -> int:
    task = Task(
        dataset=MemoryDataset([Sample(input=question) for question in questions(job)]),
        solver=society(job.agents, job.rounds),
    )
    model = get_model(
        "openai-api/bench/bench",
        base_url=job.url,
        api_key="none",
        client_timeout=600,
        config=GenerateConfig(max_connections=job.in_flight),
    )
    os.environ["INSPECT_DISPLAY"] = "none"
    with TemporaryDirectory() as logs:
        [log] = await eval_async(task, model=model, max_samples=job.at_once, log_dir=logs)
        return sum(bool(sample.output.completion) for sample in log.samples)


measure(run)

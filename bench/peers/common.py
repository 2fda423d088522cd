"""What all contenders share: the job, the questions, the prompts, and how they are measured."""

import asyncio
import json
import multiprocessing
import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

FORM = 'Close with one line that says "Final answer:" and then the number alone.'


class Job(NamedTuple):
    """One piece of work: society of minds on a number of questions.

    Attributes:
        url: the server's, with ``/v1``.
        at_once: debates under way at the same time.
        transport: how moot reaches plain http: by its ``own`` connections, or by ``aiohttp``.
        store: the folder or address of moot's store; empty for a new folder.
    """

    url: str
    questions: int
    at_once: int
    agents: int
    rounds: int
    transport: str = "own"
    store: str = ""

    @property
    def in_flight(self) -> int:
        """The most calls that can be under way at once."""
        return self.at_once * self.agents


def questions(job: Job) -> Iterator[str]:
    """Expressions such as Du et al. ask."""
    draw = random.Random(0)
    for _ in range(job.questions):
        a, b, c, d, e, f = draw.choices(range(30), k=6)
        yield f"What is the result of {a}+{b}*{c}+{d}-{e}*{f}?"


def opening(question: str) -> str:
    """The first round's prompt."""
    return f"{question}\n\n{FORM}"


def revision(question: str, others: list[tuple[int, str]]) -> str:
    """A later round's prompt: the others' numbers and replies."""
    said = "".join(f"\n\nAgent {number + 1} says:\n{text}" for number, text in others)
    return (
        f"These are the solutions of the other agents to the same problem.{said}\n\nTake what they "
        "say as advice and weigh it with care. Then give your updated answer to the question:\n\n"
        f"{question}\n\n{FORM}"
    )


def others(texts: list[str], agent: int) -> list[tuple[int, str]]:
    """Everyone's number and text but one's own."""
    return [(number, text) for number, text in enumerate(texts) if number != agent]


def vote(texts: list[str]) -> str:
    """The commonest final answer."""
    found = [re.findall(r"Final answer:\s*(\S+)", text) for text in texts]
    return Counter(each[-1] for each in found if each).most_common(1)[0][0]


async def debate_all(job: Job, debate: Callable[[str], Awaitable[str]]) -> int:
    """Hold all debates, so many at once; returns how many came to a verdict."""
    left = questions(job)

    async def work() -> int:
        return sum([bool(await debate(question)) for question in left])

    return sum(await asyncio.gather(*(work() for _ in range(job.at_once))))


def cpu() -> float:
    """CPU seconds so far, user and system: of this process, and of those that it has waited for."""
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def measure(contender: Callable[[Job], Awaitable[int]]) -> None:
    """Do the job given on the command line and print what it took as one line of JSON.

    ``cpu`` and ``wall`` begin after the imports; ``cpu_all`` has them too. ``peak`` is the most
    memory the process ever had, in MB of 1,000,000 bytes, interpreter and imports included.
    """
    job = Job(**json.loads(sys.argv[1]))
    before, started = cpu(), time.perf_counter()
    verdicts = asyncio.run(contender(job))
    wall = time.perf_counter() - started
    for child in multiprocessing.active_children():  # moot measures many debates in one
        child.join()
    after = cpu()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(
        json.dumps(
            {
                "verdicts": verdicts,
                "wall": wall,
                "cpu": after - before,
                "cpu_all": after,
                "peak": peak,
            }
        )
    )

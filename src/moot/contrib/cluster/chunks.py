"""Chunks: groups of questions with all their arms and replicates, as they are sent to workers."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from moot import Question
from moot.extend.records import Arm
from moot.extend.studies import Plan, ReadyArm, Task


class SentTask(NamedTuple):
    """A debate of a chunk; the fields are those of ``Task``.

    Attributes:
        arm: the place of its arm in the order.
        supplies: what is loaded for its features, before its question.
    """

    number: int
    dataset: str
    question: Question
    arm: int
    replicate: int
    supplies: Mapping[str, Any]


class QuestionChunk(NamedTuple):
    """A group of questions with all their arms and replicates.

    Attributes:
        number: its place among all chunks of the plan.
        tasks: its debates.
    """

    number: int
    tasks: tuple[SentTask, ...]

    @property
    def questions(self) -> str:
        """Its questions in words, for messages: the first and the last."""
        first, last = self.tasks[0], self.tasks[-1]
        told = f"{first.question.id!r} of {first.dataset}"
        if (last.dataset, last.question.id) == (first.dataset, first.question.id):
            return f"question {told}"
        return f"questions {told} to {last.question.id!r} of {last.dataset}"


class SentArm(NamedTuple):
    """An arm of an order.

    Attributes:
        arm: with every setting in force.
        overlay: the file of prompts that lies over moot's own; None without one.
        prompts: the content hashes of all prompts that its debates may use.
        evidence: the hashes of the folders of documents that its debates look things up in.
    """

    arm: Arm
    overlay: Path | None
    prompts: tuple[str, ...]
    evidence: tuple[str, ...]


def list_chunks(plan: Plan, debates: int) -> Iterator[QuestionChunk]:
    """Yield all debates of a plan in chunks.

    Args:
        plan: what is run.
        debates: how many debates a chunk has at least; only the last may have fewer.
    """
    places = {id(ready.arm): place for place, ready in enumerate(plan.arms)}
    number, tasks = 0, list[SentTask]()
    for group in plan.group_by_question():
        for task in group:
            place, chosen = places[id(task.arm)], task.choose()
            tasks.append(
                SentTask(task.number, task.dataset, task.question, place, task.replicate, chosen)
            )
        if len(tasks) >= debates:
            yield QuestionChunk(number, tuple(tasks))
            number, tasks = number + 1, []
    if tasks:
        yield QuestionChunk(number, tuple(tasks))


def restore_tasks(chunk: QuestionChunk, arms: Sequence[ReadyArm]) -> Iterator[Task]:
    """Yield the debates of a chunk, ready to be run."""
    for sent in chunk.tasks:
        yield Task(
            sent.number,
            sent.dataset,
            sent.question,
            *arms[sent.arm],
            sent.supplies,
            sent.replicate,
        )

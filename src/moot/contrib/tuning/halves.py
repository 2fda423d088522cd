"""Two halves of a study's questions: one to search on, one that is kept for the test."""

from collections.abc import Iterator
from copy import copy
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from moot import InputError, Question, Study
from moot.extend.studies import ListedPlan, Plan

QuestionSet = frozenset[tuple[str, str]]
"""Questions, by dataset and id."""


class Halves(NamedTuple):
    """The questions that the search sees, and those that are kept for the test."""

    development: QuestionSet
    held_out: QuestionSet


class Half(ListedPlan):
    """The plan of one half: its debates alone, in an order that mixes the datasets.

    Attributes:
        own_tasks: its debates, in order.
        size: how many there are.
    """

    def __init__(self, study: Study, chosen: QuestionSet, *, seed: int, limit: int | None) -> None:
        super().__init__(study, limit=limit)
        found = (each for each in Plan.tasks(self) if (each.dataset, each.question.id) in chosen)
        self.own_tasks = sorted(
            found,
            key=lambda task: (task.replicate, _rank(seed, f"{task.dataset}/{task.question.id}")),
        )
        self.size = len(self.own_tasks)

    def parts(self, number: int) -> Iterator["Half"]:
        """Yield the half in so many parts at most, one after the other, none of them empty."""
        ends = [self.size * part // number for part in range(number + 1)]
        for start, end in pairwise(ends):
            if end > start:
                part = copy(self)
                part.own_tasks = self.own_tasks[start:end]
                part.size = end - start
                yield part


def split_questions(plan: Plan, share: float, *, seed: int, file: str) -> Halves:
    """Split the questions of a plan; a question that stands there twice is on one side.

    Two questions with one text and one context are the same; their ids, choices and datasets do
    not matter. Which side they are on follows from the seed and their texts alone.

    Args:
        plan: all questions, in one arm.
        share: of the questions of each dataset that are for development, or from 1 on their number.
        seed: of the split.
        file: for error texts.

    Raises:
        InputError: a side has fewer than two questions of a dataset, or no answer is known.
    """
    datasets: dict[str, dict[str, list[Question]]] = {}
    for task in plan.tasks():
        if task.replicate == 0:
            groups = datasets.setdefault(task.dataset, {})
            groups.setdefault(task.question.flat_words, []).append(task.question)
    side: dict[str, bool] = {}
    seen: list[tuple[str, str]] = []
    kept: list[tuple[str, str]] = []
    for dataset, groups in datasets.items():
        total = sum(map(len, groups.values()))
        wanted = min(round(total * share) if share < 1 else int(share), total)
        for text in groups:  # what another dataset has placed stays where it is
            wanted -= len(groups[text]) * side.get(text, False)
        for text in sorted(groups, key=lambda text: _rank(seed, text)):
            if text not in side:
                side[text] = len(groups[text]) <= wanted
                wanted -= len(groups[text]) * side[text]
            (seen if side[text] else kept).extend((dataset, each.id) for each in groups[text])
        for name, half in (("development", seen), ("held-out", kept)):
            if (few := sum(each == dataset for each, _ in half)) < 2:
                raise InputError(
                    f"{file}: tune: development = {share}: of the {total} questions of {dataset!r} "
                    f"that leaves {few} {name}; each side needs two or more"
                )
    asked = [each for groups in datasets.values() for same in groups.values() for each in same]
    if unknown := next((each for each in asked if not each.answers), None):
        raise InputError(
            f"{file}: tune: question {unknown.id!r} has no known answer: nothing tells a better "
            "configuration from a worse one"
        )
    return Halves(frozenset(seen), frozenset(kept))


def _rank(seed: int, text: str) -> bytes:
    return blake2b(f"{seed}/{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()

"""The worked examples that are shown before each question, chosen from a pool."""

from collections.abc import Sequence
from typing import NamedTuple

from moot.core.errors import MootError, place_errors
from moot.core.questions import Example, Question
from moot.datasets.examples import choose
from moot.datasets.examples import pool as load_pool
from moot.debate.features.few_shot import CONVINCING, HowChosen
from moot.models.embedding import embed

__all__ = ["ShownExamples", "load_pool"]


class ShownExamples(NamedTuple):
    """The examples that are shown before each question of a dataset.

    Attributes:
        pool: those there are.
        shots: how many are shown.
        how: ``"seeded"``, ``"nearest"`` or ``"explained"``.
        seed: of the choice.
        chosen: those shown before each question that was asked, by its id.
    """

    pool: Sequence[Example]
    shots: int
    how: HowChosen
    seed: int
    chosen: dict[str, tuple[Example, ...]]

    def before(self, question: Question) -> tuple[Example, ...]:
        """Return those shown before one question; the same ones whenever it is asked."""
        if question.id not in self.chosen:
            near = embed if self.how == "nearest" else None
            self.chosen[question.id] = choose(
                self.pool, question, shots=self.shots, seed=self.seed, how=self.how, embed=near
            )
        return self.chosen[question.id]

    def check(self, questions: Sequence[Question], where: str) -> None:
        """Raise ``InputError``, naming the key, where there are too few for a question.

        The pool holds none of the questions, so that one of each kind can speak for the others.
        """
        if self.how == "nearest":
            with place_errors(f"{where}: choose = {self.how!r}", MootError):
                embed([""])  # so that a missing model is not told of a question
        setting = CONVINCING if self.how == "explained" else f"shots = {self.shots}"
        with place_errors(f"{where}: {setting}", MootError):
            for question in {each.kind: each for each in reversed(questions)}.values():
                self.before(question)

"""Worked examples for the few-shot styles: where they come from, and which are shown.

Pools are loaded, and known to suffice, before anything is called; which examples stand before a
question is worked out when it is asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from moot.core.errors import InputError, MootError
from moot.core.questions import Example, Question
from moot.debate.cast import styles

if TYPE_CHECKING:
    from moot.datasets.examples import Embed

FEW_SHOT = "few-shot"
"""What the names of styles that show examples begin with."""


def wanted(settings: Mapping[str, Any]) -> bool:
    """Whether an agent of a debate with these settings is shown examples."""
    return any(style.startswith(FEW_SHOT) for style in styles(settings))


class Shown:
    """The examples that are shown before each question of a dataset.

    Attributes:
        pool: those there are.
        shots: how many are shown.
        how: ``"seeded"`` or ``"nearest"``.
        seed: of the choice.
    """

    def __init__(
        self,
        pool: Sequence[Example] = (),
        *,
        shots: int = 0,
        how: Literal["seeded", "nearest"] = "seeded",
        seed: int = 0,
    ) -> None:
        self.pool, self.shots, self.how, self.seed = pool, shots, how, seed
        self._before: dict[str, tuple[Example, ...]] = {}

    def before(self, question: Question) -> tuple[Example, ...]:
        """Those shown before one question; the same ones whenever it is asked."""
        if not self.shots:
            return ()
        if question.id not in self._before:
            from moot.datasets.examples import choose

            self._before[question.id] = choose(
                self.pool,
                question,
                shots=self.shots,
                seed=self.seed,
                how=self.how,
                embed=self._embed(),
            )
        return self._before[question.id]

    def check(self, questions: Sequence[Question], where: str) -> None:
        """Whether there are enough for every question. Raises ``InputError`` naming the key.

        The pool holds none of the questions, so that one of each kind can speak for the others.
        """
        with _named(f"{where}: choose = {self.how!r}"):
            if embed := self._embed():
                embed([""])  # so that a missing model is not told of a question
        with _named(f"{where}: shots = {self.shots}"):
            for question in {each.kind: each for each in reversed(questions)}.values():
                self.before(question)

    def _embed(self) -> "Embed | None":
        if self.how != "nearest":
            return None
        from moot.models.embedding import embed

        return embed


class Shots:
    """The examples of all debates of a study; each pool is loaded once.

    Args:
        folder: what the path of a file of examples is relative to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pools: dict[tuple[object, ...], Sequence[Example]] = {}
        self._shown: dict[tuple[object, ...], Shown] = {}

    def of(
        self,
        questions: Sequence[Question],
        settings: Mapping[str, Any],
        *,
        dataset: str,
        parameters: Mapping[str, Any],
        label: str,
        where: str,
    ) -> Shown:
        """What is shown before these questions; nothing where no style shows examples.

        Args:
            questions: all that are asked of a dataset.
            settings: every setting in force; those of a network hold in its nodes too.
            dataset: its registered name.
            parameters: the dataset's own.
            label: what the study calls it.
            where: for error texts.

        Raises:
            InputError: a file is missing or damaged, there are too few examples for a question, or
                the embedding model is not installed; the text names the setting.
        """
        if not wanted(settings):
            return Shown()
        file, seed = settings["examples"], settings["seed"]
        shots, how = settings["shots"], settings["choose"]
        pool = (label, file, seed)
        if pool not in self._pools:
            from moot.datasets import examples

            path = self._folder / file if file else None
            with _named(f"{where}: examples{f' = {file!r}' if file else ''}"):
                self._pools[pool] = examples.pool(
                    dataset, file=path, seed=seed, parameters=parameters, without=questions
                )
        if (*pool, shots, how) not in self._shown:
            shown = Shown(self._pools[pool], shots=shots, how=how, seed=seed)
            shown.check(questions, where)
            self._shown[(*pool, shots, how)] = shown
        return self._shown[(*pool, shots, how)]


@contextmanager
def _named(where: str) -> Iterator[None]:
    """Say of every error where it comes from; a file that cannot be read is bad input here."""
    try:
        yield
    except MootError as error:
        raise InputError(f"{where}: {error}") from None

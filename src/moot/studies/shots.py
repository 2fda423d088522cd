"""Worked examples for the few-shot styles: loaded and chosen before anything is called."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot.core.errors import InputError, MootError
from moot.core.questions import Example, Question
from moot.debate.cast import styles

if TYPE_CHECKING:
    from moot.datasets.examples import Embed

FEW_SHOT = "few-shot"
"""What the names of styles that show examples begin with."""

Chosen = Mapping[str, tuple[Example, ...]]
"""The examples to be shown, by the id of the question."""


def wanted(settings: Mapping[str, Any]) -> bool:
    """Whether an agent of a debate with these settings is shown examples."""
    return any(style.startswith(FEW_SHOT) for style in styles(settings))


class Shots:
    """The examples of all debates of a study; each pool is loaded once.

    Args:
        folder: what the path of a file of examples is relative to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pools: dict[tuple[object, ...], Sequence[Example]] = {}
        self._chosen: dict[tuple[object, ...], Chosen] = {}

    def of(
        self,
        questions: Sequence[Question],
        settings: Mapping[str, Any],
        *,
        dataset: str,
        parameters: Mapping[str, Any],
        label: str,
        where: str,
    ) -> Chosen:
        """What is shown before each of these questions; nothing where no style shows examples.

        Args:
            questions: all that are asked of a dataset.
            settings: every setting in force.
            dataset: its registered name.
            parameters: the dataset's own.
            label: what the study calls it.
            where: for error texts.

        Raises:
            InputError: a file is missing or damaged, there are too few examples for a question, or
                the embedding model is not installed; the text names the setting.
        """
        if not wanted(settings):
            return {}
        file, seed = settings["examples"], settings["seed"]
        pool, how = (label, file, seed), (settings["shots"], settings["choose"])
        if pool not in self._pools:
            with _named(f"{where}: examples{f' = {file!r}' if file else ''}"):
                self._pools[pool] = self._loaded(questions, file, seed, dataset, parameters)
        if (*pool, *how) not in self._chosen:
            chosen = _choices(self._pools[pool], questions, settings, where)
            self._chosen[(*pool, *how)] = chosen
        return self._chosen[(*pool, *how)]

    def _loaded(
        self,
        questions: Sequence[Question],
        file: str | None,
        seed: int,
        dataset: str,
        parameters: Mapping[str, Any],
    ) -> Sequence[Example]:
        from moot.datasets.examples import pool

        path = self._folder / file if file else None
        return pool(dataset, file=path, seed=seed, parameters=parameters, without=questions)


def _choices(
    pool: Sequence[Example],
    questions: Sequence[Question],
    settings: Mapping[str, Any],
    where: str,
) -> Chosen:
    from moot.datasets.examples import choose

    shots, how = settings["shots"], settings["choose"]
    near: Embed | None = None
    if how == "nearest":
        from moot.models.embedding import embed

        near = embed
        with _named(f"{where}: choose = {how!r}"):
            near([""])  # so that a missing model is not told of the first question
    with _named(f"{where}: shots = {shots}"):
        return {
            question.id: choose(
                pool, question, shots=shots, seed=settings["seed"], how=how, embed=near
            )
            for question in questions
        }


@contextmanager
def _named(where: str) -> Iterator[None]:
    """Say of every error where it comes from; a file that cannot be read is bad input here."""
    try:
        yield
    except MootError as error:
        raise InputError(f"{where}: {error}") from None

"""Worked examples for few-shot prompts: where they come from, and which ones are shown.

``pool`` returns all examples, from a file of the user's or a dataset's training part. ``choose``
picks those to show before one question: drawn by a seed, or the nearest to the question.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from moot.core.errors import InputError
from moot.core.questions import Example, Question
from moot.datasets import library
from moot.datasets.dataset import registry
from moot.datasets.example_rows import read_examples
from moot.datasets.ids import rank

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Embed = Callable[[Sequence[str]], NDArray[np.float32]]


def pool(
    name: str,
    *,
    file: Path | None = None,
    seed: int = 0,
    parameters: Mapping[str, object] | None = None,
    without: Iterable[Question] = (),
) -> list[Example]:
    """Return the examples for a dataset's questions: those of a file, else of its training part.

    Args:
        name: of the dataset, as registered.
        file: the user's file, as of ``read_examples`` or, in YAML, of
            ``read_published_examples``; None for the training part.
        seed: of the draw, where the training part is drawn.
        parameters: the dataset's own.
        without: questions that will be asked; examples with one of their texts are left out.

    Raises:
        UnknownName: for an unknown dataset or parameter.
        InputError: when there is neither a file nor a training part, a file of either is missing,
            or a row is damaged.
    """
    kinds = registry.get(name).kinds
    if file is not None:
        if file.suffix in {".yaml", ".yml"}:
            from moot.datasets.published_examples import read_published_examples  # for such alone

            found = read_published_examples(file, name)
        else:
            found = read_examples(file, kind=kinds[0] if len(kinds) == 1 else None)
    else:
        found = library.training(name, seed=seed, **(parameters or {}))
    asked = {_fold_case(question.text) for question in without}
    return [example for example in found if _fold_case(example.question.text) not in asked]


def choose(
    pool: Sequence[Example],
    question: Question,
    *,
    shots: int,
    seed: int = 0,
    how: Literal["seeded", "nearest", "explained"] = "seeded",
    embed: "Embed | None" = None,
) -> tuple[Example, ...]:
    """Return the examples to show before a question, in the order to show them.

    They are of the question's kind, and none has its text, be it in other case or spacing. The
    order of the pool does not matter.

    ``seeded`` takes those that come first by BLAKE2b of seed, question id and example id, so that
    the first three of five are the choice of three. ``nearest`` takes those whose texts are nearest
    to the question's by the cosine of their embeddings, the nearest last, next to the question: the
    dynamic few-shot examples of Medprompt (Nori et al. 2023, arXiv:2311.16452). Of equally near
    ones the one with the smaller id counts as nearer. ``explained`` takes those that have a reason,
    the same for every question, in an order drawn by the seed.

    Args:
        pool: the examples there are.
        question: the one that will be asked.
        shots: how many, 0 or more.
        seed: of the choice; ``nearest`` ignores it.
        how: by hash, by nearness, or with a reason.
        embed: texts to rows of unit length, such as ``moot.models.embedding.embed``; for
            ``nearest`` only.

    Raises:
        InputError: when the pool has too few examples for the question, or there is no ``embed``.
    """
    if shots < 0:
        raise InputError(f"shots is {shots}; it must be 0 or more")
    if shots == 0:
        return ()
    kin = [example for example in pool if example.question.kind == question.kind]
    kin.sort(key=lambda example: (example.question.id, example.question.text))
    if how == "nearest":
        ranked = _nearest(kin, question, embed)
    elif how == "explained":
        told = [example for example in kin if example.reason.strip()]
        ranked = sorted(told, key=lambda example: rank(seed, how, example.question.id))
    else:
        ranked = sorted(kin, key=lambda example: rank(seed, question.id, example.question.id))
    asked = _fold_case(question.text)
    others = (example for example in ranked if _fold_case(example.question.text) != asked)
    chosen = tuple(islice(others, shots))
    if len(chosen) < shots:
        having = " that have an explanation" if how == "explained" else ""
        raise InputError(
            f"question {question.id!r}: {shots} examples{having} are wanted, but of its kind, "
            f"{question.kind!r}, there are only {len(chosen)} others; give more of them in a file "
            "(examples = FILE) or set a smaller number"
        )
    return chosen[::-1] if how == "nearest" else chosen


def _nearest(kin: list[Example], question: Question, embed: "Embed | None") -> list[Example]:
    if embed is None:
        raise InputError("the nearest examples need an embedding model: pip install 'moot[embed]'")
    rows = embed([*(example.question.text for example in kin), question.text])
    # Row by row, in double precision: a matrix product would let equal rows differ by their place.
    nearness = (rows[:-1].astype("float64") * rows[-1]).sum(axis=1).tolist()
    order = sorted(range(len(kin)), key=lambda place: (-nearness[place], place))
    return [kin[place] for place in order]


def _fold_case(text: str) -> str:
    """Return a text without differences in case and white space."""
    return " ".join(text.casefold().split())

"""Taking every measure of essays, proposition by proposition."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from moot.essays import text_measures as lengths
from moot.essays.assess import diversity
from moot.essays.assess.embeddings import Embed
from moot.essays.assess.essay_arms import (
    BLEU,
    EMBEDDING,
    PERSPECTIVE,
    REPETITION,
    WORDS,
    Place,
    Taken,
    Values,
)
from moot.essays.run_essays import Essay

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.floating]

Grouped: TypeAlias = Mapping[Place, Mapping[str, Sequence[Essay]]]
Measures: TypeAlias = dict[Place, dict[str, Values]]


async def measured(grouped: Grouped, embed: Embed) -> Measures:
    """Every measure that needs no judge; those of embeddings only where all could be made."""
    counted = asyncio.create_task(asyncio.to_thread(_counted, grouped))
    try:
        alike = await _alike(grouped, embed)
        values = await counted
    finally:
        counted.cancel()
    for place, own in alike.items():
        values[place][EMBEDDING] = own
    return values


def _counted(grouped: Grouped) -> Measures:
    """Self-BLEU, words and repetition."""
    values: Measures = {}
    for place, own in grouped.items():
        texts = {question: [each.text for each in essays] for question, essays in own.items()}
        values[place] = {
            BLEU: _together({each: diversity.self_bleu(own) for each, own in texts.items()}, texts),
            WORDS: _each(texts, lambda text: float(lengths.words(text))),
            REPETITION: _each(texts, lengths.repetition),
        }
    return values


def _each(
    texts: Mapping[str, Sequence[str]], measure: Callable[[str], float | None]
) -> dict[str, Taken]:
    """A measure of single essays, of those that it is known of."""
    taken = {}
    for question, own in texts.items():
        known = [value for value in map(measure, own) if value is not None]
        if known:
            taken[question] = Taken(sum(known), len(known), len(known))
    return taken


def _together(values: Mapping[str, float | None], of: Mapping[str, Sequence[Any]]) -> Values:
    """A measure of all essays on a proposition, where it is known."""
    return {
        question: Taken(value, 1, len(of[question]))
        for question, value in values.items()
        if value is not None
    }


async def _alike(grouped: Grouped, embed: Embed) -> dict[Place, Values]:
    """The similarity of essays by their embeddings, all made at once."""
    import numpy as np

    rows = await _rows(_texts(grouped), embed)
    if rows is None:
        return {}
    return {
        place: _together(
            {
                question: diversity.self_embedding(np.stack([rows[each.text] for each in essays]))
                for question, essays in own.items()
            },
            own,
        )
        for place, own in grouped.items()
    }


async def perspectives(
    grouped: Grouped,
    points: Mapping[Essay, tuple[str, ...]],
    embed: Embed,
    values: Measures,
) -> None:
    """Add the diversity of perspectives, where the points of all essays were asked for."""
    import numpy as np

    rows = await _rows((point for own in points.values() for point in own), embed)
    if rows is None:
        return
    for place, own in grouped.items():
        asked = {
            question: [points[each] for each in essays if points[each]]
            for question, essays in own.items()
            if all(each in points for each in essays)
        }
        found = {
            question: diversity.perspective(
                [np.stack([rows[point] for point in each]) for each in pointed]
            )
            for question, pointed in asked.items()
        }
        values[place][PERSPECTIVE] = _together(found, asked)


def _texts(grouped: Grouped) -> Iterable[str]:
    return (each.text for own in grouped.values() for essays in own.values() for each in essays)


async def _rows(texts: Iterable[str], embed: Embed) -> "dict[str, Matrix] | None":
    """The embedding of each text, of equal ones once; None where the budget did not suffice."""
    distinct = list(dict.fromkeys(texts))
    rows = await embed(distinct) if distinct else ()
    return None if rows is None else dict(zip(distinct, rows, strict=True))

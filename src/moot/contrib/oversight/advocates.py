"""Advocates: how often each convinces a judge of the right and of a wrong answer, and ratings."""

from collections.abc import Iterable

import msgspec

from moot.contrib.oversight.oversight_games import GameGroup, OversightGame
from moot.extend.analyses import (
    Judgement,
    Mean,
    cluster_by_question,
    interval,
    mean_over_questions,
    measure_strengths,
)

RIGHT, WRONG = ", right", ", wrong"


class Advocate(msgspec.Struct, frozen=True, kw_only=True):
    """How well advocates of one kind argue against others, before all judges of a dataset.

    Attributes:
        dataset: of the questions.
        name: the model, and how many drafts it writes.
        correct: how often the judge takes the right answer where it argues for that.
        incorrect: how often it takes the wrong answer where it argues for that.
        overall: the mean of the two; unknown where it has met nobody but its like.
        strength: by Bradley and Terry, over all games against others; 0 is even.
        strength_right: the same where it argues for the right answer, against all who argue for
            the wrong one, its like among them.
        strength_wrong: the same of the wrong answer.
    """

    dataset: str
    name: str
    correct: Mean
    incorrect: Mean
    overall: Mean = Mean()
    strength: Mean | None = None
    strength_right: Mean | None = None
    strength_wrong: Mean | None = None


def measure_advocates(groups: Iterable[GameGroup]) -> list[Advocate]:
    """Return the win rates of each advocate, over debates with one on either side.

    Votes that cannot be read are left out.
    """
    games: dict[str, list[tuple[str, int, OversightGame]]] = {}
    for place, group in enumerate(groups):
        for (question, number), game in group.games.items():
            if game.argued == (True, True) and game.read:
                here = games.setdefault(group.dataset, [])
                here.append((question, 1_000_000 * place + number, game))
    return [each for dataset, held in games.items() for each in _measure(dataset, held)]


def _measure(dataset: str, games: list[tuple[str, int, OversightGame]]) -> Iterable[Advocate]:
    names = sorted({side.model for *_, game in games for side in game.sides})
    met = [each for each in games if each[2].sides[0].model != each[2].sides[1].model]
    judged: list[Judgement] = [
        (question, game.sides[0].model, game.sides[1].model, float(game.right))
        for question, _, game in met
    ]
    apart: list[Judgement] = [
        (question, game.sides[0].model + RIGHT, game.sides[1].model + WRONG, float(game.right))
        for question, _, game in games
    ]
    strengths = measure_strengths(judged)[0] if judged else {}
    sides = measure_strengths(apart)[0] if judged else {}
    for name in names:
        won = [
            {
                (question, number): float(game.right == (side == 0))
                for question, number, game in games
                if game.sides[side].model == name
            }
            for side in (0, 1)
        ]
        own = [
            {(question, number) for question, number, game in met if game.sides[side].model == name}
            for side in (0, 1)
        ]
        yield Advocate(
            dataset=dataset,
            name=name,
            correct=mean_over_questions(won[0]),
            incorrect=mean_over_questions(won[1]),
            overall=_average([{key: won[side][key] for key in own[side]} for side in (0, 1)]),
            strength=strengths.get(name),
            strength_right=sides.get(name + RIGHT),
            strength_wrong=sides.get(name + WRONG),
        )


def _average(won: list[dict[tuple[str, int], float]]) -> Mean:
    """Return the mean of two win rates, each of which counts half; unknown without both."""
    total = sum(map(len, won))
    if not all(won):
        return Mean()
    weighed: dict[tuple[str, int], float] = {}
    for side, values in enumerate(won):
        weight = total / (2 * len(values))
        weighed |= {
            (question, 2 * number + side): weight * value
            for (question, number), value in values.items()
        }
    clusters = cluster_by_question(weighed)
    low, high = interval(clusters, bounds=(0.0, 1.0)) or (None, None)
    return Mean(
        mean=sum(weighed.values()) / total, low=low, high=high, n=total, questions=len(clusters)
    )

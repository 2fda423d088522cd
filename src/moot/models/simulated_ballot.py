"""Ballots of simulated agents: their own answer first, then the others."""

from random import Random

import msgspec

from moot.core.calls import Scene
from moot.models.population import Population, normalize_answer

POINTS = (6, 4)
"""Points of the first and of the second answer of a ballot that has several."""


def write_ballot(people: Population, scene: Scene, chance: Random) -> str:
    """Return the ballot of an agent, in JSON with every form.

    It votes for its own answer and ranks that first. The order of the others is drawn evenly; with
    the probability ``discernment`` a right answer among them comes first of them, and is approved.
    What has no answer is not voted on.

    Args:
        people: the population.
        scene: of the prompt, which shows at least one answer.
        chance: draws.
    """
    own = None if scene.own is None else normalize_answer(scene.own)
    right = {normalize_answer(each) for each in scene.question.answers}
    shown = {
        label: normalize_answer(answer or "")
        for label, answer in zip(scene.labels, scene.others, strict=True)
        if answer is not None or not any(scene.others)
    }
    discerns = chance.random() < people.discernment
    drawn = chance.sample([*shown], len(shown))
    ranking = sorted(
        drawn, key=lambda each: (shown[each] != own, not (discerns and shown[each] in right))
    )
    approved = [
        each for each in ranking if shown[each] == own or (discerns and shown[each] in right)
    ]
    points = dict(zip(ranking, POINTS if len(ranking) > 1 else (10,), strict=False))
    scores = {each: max(10 - 2 * place, 0) for place, each in enumerate(ranking)}
    ballot = {
        "vote": ranking[0],
        "ranking": ranking,
        "approved": approved or ranking[:1],
        "points": {each: points.get(each, 0) for each in ranking},
        "scores": scores,
    }
    return msgspec.json.encode(ballot).decode()

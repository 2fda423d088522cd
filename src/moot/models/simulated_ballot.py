"""Ballots of simulated agents: their own answer first, then the others."""

from collections.abc import Iterable, Mapping
from random import Random

import msgspec

from moot.core.calls import Call, Scene
from moot.models.population import Population, normalize_answer
from moot.models.simulated_advocate import count_real_quotations

POINTS = (6, 4)
"""Points of the first and of the second answer of a ballot that has several."""


def write_ballot(people: Population, call: Call, scene: Scene, chance: Random) -> str:
    """Return the ballot of an agent, in JSON with every form.

    It votes for its own answer and ranks that first. The order of the others is drawn evenly; with
    the probability ``discernment`` a right answer among them comes first of them, and is approved.
    What has no answer is not voted on. With the probability ``first`` what is shown first is put
    first, and with the probability ``quotations`` the side with most real quotations.

    Args:
        people: the population.
        call: whose last message may quote.
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
    if (top := _find_favoured(people, call, shown, chance.random())) is not None:
        ranking = [top, *(each for each in ranking if each != top)]
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


def _find_favoured(
    people: Population, call: Call, shown: Mapping[str, str], swayed: float
) -> str | None:
    """Return the label that a bias puts first; None where no bias decides."""
    if swayed < people.first:
        return min(shown)
    if swayed < people.first + people.quotations:
        return find_most_quoted(call, shown)
    return None


def find_most_quoted(call: Call, labels: Iterable[str]) -> str | None:
    """Return the label under which a prompt shows most real quotations; None where two do."""
    real = count_real_quotations(call.messages[-1].content)
    ordered = sorted(labels, key=lambda each: real.get(each, 0), reverse=True)
    best, *others = ordered
    return best if not others or real.get(best, 0) > real.get(others[0], 0) else None


def weigh_letters(people: Population, call: Call, scene: Scene) -> dict[str, float]:
    """Return the probability of each of two labels, by which a judge answers with a letter.

    It is how often a ballot of the same judge would put the label first.
    """
    right = {normalize_answer(each) for each in scene.question.answers}
    shown = {
        label: normalize_answer(answer)
        for label, answer in zip(scene.labels, scene.others, strict=True)
        if answer is not None
    }
    best = [label for label, answer in shown.items() if answer in right]
    even = 1 / len(shown)
    own = {
        label: people.discernment * (label in best) + (1 - people.discernment) * even
        if best
        else even
        for label in shown
    }
    quoted = find_most_quoted(call, shown)
    rest = 1 - people.first - (people.quotations if quoted else 0)
    return {
        label: people.first * (label == min(shown))
        + people.quotations * (label == quoted)
        + rest * chance
        for label, chance in own.items()
    }

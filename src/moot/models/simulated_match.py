"""Rulings of simulated jurors on a debate of two sides, by the strength that either states."""

import re
from collections.abc import Mapping
from math import exp
from random import Random

import msgspec

from moot.core.calls import Call, Scene
from moot.models.population import Population, make_random
from moot.models.simulated_judge import parse_favours

_TURN = re.compile(r"^([AB]) \([^)\n]{1,40}\):$", re.MULTILINE)
_STRENGTH = re.compile(r"strength of (-?\d{1,2}(?:\.\d{1,6})?)")
_MOST_MARGIN = 5


def state_strength(people: Population, scene: Scene) -> str:
    """Return the sentence by which simulated jurors know how strong a speech is; empty for 0."""
    speaks = scene.reads_as == "text" and people.strength
    return f"My case has a strength of {people.strength:g}. " if speaks else ""


def write_match_ruling(people: Population, call: Call, scene: Scene, chance: Random) -> str:
    """Return a ruling on two sides, which stand in the prompt as A and B.

    A side of strength a wins against one of strength b with the chance 1 / (1 + exp(b - a)). With
    the probability ``first`` the side that is shown first wins, and with that of ``favours`` the
    side that it names. With the probability ``correlation`` the draw is that of all jurors of this
    debate. The margin is drawn evenly from 1 to 5.

    Args:
        people: the population of jurors.
        call: whose last message shows the debate.
        scene: of the prompt; in place of answers it has the names of the sides.
        chance: draws.
    """
    said = _split_turns(call.messages[-1].content)
    sides = dict(zip(scene.labels, scene.others, strict=True))
    label_of = {name: label for label, name in sides.items()}
    swayed, own, shares, margin = (chance.random() for _ in range(4))
    if shares < people.correlation:
        texts = sorted(said.values())
        own = make_random(
            "match", people.seed, scene.question.id, call.draw.replicate, texts
        ).random()
    favoured, share = parse_favours(people.favours)
    one, other = sorted(label_of, key=str)  # by name, so that a common draw is for one side
    gap = _find_strength(said[label_of[one]]) - _find_strength(said[label_of[other]])
    winner = label_of[one if own < 1 / (1 + exp(-gap)) else other]
    if swayed < people.first:
        winner = "A"
    elif swayed < people.first + share and favoured in label_of:
        winner = label_of[favoured]
    ruling = {
        "decisive": "The better case.",
        "winner": winner,
        "margin": 1 + int(margin * _MOST_MARGIN),
    }
    return msgspec.json.encode(ruling).decode()


def _split_turns(prompt: str) -> Mapping[str, str]:
    """Return all that each side said, by its label."""
    found = {"A": "", "B": ""}
    headings = list(_TURN.finditer(prompt))
    ends = [each.start() for each in headings[1:]] + [len(prompt)]
    for heading, end in zip(headings, ends, strict=False):
        found[heading[1]] += prompt[heading.end() : end]
    return found


def _find_strength(said: str) -> float:
    """Return the mean strength of a side's turns; 0 where none states one."""
    stated = [float(each) for each in _STRENGTH.findall(said)]
    return sum(stated) / len(stated) if stated else 0.0

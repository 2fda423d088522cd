"""Arguments of simulated advocates: what they quote of a passage, and what of it is real."""

import re
from collections import Counter
from random import Random

from moot.core.calls import Scene
from moot.models.population import Population

ARGUMENT = "<argument>"
"""The tag between which a prompt asks an advocate for its argument."""
QUOTATIONS = 3
"""How many an argument has."""
LENGTH = 6
"""Words of a quotation."""
_SIDE = re.compile(r"^For (\w+):$", re.MULTILINE)
_REAL = re.compile(r"<v_quote>.*?</v_quote>", re.DOTALL)


def write_argument(people: Population, scene: Scene, chance: Random) -> str:
    """Return the argument of an advocate, which quotes the passage where there is one.

    With the probability ``skill`` a quotation stands in it; else its words are turned round.
    """
    words = (scene.question.context or "").split()
    quotations = []
    for _ in range(QUOTATIONS if len(words) > LENGTH else 0):
        start, real = chance.randrange(len(words) - LENGTH), chance.random() < people.skill
        quoted = words[start : start + LENGTH]
        quotations.append(f"<quote>{' '.join(quoted if real else quoted[::-1])}</quote>")
    text = "; and it says: ".join(quotations) or "there is nothing to quote"
    return (
        "<thinking>I was given this answer.</thinking>\n"
        f"<argument>This speaks for my answer: {text}. What the other side says does not meet "
        "it.</argument>"
    )


def count_real_quotations(prompt: str) -> Counter[str]:
    """Return how many real quotations a prompt shows under the heading of each side."""
    found: Counter[str] = Counter()
    headings = list(_SIDE.finditer(prompt))
    ends = [heading.start() for heading in headings[1:]] + [len(prompt)]
    for heading, end in zip(headings, ends, strict=False):
        found[heading[1]] += len(_REAL.findall(prompt[heading.end() : end]))
    return found

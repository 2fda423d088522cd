"""What a simulated writer writes with: the draws behind a text, and the prompt it is written to."""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from moot import Call, Scene
from moot.core.calls import identity
from moot.essays.viewpoints import VIEWPOINTS, Viewpoint
from moot.models.population import Population, random

T = TypeVar("T")

QUOTED = 160
"""Characters of a proposition that an essay repeats."""

_SIDE = re.compile(
    r"\b(?:essay (?:that |is to )?(?:argues? )?|argue )(against|for|refutes?|supports?)\b"
)
"""Where a prompt says which side is argued."""
_FOR = {"for", "support", "supports"}


def _side(proposition: str, *texts: str) -> str:
    """The word for the side that is argued: the first of a prompt, which says it before it shows.

    What the proposition says of arguing is no side, and neither is what a critic argues.
    """
    for text in texts:
        if found := _SIDE.search(_CRITIC.sub("", text.replace(proposition, " "))):
            return str(found[1])
    return ""


_CRITIC = re.compile(r"\bcritic,? who argues\s+\w+")


class Pen:
    """The draws behind one text, and the prompt that it is written to.

    Two streams of random numbers: one of this call alone, one that everybody shares who writes the
    same piece on this proposition. ``diversity`` is how often a choice follows the first.
    """

    def __init__(self, call: Call, scene: Scene, population: Population) -> None:
        question = scene.question
        place = scene.step, scene.agent, scene.round
        self.own = random("writer", identity(call.request(), call.draw))
        self.common = random("writers", population.seed, question.id, question.text[:QUOTED], place)
        self.diversity = population.diversity
        self.scene = scene
        self.prompt = call.messages[-1].content
        self.system = call.messages[0].content if call.messages[0].role == "system" else ""
        said = [message.content for message in call.messages if message.role == "assistant"]
        self.before = said[-1] if said else ""
        self.supports = _side(question.text, self.system, self.prompt) in _FOR

    def one(self, draw: Callable[[Random], T]) -> T:
        """What is drawn, from one of the two streams; both advance."""
        own, common = draw(self.own), draw(self.common)
        return own if self.own.random() < self.diversity else common

    def choice(self, options: Sequence[T]) -> T:
        """One of these."""
        return self.one(lambda rng: rng.choice(options))

    def some(self, count: int) -> list[Viewpoint]:
        """So many viewpoints, no two the same."""
        found: dict[Viewpoint, None] = {}
        while len(found) < min(count, len(VIEWPOINTS)):
            left = [each for each in VIEWPOINTS if each not in found]
            found[self.choice(left)] = None
        return list(found)

    def likely(self, share: float) -> bool:
        """Whether something with this probability is so."""
        return self.one(Random.random) < share

    def claim(self, view: Viewpoint) -> str:
        """What somebody holds of the proposition."""
        return self.choice(_CLAIMS[self.supports]).format(stake=view.stake)

    @property
    def proposition(self) -> str:
        """The proposition, in a line and without the mark at its end."""
        text = " ".join(self.scene.question.text[: 4 * QUOTED].split())
        return (text if len(text) <= QUOTED else f"{text[:QUOTED]}…").rstrip(".!? ")

    def count(self, pattern: str, otherwise: int) -> int:
        """A number in the prompt, 1 to 20."""
        found = re.findall(pattern, self.prompt[-8000:])
        return min(20, max(1, int(found[-1]))) if found else otherwise


_CLAIMS = (
    (
        "It puts at risk {stake}.",
        "It overlooks {stake}.",
        "It has no answer to what becomes of {stake}.",
        "It asks the highest price of {stake}.",
        "It would do lasting harm to {stake}.",
    ),
    (
        "It protects {stake}.",
        "It takes seriously {stake}.",
        "It is the first answer in years to what becomes of {stake}.",
        "It relieves {stake}.",
        "It would do lasting good to {stake}.",
    ),
)

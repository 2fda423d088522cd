"""The pen of a simulated writer: the draws behind a text, and the prompt that it replies to.

The texts that it chooses from stand in ``simulated_texts.toml``.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import TypeVar

import msgspec

from moot import Call, Scene
from moot.extend.calls import Population, identity

T = TypeVar("T")


class Viewpoint(msgspec.Struct, frozen=True):
    """A person with a stake in almost any proposition.

    Attributes:
        who: the person, as a persona is described.
        stake: what is at stake for the person; it stands after "touches" and before "suffers".
        because: why it matters, as a sentence.
        example: where it shows, as a sentence.
    """

    who: str
    stake: str
    because: str
    example: str


class SideTexts(msgspec.Struct, frozen=True):
    """The openings and claims of essays that argue one side, or weigh both, with slots."""

    openings: tuple[str, ...]
    claims: tuple[str, ...]


class Texts(msgspec.Struct, frozen=True, rename={"supporting": "for"}):
    """All texts: of writers ``against`` a proposition, ``supporting`` it, and weighing ``both``."""

    reasons: tuple[str, ...]
    objections: tuple[str, ...]
    links: tuple[str, ...]
    ends: tuple[str, ...]
    against: SideTexts
    supporting: SideTexts
    both: SideTexts
    viewpoints: tuple[Viewpoint, ...]


@cache
def load_texts() -> Texts:
    """Read the file, once in a process."""
    file = Path(__file__).with_name("simulated_texts.toml")
    return msgspec.toml.decode(file.read_bytes(), type=Texts)


QUOTED = 160
"""Characters of a proposition that an essay repeats."""

_SIDE = re.compile(
    r"\b(?:essay (?:that |is to )?(?:argues? )?|argue )(against|for|refutes?|supports?)\b"
)
"""Where a prompt says which side is argued."""
_FOR = {"for", "support", "supports"}
BOTH = "both sides"
_WEIGHS = re.compile(r"\bboth sides of\b|\bfor it as against it\b")


def _find_side(proposition: str, *texts: str) -> str:
    """Return the word for the side that is argued: the first such word of the prompt.

    A word of the proposition itself does not count, nor does what a critic argues. Where both sides
    are weighed, no prompt argues one.
    """
    if any(_WEIGHS.search(text.replace(proposition, " ")) for text in texts):
        return BOTH
    for text in texts:
        if found := _SIDE.search(_CRITIC.sub("", text.replace(proposition, " "))):
            return str(found[1])
    return ""


_CRITIC = re.compile(r"\bcritic,? who argues\s+\w+")


def _make_random(*key: object) -> Random:
    """Return a generator of random numbers that depends only on the key."""
    digest = blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return Random(digest)  # noqa: S311 -- a simulation: repeatable, and guards nothing


class Pen:
    """The draws behind one text, and the prompt that it replies to.

    There are two streams of random numbers: one of this call alone, and one that all share who
    write the same piece on this proposition. ``diversity`` is how often a choice follows the first.
    """

    def __init__(self, call: Call, scene: Scene, population: Population) -> None:
        question = scene.question
        place = scene.step, scene.agent, scene.round
        self.own = _make_random("writer", identity(call.request(), call.draw))
        self.common = _make_random(
            "writers", population.seed, question.id, question.text[:QUOTED], place
        )
        self.diversity = population.diversity
        self.scene = scene
        self.prompt = call.messages[-1].content
        self.system = call.messages[0].content if call.messages[0].role == "system" else ""
        replies = [message.content for message in call.messages if message.role == "assistant"]
        self.before = replies[-1] if replies else ""
        self.texts = load_texts()
        side = _find_side(question.text, self.system, self.prompt)
        self.weighs = side == BOTH
        supports = self.texts.supporting if side in _FOR else self.texts.against
        self.side = self.texts.both if self.weighs else supports

    def one(self, draw: Callable[[Random], T]) -> T:
        """Return a draw from this call's own stream, or from the shared one; both advance.

        It is the own stream's with probability ``diversity``.
        """
        own, common = draw(self.own), draw(self.common)
        return own if self.own.random() < self.diversity else common

    def choice(self, options: Sequence[T]) -> T:
        """Return one of these options."""
        return self.one(lambda rng: rng.choice(options))

    def some(self, count: int) -> list[Viewpoint]:
        """Return this many viewpoints, no two the same."""
        found: dict[Viewpoint, None] = {}
        while len(found) < min(count, len(self.texts.viewpoints)):
            left = [each for each in self.texts.viewpoints if each not in found]
            found[self.choice(left)] = None
        return list(found)

    def likely(self, share: float) -> bool:
        """Return True with this probability."""
        return self.one(Random.random) < share

    def claim(self, view: Viewpoint) -> str:
        """Return a sentence: the claim of a person with this viewpoint on the proposition."""
        return self.choice(self.side.claims).format(stake=view.stake)

    @property
    def proposition(self) -> str:
        """The proposition, in a line and without the mark at its end."""
        text = " ".join(self.scene.question.text[: 4 * QUOTED].split())
        return (text if len(text) <= QUOTED else f"{text[:QUOTED]}…").rstrip(".!? ")

    def count(self, pattern: str, otherwise: int) -> int:
        """Return a number that the prompt names, 1 to 20."""
        found = re.findall(pattern, self.prompt[-8000:])
        return min(20, max(1, int(found[-1]))) if found else otherwise

    @property
    def words(self) -> int:
        """The words that the essay is to have; 0 where the prompt does not say."""
        found = re.findall(r"is to have about (\d{1,6})\b", self.prompt)
        return int(found[-1]) if found else 0

    @property
    def language(self) -> str:
        """The language that the text is to be in; empty where the prompt does not say."""
        found = re.search(r"^Write in this language: (.{1,100})$", self.system, re.MULTILINE)
        return found[1] if found else ""

    @property
    def outline(self) -> list[str]:
        """The points of the author's outline, without numbers; empty without one."""
        found = _OUTLINE.search(self.prompt)
        lines = found[1].split("\n") if found else []
        return [re.sub(r"^[\s\d.)*-]+", "", line) for line in lines if line.strip()]


_OUTLINE = re.compile(
    r"^The outline of the essay, by its author:\n\n(.+?)\n\n", re.MULTILINE | re.DOTALL
)

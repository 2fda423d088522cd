"""Personas for agents, in pairs that stand on two sides; pairs of bare names are controls."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("personas.toml")

LONGEST = 24
"""The most characters of a user's own persona that stand for its name."""


class DebaterPersona(NamedTuple):
    """One persona of the file.

    Attributes:
        name: by which a study asks for it.
        text: what the agent is told.
        pair: the name of its pair, e.g. ``"left-right"``.
        side: what an arbiter reads the agent's side as, where personas name the sides.
        control: whether it is a mere name.
        advocates: whether the agent is to make a case, instead of looking for the right answer.
        earlier: what the agent was told before the words changed; stored debates have it.
    """

    name: str
    text: str
    pair: str
    side: str
    control: bool = False
    advocates: bool = False
    earlier: str = ""

    @property
    def key(self) -> str:
        """The word by which a ruling names the side: ``"Left"`` for ``"Left-wing"``."""
        return self.side.partition("-")[0]


@cache
def personas() -> dict[str, DebaterPersona]:
    """Return every persona by its name."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: DebaterPersona(name, **table) for name, table in read.items()}


def persona_text(persona: str) -> str:
    """Return the text that an agent is told: that of a persona by its name, else the one given."""
    known = personas().get(persona)
    return known.text if known else persona.strip()


def name_persona(text: str) -> str:
    """Return the name of a persona; for a text of the user's own, its first words."""
    for each in personas().values():
        if text and text in (each.text, each.name, each.earlier):
            return each.name
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"


def is_control(first: str, second: str) -> bool:
    """Return whether two personas, by their names, are a pair of mere names."""
    one, other = personas().get(first), personas().get(second)
    return bool(one and other and one.control and one.pair == other.pair)

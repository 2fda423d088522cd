"""Personas: who an agent is told to be, in pairs, with pairs of mere names as controls."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("personas.toml")

LONGEST = 24
"""Characters of a persona in somebody's own words that its name keeps."""


class Persona(NamedTuple):
    """One persona of the file.

    Attributes:
        name: by which a study asks for it.
        text: what the agent is told.
        pair: the name of its pair, e.g. ``"left-right"``.
        control: whether it is a mere name.
    """

    name: str
    text: str
    pair: str
    control: bool


@cache
def personas() -> dict[str, Persona]:
    """Every persona by its name."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Persona(name, read["text"].replace("WHO", who), pair, table == "controls")
        for table in ("pairs", "controls")
        for pair, members in read[table].items()
        for name, who in members.items()
    }


def words_of(persona: str) -> str:
    """What an agent is told: the words of a persona by its name, else the words given."""
    known = personas().get(persona)
    return known.text if known else persona.strip()


def named(text: str) -> str:
    """What a persona is called: its name, where it is one of the file's; else its first words."""
    for each in personas().values():
        if text in (each.text, each.name):
            return each.name
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"


def is_control(first: str, second: str) -> bool:
    """Whether two personas, by their names, are a pair of mere names."""
    one, other = personas().get(first), personas().get(second)
    return bool(one and other and one.control and one.pair == other.pair)

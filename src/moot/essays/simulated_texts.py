"""The texts that simulated writers choose from; they stand in ``simulated_texts.toml``."""

from functools import cache
from pathlib import Path

import msgspec


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
    """The openings and claims of essays that argue one side, with slots."""

    openings: tuple[str, ...]
    claims: tuple[str, ...]


class Texts(msgspec.Struct, frozen=True, rename={"supporting": "for"}):
    """All texts: of writers who argue ``against`` a proposition, of those ``supporting`` it."""

    reasons: tuple[str, ...]
    objections: tuple[str, ...]
    links: tuple[str, ...]
    ends: tuple[str, ...]
    against: SideTexts
    supporting: SideTexts
    viewpoints: tuple[Viewpoint, ...]


@cache
def load_texts() -> Texts:
    """Read the file, once in a process."""
    file = Path(__file__).with_suffix(".toml")
    return msgspec.toml.decode(file.read_bytes(), type=Texts)

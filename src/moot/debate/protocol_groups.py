"""The groups in which protocols are listed: what they have in common, and when to take one."""

from typing import NamedTuple


class ProtocolGroup(NamedTuple):
    """A group of protocols in a list.

    Attributes:
        place: its place among the groups, from 0.
        name: its name, by which a protocol states it.
        title: its heading in a list.
        when: when to take one of its protocols, in a line.
    """

    place: int
    name: str
    title: str
    when: str


_WHEN = {
    "votes": "cheapest, for short answers: agents never read each other",
    "debates": "agents read each other's answers and may change theirs",
    "councils": "answers are ranked or graded; long texts, many models",
    "judges": "sides argue or agents propose, and a judge decides",
    "networks": "many agents, wired as groups or as a graph",
    "gates": "most questions are easy: debate only where answers differ",
    "sources": "answers must come from your documents or from tools",
    "essays": "the answer is an argued essay",
    "oversight": "for studies: the right answer has to be known",
}
GROUPS = {
    name: ProtocolGroup(place, name, name.capitalize(), when)
    for place, (name, when) in enumerate(_WHEN.items())
}
"""All groups by name, in the order of a list."""
_ALONE = frozenset({"single", "samples", "control"})
"""The kinds of protocols whose agents never read each other."""


def find_group(stated: str, kind: object, signal: object) -> ProtocolGroup:
    """Return a protocol's group.

    Args:
        stated: the group that the protocol names itself; empty where it names none.
        kind: what it is in comparisons.
        signal: what its gate compares with a threshold; empty without a gate.

    Raises:
        TypeError: it names a group that there is not.
    """
    if stated and stated not in GROUPS:
        raise TypeError(f"group {stated!r}: expected one of {', '.join(GROUPS)}")
    usual = "gates" if signal else "votes" if kind in _ALONE else "debates"
    return GROUPS[stated or usual]
